use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use event_listener::Event;
use proptest::prelude::*;
use watchglass::runtime::Task;
use watchglass::testing::Sandbox;
use watchglass::workqueue::Queue;

use crate::properties::config;

const KEYS: u8 = 4;
const WORKERS: usize = 3;

/// What happens next. Between two steps all workers run until they wait.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add(u8),
    /// Several adds before any worker runs.
    AddAll,
    /// The worker may finish what it has.
    Finish(usize),
    /// The worker's wait for a key is given up right after the key is added, and it waits anew.
    Restart(usize, u8),
    ShutDown,
    Drain,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..KEYS).prop_map(Step::Add),
        1 => Just(Step::AddAll),
        6 => (0..WORKERS).prop_map(Step::Finish),
        2 => (0..WORKERS, 0..KEYS).prop_map(|(worker, key)| Step::Restart(worker, key)),
        1 => Just(Step::ShutDown),
        1 => Just(Step::Drain),
    ]
}

/// What is known of the run.
#[derive(Default)]
struct Log {
    now: Cell<u64>,
    last_add: RefCell<BTreeMap<u8, u64>>,
    last_start: RefCell<BTreeMap<u8, u64>>,
    in_work: RefCell<BTreeSet<u8>>,
    /// Which worker has which key.
    has: RefCell<BTreeMap<usize, u8>>,
}

impl Log {
    fn tick(&self) -> u64 {
        self.now.set(self.now.get() + 1);
        self.now.get()
    }

    fn start(&self, worker: usize, key: u8) {
        assert!(self.in_work.borrow_mut().insert(key), "two workers have key {key}");
        self.has.borrow_mut().insert(worker, key);
        self.last_start.borrow_mut().insert(key, self.tick());
    }

    fn finish(&self, worker: usize, key: u8) {
        self.in_work.borrow_mut().remove(&key);
        self.has.borrow_mut().remove(&worker);
    }
}

struct Run {
    sandbox: Sandbox,
    queue: Queue<u8>,
    log: Rc<Log>,
    may_finish: Vec<Rc<Event>>,
    workers: Vec<Task>,
    drains: Vec<(Task, Rc<Cell<bool>>)>,
    shut_down: bool,
}

impl Run {
    fn new() -> Self {
        let may_finish = (0..WORKERS).map(|_| Rc::default()).collect();
        let (sandbox, queue, log) = (Sandbox::new(), Queue::new(), Rc::default());
        let mut run = Self { sandbox, queue, log, may_finish, workers: vec![], drains: vec![], shut_down: false };
        run.workers = (0..WORKERS).map(|worker| run.work(worker)).collect();
        run.sandbox.run_until_idle();
        run
    }

    fn work(&self, worker: usize) -> Task {
        let (queue, log, may_finish) = (self.queue.clone(), Rc::clone(&self.log), Rc::clone(&self.may_finish[worker]));
        self.sandbox.spawn(async move {
            while let Some(key) = queue.get().await {
                log.start(worker, key);
                may_finish.listen().await;
                log.finish(worker, key);
                queue.done(&key);
            }
        })
    }

    fn add(&self, key: u8) {
        if !self.shut_down {
            self.log.last_add.borrow_mut().insert(key, self.log.tick());
        }
        self.queue.add(key);
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Add(key) => self.add(key),
            Step::AddAll => (0..KEYS).for_each(|key| self.add(key)),
            Step::Finish(worker) => {
                self.may_finish[worker].notify(1);
            }
            Step::Restart(worker, key) => {
                self.add(key);
                if !self.log.has.borrow().contains_key(&worker) {
                    self.workers[worker] = self.work(worker);
                }
            }
            Step::ShutDown => {
                self.shut_down = true;
                self.queue.shut_down();
                self.sandbox.run_until_idle();
                assert!(self.drains.iter().all(|(_, ended)| ended.get()), "a shut-down ends the drains before it");
            }
            Step::Drain => self.drain(),
        }
        self.sandbox.run_until_idle();
        let busy = self.log.in_work.borrow().len();
        assert!(busy == WORKERS || self.queue.is_empty(), "a worker waits, and a key waits");
    }

    fn drain(&mut self) {
        self.shut_down = true;
        let (queue, ended) = (self.queue.clone(), Rc::new(Cell::new(false)));
        let seen = Rc::clone(&ended);
        let task = self.sandbox.spawn(async move {
            queue.shut_down_with_drain().await;
            ended.set(true);
        });
        self.drains.push((task, seen));
    }

    /// Lets everything be finished, and looks at what came of it.
    fn end(mut self) {
        for worker in (0..WORKERS).cycle().take(10 * WORKERS * usize::from(KEYS)) {
            self.step(Step::Finish(worker));
        }
        assert!(self.log.in_work.borrow().is_empty() && self.queue.is_empty());
        assert!(self.drains.iter().all(|(_, ended)| ended.get()), "nothing is left to be waited for");
        let last_start = self.log.last_start.borrow();
        for (key, added) in self.log.last_add.borrow().iter() {
            assert!(last_start.get(key) > Some(added), "nobody has worked on key {key} since it was added last");
        }
    }
}

proptest! {
    #![proptest_config(config("tests/conformance/proptest-regressions/queue.txt"))]

    #[test]
    fn a_key_has_one_worker_at_a_time_and_is_worked_on_after_its_last_add(
        steps in prop::collection::vec(step(), 0..60)
    ) {
        let mut run = Run::new();
        steps.into_iter().for_each(|step| run.step(step));
        run.end();
    }
}
