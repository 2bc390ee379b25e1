use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;
use std::rc::Rc;

use event_listener::Event;
use rustc_hash::FxHashSet;

/// Work to be done, each item once however often it was added (client-go: `util/workqueue/queue.go`).
///
/// An item that is added while a worker has it is handed out again after [`done`](Self::done), so that no item is
/// worked on twice at once and no change is missed.
///
/// A handle: clones are of the same queue.
pub struct Queue<T> {
    inner: Rc<Inner<T>>,
}

struct Inner<T> {
    state: RefCell<State<T>>,
    /// An item was queued, a worker is done, or the queue shuts down.
    changed: Event,
    /// Apart from `changed`: who waits for this must not take a worker's wake-up.
    shut_down: Event,
}

struct State<T> {
    /// What to hand out, in this order. Each is in `dirty`, none in `processing`.
    queue: VecDeque<T>,
    /// What needs work.
    dirty: FxHashSet<T>,
    /// What a worker has.
    processing: FxHashSet<T>,
    shutting_down: bool,
}

impl<T: Clone + Eq + Hash> Queue<T> {
    pub fn new() -> Self {
        let state = State {
            queue: VecDeque::new(),
            dirty: FxHashSet::default(),
            processing: FxHashSet::default(),
            shutting_down: false,
        };
        Self { inner: Rc::new(Inner { state: RefCell::new(state), changed: Event::new(), shut_down: Event::new() }) }
    }

    /// Marks the item as needing work. Ignored when it already does, and after [`shut_down`](Self::shut_down).
    pub fn add(&self, item: T) {
        let mut state = self.inner.state.borrow_mut();
        if state.shutting_down || !state.dirty.insert(item.clone()) || state.processing.contains(&item) {
            return;
        }
        state.queue.push_back(item);
        drop(state);
        self.inner.changed.notify_additional(1);
    }

    /// How many items wait; those in work are not counted.
    pub fn len(&self) -> usize {
        self.inner.state.borrow().queue.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The next item, once there is one; none when the queue is shut down and empty.
    /// Each item taken must be given to [`done`](Self::done).
    pub async fn get(&self) -> Option<T> {
        loop {
            let changed = self.inner.changed.listen();
            if let Some(item) = self.try_get() {
                return Some(item);
            }
            if self.is_shutting_down() {
                return None;
            }
            changed.await;
        }
    }

    /// The next item when there is one now.
    pub fn try_get(&self) -> Option<T> {
        let mut state = self.inner.state.borrow_mut();
        let item = state.queue.pop_front()?;
        state.dirty.remove(&item);
        state.processing.insert(item.clone());
        Some(item)
    }

    /// A worker has done with the item. It is queued again if it was added meanwhile.
    pub fn done(&self, item: &T) {
        let mut state = self.inner.state.borrow_mut();
        if state.processing.remove(item) && state.dirty.contains(item) {
            state.queue.push_back(item.clone());
        }
        drop(state);
        self.inner.changed.notify(usize::MAX);
    }

    /// Takes nothing more. What waits is still handed out, and the workers then get none.
    pub fn shut_down(&self) {
        self.inner.state.borrow_mut().shutting_down = true;
        self.inner.changed.notify(usize::MAX);
        self.inner.shut_down.notify(usize::MAX);
    }

    /// As [`shut_down`](Self::shut_down), and waits until all items are handed out and done.
    pub async fn shut_down_with_drain(&self) {
        self.shut_down();
        loop {
            let changed = self.inner.changed.listen();
            if self.is_idle() {
                return;
            }
            changed.await;
        }
    }

    /// Nothing waits and nobody works.
    fn is_idle(&self) -> bool {
        let state = self.inner.state.borrow();
        state.queue.is_empty() && state.processing.is_empty()
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

    pub fn is_shutting_down(&self) -> bool {
        self.inner.state.borrow().shutting_down
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self { inner: Rc::clone(&self.inner) }
    }
}

impl<T: Clone + Eq + Hash> Default for Queue<T> {
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

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    /// client-go: `TestBasic`, `TestAddWhileProcessing`.
    #[test]
    fn an_item_added_while_it_is_in_work_comes_again_once() {
        let queue = Queue::new();
        queue.add("a");
        queue.add("a");
        queue.add("b");
        assert_eq!((queue.len(), queue.try_get()), (2, Some("a")));
        queue.add("a");
        queue.add("a");
        assert_eq!((queue.len(), queue.try_get(), queue.try_get()), (1, Some("b"), None));
        queue.done(&"a");
        queue.done(&"b");
        assert_eq!((queue.try_get(), queue.len()), (Some("a"), 0));
    }

    /// client-go: `TestReinsert`, `TestLen`.
    #[test]
    fn done_for_an_item_that_nobody_has_does_not_queue_it_twice() {
        let queue = Queue::new();
        queue.add(1);
        queue.done(&1);
        assert_eq!((queue.try_get(), queue.try_get()), (Some(1), None));
    }

    #[test]
    fn a_shut_down_queue_hands_out_what_waits_and_takes_nothing_more() {
        let queue = Queue::new();
        queue.add(1);
        queue.shut_down();
        queue.add(2);
        assert_eq!(queue.get().now_or_never(), Some(Some(1)));
        assert_eq!(queue.get().now_or_never(), Some(None));
    }

    /// client-go: `TestQueueDrainageUsingShutDownWithDrain`; kubernetes/kubernetes#141079.
    #[test]
    fn a_drain_waits_for_what_is_queued_and_for_what_is_in_work() {
        let queue = Queue::new();
        queue.add(1);
        let mut drain = std::pin::pin!(queue.shut_down_with_drain());
        assert!(drain.as_mut().now_or_never().is_none());
        assert_eq!(queue.try_get(), Some(1));
        assert!(drain.as_mut().now_or_never().is_none());
        queue.done(&1);
        assert!(drain.now_or_never().is_some());
    }

    #[test]
    fn each_waiting_worker_gets_one_of_the_items_added() {
        let queue = Queue::new();
        let (mut first, mut second) = (std::pin::pin!(queue.get()), std::pin::pin!(queue.get()));
        assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
        queue.add(1);
        queue.add(2);
        assert_eq!((first.now_or_never(), second.now_or_never()), (Some(Some(1)), Some(Some(2))));
    }
}
