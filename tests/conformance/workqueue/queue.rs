use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::pin::pin;
use std::rc::{Rc, Weak};

use futures::FutureExt as _;
use watchglass::runtime::Task;
use watchglass::testing::Sandbox;
use watchglass::workqueue::{Drain, Fifo, Queue, QueueConfig, QueueStorage};

use super::{drain, millis};

const PRODUCERS: usize = 50;
const CONSUMERS: usize = 10;

/// Records which items were touched.
struct TraceQueue {
    fifo: Fifo<&'static str>,
    touched: Rc<RefCell<Vec<&'static str>>>,
}

impl QueueStorage<&'static str> for TraceQueue {
    fn touch(&mut self, item: &&'static str) {
        self.touched.borrow_mut().push(item);
    }

    fn push(&mut self, item: &'static str) {
        self.fifo.push(item);
    }

    fn pop(&mut self) -> Option<&'static str> {
        self.fifo.pop()
    }

    fn len(&self) -> usize {
        self.fifo.len()
    }
}

fn traced(sandbox: &Sandbox) -> (Queue<&'static str>, Rc<RefCell<Vec<&'static str>>>) {
    let touched = Rc::default();
    let storage = TraceQueue { fifo: Fifo::default(), touched: Rc::clone(&touched) };
    let config = QueueConfig { storage: Box::new(storage), ..QueueConfig::default() };
    (Queue::with_config(&sandbox.runtime(), config), touched)
}

/// Shuts the queue down one of both ways.
async fn shut_down(queue: Queue<usize>, with_drain: bool) {
    if with_drain { queue.shut_down_with_drain().await } else { queue.shut_down() }
}

/// client-go: `TestBasic`.
#[test]
fn many_producers_and_consumers_share_a_queue() {
    const LATE: usize = usize::MAX;
    for with_drain in [false, true] {
        let (sandbox, queue) = (Sandbox::new(), Queue::new());
        let (got, ended) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Cell::new(0)));
        let produce = |item: usize| {
            let (queue, runtime) = (queue.clone(), sandbox.runtime());
            sandbox.spawn(async move {
                for _ in 0..50 {
                    queue.add(item);
                    runtime.sleep(millis(1)).await;
                }
            })
        };
        let consume = |_| {
            let (queue, runtime, got, ended) = (queue.clone(), sandbox.runtime(), Rc::clone(&got), Rc::clone(&ended));
            sandbox.spawn(async move {
                while let Some(item) = queue.get().await {
                    got.borrow_mut().push(item);
                    runtime.sleep(millis(3)).await;
                    queue.done(&item);
                }
                ended.set(ended.get() + 1);
            })
        };
        let _tasks: Vec<Task> = (0..PRODUCERS).map(produce).chain((0..CONSUMERS).map(consume)).collect();
        sandbox.advance(millis(50));
        let _shut_down = sandbox.spawn(shut_down(queue.clone(), with_drain));
        sandbox.run_until_idle();
        queue.add(LATE);
        sandbox.advance(millis(1000));
        assert_eq!((ended.get(), queue.len()), (CONSUMERS, 0));
        let got = got.borrow();
        assert!((0..PRODUCERS).all(|item| got.contains(&item)) && !got.contains(&LATE));
        assert!(got.len() < PRODUCERS * 50, "adds collapse");
    }
}

/// client-go: `TestAddWhileProcessing`.
#[test]
fn workers_may_add_what_they_are_working_on() {
    for with_drain in [false, true] {
        let (sandbox, queue, ended) = (Sandbox::new(), Queue::new(), Rc::new(Cell::new(0)));
        let got = Rc::new(RefCell::new(HashMap::<usize, usize>::new()));
        let consume = |_| {
            let (queue, ended, got) = (queue.clone(), Rc::clone(&ended), Rc::clone(&got));
            sandbox.spawn(async move {
                while let Some(item) = queue.get().await {
                    let times = {
                        let mut got = got.borrow_mut();
                        *got.entry(item).and_modify(|times| *times += 1).or_insert(1)
                    };
                    if times < 2 {
                        queue.add(item);
                    }
                    queue.done(&item);
                }
                ended.set(ended.get() + 1);
            })
        };
        (0..PRODUCERS).for_each(|item| queue.add(item));
        let _tasks: Vec<Task> = (0..CONSUMERS).map(consume).collect();
        sandbox.run_until_idle();
        sandbox.block_on(shut_down(queue.clone(), with_drain));
        sandbox.run_until_idle();
        assert_eq!((ended.get(), queue.len()), (CONSUMERS, 0));
        assert!(got.borrow().len() == PRODUCERS && got.borrow().values().all(|times| *times == 2));
    }
}

/// client-go: `TestLen`.
#[test]
fn the_length_counts_each_item_once() {
    let queue = Queue::new();
    assert!(queue.is_empty());
    let add = |item| {
        queue.add(item);
        queue.len()
    };
    assert_eq!([add("foo"), add("bar"), add("foo")], [1, 2, 2]);
    assert!(!queue.is_empty());
}

/// client-go: `TestReinsert`.
#[test]
fn an_item_added_while_it_is_in_work_comes_again_after_it() {
    let queue = Queue::new();
    queue.add("foo");
    assert_eq!(queue.try_get(), Some("foo"));
    queue.add("foo");
    assert_eq!((queue.len(), queue.try_get()), (0, None));
    queue.done(&"foo");
    assert_eq!((queue.len(), queue.try_get()), (1, Some("foo")));
    queue.done(&"foo");
    assert_eq!((queue.len(), queue.try_get()), (0, None));
}

/// client-go: `TestCollapse`.
#[test]
fn adds_before_the_work_are_one() {
    let sandbox = Sandbox::new();
    let (queue, touched) = traced(&sandbox);
    queue.add("bar");
    assert!(touched.borrow().is_empty());
    queue.add("bar");
    assert_eq!(*touched.borrow(), ["bar"], "its storage may move it");
    assert_eq!((queue.len(), queue.try_get()), (1, Some("bar")));
    queue.done(&"bar");
    assert_eq!(queue.len(), 0);
}

/// client-go: `TestCollapseWhileProcessing`.
#[test]
fn adds_during_the_work_are_one_and_wait_for_its_end() {
    let sandbox = Sandbox::new();
    let (queue, touched) = traced(&sandbox);
    queue.add("foo");
    assert_eq!(queue.try_get(), Some("foo"));
    queue.add("foo");
    queue.add("foo");
    assert_eq!(queue.len(), 0);
    let (other, got) = (queue.clone(), Rc::new(Cell::new(None)));
    let seen = Rc::clone(&got);
    let _task = sandbox.spawn(async move { seen.set(other.get().await) });
    sandbox.run_until_idle();
    assert_eq!(got.get(), None);
    queue.done(&"foo");
    sandbox.run_until_idle();
    assert_eq!(got.get(), Some("foo"), "the worker that waits is woken");
    queue.done(&"foo");
    assert_eq!(queue.len(), 0);
    assert!(touched.borrow().is_empty(), "it was not in the storage");
}

/// client-go: `TestQueueDrainageUsingShutDownWithDrain`.
#[test]
fn a_drain_waits_for_all_that_is_in_work() {
    let queue = Queue::new();
    queue.add("foo");
    queue.add("bar");
    assert_eq!((queue.try_get(), queue.try_get()), (Some("foo"), Some("bar")));
    let mut draining = pin!(queue.shut_down_with_drain());
    assert!(draining.as_mut().now_or_never().is_none());
    assert!(queue.is_shutting_down());
    assert_eq!(queue.get().now_or_never(), Some(None));
    queue.done(&"foo");
    assert!(draining.as_mut().now_or_never().is_none());
    queue.done(&"bar");
    assert!(draining.now_or_never().is_some());
    assert!(queue.shut_down_with_drain().now_or_never().is_some(), "a drained queue may be drained again");
}

/// client-go: `TestNoQueueDrainageUsingShutDown`.
#[test]
fn a_shut_down_waits_for_nobody_and_may_be_repeated() {
    let queue = Queue::new();
    queue.add("foo");
    assert_eq!(queue.try_get(), Some("foo"));
    assert!(!queue.is_shutting_down());
    queue.shut_down();
    queue.shut_down();
    assert!(queue.is_shutting_down());
    assert_eq!(queue.get().now_or_never(), Some(None));
}

/// client-go: `TestForceQueueShutdownUsingShutDown`.
#[test]
fn a_later_shut_down_ends_a_drain() {
    let queue = Queue::new();
    queue.add("foo");
    assert_eq!(queue.try_get(), Some("foo"));
    let (mut first, mut second) = (pin!(queue.shut_down_with_drain()), pin!(queue.shut_down_with_drain()));
    assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
    queue.shut_down();
    let mut third = pin!(queue.shut_down_with_drain());
    assert!(third.as_mut().now_or_never().is_none(), "a drain after it waits again");
    assert!(first.now_or_never().is_some() && second.now_or_never().is_some());
    queue.done(&"foo");
    assert!(third.now_or_never().is_some());
}

/// A waiting drain is woken, not only right when it is asked.
#[test]
fn a_drain_s_task_wakes_at_its_end() {
    for by_shut_down in [false, true] {
        let (sandbox, queue, drained) = (Sandbox::new(), Queue::new(), Rc::new(Cell::new(false)));
        queue.add("foo");
        assert_eq!(queue.try_get(), Some("foo"));
        let (draining, done) = (queue.clone(), Rc::clone(&drained));
        let _task = sandbox.spawn(async move {
            draining.shut_down_with_drain().await;
            done.set(true);
        });
        sandbox.run_until_idle();
        assert!(!drained.get());
        if by_shut_down {
            queue.shut_down();
        } else {
            queue.done(&"foo");
        }
        sandbox.run_until_idle();
        assert!(drained.get());
    }
}

/// client-go: `TestQueueDrainageUsingShutDownWithDrainWithDirtyItem`.
#[test]
fn a_drain_waits_for_what_became_dirty_in_work() {
    let queue = Queue::new();
    queue.add("foo");
    assert_eq!(queue.try_get(), Some("foo"));
    queue.add("foo");
    let mut draining = pin!(queue.shut_down_with_drain());
    assert!(draining.as_mut().now_or_never().is_none());
    queue.done(&"foo");
    assert!(draining.as_mut().now_or_never().is_none());
    assert_eq!(queue.get().now_or_never(), Some(Some("foo")));
    queue.done(&"foo");
    assert_eq!(queue.get().now_or_never(), Some(None));
    assert!(draining.now_or_never().is_some());
}

/// client-go: `TestGarbageCollection`.
#[test]
fn an_item_that_is_done_is_held_no_longer() {
    let queue = Queue::new();
    let item = Rc::new("hello");
    let seen: Weak<_> = Rc::downgrade(&item);
    queue.add(item);
    let taken = queue.try_get().unwrap();
    queue.done(&taken);
    drop(taken);
    assert_eq!((seen.strong_count(), queue.len()), (0, 0));
}

/// kubernetes/kubernetes PR #141079.
#[test]
fn a_drain_waits_for_what_is_queued_too_unless_it_shall_be_as_client_go_s() {
    let sandbox = Sandbox::new();
    for (kind, waits) in [(Drain::All, true), (Drain::Processing, false)] {
        let config = QueueConfig { drain: kind, ..QueueConfig::default() };
        let queue = Queue::with_config(&sandbox.runtime(), config);
        queue.add(1);
        let mut draining = pin!(queue.shut_down_with_drain());
        assert_eq!(draining.as_mut().now_or_never().is_none(), waits, "{kind:?}");
        assert_eq!(queue.try_get(), Some(1));
        if waits {
            assert!(draining.as_mut().now_or_never().is_none());
            queue.done(&1);
            assert!(draining.now_or_never().is_some());
        } else {
            let mut again = pin!(queue.shut_down_with_drain());
            assert!(again.as_mut().now_or_never().is_none(), "it waits for work all the same");
            queue.done(&1);
            assert!(again.now_or_never().is_some());
        }
    }
    assert_eq!(Drain::default(), Drain::All);
}

/// kubernetes/kubernetes PR #141079.
#[test]
fn done_for_an_item_that_nobody_has_does_not_queue_it_twice() {
    let queue = Queue::new();
    queue.add(1);
    queue.done(&1);
    queue.done(&2);
    assert_eq!((queue.len(), queue.try_get(), queue.try_get()), (1, Some(1), None));
    queue.done(&1);
    queue.done(&1);
    assert_eq!(queue.len(), 0);
}

/// kubernetes/kubernetes PR #141079: one signal could wake the drain in place of a worker.
#[test]
fn a_drain_takes_no_worker_s_wake_up() {
    let (sandbox, queue) = (Sandbox::new(), Queue::new());
    queue.add("foo");
    assert_eq!(queue.try_get(), Some("foo"));
    queue.add("foo");
    let drained = Rc::new(Cell::new(false));
    let (draining, done) = (queue.clone(), Rc::clone(&drained));
    let _drain = sandbox.spawn(async move {
        draining.shut_down_with_drain().await;
        done.set(true);
    });
    sandbox.run_until_idle();
    let worker = queue.clone();
    queue.done(&"foo");
    let _worker = sandbox.spawn(async move {
        while let Some(item) = worker.get().await {
            worker.done(&item);
        }
    });
    sandbox.run_until_idle();
    assert!(drained.get());
}

#[test]
fn a_shut_down_queue_hands_out_what_waits_and_takes_nothing_more() {
    let queue = Queue::new();
    queue.add(1);
    queue.shut_down();
    queue.add(2);
    assert_eq!(queue.get().now_or_never(), Some(Some(1)));
    queue.add(1);
    queue.done(&1);
    assert_eq!(queue.get().now_or_never(), Some(None));
}

#[test]
fn each_waiting_worker_gets_one_of_the_items_and_all_of_them_the_end() {
    let queue = Queue::new();
    let (mut first, mut second) = (pin!(queue.get()), pin!(queue.get()));
    assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
    queue.add(1);
    queue.add(2);
    assert_eq!((first.now_or_never(), second.now_or_never()), (Some(Some(1)), Some(Some(2))));
    let (sandbox, ended) = (Sandbox::new(), Rc::new(Cell::new(0)));
    let wait = |_| {
        let (queue, ended) = (queue.clone(), Rc::clone(&ended));
        sandbox.spawn(async move {
            assert_eq!(queue.get().await, None);
            ended.set(ended.get() + 1);
        })
    };
    let _tasks: Vec<Task> = (0..3).map(wait).collect();
    sandbox.run_until_idle();
    assert_eq!(ended.get(), 0);
    queue.shut_down();
    sandbox.run_until_idle();
    assert_eq!(ended.get(), 3);
}

/// A worker that gives up its turn lets another one have it.
#[test]
fn a_wake_up_is_not_lost_with_the_worker_that_got_it() {
    let (sandbox, queue, got) = (Sandbox::new(), Queue::new(), Rc::new(Cell::new(None)));
    let mut given_up = Box::pin(queue.get());
    assert!((&mut given_up).now_or_never().is_none());
    let (other, seen) = (queue.clone(), Rc::clone(&got));
    let _task = sandbox.spawn(async move { seen.set(other.get().await) });
    sandbox.run_until_idle();
    queue.add(7);
    drop(given_up);
    sandbox.run_until_idle();
    assert_eq!(got.get(), Some(7));
}

/// A storage of one's own decides the order.
#[test]
fn a_storage_may_be_last_in_first_out() {
    #[derive(Default)]
    struct Lifo(Vec<u32>);
    impl QueueStorage<u32> for Lifo {
        fn push(&mut self, item: u32) {
            self.0.push(item);
        }
        fn pop(&mut self) -> Option<u32> {
            self.0.pop()
        }
        fn len(&self) -> usize {
            self.0.len()
        }
    }
    assert!(Lifo::default().is_empty() && !Lifo(vec![1]).is_empty());
    let config = QueueConfig { storage: Box::new(Lifo::default()), ..QueueConfig::default() };
    let queue = Queue::with_config(&Sandbox::new().runtime(), config);
    [1, 2, 3, 2].iter().for_each(|item| queue.add(*item));
    assert_eq!((queue.len(), drain(&queue)), (3, vec![3, 2, 1]));
}
