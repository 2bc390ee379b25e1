//! etcd forgets: a real 410. Events are what the API server keeps no cache of, so that it must ask etcd.

use serde_json::{Value, json};
use watchglass::runtime::native::HttpTransport;
use watchglass::runtime::{Method, Request, Response, Traffic, Transport as _};

use crate::UNBROKEN;
use crate::cluster::Cluster;
use crate::fault_proxy::Mode;
use crate::scene::{Scene, changes, run, whole};

/// Forgets what was before now, through etcd's HTTP gateway.
async fn compact(cluster: &Cluster) {
    let etcd = format!("http://127.0.0.1:{}/", cluster.setting("/parts/etcd/port"));
    let etcd = HttpTransport::new(&etcd).expect("a client");
    let post = async |path: &str, body: Value| {
        let body = Some(body.to_string().into());
        let request = Request { method: Method::Post, path: path.into(), body, ..Request::default() };
        let Response { status, body, .. } = etcd.send(request).await.expect("etcd answers");
        (status, String::from_utf8(whole(body).await).expect("a text"))
    };
    let (_, now) = post("v3/maintenance/status", json!({})).await;
    let now: Value = serde_json::from_str(&now).expect("JSON");
    let revision = &now["header"]["revision"];
    let (status, text) = post("v3/kv/compaction", json!({ "revision": revision, "physical": true })).await;
    // Somebody else may have been faster.
    assert!(status == 200 || text.contains("has been compacted"), "{status} {text}");
}

#[test]
fn a_watch_from_before_a_compaction_is_followed_by_one_list_from_what_is_known() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("compaction").await;
        let events = scene.path("", "v1", "events");
        for name in ["stays", "goes"] {
            scene.create(&events, "Event", name, scene.fields("Event")).await;
        }
        let watched = scene.informer(events.clone());
        scene.is_watched_by(&watched).await;
        let last = watched.informer.last_sync_resource_version();
        scene.log.forget();

        scene.proxy.set(Mode::Refuse);
        watched.until(|| watched.error().is_some()).await;
        scene.delete(events.clone(), "goes").await;
        scene.create(&events, "Event", "comes", scene.fields("Event")).await;
        compact(scene.cluster).await;
        scene.proxy.set(Mode::Pass);
        watched.until(|| watched.holds("comes")).await;
        watched.is_in_step().await;
        watched.connected().await;
        assert_eq!(changes(&watched), ["+comes", "?goes"]);
        assert_eq!(scene.log.list_queries(), [format!("resourceVersion={last}&pretty=false")]);
    });
}

#[test]
fn a_second_page_from_before_a_compaction_is_replaced_by_the_whole_list() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("pages").await;
        let (events, watched) = scene.informer_before_page_two().await;
        scene.delete(events.clone(), "a").await;
        scene.create(&events, "Event", "f", scene.fields("Event")).await;
        compact(scene.cluster).await;
        scene.log.release();
        watched.connected().await;
        watched.is_in_step().await;

        let queries = scene.log.list_queries();
        assert_eq!(queries.len(), 3, "{queries:?}");
        assert_eq!(queries[0], "resourceVersion=0&limit=2&pretty=false");
        assert!(queries[1].starts_with("limit=2&continue="), "{}", queries[1]);
        assert_eq!(queries[2], "resourceVersion=0&pretty=false", "as it was asked for at first, without a limit");
        let statuses: Vec<_> =
            scene.log.all().iter().filter(|sent| sent.traffic == Traffic::List).map(|sent| sent.status).collect();
        assert_eq!(statuses, [Some(200), Some(410), Some(200)]);
        assert_eq!(watched.told.take_news(), ["+b", "+c", "+d", "+e", "+f"], "nothing of the page that was in vain");
    });
}
