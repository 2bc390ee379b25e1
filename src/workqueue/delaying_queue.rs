use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;
use futures::future::{Either, select};
use rustc_hash::FxHashMap;

use super::heartbeat::changed_or_due;
use super::metrics::new_retries_metric;
use super::{MetricsProvider, Queue, QueueConfig};
use crate::runtime::metrics::Counter;
use crate::runtime::{Moment, Runtime, Task};

/// A queue to which items can be added later (client-go: `util/workqueue/delaying_queue.go`).
///
/// An item waits once, for the earliest of its times: it cannot be put off. One that is added directly while it waits
/// comes now and once more at its time. Adding never blocks, however many items wait.
///
/// It has all of [`Queue`]'s methods. A handle: clones are of the same queue, and the waiting ends with the last one.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use std::time::Duration;
/// use watchglass::testing::Sandbox;
/// use watchglass::workqueue::DelayingQueue;
///
/// let sandbox = Sandbox::new();
/// let queue = DelayingQueue::new(&sandbox.runtime());
/// queue.add_after("later", Duration::from_secs(60));
/// assert_eq!(queue.try_get(), None);
/// sandbox.advance(Duration::from_secs(60));
/// assert_eq!(queue.try_get(), Some("later"));
/// # }
/// ```
pub struct DelayingQueue<T> {
    inner: Rc<Inner<T>>,
}

/// What may be chosen about a [`DelayingQueue`] (client-go: `util/workqueue/delaying_queue.go`,
/// `TypedDelayingQueueConfig`).
#[doc(alias = "TypedDelayingQueueConfig")]
pub struct DelayingQueueConfig<T> {
    /// Under what its figures are kept; empty for none.
    pub name: String,
    /// Where its figures go, and those of the queue that it makes.
    pub metrics_provider: Option<Rc<dyn MetricsProvider>>,
    /// Where items go in their time, with a name and figures of its own; none for a new queue with these here.
    pub queue: Option<Queue<T>>,
}

impl<T> Default for DelayingQueueConfig<T> {
    fn default() -> Self {
        Self { name: String::new(), metrics_provider: None, queue: None }
    }
}

struct Inner<T> {
    runtime: Runtime,
    queue: Queue<T>,
    waiting: Rc<Waiting<T>>,
    retries: Option<Rc<dyn Counter>>,
    _task: Task,
}

impl<T: Clone + Eq + Hash + 'static> DelayingQueue<T> {
    /// First in, first out, without figures.
    pub fn new(runtime: &Runtime) -> Self {
        Self::with_config(runtime, DelayingQueueConfig::default())
    }

    /// A queue as configured. The task that waits is started on the host at once.
    #[doc(alias = "NewTypedDelayingQueueWithConfig")]
    pub fn with_config(runtime: &Runtime, config: DelayingQueueConfig<T>) -> Self {
        let DelayingQueueConfig { name, metrics_provider, queue } = config;
        let retries = new_retries_metric(&name, metrics_provider.as_ref());
        let queue = queue.unwrap_or_else(|| {
            Queue::with_config(runtime, QueueConfig { name, metrics_provider, ..QueueConfig::default() })
        });
        let waiting = Rc::new(Waiting::default());
        let task = runtime.spawn(hand_over(runtime.clone(), queue.clone(), Rc::clone(&waiting)));
        Self { inner: Rc::new(Inner { runtime: runtime.clone(), queue, waiting, retries, _task: task }) }
    }

    /// Adds the item once the time has passed, at once when there is none to pass.
    /// An item that waits already is moved to the earlier of both times. Ignored after a shut-down.
    pub fn add_after(&self, item: T, delay: Duration) {
        let Inner { runtime, queue, waiting, retries, .. } = &*self.inner;
        if queue.is_shutting_down() {
            return;
        }
        if let Some(retries) = retries {
            retries.inc();
        }
        if delay.is_zero() {
            queue.add(item);
            return;
        }
        waiting.insert(item, runtime.now() + delay);
    }

    /// How many items wait for their time; they are not in [`Queue::len`].
    pub fn waiting(&self) -> usize {
        self.inner.waiting.len()
    }
}

/// Gives items to the queue as their time comes, until it is shut down.
async fn hand_over<T: Clone + Eq + Hash + 'static>(runtime: Runtime, queue: Queue<T>, waiting: Rc<Waiting<T>>) {
    loop {
        let changed = waiting.changed.listen();
        waiting.take_ready(runtime.now()).into_iter().for_each(|item| queue.add(item));
        let wait = changed_or_due(&runtime, changed, waiting.earliest());
        let (wait, shut_down) = (std::pin::pin!(wait), std::pin::pin!(queue.shutting_down()));
        if let Either::Right(_) = select(wait, shut_down).await {
            waiting.clear();
            return;
        }
    }
}

/// Items by the time they are ready at; each once, at its earliest.
struct Waiting<T> {
    entries: RefCell<Entries<T>>,
    /// Another item is the earliest.
    changed: Event,
}

struct Entries<T> {
    in_order: BTreeMap<(Moment, u64), T>,
    places: FxHashMap<T, (Moment, u64)>,
    /// Items that are ready at the same time come in the order they were added.
    added: u64,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        let entries = Entries { in_order: BTreeMap::new(), places: FxHashMap::default(), added: 0 };
        Self { entries: RefCell::new(entries), changed: Event::new() }
    }
}

impl<T: Clone + Eq + Hash> Waiting<T> {
    fn insert(&self, item: T, ready_at: Moment) {
        let entries = &mut *self.entries.borrow_mut();
        if let Some(place) = entries.places.get(&item) {
            if place.0 <= ready_at {
                return;
            }
            entries.in_order.remove(place);
        }
        let place = (ready_at, entries.added);
        entries.added += 1;
        entries.places.insert(item.clone(), place);
        entries.in_order.insert(place, item);
        if entries.in_order.first_key_value().is_some_and(|(first, _)| *first == place) {
            self.changed.notify(usize::MAX);
        }
    }

    /// Removes those whose time has come, earliest first.
    fn take_ready(&self, now: Moment) -> Vec<T> {
        let entries = &mut *self.entries.borrow_mut();
        let mut ready = Vec::new();
        // One by one: to split the map costs by its size, also when nothing is ready.
        while let Some(first) = entries.in_order.first_entry().filter(|first| first.key().0 <= now) {
            let item = first.remove();
            entries.places.remove(&item);
            ready.push(item);
        }
        ready
    }

    fn earliest(&self) -> Option<Moment> {
        self.entries.borrow().in_order.first_key_value().map(|((ready_at, _), _)| *ready_at)
    }

    fn len(&self) -> usize {
        self.entries.borrow().places.len()
    }

    fn clear(&self) {
        let entries = &mut *self.entries.borrow_mut();
        entries.in_order.clear();
        entries.places.clear();
    }
}

impl<T> Deref for DelayingQueue<T> {
    type Target = Queue<T>;

    fn deref(&self) -> &Queue<T> {
        &self.inner.queue
    }
}

impl<T> Clone for DelayingQueue<T> {
    fn clone(&self) -> Self {
        Self { inner: Rc::clone(&self.inner) }
    }
}

impl<T> fmt::Debug for DelayingQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting = self.inner.waiting.entries.borrow().places.len();
        f.debug_struct("DelayingQueue").field("queue", &self.inner.queue).field("waiting", &waiting).finish()
    }
}
