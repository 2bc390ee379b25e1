//! The heap after an hour of churn is the heap after its first minutes, counted byte by byte in virtual time.
#![cfg(feature = "testing")]
#![expect(clippy::print_stdout, reason = "the figures go into the documents")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::{StreamExt as _, stream};
use watchglass::api::Object;
use watchglass::cache::{
    DeletedObject, ResourceEventHandler, SharedInformer, SharedInformerFactory, meta_namespace_key,
};
use watchglass::rest::{Config, RestClient};
use watchglass::runtime::{Request, Response, Runtime, Traffic, Transport, TransportError};
use watchglass::testing::Sandbox;
use watchglass::transport::Connections;
use watchglass::view::TableModel;
use watchglass::view::columns::PODS;
use watchglass::workqueue::Queue;

/// Nearly as many as a hash table of 4,096 buckets takes: those with deletions in them double once, and here at once.
const OBJECTS: usize = 3_400;
const MINUTES: usize = 60;
const REPLACED_MINUTES: usize = 10;
/// Of each, a creation, a deletion and three updates: 50 changes a second, and every pod is gone after 340 seconds.
const ROUNDS_PER_SECOND: usize = 10;
/// How often the server ends its watch in good order.
const WATCH_MINUTES: usize = 7;

/// Counts what is allocated and not yet freed.
struct CountingAllocator;

static LIVE_BYTES: AtomicI64 = AtomicI64::new(0);

#[expect(unsafe_code, reason = "an allocator cannot be written without; it only counts and hands on")]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE_BYTES.fetch_add(layout.size() as i64, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A server of which only the texts are there: a list of what lives, and a watch that a test writes.
#[derive(Default)]
struct Wire {
    alive: RefCell<VecDeque<String>>,
    watch: RefCell<Option<UnboundedSender<Bytes>>>,
}

impl Wire {
    fn tell(&self, kind: &str, pod: &str) {
        let frame = format!("{{\"type\":\"{kind}\",\"object\":{pod}}}\n");
        let watch = self.watch.borrow();
        watch.as_ref().expect("a watch is open").unbounded_send(frame.into()).expect("somebody reads it");
    }
}

struct WireTransport(Rc<Wire>);

impl Transport for WireTransport {
    fn send(&self, request: Request) -> LocalBoxFuture<'static, Result<Response, TransportError>> {
        let body = if request.traffic == Traffic::Watch {
            let (sender, frames) = unbounded();
            *self.0.watch.borrow_mut() = Some(sender);
            frames.map(Ok).boxed_local()
        } else {
            let alive = self.0.alive.borrow().iter().cloned().collect::<Vec<_>>().join(",");
            let head = r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":["#;
            stream::iter([Ok(Bytes::from(format!("{head}{alive}]}}")))]).boxed_local()
        };
        let headers = vec![("content-type".into(), "application/json".into())];
        async move { Ok(Response { status: 200, headers, body }) }.boxed_local()
    }
}

/// A pod that shares little with those before it: its name, its label and its ReplicaSet are new.
fn pod(number: usize, version: usize, phase: &str) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"web-{number:07}","namespace":"ns-{:02}","uid":"{number:012}","resourceVersion":"{version:09}","creationTimestamp":"2026-01-01T00:00:00Z","labels":{{"app":"web","release-{number:07}":"yes"}},"annotations":{{"build":"b-{version:09}"}},"ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs-{number:07}","uid":"r{number:07}","controller":true}}]}},"spec":{{"nodeName":"node-{:03}","containers":[{{"name":"web","image":"registry.example/web:{number:07}"}}]}},"status":{{"phase":"{phase}","podIP":"10.{:03}.0.1","containerStatuses":[{{"name":"web","ready":true,"restartCount":0,"image":"web"}}]}}}}"#,
        number % 40,
        number % 100,
        number % 256,
    )
}

struct Keys(Queue<String>);

impl ResourceEventHandler for Keys {
    fn on_add(&self, object: &Object, _: bool) {
        self.0.add(meta_namespace_key(object));
    }

    fn on_update(&self, _: &Object, new: &Object) {
        self.0.add(meta_namespace_key(new));
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        self.0.add(deleted.key());
    }
}

/// What the page's table does: the newest object of each key becomes its row.
async fn show(runtime: Runtime, informer: SharedInformer, keys: Queue<String>, table: Rc<RefCell<TableModel>>) {
    while let Some(key) = keys.get().await {
        let now = runtime.clock.wall();
        match informer.indexer().get_by_key(&key) {
            Some(object) => table.borrow_mut().upsert(&object, now),
            None => table.borrow_mut().remove(&key, now),
        };
        keys.done(&key);
        table.borrow_mut().expire(now);
    }
}

/// The pods that come, change and go, with names and versions that were never there before.
struct Churn {
    wire: Rc<Wire>,
    next: usize,
    version: usize,
}

impl Churn {
    fn new() -> Self {
        let wire = Rc::<Wire>::default();
        wire.alive.borrow_mut().extend((0..OBJECTS).map(|number| pod(number, 2, "Running")));
        Self { wire, next: OBJECTS, version: 2 }
    }

    fn second(&mut self) {
        for _ in 0..ROUNDS_PER_SECOND {
            let oldest = self.next - OBJECTS;
            self.tell("ADDED", self.next, "Pending");
            self.tell("DELETED", oldest, "Running");
            self.next += 1;
            for _ in 0..3 {
                let number = oldest + 1 + self.version * 7_919 % OBJECTS;
                self.tell("MODIFIED", number, "Running");
            }
        }
    }

    fn tell(&mut self, kind: &str, number: usize, phase: &str) {
        self.version += 1;
        self.wire.tell(kind, &pod(number, self.version, phase));
    }

    fn end_watch(&self) {
        *self.wire.watch.borrow_mut() = None;
    }
}

#[test]
fn the_heap_after_an_hour_of_churn_is_the_heap_after_its_first_minutes() {
    let sandbox = Sandbox::new();
    let runtime = sandbox.runtime();
    let mut churn = Churn::new();
    let connections = Connections::new(&runtime, Rc::new(WireTransport(Rc::clone(&churn.wire))), None);
    let client = RestClient::for_config(&Config::without_rate_limit(&runtime, Rc::new(connections)));
    let factory = SharedInformerFactory::new(runtime.clone(), Rc::new(client));
    let informer = factory.informer_for(&PODS.group_version_resource());
    let (keys, table) = (Queue::new(), Rc::new(RefCell::new(TableModel::new(&PODS))));
    let _registration = informer.add_event_handler(Rc::new(Keys(keys.clone()))).expect("it runs");
    let _worker = sandbox.spawn(show(runtime, informer.clone(), keys, Rc::clone(&table)));
    factory.start();
    sandbox.run_until_idle();
    churn.wire.alive.borrow_mut().clear();

    let mut samples = Vec::with_capacity(MINUTES);
    for minute in 1..=MINUTES {
        for _ in 0..60 {
            churn.second();
            sandbox.advance(Duration::from_secs(1));
        }
        assert_eq!(informer.indexer().len(), OBJECTS);
        if minute % WATCH_MINUTES == 0 {
            churn.end_watch();
            sandbox.advance(Duration::from_secs(2));
        }
        samples.push(LIVE_BYTES.load(Ordering::Relaxed));
    }
    println!("live bytes at the end of each minute: {samples:?}");
    let mean = |samples: &[i64]| samples.iter().sum::<i64>() / samples.len() as i64;
    // By then every object of the list has been replaced by one that the watch told of.
    let samples = &samples[REPLACED_MINUTES..];
    let third = samples.len() / 3;
    let (first, last) = (mean(&samples[..third]), mean(&samples[samples.len() - third..]));
    println!("first third {first} bytes, last third {last} bytes: {:.4}", last as f64 / first as f64);
    assert!(last * 100 <= first * 102, "the heap grows: {first} bytes, then {last}");
}
