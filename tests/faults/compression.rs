//! From 1.37 on the API server compresses a WatchList, one gzip member for each flush.

use std::io::Read as _;
use std::rc::Rc;

use futures::StreamExt as _;
use futures::future::LocalBoxFuture;
use watchglass::api::{Error, ListOptions, ResourceVersionMatch, WatchEvent};
use watchglass::rest::ResourceListWatch;
use watchglass::runtime::{Request, Response, Traffic, Transport, TransportError};

use crate::UNBROKEN;
use crate::scene::{Scene, run};

/// Asks for gzip, as browsers do.
struct AskingForGzip(Rc<dyn Transport>);

impl Transport for AskingForGzip {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        // A list of some length would be compressed too, and this client reads it as it comes.
        if request.traffic == Traffic::List { self.0.send(request) } else { self.0.send(gzipped(request)) }
    }
}

fn gzipped(request: Request) -> Request {
    request.with_header("accept-encoding", "gzip")
}

fn watch_list() -> ListOptions {
    ListOptions {
        watch: true,
        allow_watch_bookmarks: true,
        resource_version_match: Some(ResourceVersionMatch::NotOlderThan),
        send_initial_events: Some(true),
        ..ListOptions::default()
    }
}

/// Each member's text; the last one may be unfinished, and is left out then.
fn members(compressed: &[u8]) -> Vec<String> {
    let (mut members, mut rest) = (Vec::new(), compressed);
    while !rest.is_empty() {
        let mut decoder = flate2::bufread::GzDecoder::new(rest);
        let mut text = String::new();
        if decoder.read_to_string(&mut text).is_err() {
            break;
        }
        members.push(text);
        rest = decoder.into_inner();
    }
    members
}

/// Case 23 of the browser test list.
#[test]
fn what_comes_after_the_first_state_is_in_gzip_members_of_its_own() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("members").await;
        scene.create_config_map("before").await;
        let transport = scene.through_proxy(&scene.cluster.setting("/admin/token"));
        let path = format!("{}?{}", scene.config_maps(), watch_list().to_query());
        let request = gzipped(Request { traffic: Traffic::Watch, ..Request::get(path) });
        let mut response = transport.send(request).await.expect("a head");
        assert_eq!(response.header("content-encoding"), Some("gzip"));
        let mut compressed = Vec::new();
        let mut read = async |wanted: &str| {
            while !members(&compressed).concat().contains(wanted) {
                compressed.extend(response.body.next().await.expect("it goes on").expect("bytes"));
            }
            members(&compressed)
        };
        let first = read("initial-events-end").await;
        assert!(first.concat().contains("before"));
        scene.create_config_map("after").await;
        let all = read("after").await;
        assert!(all.len() > first.len(), "who stops at the first member never hears of it: {} members", all.len());
    });
}

/// Cases 23 and 24 of the browser test list.
#[test]
fn a_watch_that_comes_compressed_is_refused_and_the_informer_lists_instead() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("compressed").await;
        scene.create_config_map("before").await;
        let token = scene.cluster.setting("/admin/token");
        let client = scene.client_over(Rc::new(AskingForGzip(scene.through_proxy(&token))));
        let error = client.watch(&scene.config_maps(), &watch_list()).await.err().expect("it is refused");
        let is_named = matches!(&error, Error::Undecodable { reason, .. } if reason.contains("gzip"));
        assert!(is_named, "{error}");

        let source = ResourceListWatch::new(client, scene.config_maps()).with_watch_list(true);
        let watched = scene.informer_of(scene.config_maps(), Rc::new(source), |_| {});
        watched.connected().await;
        scene.create_config_map("after").await;
        watched.until(|| watched.holds("after")).await;
        watched.is_in_step().await;
        assert_eq!(scene.log.count(Traffic::List), 1);
    });
}

#[test]
fn this_client_asks_for_no_compression_and_a_watch_list_goes_on_after_the_first_state() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("plain").await;
        scene.create_config_map("before").await;
        let source = ResourceListWatch::new(scene.client(), scene.config_maps()).with_watch_list(true);
        let watched = scene.informer_of(scene.config_maps(), Rc::new(source), |_| {});
        watched.connected().await;
        scene.create_config_map("after").await;
        watched.until(|| watched.holds("after")).await;
        watched.is_in_step().await;
        assert_eq!((scene.log.count(Traffic::List), scene.log.count(Traffic::Watch)), (0, 1));

        let mut events = scene.client().watch(&scene.config_maps(), &watch_list()).await.expect("no compression");
        assert!(matches!(events.next().await, Some(Ok(WatchEvent::Added(_)))));
        let asked = |sent: &crate::sent::Sent| sent.header_names.iter().any(|name| name == "accept-encoding");
        assert!(!scene.log.all().iter().any(asked));
    });
}
