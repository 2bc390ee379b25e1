use std::cell::RefCell;
use std::fmt;
use std::hash::Hash;
use std::rc::Rc;

use event_listener::Event;
use rustc_hash::FxHashSet;

use super::metrics::QueueMetrics;
use super::storage::KEPT_CAPACITY;
use super::{Fifo, MetricsProvider, QueueStorage};
use crate::runtime::{Runtime, Task};

/// Work to be done, each item once however often it was added (client-go: `util/workqueue/queue.go`).
///
/// An item that is added while a worker has it is handed out again after [`done`](Self::done), so that no item is
/// worked on twice at once and no change is missed.
///
/// A handle: clones are of the same queue.
///
/// ```
/// use watchglass::workqueue::Queue;
///
/// let queue = Queue::new();
/// queue.add("default/web-0");
/// queue.add("default/web-0");
/// assert_eq!(queue.try_get(), Some("default/web-0"));
/// queue.add("default/web-0");
/// assert_eq!(queue.try_get(), None, "its worker is not done");
/// queue.done(&"default/web-0");
/// assert_eq!(queue.try_get(), Some("default/web-0"));
/// ```
#[doc(alias = "Typed")]
pub struct Queue<T> {
    inner: Rc<Inner<T>>,
}

/// What may be chosen about a [`Queue`] (client-go: `util/workqueue/queue.go`, `TypedQueueConfig`).
#[doc(alias = "TypedQueueConfig")]
pub struct QueueConfig<T> {
    /// Under what its figures are kept; empty for none.
    pub name: String,
    /// Where its figures go. Unlike client-go's there is no provider for the whole process.
    pub metrics_provider: Option<Rc<dyn MetricsProvider>>,
    /// The order of the items; the default is a [`Fifo`].
    pub storage: Box<dyn QueueStorage<T>>,
    /// What [`Queue::shut_down_with_drain`] waits for.
    pub drain: Drain,
}

/// What [`Queue::shut_down_with_drain`] waits for (client-go has only [`Drain::Processing`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drain {
    /// Until nothing waits and nothing is in work.
    #[default]
    All,
    /// As client-go's: until nothing is in work. It may end while items wait that no worker has taken yet.
    Processing,
}

impl<T: 'static> Default for QueueConfig<T> {
    fn default() -> Self {
        let storage = Box::new(Fifo::default());
        Self { name: String::new(), metrics_provider: None, storage, drain: Drain::default() }
    }
}

struct Inner<T> {
    state: RefCell<State<T>>,
    drain: Drain,
    /// An item can be handed out, or nothing more comes. Only workers wait for it.
    ready: Event,
    /// The queue is drained, or need not be any more.
    drained: Event,
    shut_down: Event,
    metrics: RefCell<Option<Rc<QueueMetrics<T>>>>,
    /// Ends with the queue or with its shut-down, whichever comes first.
    metrics_task: RefCell<Option<Task>>,
}

struct State<T> {
    /// What to hand out. Each is in `dirty`, none in `processing`.
    queue: Box<dyn QueueStorage<T>>,
    /// What needs work.
    dirty: FxHashSet<T>,
    /// What a worker has.
    processing: FxHashSet<T>,
    shutting_down: bool,
    /// How many shut-downs did not wait: each ends the drains that began before it.
    forced: u64,
}

impl<T: Clone + Eq + Hash + 'static> Queue<T> {
    /// First in, first out, without figures.
    #[doc(alias = "NewTyped")]
    pub fn new() -> Self {
        let QueueConfig { storage, drain, .. } = QueueConfig::default();
        Self::with_metrics(storage, drain, None)
    }

    /// A queue as configured; the host is needed for its figures only.
    #[doc(alias = "NewTypedWithConfig")]
    pub fn with_config(runtime: &Runtime, config: QueueConfig<T>) -> Self {
        let QueueConfig { name, metrics_provider, storage, drain } = config;
        Self::with_metrics(storage, drain, QueueMetrics::new(runtime, &name, metrics_provider.as_ref()))
    }

    fn with_metrics(storage: Box<dyn QueueStorage<T>>, drain: Drain, metrics: Option<Rc<QueueMetrics<T>>>) -> Self {
        let state = State {
            queue: storage,
            dirty: FxHashSet::default(),
            processing: FxHashSet::default(),
            shutting_down: false,
            forced: 0,
        };
        let inner = Inner {
            state: RefCell::new(state),
            drain,
            ready: Event::new(),
            drained: Event::new(),
            shut_down: Event::new(),
            metrics_task: RefCell::new(metrics.as_ref().map(QueueMetrics::start)),
            metrics: RefCell::new(metrics),
        };
        Self { inner: Rc::new(inner) }
    }

    /// Keeps figures under this name from now on, in place of those before; none without a provider. What waits already
    /// counts for the depth alone. In client-go a queue has its figures from its beginning, or none.
    pub fn observe(&self, runtime: &Runtime, name: &str, provider: Option<&Rc<dyn MetricsProvider>>) {
        let metrics = QueueMetrics::new(runtime, name, provider);
        let waiting = self.inner.state.borrow().dirty.len();
        metrics.iter().for_each(|metrics| metrics.start_with(waiting));
        let task = metrics.as_ref().filter(|_| !self.is_shutting_down()).map(QueueMetrics::start);
        drop(self.inner.metrics_task.replace(task));
        drop(self.inner.metrics.replace(metrics));
    }

    fn metrics(&self) -> Option<Rc<QueueMetrics<T>>> {
        self.inner.metrics.borrow().clone()
    }

    /// Marks the item as needing work. Ignored when it already does, and after [`shut_down`](Self::shut_down).
    pub fn add(&self, item: T) {
        let mut state = self.inner.state.borrow_mut();
        if state.shutting_down {
            return;
        }
        let in_work = state.processing.contains(&item);
        // Most adds of a burst end here, and must not copy the item.
        if state.dirty.contains(&item) {
            if !in_work {
                state.queue.touch(&item);
            }
            return;
        }
        if !in_work {
            state.queue.push(item.clone());
        }
        let measured = self.metrics().map(|metrics| (metrics, item.clone()));
        state.dirty.insert(item);
        drop(state);
        if let Some((metrics, item)) = measured {
            metrics.add(&item, 0);
        }
        if !in_work {
            self.inner.ready.notify_additional(1);
        }
    }

    /// How many items wait; those in work are not counted.
    pub fn len(&self) -> usize {
        self.inner.state.borrow().queue.len()
    }

    /// Whether no item waits; some may be in work.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The next item, once there is one; none when the queue is shut down and empty.
    /// Each item taken must be given to [`done`](Self::done).
    pub async fn get(&self) -> Option<T> {
        loop {
            if let Some(item) = self.try_get() {
                return Some(item);
            }
            if self.is_shutting_down() {
                return None;
            }
            self.inner.ready.listen().await;
        }
    }

    /// The next item when there is one now.
    pub fn try_get(&self) -> Option<T> {
        let mut state = self.inner.state.borrow_mut();
        let item = state.queue.pop()?;
        let marked = state.dirty.take(&item).unwrap_or_else(|| item.clone());
        if state.dirty.is_empty() {
            state.dirty.shrink_to(KEPT_CAPACITY);
        }
        state.processing.insert(marked);
        drop(state);
        if let Some(metrics) = self.metrics() {
            metrics.get(&item, 0);
        }
        Some(item)
    }

    /// A worker has done with the item. It is queued again if it was added meanwhile.
    /// Ignored for an item that no worker has.
    pub fn done(&self, item: &T) {
        let mut state = self.inner.state.borrow_mut();
        if !state.processing.remove(item) {
            return;
        }
        if state.processing.is_empty() {
            state.processing.shrink_to(KEPT_CAPACITY);
        }
        let again = state.dirty.contains(item);
        if again {
            state.queue.push(item.clone());
        }
        drop(state);
        if let Some(metrics) = self.metrics() {
            metrics.done(item);
        }
        if again {
            self.inner.ready.notify_additional(1);
        }
        self.inner.drained.notify(usize::MAX);
    }

    /// Whether a drain has nothing to wait for.
    fn is_drained(&self) -> bool {
        let state = self.inner.state.borrow();
        state.processing.is_empty() && (self.inner.drain == Drain::Processing || state.queue.is_empty())
    }
}

impl<T> Queue<T> {
    /// Takes nothing more. What waits is still handed out, and the workers then get none.
    /// A [drain](Self::shut_down_with_drain) that waits, waits no more.
    pub fn shut_down(&self) {
        self.inner.state.borrow_mut().forced += 1;
        self.close();
        self.inner.drained.notify(usize::MAX);
    }

    fn close(&self) {
        self.inner.state.borrow_mut().shutting_down = true;
        drop(self.inner.metrics_task.take());
        self.inner.ready.notify(usize::MAX);
        self.inner.shut_down.notify(usize::MAX);
    }

    /// Waits for [`shut_down`](Self::shut_down).
    pub(super) async fn shutting_down(&self) {
        loop {
            let shut_down = self.inner.shut_down.listen();
            if self.is_shutting_down() {
                return;
            }
            shut_down.await;
        }
    }

    /// Whether the queue takes nothing more.
    pub fn is_shutting_down(&self) -> bool {
        self.inner.state.borrow().shutting_down
    }
}

impl<T: Clone + Eq + Hash + 'static> Queue<T> {
    /// As [`shut_down`](Self::shut_down), and waits until all items are handed out and done.
    ///
    /// It never ends while a worker keeps an item to itself, until another [`shut_down`](Self::shut_down) comes.
    pub async fn shut_down_with_drain(&self) {
        self.close();
        let forced = || self.inner.state.borrow().forced;
        let before = forced();
        loop {
            let drained = self.inner.drained.listen();
            if self.is_drained() || forced() != before {
                return;
            }
            drained.await;
        }
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self { inner: Rc::clone(&self.inner) }
    }
}

impl<T: Clone + Eq + Hash + 'static> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.inner.state.borrow();
        f.debug_struct("Queue")
            .field("len", &state.queue.len())
            .field("processing", &state.processing.len())
            .field("shutting_down", &state.shutting_down)
            .finish()
    }
}
