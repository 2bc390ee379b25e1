use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// A value that is computed when it is asked for, and again after something has changed
/// (client-go: `tools/cache/synctrack/lazy.go`).
///
/// Errors are not kept: the next who asks tries again. The function may call [`notify`](Self::notify), and then what it
/// gives is not kept either: it may have seen what was before the change.
///
/// ```
/// use std::{cell::Cell, rc::Rc};
/// use watchglass::cache::Lazy;
///
/// let source = Rc::new(Cell::new(1));
/// let read = Rc::clone(&source);
/// let doubled = Lazy::new(move || Ok::<_, ()>(2 * read.get()));
/// assert_eq!(doubled.get(), Ok(2));
/// source.set(5);
/// assert_eq!(doubled.get(), Ok(2));
/// doubled.notify();
/// assert_eq!(doubled.get(), Ok(10));
/// ```
pub struct Lazy<T, E> {
    evaluate: Box<dyn Fn() -> Result<T, E>>,
    /// Another one after each change, so that a computation fills only the one that it began with.
    slot: RefCell<Slot<T>>,
}

type Slot<T> = Rc<RefCell<Option<T>>>;

impl<T: Clone, E> Lazy<T, E> {
    /// Nothing is computed yet.
    pub fn new(evaluate: impl Fn() -> Result<T, E> + 'static) -> Self {
        Self { evaluate: Box::new(evaluate), slot: RefCell::default() }
    }

    /// Something has changed: the next who asks gets a new value.
    pub fn notify(&self) {
        self.slot.take();
    }

    /// The value, computed now unless it is known.
    ///
    /// # Errors
    /// Those of the function.
    pub fn get(&self) -> Result<T, E> {
        let slot = Rc::clone(&self.slot.borrow());
        let known = slot.borrow().clone();
        if let Some(value) = known {
            return Ok(value);
        }
        let value = (self.evaluate)()?;
        slot.replace(Some(value.clone()));
        Ok(value)
    }
}

impl<T: fmt::Debug, E> fmt::Debug for Lazy<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").field("known", &*self.slot.borrow()).finish_non_exhaustive()
    }
}
