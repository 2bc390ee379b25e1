use std::cell::RefCell;
use std::fmt;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::executor::{LocalPool, LocalSpawner};
use futures::future::LocalBoxFuture;
use futures::task::LocalSpawn as _;

use super::{ManualClock, ManualHost};
use crate::runtime::{Clock as _, Runtime, SeededRandom, Spawn, Task, TurnEnd};

/// A host for tests: one thread, virtual time, seeded chance. The same program always runs in the same order.
///
/// Its own methods must not be called from inside a task that it runs.
pub struct Sandbox {
    pool: RefCell<LocalPool>,
    clock: ManualClock,
    host: ManualHost,
    runtime: Runtime,
}

impl Sandbox {
    /// A sandbox whose chance has the seed 1.
    #[expect(clippy::new_without_default, reason = "a default sandbox would hide that two of them share no time")]
    pub fn new() -> Self {
        Self::with_seed(1)
    }

    pub fn with_seed(seed: u64) -> Self {
        Self::build(seed, None)
    }

    /// A sandbox that runs tasks in an order of chance: each is put off again and again when its turn has come.
    pub fn with_random_order(seed: u64) -> Self {
        Self::build(seed, Some(Rc::new(SeededRandom::new(!seed))))
    }

    fn build(seed: u64, order: Option<Rc<SeededRandom>>) -> Self {
        let pool = LocalPool::new();
        let (clock, host) = (ManualClock::new(), ManualHost::new());
        let runtime = Runtime {
            clock: Rc::new(clock.clone()),
            spawner: Rc::new(PoolSpawner { spawner: pool.spawner(), order }),
            random: Rc::new(SeededRandom::new(seed)),
            host: Rc::new(host.clone()),
            turn: TurnEnd::default(),
        };
        Self { pool: RefCell::new(pool), clock, host, runtime }
    }

    /// What the code under test gets as its host.
    pub fn runtime(&self) -> Runtime {
        self.runtime.clone()
    }

    pub fn clock(&self) -> &ManualClock {
        &self.clock
    }

    /// How the code under test is treated: awake, until a test changes it.
    pub fn host(&self) -> &ManualHost {
        &self.host
    }

    /// Starts a task that ends when its [`Task`] is dropped.
    pub fn spawn(&self, future: impl Future<Output = ()> + 'static) -> Task {
        self.runtime.spawn(future)
    }

    /// Runs every task until all of them wait, without moving the time.
    pub fn run_until_idle(&self) {
        self.pool.borrow_mut().run_until_stalled();
    }

    /// Moves the time, stopping at each deadline on the way in order and running until idle there.
    pub fn advance(&self, duration: Duration) {
        let target = self.clock.now() + duration;
        self.run_until_idle();
        while let Some(deadline) = self.clock.next_deadline().filter(|deadline| *deadline <= target) {
            self.clock.advance_to(deadline);
            self.run_until_idle();
        }
        self.clock.advance_to(target);
        self.run_until_idle();
    }

    /// Runs the future to its end beside the tasks; moves the time to the next deadline whenever all of them wait.
    ///
    /// # Panics
    /// When everything waits and nothing for a deadline: the future would never end.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let woken = Arc::new(WokenFlag::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
            self.run_until_idle();
            if woken.0.swap(false, Ordering::Relaxed) {
                continue;
            }
            let deadline = self.clock.next_deadline().expect("everything waits, and nothing for a deadline");
            self.clock.advance_to(deadline);
        }
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox").field("clock", &self.clock).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct WokenFlag(AtomicBool);

impl Wake for WokenFlag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct PoolSpawner {
    spawner: LocalSpawner,
    /// None runs tasks in the order in which they were woken.
    order: Option<Rc<SeededRandom>>,
}

/// A task that lets others go first as often as not.
async fn put_off(mut future: LocalBoxFuture<'static, ()>, order: Rc<SeededRandom>) {
    std::future::poll_fn(move |context| {
        if order.below(2) == 0 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        future.as_mut().poll(context)
    })
    .await;
}

impl Spawn for PoolSpawner {
    fn spawn_detached(&self, future: LocalBoxFuture<'static, ()>) {
        let future = match &self.order {
            Some(order) => Box::pin(put_off(future, Rc::clone(order))),
            None => future,
        };
        // Fails only when the pool is gone, and then nothing runs any more.
        let _ = self.spawner.spawn_local_obj(future.into());
    }

    fn yield_now(&self) -> LocalBoxFuture<'static, ()> {
        let mut yielded = false;
        Box::pin(std::future::poll_fn(move |context| {
            if std::mem::replace(&mut yielded, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record_at(sandbox: &Sandbox, log: &Rc<RefCell<Vec<u64>>>, seconds: u64) -> Task {
        let (runtime, log) = (sandbox.runtime(), Rc::clone(log));
        sandbox.spawn(async move {
            runtime.sleep(Duration::from_secs(seconds)).await;
            log.borrow_mut().push(seconds);
            runtime.sleep(Duration::from_secs(seconds)).await;
            log.borrow_mut().push(2 * seconds);
        })
    }

    #[test]
    fn advancing_stops_at_each_deadline_in_order() {
        let sandbox = Sandbox::new();
        let log = Rc::default();
        let _tasks = [5, 2, 9].map(|seconds| record_at(&sandbox, &log, seconds));
        sandbox.run_until_idle();
        assert!(log.borrow().is_empty());
        sandbox.advance(Duration::from_secs(9));
        assert_eq!(*log.borrow(), [2, 4, 5, 9]);
    }

    #[test]
    fn a_dropped_task_runs_no_further() {
        let sandbox = Sandbox::new();
        let log = Rc::default();
        let task = record_at(&sandbox, &log, 1);
        sandbox.advance(Duration::from_secs(1));
        drop(task);
        sandbox.advance(Duration::from_secs(5));
        assert_eq!(*log.borrow(), [1]);
    }

    #[test]
    fn a_random_order_is_another_one_for_each_seed_and_the_same_for_the_same() {
        let order = |seed| {
            let (sandbox, log) = (Sandbox::with_random_order(seed), Rc::new(RefCell::default()));
            let tasks: Vec<Task> = (0..20).map(|number| record_now(&sandbox, &log, number)).collect();
            sandbox.run_until_idle();
            drop(tasks);
            let mut order: Vec<u64> = log.take();
            let in_order = order.clone();
            order.sort_unstable();
            assert_eq!(order, (0..20).collect::<Vec<_>>());
            in_order
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }

    fn record_now(sandbox: &Sandbox, log: &Rc<RefCell<Vec<u64>>>, number: u64) -> Task {
        let log = Rc::clone(log);
        sandbox.spawn(async move { log.borrow_mut().push(number) })
    }

    #[test]
    fn blocking_moves_the_time_only_as_far_as_needed() {
        let sandbox = Sandbox::new();
        let runtime = sandbox.runtime();
        let start = runtime.now();
        let (sender, receiver) = futures::channel::oneshot::channel();
        let sender_runtime = sandbox.runtime();
        let _task = sandbox.spawn(async move {
            sender_runtime.sleep(Duration::from_secs(3)).await;
            sender_runtime.spawner.yield_now().await;
            sender.send("done").unwrap();
        });
        assert_eq!(sandbox.block_on(receiver), Ok("done"));
        assert_eq!(runtime.now().since(start), Duration::from_secs(3));
    }
}
