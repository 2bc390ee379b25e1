//! An event on its way from the watch through the queue and the store to the handlers.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::future::{FutureExt as _, LocalBoxFuture};
use futures::stream::StreamExt as _;
use watchglass::api::{Error, List, ListMeta, ListOptions, Object, WatchEvent};
use watchglass::cache::{
    ListProgress, ListResult, ListerWatcher, Registration, ResourceEventHandlerFuncs, SharedInformer, WatchStream,
};
use watchglass::runtime::StopSource;
use watchglass::testing::Sandbox;

use crate::budget::{Cost, cost_of_each, hold};
use crate::{EVENTS, pods, updates};

/// One list, and one watch that brings what it is given.
struct OneWatch {
    list: Vec<Object>,
    events: RefCell<Option<UnboundedReceiver<Result<WatchEvent, Error>>>>,
}

impl ListerWatcher for OneWatch {
    fn list(
        &self,
        _options: ListOptions,
        _progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        let metadata = ListMeta { resource_version: "1".into(), ..ListMeta::default() };
        let list = List { metadata, items: self.list.clone(), ..List::default() };
        std::future::ready(Ok(ListResult { list, paginated: false })).boxed_local()
    }

    fn watch(&self, _options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        let events = self.events.take().expect("it is watched once");
        std::future::ready(Ok(events.boxed_local())).boxed_local()
    }
}

/// A synced informer of these pods, and what drives it.
struct Running {
    sandbox: Sandbox,
    events: UnboundedSender<Result<WatchEvent, Error>>,
    told: Rc<Cell<usize>>,
    _handlers: Vec<Registration>,
    _stop: StopSource,
    _task: watchglass::runtime::Task,
}

fn run(pods: &[Object], handlers: usize) -> Running {
    let (sandbox, stop, told) = (Sandbox::new(), StopSource::new(), Rc::new(Cell::new(0)));
    let (events, receiver) = unbounded();
    let source = OneWatch { list: pods.to_vec(), events: RefCell::new(Some(receiver)) };
    let informer = SharedInformer::new(sandbox.runtime(), Rc::new(source), "pods".into());
    let handler = || {
        let told = told.clone();
        let handler = ResourceEventHandlerFuncs::new().on_update(move |_, _| told.set(told.get() + 1));
        informer.add_event_handler(Rc::new(handler)).expect("it runs")
    };
    let handlers: Vec<_> = (0..handlers).map(|_| handler()).collect();
    let token = stop.token();
    let running = informer.clone();
    let task = sandbox.spawn(async move { running.run(token).await });
    sandbox.run_until_idle();
    assert!(informer.has_synced());
    Running { sandbox, events, told, _handlers: handlers, _stop: stop, _task: task }
}

/// Of one event, where they come in bursts.
fn event_cost(size: usize, handlers: usize) -> Cost {
    const BURST: usize = 50;
    let pods = pods(size);
    let running = run(&pods, handlers);
    let mut total = Cost::default();
    for burst in updates(&pods, EVENTS).chunks(BURST) {
        for pod in burst {
            running.events.unbounded_send(Ok(WatchEvent::Modified(pod.clone()))).expect("it watches");
        }
        let cost = cost_of_each(EVENTS, || running.sandbox.run_until_idle());
        total.allocations += cost.allocations;
        total.bytes += cost.bytes;
    }
    assert_eq!(running.told.get(), EVENTS * handlers);
    total
}

/// The peak counts: the list, the store that is made beside the old one, and the handlers' backlogs at once.
#[test]
fn a_first_list_costs_so_much_for_each_object_until_its_handler_was_told() {
    hold("informer-first-list", |size| {
        // Beyond the limit at which a backlog begins to merge.
        let pods = pods(2 * size);
        cost_of_each(pods.len(), || run(&pods, 1))
    });
}

#[test]
fn an_event_costs_the_same_among_few_and_many() {
    hold("informer-event", |size| event_cost(size, 1));
}

#[test]
fn a_further_handler_costs_little_for_each_event() {
    const FURTHER: f64 = 10.0;
    hold("informer-notification-of-a-further-handler", |size| {
        let (one, eleven) = (event_cost(size, 1), event_cost(size, 11));
        Cost {
            allocations: (eleven.allocations - one.allocations) / FURTHER,
            bytes: (eleven.bytes - one.bytes) / FURTHER,
            ..Cost::default()
        }
    });
}
