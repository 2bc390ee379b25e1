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

use super::Queue;
use crate::runtime::{Moment, Runtime, Task};

/// A queue to which items can be added later (client-go: `util/workqueue/delaying_queue.go`).
///
/// It has all of [`Queue`]'s methods. A handle: clones are of the same queue, and the waiting ends with the last one.
pub struct DelayingQueue<T> {
    inner: Rc<Inner<T>>,
}

struct Inner<T> {
    runtime: Runtime,
    queue: Queue<T>,
    waiting: Rc<Waiting<T>>,
    _task: Task,
}

/// A wait is looked at this often even if no timer fires: browsers hold back the timers of hidden pages.
const HEARTBEAT: Duration = Duration::from_secs(10);

impl<T: Clone + Eq + Hash + 'static> DelayingQueue<T> {
    pub fn new(runtime: &Runtime) -> Self {
        let (queue, waiting) = (Queue::new(), Rc::new(Waiting::default()));
        let task = runtime.spawn(hand_over(runtime.clone(), queue.clone(), Rc::clone(&waiting)));
        Self { inner: Rc::new(Inner { runtime: runtime.clone(), queue, waiting, _task: task }) }
    }

    /// Adds the item once the time has passed, at once when there is none to pass.
    /// An item that waits already is moved to the earlier of both times. Ignored after a shut-down.
    pub fn add_after(&self, item: T, delay: Duration) {
        let Inner { runtime, queue, waiting, .. } = &*self.inner;
        if queue.is_shutting_down() {
            return;
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
async fn hand_over<T: Clone + Eq + Hash>(runtime: Runtime, queue: Queue<T>, waiting: Rc<Waiting<T>>) {
    loop {
        let changed = waiting.changed.listen();
        let now = runtime.now();
        waiting.take_ready(now).into_iter().for_each(|item| queue.add(item));
        let wait = async {
            match waiting.earliest() {
                Some(ready_at) => {
                    select(changed, runtime.clock.sleep_until(ready_at.min(now + HEARTBEAT))).await;
                }
                None => changed.await,
            }
        };
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
        self.changed.notify(usize::MAX);
    }

    /// Removes those whose time has come, earliest first.
    fn take_ready(&self, now: Moment) -> Vec<T> {
        let entries = &mut *self.entries.borrow_mut();
        let later = entries.in_order.split_off(&(now, u64::MAX));
        let ready: Vec<T> = std::mem::replace(&mut entries.in_order, later).into_values().collect();
        for item in &ready {
            entries.places.remove(item);
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
