//! The API server is killed and started again.

use serde_json::json;
use watchglass::api::{DeleteOptions, Error, ListOptions};
use watchglass::runtime::Traffic;

use crate::UNBROKEN;
use crate::fault_proxy::Mode;
use crate::scene::{Scene, changes, run, until};

#[test]
fn a_server_that_dies_in_the_middle_of_a_list_leaves_nothing_of_it() {
    let _broken = UNBROKEN.write();
    run(async {
        let scene = Scene::new("list-outage").await;
        // More than the buffers of all sockets on the way hold.
        for number in 0..12 {
            let data = json!({ "data": { "text": "x".repeat(900_000) } });
            scene.create(&scene.config_maps(), "ConfigMap", &format!("large-{number}"), data).await;
        }
        scene.proxy.set(Mode::StallAt(1_500_000));
        let watched = scene.informer(scene.config_maps());
        until(|| scene.proxy.answered_bytes() == 1_500_000).await;
        scene.cluster.kill_api_server().await;
        scene.proxy.set(Mode::Pass);
        watched.until(|| watched.error().is_some()).await;
        assert!(matches!(watched.error(), Some(Error::Interrupted { .. })), "{:?}", watched.error());
        assert!(watched.store().is_empty() && !watched.informer.has_synced(), "half a list is none");
        scene.cluster.restart_api_server().await;
        watched.connected().await;
        watched.is_in_step().await;
        assert_eq!(changes(&watched).len(), 12);
        let (all, now) = (ListOptions::default(), DeleteOptions::default());
        scene.admin.delete_collection(&scene.config_maps(), &now, &all).await.expect("they are in nobody's way");
        watched.is_in_step().await;
    });
}

#[test]
fn a_server_that_dies_before_the_second_page_is_asked_for_the_first_again() {
    let _broken = UNBROKEN.write();
    run(async {
        let scene = Scene::new("page-outage").await;
        let (events, watched) = scene.informer_before_page_two().await;
        scene.cluster.kill_api_server().await;
        scene.log.release();
        watched.until(|| watched.error().is_some()).await;
        assert!(watched.store().is_empty(), "a page is no list");
        scene.proxy.set(Mode::Refuse);
        scene.cluster.restart_api_server().await;
        scene.delete(events, "a").await;
        scene.proxy.set(Mode::Pass);
        watched.connected().await;
        watched.is_in_step().await;
        assert_eq!(watched.told.take_news(), ["+b", "+c", "+d", "+e"]);
    });
}

/// kubernetes/kubernetes#86483: the server's cache begins with its start, so that the watch is told 410; one list
/// from the version that is known is enough.
#[test]
fn a_watch_from_before_a_server_s_start_is_followed_by_one_list_and_no_deletion_is_missed() {
    let _broken = UNBROKEN.write();
    run(async {
        let scene = Scene::new("watch-outage").await;
        for name in ["stays", "goes", "changes"] {
            scene.create_config_map(name).await;
        }
        let watched = scene.informer(scene.config_maps());
        scene.is_watched_by(&watched).await;
        let last = watched.informer.last_sync_resource_version();

        scene.proxy.set(Mode::Refuse);
        watched.until(|| watched.error().is_some()).await;
        scene.delete(scene.config_maps(), "goes").await;
        scene.cluster.kill_api_server().await;
        scene.cluster.restart_api_server().await;
        assert!(watched.holds("goes"), "what is held stays");
        scene.patch_config_map("changes").await;
        scene.create_config_map("comes").await;
        scene.log.forget();
        scene.proxy.set(Mode::Pass);
        watched.until(|| watched.holds("comes")).await;
        watched.is_in_step().await;
        watched.connected().await;
        assert_eq!(changes(&watched), ["+comes", "?goes"]);
        assert_eq!(scene.log.list_queries(), [format!("resourceVersion={last}&pretty=false")]);
        assert!(scene.log.count(Traffic::Watch) >= 2, "one that was too old, and the new one");
    });
}
