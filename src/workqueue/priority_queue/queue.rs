use std::cell::{Cell, RefCell};
use std::fmt;
use std::hash::Hash;
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;

use super::entries::{Added, Entries};
use crate::runtime::metrics::Counter;
use crate::runtime::{Runtime, Task};
use crate::workqueue::heartbeat::changed_or_due;
use crate::workqueue::metrics::{QueueMetrics, new_retries_metric};
use crate::workqueue::{ItemExponentialFailureRateLimiter, MetricsProvider, RateLimiter};

/// The priority that controllers give to what they only see because they have just started, and to updates that
/// changed nothing (controller-runtime: `pkg/handler/eventhandler.go`, `LowPriority`).
#[doc(alias = "LowPriority")]
pub const LOW_PRIORITY: i32 = -100;

/// Work to be done, the most urgent first, each key once
/// (controller-runtime: `pkg/controller/priorityqueue/priorityqueue.go`).
///
/// Adding a key again joins the two: the higher priority and the earlier time hold. A key whose priority rises comes
/// after those that had it before. A key that a worker has is not handed out, those behind it are.
///
/// A handle: clones are of the same queue, and the waiting ends with the last one.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use watchglass::testing::Sandbox;
/// use watchglass::workqueue::{AddOptions, LOW_PRIORITY, PriorityQueue};
///
/// let queue = PriorityQueue::new(&Sandbox::new().runtime());
/// queue.add_with_options(AddOptions { priority: LOW_PRIORITY, ..AddOptions::default() }, ["old", "older"]);
/// queue.add("new");
/// assert_eq!(queue.try_get(), Some(("new", 0)));
/// assert_eq!(queue.try_get(), Some(("old", LOW_PRIORITY)));
/// # }
/// ```
pub struct PriorityQueue<T> {
    inner: Rc<Inner<T>>,
}

/// How keys are added (controller-runtime: `pkg/controller/priorityqueue/priorityqueue.go`, `AddOpts`).
#[doc(alias = "AddOpts")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddOptions {
    /// The time that must pass before the key is ready.
    pub after: Duration,
    /// The key is ready once the rate limiter lets it; if `after` is given too, at the earlier of both.
    pub rate_limited: bool,
    /// The higher, the sooner.
    pub priority: i32,
}

/// What may be chosen about a [`PriorityQueue`]
/// (controller-runtime: `pkg/controller/priorityqueue/priorityqueue.go`, `Opts`).
#[doc(alias = "Opts")]
pub struct PriorityQueueConfig<T> {
    /// Under what its figures are kept; empty for none.
    pub name: String,
    /// Where its figures go. Unlike controller-runtime's there is no provider for the whole process.
    pub metrics_provider: Option<Rc<dyn MetricsProvider>>,
    /// The default is a wait that grows with the key's failures, 5 ms to 1,000 s.
    pub rate_limiter: Rc<dyn RateLimiter<T>>,
}

impl<T: Clone + Eq + Hash + 'static> Default for PriorityQueueConfig<T> {
    fn default() -> Self {
        let limiter = ItemExponentialFailureRateLimiter::new(Duration::from_millis(5), Duration::from_secs(1000));
        Self { name: String::new(), metrics_provider: None, rate_limiter: Rc::new(limiter) }
    }
}

struct Inner<T> {
    shared: Rc<Shared<T>>,
    rate_limiter: Rc<dyn RateLimiter<T>>,
    retries: Option<Rc<dyn Counter>>,
    /// End with the queue or with its shut-down, whichever comes first.
    tasks: RefCell<Vec<Task>>,
}

/// Apart from the tasks, which hold it.
struct Shared<T> {
    runtime: Runtime,
    entries: RefCell<Entries<T>>,
    shutting_down: Cell<bool>,
    /// A key can be handed out, or nothing more comes.
    ready: Event,
    /// A key has begun to wait.
    waits: Event,
    metrics: Option<Rc<QueueMetrics<T>>>,
}

impl<T: Clone + Eq + Hash + 'static> PriorityQueue<T> {
    /// With the default rate limiter, without figures.
    pub fn new(runtime: &Runtime) -> Self {
        Self::with_config(runtime, PriorityQueueConfig::default())
    }

    /// A queue as configured. The task that makes keys ready is started on the host at once.
    pub fn with_config(runtime: &Runtime, config: PriorityQueueConfig<T>) -> Self {
        let PriorityQueueConfig { name, metrics_provider, rate_limiter } = config;
        let shared = Rc::new(Shared {
            runtime: runtime.clone(),
            entries: RefCell::default(),
            shutting_down: Cell::new(false),
            ready: Event::new(),
            waits: Event::new(),
            metrics: QueueMetrics::with_priorities(runtime, &name, metrics_provider.as_ref()),
        });
        let mut tasks = vec![runtime.spawn(promote(Rc::clone(&shared)))];
        tasks.extend(shared.metrics.as_ref().map(QueueMetrics::start));
        let retries = new_retries_metric(&name, metrics_provider.as_ref());
        Self { inner: Rc::new(Inner { shared, rate_limiter, retries, tasks: RefCell::new(tasks) }) }
    }

    /// Adds the key with priority 0, ready now.
    pub fn add(&self, key: T) {
        self.add_with_options(AddOptions::default(), [key]);
    }

    /// Adds the key with priority 0, ready once the time has passed.
    pub fn add_after(&self, key: T, after: Duration) {
        self.add_with_options(AddOptions { after, ..AddOptions::default() }, [key]);
    }

    /// Adds the key with priority 0, ready once the rate limiter lets it.
    pub fn add_rate_limited(&self, key: T) {
        self.add_with_options(AddOptions { rate_limited: true, ..AddOptions::default() }, [key]);
    }

    /// Adds keys. Ignored after a shut-down.
    #[doc(alias = "AddWithOpts")]
    pub fn add_with_options(&self, options: AddOptions, keys: impl IntoIterator<Item = T>) {
        for key in keys {
            if self.is_shutting_down() {
                return;
            }
            let after = self.after(options, &key);
            if let Some(retries) = self.inner.retries.as_ref().filter(|_| !after.is_zero()) {
                retries.inc();
            }
            self.inner.shared.add(key, after, options.priority);
        }
    }

    fn after(&self, options: AddOptions, key: &T) -> Duration {
        let AddOptions { after, rate_limited, .. } = options;
        if !rate_limited {
            return after;
        }
        let limited = self.inner.rate_limiter.when(key);
        if after.is_zero() { limited } else { limited.min(after) }
    }

    /// The next key and its priority, once there is one; none when the queue is shut down, even if keys are left.
    /// Each key taken must be given to [`done`](Self::done).
    pub async fn get_with_priority(&self) -> Option<(T, i32)> {
        let shared = &self.inner.shared;
        loop {
            if self.is_shutting_down() {
                return None;
            }
            if let Some(next) = self.try_get() {
                return Some(next);
            }
            shared.ready.listen().await;
        }
    }

    /// The next key, as [`get_with_priority`](Self::get_with_priority) gives it.
    pub async fn get(&self) -> Option<T> {
        self.get_with_priority().await.map(|(key, _)| key)
    }

    /// The next key and its priority when there is one now.
    pub fn try_get(&self) -> Option<(T, i32)> {
        let shared = &self.inner.shared;
        if shared.shutting_down.get() {
            return None;
        }
        shared.promote();
        let (key, priority) = shared.entries.borrow_mut().take()?;
        if let Some(metrics) = &shared.metrics {
            metrics.get(&key, priority);
        }
        Some((key, priority))
    }

    /// A worker has done with the key, which is handed out again if it was added meanwhile.
    pub fn done(&self, key: &T) {
        let shared = &self.inner.shared;
        let again = shared.entries.borrow_mut().unlock(key);
        if let Some(metrics) = &shared.metrics {
            metrics.done(key);
        }
        if again {
            shared.ready.notify_additional(1);
        }
    }

    /// How many keys are ready; those that wait for their time are not counted.
    pub fn len(&self) -> usize {
        self.inner.shared.promote();
        self.inner.shared.entries.borrow().ready()
    }

    /// Whether no key is ready; others may wait for their time.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many keys wait for their time.
    pub fn waiting(&self) -> usize {
        self.inner.shared.promote();
        self.inner.shared.entries.borrow().waiting()
    }

    /// The key succeeded, or is given up: its next wait is a first one. It must be given to `done` all the same.
    pub fn forget(&self, key: &T) {
        self.inner.rate_limiter.forget(key);
    }

    /// How many times the key had to wait since it was forgotten.
    pub fn num_requeues(&self, key: &T) -> usize {
        self.inner.rate_limiter.num_requeues(key)
    }
}

impl<T> PriorityQueue<T> {
    /// Takes nothing more and hands out nothing more: all workers get none, at once. May be called again.
    #[doc(alias = "ShutDownWithDrain")]
    pub fn shut_down(&self) {
        self.inner.shared.shutting_down.set(true);
        drop(self.inner.tasks.take());
        self.inner.shared.ready.notify(usize::MAX);
    }

    /// Whether the queue takes and hands out nothing more.
    pub fn is_shutting_down(&self) -> bool {
        self.inner.shared.shutting_down.get()
    }
}

impl<T: Clone + Eq + Hash + 'static> Shared<T> {
    fn add(&self, key: T, after: Duration, priority: i32) {
        let ready_at = (!after.is_zero()).then(|| self.runtime.now() + after);
        let measured = self.metrics.is_some().then(|| key.clone());
        let added = self.entries.borrow_mut().add(key, ready_at, priority);
        match added {
            Added::Ready(priority) => self.became_ready(measured.as_ref(), priority),
            Added::Waits => {
                self.waits.notify(usize::MAX);
            }
            Added::WasReady { from, to } => {
                if let Some(metrics) = self.metrics.as_ref().filter(|_| from != to) {
                    metrics.move_priority(from, to);
                }
            }
        }
    }

    /// Makes ready what has waited long enough.
    fn promote(&self) {
        if self.shutting_down.get() {
            return;
        }
        let promoted = self.entries.borrow_mut().promote(self.runtime.now());
        for (key, priority) in promoted {
            self.became_ready(Some(&key), priority);
        }
    }

    /// The key is for the figures only.
    fn became_ready(&self, key: Option<&T>, priority: i32) {
        if let (Some(metrics), Some(key)) = (&self.metrics, key) {
            metrics.add(key, priority);
        }
        self.ready.notify_additional(1);
    }
}

/// Makes keys ready as their time comes.
async fn promote<T: Clone + Eq + Hash + 'static>(shared: Rc<Shared<T>>) {
    loop {
        let waits = shared.waits.listen();
        shared.promote();
        let earliest = shared.entries.borrow().earliest();
        changed_or_due(&shared.runtime, waits, earliest).await;
    }
}

impl<T> Clone for PriorityQueue<T> {
    fn clone(&self) -> Self {
        Self { inner: Rc::clone(&self.inner) }
    }
}

impl<T: Clone + Eq + Hash> fmt::Debug for PriorityQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.inner.shared.entries.borrow();
        f.debug_struct("PriorityQueue")
            .field("ready", &entries.ready())
            .field("waiting", &entries.waiting())
            .field("shutting_down", &self.inner.shared.shutting_down.get())
            .finish()
    }
}
