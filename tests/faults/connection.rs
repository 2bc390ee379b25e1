//! The fault proxy between client and server.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::future::{FutureExt as _, LocalBoxFuture};
use serde_json::json;
use watchglass::api::{Error, ListOptions, WatchEvent};
use watchglass::cache::{ListProgress, ListResult, ListerWatcher, WatchStream};
use watchglass::rest::ResourceListWatch;
use watchglass::runtime::Traffic;
use watchglass::runtime::native::HttpTransport;

use crate::UNBROKEN;
use crate::fault_proxy::{FaultProxy, Mode};
use crate::kubectl_proxy::KubectlProxy;
use crate::scene::{Scene, Watched, lists_and_watches, run, until};
use crate::sent::Recording;

#[test]
fn a_connection_that_is_reset_costs_a_new_watch_and_no_list() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("cut").await;
        scene.create_config_map("goes").await;
        let watched = scene.informer(scene.config_maps());
        scene.is_watched_by(&watched).await;
        let lists = scene.log.count(Traffic::List);

        scene.proxy.set(Mode::Cut);
        watched.until(|| watched.error().is_some()).await;
        scene.delete(scene.config_maps(), "goes").await;
        scene.create_config_map("comes").await;
        assert!(watched.holds("goes"), "what is held stays");
        scene.proxy.set(Mode::Pass);
        watched.is_in_step().await;
        assert_eq!(watched.told.take_news(), ["-goes", "+comes"]);
        assert_eq!(scene.log.count(Traffic::List), lists);
    });
}

#[test]
fn a_port_that_refuses_is_asked_again_until_it_answers_and_nothing_is_listed_again() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("refuse").await;
        scene.create_config_map("goes").await;
        let watched = scene.informer(scene.config_maps());
        scene.is_watched_by(&watched).await;
        let (lists, watches) = lists_and_watches(&scene.log);

        scene.proxy.set(Mode::Refuse);
        watched.until(|| scene.log.count(Traffic::Watch) > watches + 3).await;
        assert!(matches!(watched.error(), Some(Error::Unreachable { .. })), "{:?}", watched.error());
        scene.delete(scene.config_maps(), "goes").await;
        scene.proxy.set(Mode::Pass);
        watched.is_in_step().await;
        assert_eq!(watched.told.take_news(), ["-goes"]);
        assert_eq!(scene.log.count(Traffic::List), lists);
    });
}

/// Watches of four seconds: the server sends a bookmark two seconds before a watch's end.
struct Bookmarked {
    inner: ResourceListWatch,
    watches: Cell<usize>,
    /// In which watch the last bookmark came.
    last: Rc<Cell<usize>>,
}

impl Bookmarked {
    fn new(inner: ResourceListWatch) -> Self {
        Self { inner, watches: Cell::default(), last: Rc::default() }
    }

    /// The watch that is open has brought one.
    fn has_bookmark(&self) -> bool {
        self.watches.get() > 0 && self.last.get() == self.watches.get()
    }
}

impl ListerWatcher for Bookmarked {
    fn list(
        &self,
        options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        self.inner.list(options, progress)
    }

    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        let opening = self.inner.watch(ListOptions { timeout_seconds: Some(4), ..options });
        self.watches.set(self.watches.get() + 1);
        let (last, watch) = (Rc::clone(&self.last), self.watches.get());
        let note = move |event: &Result<WatchEvent, Error>| {
            if matches!(event, Ok(WatchEvent::Bookmark { .. })) {
                last.set(watch);
            }
        };
        async move { Ok(opening.await?.inspect(note).boxed_local()) }.boxed_local()
    }
}

/// kubernetes/client-go#374: neither data nor an end comes, and only the silence tells.
#[test]
fn a_watch_whose_connection_was_forgotten_is_given_up_after_three_minutes_of_silence() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("half-open").await;
        scene.create_config_map("goes").await;
        let source = Rc::new(Bookmarked::new(ResourceListWatch::new(scene.client(), scene.config_maps())));
        let watched = scene.informer_of(scene.config_maps(), Rc::clone(&source) as _, |_| {});
        watched.connected().await;
        until(|| source.has_bookmark()).await;

        let (lists, watches) = lists_and_watches(&scene.log);
        watched.told.take_news();
        scene.proxy.set_open(Mode::HalfOpen);
        let began = scene.runtime.now();
        scene.delete(scene.config_maps(), "goes").await;
        watched.until_late(|| scene.log.count(Traffic::Watch) > watches).await;
        let silence = scene.runtime.now().since(began);
        assert!((150..240).contains(&silence.as_secs()), "{silence:?}");
        watched.until(|| !watched.holds("goes")).await;
        watched.is_in_step().await;
        assert_eq!(watched.told.take_news(), ["-goes"]);
        assert_eq!(scene.log.count(Traffic::List), lists);
    });
}

#[test]
fn a_list_that_stalls_is_given_up_after_a_minute_of_silence() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("stall").await;
        scene.create_config_map("there").await;
        scene.proxy.set(Mode::Stall);
        let watched = scene.informer(scene.config_maps());
        until(|| scene.log.count(Traffic::List) == 1).await;
        scene.clock.skip(Duration::from_secs(59));
        tokio::task::yield_now().await;
        assert_eq!(watched.error(), None);
        watched.until_late(|| watched.error().is_some()).await;
        assert_eq!(watched.error(), Some(Error::Silent { seconds: 60 }));
        scene.proxy.set(Mode::Pass);
        watched.is_in_step().await;
        assert!(watched.informer.has_synced());
    });
}

const TRICKLE: Mode = Mode::Trickle(Duration::from_millis(1));

/// Through `kubectl proxy`, where bytes are not hidden in TLS records.
async fn trickled(scene: &Scene, kubectl_proxy: &KubectlProxy) -> (FaultProxy, Watched) {
    scene.create_config_map("there").await;
    let proxy = FaultProxy::start(([127, 0, 0, 1], kubectl_proxy.port).into(), None).await.expect("it listens");
    proxy.set(TRICKLE);
    let transport = HttpTransport::new(&format!("http://127.0.0.1:{}/", proxy.port())).expect("a client");
    let client = scene.client_over(Rc::new(Recording::new(Rc::new(transport), &scene.log)));
    let source = ResourceListWatch::new(client, scene.config_maps());
    let watched = scene.informer_of(scene.config_maps(), Rc::new(source), |_| {});
    (proxy, watched)
}

/// Each byte takes a second.
async fn a_second_a_byte(scene: &Scene, proxy: &FaultProxy, until: impl Fn() -> bool) {
    let mut seen = proxy.answered_bytes();
    while !until() {
        let now = proxy.answered_bytes();
        scene.clock.skip(Duration::from_secs((now - seen) as u64));
        seen = now;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[test]
fn a_list_that_comes_byte_by_byte_goes_on_for_as_long_as_something_comes() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("trickle").await;
        let text = json!({ "data": { "text": "x".repeat(1000) } });
        scene.create(&scene.config_maps(), "ConfigMap", "long", text).await;
        let kubectl_proxy = KubectlProxy::start(scene.cluster, &[]);
        let (proxy, watched) = trickled(&scene, &kubectl_proxy).await;
        // The head is not what is looked at here. It is shorter, and all that comes after these bytes takes its second.
        proxy.set(Mode::StallAt(600));
        let head_came = || scene.log.all().first().is_some_and(|sent| sent.status.is_some());
        until(|| head_came() && proxy.answered_bytes() == 600).await;
        proxy.set(TRICKLE);
        let began = scene.runtime.now();
        a_second_a_byte(&scene, &proxy, || watched.informer.has_synced()).await;
        let took = scene.runtime.now().since(began);
        assert!(took > Duration::from_secs(300), "longer than any silence that is borne with: {took:?}");
        assert_eq!(scene.log.count(Traffic::List), 1);
        proxy.set(Mode::Pass);
        watched.is_in_step().await;
    });
}

#[test]
fn an_answer_whose_head_does_not_come_within_a_minute_is_given_up_though_bytes_trickle() {
    let _unbroken = UNBROKEN.read();
    run(async {
        let scene = Scene::new("trickle-head").await;
        let kubectl_proxy = KubectlProxy::start(scene.cluster, &[]);
        let (proxy, watched) = trickled(&scene, &kubectl_proxy).await;
        a_second_a_byte(&scene, &proxy, || watched.error().is_some()).await;
        assert_eq!(watched.error(), Some(Error::Silent { seconds: 60 }));
        proxy.set(Mode::Pass);
        watched.is_in_step().await;
    });
}
