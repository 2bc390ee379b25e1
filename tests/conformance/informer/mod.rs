//! Informers as a server and a handler see them.

mod equal_objects;
mod factory;
mod handlers;
mod lifecycle;
mod observed;
mod one_shot;
mod queues;
mod resync;
mod turns;
mod wishes;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use watchglass::api::Status;
use watchglass::cache::{HandlerOptions, InformerOptions, Registration, SharedInformer};
use watchglass::runtime::{StopSource, Task};
use watchglass::testing::Sandbox;

use crate::fake_source::{FakeSource, pod};
use crate::recorder::Recorder;

pub struct Fixture {
    sandbox: Sandbox,
    source: FakeSource,
    informer: SharedInformer,
    stop: Rc<RefCell<StopSource>>,
    task: Cell<Option<Task>>,
}

impl Fixture {
    fn new(pods: &[&str]) -> Self {
        Self::with(pods, InformerOptions::default())
    }

    fn with(pods: &[&str], options: InformerOptions) -> Self {
        let (sandbox, source) = (Sandbox::new(), FakeSource::default());
        let mut options = options;
        options.reflector.description = "pods".into();
        pods.iter().for_each(|name| drop(source.put(pod(name))));
        let informer = SharedInformer::with_options(sandbox.runtime(), Rc::new(source.clone()), options);
        let stop = Rc::new(RefCell::new(StopSource::new()));
        Self { sandbox, source, informer, stop, task: Cell::new(None) }
    }

    fn run(&self) {
        let (token, informer) = (self.stop.borrow().token(), self.informer.clone());
        self.task.set(Some(self.sandbox.spawn(async move { informer.run(token).await })));
        self.sandbox.run_until_idle();
    }

    fn add(&self, recorder: &Rc<Recorder>) -> Registration {
        self.informer.add_event_handler(recorder.clone()).expect("it has not stopped")
    }

    fn add_resyncing(&self, recorder: &Rc<Recorder>, period: Duration) -> Registration {
        let options = HandlerOptions { resync_period: Some(period), ..HandlerOptions::default() };
        self.informer.add_event_handler_with_options(recorder.clone(), options).expect("it has not stopped")
    }

    /// The watch breaks, the changes go unseen, and a list brings them.
    fn relist_after(&self, changes: impl FnOnce(&FakeSource)) {
        self.source.break_with(Status::failure(410, "gone").into());
        changes(&self.source);
        self.sandbox.advance(Duration::from_secs(2));
    }
}
