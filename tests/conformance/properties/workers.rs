use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use watchglass::cache::SharedInformer;
use watchglass::runtime::{Runtime, SeededRandom, Task};
use watchglass::workqueue::RateLimitingQueue;

use super::history::View;

/// Workers that read the store, each key by one of them at a time.
pub struct Workers {
    work: Rc<Work>,
    _tasks: Vec<Task>,
}

struct Work {
    informer: SharedInformer,
    queue: RateLimitingQueue<String>,
    runtime: Runtime,
    random: SeededRandom,
    in_work: RefCell<BTreeSet<String>>,
    faults: RefCell<Vec<String>>,
    /// What the store held when the key was last worked on.
    seen: RefCell<BTreeMap<String, Option<String>>>,
}

impl Workers {
    pub fn start(count: u64, informer: SharedInformer, queue: RateLimitingQueue<String>, runtime: Runtime) -> Self {
        let work = Rc::new(Work {
            informer,
            queue,
            runtime: runtime.clone(),
            random: SeededRandom::new(count),
            in_work: RefCell::default(),
            faults: RefCell::default(),
            seen: RefCell::default(),
        });
        let task = |_| {
            let work = Rc::clone(&work);
            runtime.spawn(async move { work.run().await })
        };
        let tasks = (0..count).map(task).collect();
        Self { work, _tasks: tasks }
    }

    pub fn faults(&self) -> Vec<String> {
        self.work.faults.borrow().clone()
    }

    /// The keys whose object was there when they were last worked on.
    pub fn view(&self) -> View {
        let seen = self.work.seen.borrow();
        seen.iter().filter_map(|(key, version)| Some((key.clone(), version.clone()?))).collect()
    }
}

impl Work {
    async fn run(&self) {
        while let Some(key) = self.queue.get().await {
            if !self.in_work.borrow_mut().insert(key.clone()) {
                self.faults.borrow_mut().push(format!("{key} is worked on twice at once"));
            }
            self.runtime.sleep(Duration::from_millis(self.random.below(20) as u64)).await;
            let version = self.informer.indexer().get_by_key(&key).map(|object| object.resource_version().to_owned());
            self.seen.borrow_mut().insert(key.clone(), version);
            let failed = self.random.below(4) == 0 && self.queue.num_requeues(&key) < 3;
            if failed {
                self.queue.add_rate_limited(key.clone());
            } else {
                self.queue.forget(&key);
            }
            self.in_work.borrow_mut().remove(&key);
            self.queue.done(&key);
        }
    }
}
