use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use jiff::Timestamp;
use wasm_bindgen_test::wasm_bindgen_test;
use watchglass::api::{Error, List, ListMeta, ListOptions, Manifest, Object};
use watchglass::cache::{ListProgress, ListResult, ListerWatcher, SharedInformer, SharedInformerFactory, WatchStream};
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::{Clock, Moment, Runtime, StopSource, web};
use watchglass::testing::apiserver::ApiServer;
use watchglass::testing::objects;

use crate::pods;

#[wasm_bindgen_test]
async fn an_informer_follows_the_demo_server_in_the_page() {
    let runtime = web::runtime();
    let server = ApiServer::new(runtime.clone());
    server.create(objects::namespace("shop")).expect("the server takes a namespace");
    let create = |name: &str| server.create(objects::pod("shop", name)).expect("the server takes a pod");
    create("a");
    let factory = SharedInformerFactory::new(
        runtime.clone(),
        Rc::new(RestClient::for_config(&Config::without_rate_limit(&runtime, server.transport()))),
    );
    let informer = factory.informer_for(&pods());
    factory.start();
    factory.wait_for_cache_sync().await;
    let created = create("b");
    while informer.indexer().len() < 2 {
        runtime.spawner.yield_now().await;
    }
    assert_eq!(informer.indexer().get_by_key("shop/b"), Some(Manifest::clone(&created).into()));
    factory.shutdown().await;
}

/// A clock on which each look at it takes a millisecond: a turn is so many looks, however fast the machine is.
struct BusyClock {
    clock: Rc<dyn Clock>,
    looks: Cell<u32>,
}

impl Clock for BusyClock {
    fn now(&self) -> Moment {
        self.looks.set(self.looks.get() + 1);
        Moment::after_start(Duration::from_millis(1) * self.looks.get())
    }

    fn wall(&self) -> Timestamp {
        self.clock.wall()
    }

    fn sleep_until(&self, _deadline: Moment) -> LocalBoxFuture<'static, ()> {
        std::future::pending().boxed_local()
    }
}

/// Has one list, and watches that stay silent.
struct OneList(Vec<Object>);

impl ListerWatcher for OneList {
    fn list(
        &self,
        _options: ListOptions,
        _progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        let metadata = ListMeta { resource_version: "1".into(), ..ListMeta::default() };
        let list = List { metadata, items: self.0.clone(), ..List::default() };
        async { Ok(ListResult { list, paginated: false }) }.boxed_local()
    }

    fn watch(&self, _options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        async { Ok(futures::stream::pending().boxed_local()) }.boxed_local()
    }

    fn supports_watch_list(&self) -> bool {
        false
    }
}

/// Case 39 of the browser test list: counted are the page's turns, for how long one is depends on the machine.
#[wasm_bindgen_test]
async fn two_hundred_thousand_objects_leave_the_page_its_turns() {
    const COUNT: usize = 200_000;
    let page = web::runtime();
    let clock = Rc::new(BusyClock { clock: Rc::clone(&page.clock), looks: Cell::new(0) });
    let runtime = Runtime { clock, ..page.clone() };
    let object = |number| {
        let mut object = Manifest::default();
        object.metadata.name = format!("p{number}");
        object.into()
    };
    let source = Rc::new(OneList((0..COUNT).map(object).collect()));
    let informer = SharedInformer::new(runtime.clone(), source, "pods".into());
    let (stop, running) = (StopSource::new(), informer.clone());
    let token = stop.token();
    let _task = runtime.spawn(async move { running.run(token).await });
    let mut turns = 0;
    while !informer.has_synced() {
        page.spawner.yield_now().await;
        turns += 1;
        let len = informer.indexer().len();
        assert!(len == 0 || len == COUNT, "{len} objects are a part of a list");
    }
    assert_eq!(informer.indexer().len(), COUNT);
    // A turn has eight looks at the clock, and there are 64 objects between two; each object is taken up twice.
    assert!(turns >= COUNT / (9 * 64), "{turns} turns");
}
