use std::collections::VecDeque;

/// The order in which a [`Queue`](super::Queue) hands out what waits (client-go: `util/workqueue/queue.go`, `Queue`).
///
/// Each item is in it once. Its methods must not use the queue they belong to.
pub trait QueueStorage<T> {
    /// An item that waits was added again: a storage with priorities may move it.
    fn touch(&mut self, _item: &T) {}

    /// Takes in an item that is not in it.
    fn push(&mut self, item: T);

    /// The next item, which is held no longer; none when it is empty.
    fn pop(&mut self) -> Option<T>;

    /// How many items it holds.
    fn len(&self) -> usize;

    /// Whether it holds no item.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The place of so many items is kept when none waits: more were a burst, the first list of an informer most often.
pub(super) const KEPT_CAPACITY: usize = 64;

/// First in, first out (client-go: `util/workqueue/queue.go`, `DefaultQueue`).
#[doc(alias = "DefaultQueue")]
#[derive(Clone, Debug)]
pub struct Fifo<T>(VecDeque<T>);

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> QueueStorage<T> for Fifo<T> {
    fn push(&mut self, item: T) {
        self.0.push_back(item);
    }

    fn pop(&mut self) -> Option<T> {
        let item = self.0.pop_front();
        if self.0.is_empty() {
            self.0.shrink_to(KEPT_CAPACITY);
        }
        item
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}
