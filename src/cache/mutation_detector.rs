use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::runtime::{Moment, Runtime, Task};

/// How often objects are compared with their copies.
const PERIOD: Duration = Duration::from_secs(1);
/// How long objects are in the first generation; they are as long in the second.
const RETAIN: Duration = Duration::from_secs(2 * 60);

/// Finds out whether somebody changes shared objects (client-go: `tools/cache/mutation_detector.go`).
///
/// Keeps each object and a copy for 2 to 4 minutes, and compares them each second until it is dropped.
/// It costs as much memory again, and is for tests: objects in an `Arc` change only where they have cells or locks
/// inside.
pub struct MutationDetector<T> {
    watched: Rc<Watched<T>>,
    _task: Task,
}

struct Watched<T> {
    name: String,
    failure: Box<dyn Fn(&str)>,
    added: RefCell<Vec<Pair<T>>>,
    generations: RefCell<Generations<T>>,
}

struct Pair<T> {
    shared: Arc<T>,
    copy: T,
}

struct Generations<T> {
    young: Vec<Pair<T>>,
    old: Vec<Pair<T>>,
    rotated: Moment,
}

impl<T: Clone + PartialEq + fmt::Debug + 'static> MutationDetector<T> {
    /// A detector that panics when an object was changed: nothing can be relied on after that.
    pub fn new(runtime: &Runtime, name: impl Into<String>) -> Self {
        Self::with_failure_func(runtime, name, |message| panic!("{message}"))
    }

    /// A detector that calls the function when an object was changed, again at each comparison.
    pub fn with_failure_func(runtime: &Runtime, name: impl Into<String>, failure: impl Fn(&str) + 'static) -> Self {
        let generations = Generations { young: Vec::new(), old: Vec::new(), rotated: runtime.now() };
        let watched = Rc::new(Watched {
            name: name.into(),
            failure: Box::new(failure),
            added: RefCell::default(),
            generations: RefCell::new(generations),
        });
        let task = runtime.spawn(compare_for_ever(runtime.clone(), Rc::clone(&watched)));
        Self { watched, _task: task }
    }

    /// Copies the object and watches it from now on.
    pub fn add_object(&self, object: &Arc<T>) {
        let pair = Pair { shared: Arc::clone(object), copy: (**object).clone() };
        self.watched.added.borrow_mut().push(pair);
    }
}

async fn compare_for_ever<T: PartialEq + fmt::Debug>(runtime: Runtime, watched: Rc<Watched<T>>) {
    loop {
        watched.rotate(runtime.now());
        watched.compare();
        runtime.sleep(PERIOD).await;
    }
}

impl<T: PartialEq + fmt::Debug> Watched<T> {
    fn rotate(&self, now: Moment) {
        let generations = &mut *self.generations.borrow_mut();
        if now.since(generations.rotated) > RETAIN {
            generations.old = std::mem::take(&mut generations.young);
            generations.rotated = now;
        }
    }

    fn compare(&self) {
        if self.log_altered() > 0 {
            (self.failure)(&format!("cache {} modified", self.name));
        }
    }

    /// How many objects were changed.
    fn log_altered(&self) -> usize {
        let generations = &mut *self.generations.borrow_mut();
        generations.young.append(&mut self.added.borrow_mut());
        let altered = generations.young.iter().chain(&generations.old).filter(|pair| pair.is_altered());
        let log = |Pair { shared, copy }: &Pair<T>| {
            tracing::error!(cache = self.name, ?copy, ?shared, "a shared object was changed");
        };
        altered.inspect(|pair| log(pair)).count()
    }
}

impl<T: PartialEq> Pair<T> {
    fn is_altered(&self) -> bool {
        *self.shared != self.copy
    }
}

impl<T> fmt::Debug for MutationDetector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MutationDetector").field("name", &self.watched.name).finish_non_exhaustive()
    }
}
