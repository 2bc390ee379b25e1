use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use event_listener::Event;
use rustc_hash::FxHashMap;

/// Whether the first item goes before the second.
type Less<T> = Rc<dyn Fn(&T, &T) -> bool>;

/// A queue that gives the least item first, with one item for each key (client-go: `tools/cache/heap.go`).
///
/// Items are cloned when they are read, so they should be cheap to clone. Of items of which neither is less, the one
/// that came first goes first. The functions are pure: they must not touch the heap.
///
/// ```
/// use futures::FutureExt as _;
/// use watchglass::cache::Heap;
///
/// let heap = Heap::new(|(name, _): &(&str, u32)| (*name).to_owned(), |one, other| one.1 < other.1);
/// heap.bulk_add([("slow", 30), ("fast", 1), ("slow", 20)])?;
/// assert_eq!(heap.pop().now_or_never(), Some(Ok(("fast", 1))));
/// assert_eq!(heap.pop().now_or_never(), Some(Ok(("slow", 20))));
/// # Ok::<(), watchglass::cache::HeapError>(())
/// ```
pub struct Heap<T> {
    key_func: Box<dyn Fn(&T) -> String>,
    less: Less<T>,
    state: RefCell<State<T>>,
    /// Something was added, or the heap was closed.
    changed: Event,
}

struct State<T> {
    by_key: FxHashMap<String, Rc<Entry<T>>>,
    ordered: BTreeSet<Rc<Entry<T>>>,
    arrivals: u64,
    closed: bool,
}

struct Entry<T> {
    item: T,
    key: String,
    arrival: u64,
    less: Less<T>,
}

/// Why a [`Heap`] refused (client-go: `tools/cache/heap.go`, the texts of its errors).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeapError {
    /// It was closed, and is empty where an item was asked for.
    #[error("heap is closed")]
    Closed,
    /// No item has the key.
    #[error("object not found")]
    NotFound,
}

impl<T: Clone> Heap<T> {
    /// An empty heap. The key function cannot fail: a type of the caller's own has a key.
    pub fn new(key_func: impl Fn(&T) -> String + 'static, less: impl Fn(&T, &T) -> bool + 'static) -> Self {
        let state = State { by_key: FxHashMap::default(), ordered: BTreeSet::new(), arrivals: 0, closed: false };
        Self { key_func: Box::new(key_func), less: Rc::new(less), state: RefCell::new(state), changed: Event::new() }
    }

    /// Adds the item, or puts it in the place of the one with the same key.
    ///
    /// # Errors
    /// When the heap is closed.
    #[doc(alias = "Update")]
    pub fn add(&self, item: T) -> Result<(), HeapError> {
        self.bulk_add([item])
    }

    /// Adds all the items before anybody is given one.
    ///
    /// # Errors
    /// When the heap is closed.
    pub fn bulk_add(&self, items: impl IntoIterator<Item = T>) -> Result<(), HeapError> {
        let keyed: Vec<_> = items.into_iter().map(|item| ((self.key_func)(&item), item)).collect();
        self.write(|state, less| keyed.into_iter().for_each(|(key, item)| state.insert(key, item, less)))
    }

    /// Adds the item unless its key is there.
    ///
    /// # Errors
    /// When the heap is closed.
    pub fn add_if_not_present(&self, item: T) -> Result<(), HeapError> {
        let key = (self.key_func)(&item);
        self.write(|state, less| {
            if !state.by_key.contains_key(&key) {
                state.insert(key, item, less);
            }
        })
    }

    /// Removes the item with the same key, from a closed heap too.
    ///
    /// # Errors
    /// When there is none.
    pub fn delete(&self, item: &T) -> Result<(), HeapError> {
        let key = (self.key_func)(item);
        let state = &mut *self.state.borrow_mut();
        state.remove(&key).map(|_| ()).ok_or(HeapError::NotFound)
    }

    /// Takes out the least item; waits for one.
    ///
    /// # Errors
    /// When the heap is closed and empty.
    pub async fn pop(&self) -> Result<T, HeapError> {
        loop {
            let changed = self.changed.listen();
            if let Some(result) = self.state.borrow_mut().pop() {
                return result;
            }
            changed.await;
        }
    }

    /// In no particular order.
    pub fn list(&self) -> Vec<T> {
        self.state.borrow().by_key.values().map(|entry| entry.item.clone()).collect()
    }

    /// In no particular order.
    pub fn list_keys(&self) -> Vec<String> {
        self.state.borrow().by_key.keys().cloned().collect()
    }

    /// The item with the same key.
    pub fn get(&self, item: &T) -> Option<T> {
        self.get_by_key(&(self.key_func)(item))
    }

    /// The item with the key.
    pub fn get_by_key(&self, key: &str) -> Option<T> {
        self.state.borrow().by_key.get(key).map(|entry| entry.item.clone())
    }

    fn write(&self, change: impl FnOnce(&mut State<T>, &Less<T>)) -> Result<(), HeapError> {
        let state = &mut *self.state.borrow_mut();
        if state.closed {
            return Err(HeapError::Closed);
        }
        change(state, &self.less);
        self.changed.notify(usize::MAX);
        Ok(())
    }
}

impl<T> Heap<T> {
    /// Takes nothing more; what is in it can still be popped.
    pub fn close(&self) {
        self.state.borrow_mut().closed = true;
        self.changed.notify(usize::MAX);
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.state.borrow().closed
    }

    /// How many items wait.
    pub fn len(&self) -> usize {
        self.state.borrow().by_key.len()
    }

    /// Whether no item waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Clone> State<T> {
    fn insert(&mut self, key: String, item: T, less: &Less<T>) {
        self.arrivals += 1;
        let arrival = self.remove(&key).map_or(self.arrivals, |old| old.arrival);
        let entry = Rc::new(Entry { item, key: key.clone(), arrival, less: Rc::clone(less) });
        self.ordered.insert(Rc::clone(&entry));
        self.by_key.insert(key, entry);
    }

    fn remove(&mut self, key: &str) -> Option<Rc<Entry<T>>> {
        let entry = self.by_key.remove(key)?;
        self.ordered.remove(&entry);
        Some(entry)
    }

    /// None while there is something to wait for.
    fn pop(&mut self) -> Option<Result<T, HeapError>> {
        let Some(entry) = self.ordered.pop_first() else {
            return self.closed.then_some(Err(HeapError::Closed));
        };
        self.by_key.remove(&entry.key);
        Some(Ok(entry.item.clone()))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        if (self.less)(&self.item, &other.item) {
            Ordering::Less
        } else if (self.less)(&other.item, &self.item) {
            Ordering::Greater
        } else {
            self.arrival.cmp(&other.arrival)
        }
    }
}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Entry<T> {}

impl<T> fmt::Debug for Heap<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heap").field("len", &self.len()).field("closed", &self.is_closed()).finish_non_exhaustive()
    }
}
