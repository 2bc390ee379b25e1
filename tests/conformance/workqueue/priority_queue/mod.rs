//! controller-runtime's `pkg/controller/priorityqueue/priorityqueue_test.go`.

mod specs;
mod timing;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt as _;
use watchglass::runtime::Task;
use watchglass::testing::Sandbox;
use watchglass::workqueue::{AddOptions, PriorityQueue, PriorityQueueConfig};

use super::figures::Figures;

/// A queue with its host and its figures.
struct Fixture {
    sandbox: Sandbox,
    figures: Rc<Figures>,
    queue: PriorityQueue<String>,
}

fn fixture() -> Fixture {
    fixture_with(PriorityQueueConfig::default())
}

fn fixture_with(config: PriorityQueueConfig<String>) -> Fixture {
    let (sandbox, figures) = (Sandbox::new(), Rc::new(Figures { by_priority: true, ..Figures::default() }));
    let config = PriorityQueueConfig { name: "test".into(), metrics_provider: Some(figures.clone()), ..config };
    let queue = PriorityQueue::with_config(&sandbox.runtime(), config);
    Fixture { sandbox, figures, queue }
}

fn after(after: Duration) -> AddOptions {
    AddOptions { after, ..AddOptions::default() }
}

fn priority(priority: i32) -> AddOptions {
    AddOptions { priority, ..AddOptions::default() }
}

impl Fixture {
    fn add(&self, options: AddOptions, key: &str) {
        self.queue.add_with_options(options, [key.to_owned()]);
    }

    /// The next key and its priority, which must be there.
    #[track_caller]
    fn get(&self) -> (String, i32) {
        self.queue.get_with_priority().now_or_never().expect("a key is ready").expect("the queue is open")
    }

    #[track_caller]
    fn assert_next(&self, key: &str, priority: i32) {
        assert_eq!(self.get(), (key.to_owned(), priority));
    }

    /// Depth by priority, and adds.
    #[track_caller]
    fn assert_figures<const N: usize>(&self, depths: [(i32, i64); N], adds: usize) {
        assert_eq!(self.figures.depths.get(), BTreeMap::from(depths));
        assert_eq!(self.figures.adds.value(), adds as f64);
    }

    /// A worker that takes keys and keeps them.
    fn take_all(&self) -> (Task, Rc<RefCell<Vec<String>>>) {
        let (queue, taken) = (self.queue.clone(), Rc::new(RefCell::new(Vec::new())));
        let seen = Rc::clone(&taken);
        let task = self.sandbox.spawn(async move {
            while let Some(key) = queue.get().await {
                taken.borrow_mut().push(key);
            }
            taken.borrow_mut().push("the end".into());
        });
        self.sandbox.run_until_idle();
        (task, seen)
    }
}
