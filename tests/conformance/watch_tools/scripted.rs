use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures::future::LocalBoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use watchglass::api::{Error, ListOptions, Status, WatchEvent};
use watchglass::cache::WatchStream;
use watchglass::runtime::{Moment, Runtime};
use watchglass::watch_tools::Watcher;

use crate::fake_source::pod;

pub type Item = Result<WatchEvent, Error>;

/// A server that holds a fixed history and gives each watch the part after its resourceVersion.
pub struct ScriptedWatcher {
    runtime: Runtime,
    history: Vec<Item>,
    /// A watch ends after so many items; one that has fewer stays open.
    closes_after: Option<usize>,
    /// A watch gives its first item so late.
    delay: Duration,
    /// What the first starts come to, before the history is served.
    first_starts: RefCell<VecDeque<Result<Vec<Item>, Error>>>,
    starts: RefCell<Vec<(Moment, ListOptions)>>,
    open: Rc<Cell<usize>>,
}

pub fn added(version: u32) -> Item {
    let mut object = pod(&format!("pod-{version}"));
    object.metadata.resource_version = version.to_string();
    Ok(WatchEvent::Added(object.into()))
}

pub fn error(status: Status) -> Item {
    Ok(WatchEvent::Error(status))
}

/// `added 6`, `error 410`, and so on.
pub fn describe(event: &WatchEvent) -> String {
    match event {
        WatchEvent::Added(object) => format!("added {}", object.resource_version()),
        WatchEvent::Modified(object) => format!("modified {}", object.resource_version()),
        WatchEvent::Deleted(object) => format!("deleted {}", object.resource_version()),
        WatchEvent::Bookmark { resource_version, .. } => format!("bookmark {resource_version}"),
        WatchEvent::Error(status) => format!("error {}", status.code),
    }
}

impl ScriptedWatcher {
    pub fn new(runtime: Runtime, history: impl IntoIterator<Item = Item>) -> Self {
        Self {
            runtime,
            history: history.into_iter().collect(),
            closes_after: None,
            delay: Duration::ZERO,
            first_starts: RefCell::default(),
            starts: RefCell::default(),
            open: Rc::default(),
        }
    }

    pub fn closing_after(self, items: usize) -> Self {
        Self { closes_after: Some(items), ..self }
    }

    pub fn delayed_by(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    pub fn starting_with(self, outcomes: impl IntoIterator<Item = Result<Vec<Item>, Error>>) -> Self {
        Self { first_starts: RefCell::new(outcomes.into_iter().collect()), ..self }
    }

    /// The resourceVersions that watches were started from.
    pub fn versions(&self) -> Vec<String> {
        self.starts.borrow().iter().map(|(_, options)| options.resource_version.clone()).collect()
    }

    /// The moments of the starts, in milliseconds after the clock's start.
    pub fn start_millis(&self) -> Vec<u128> {
        self.starts.borrow().iter().map(|(moment, _)| moment.since(Moment::default()).as_millis()).collect()
    }

    pub fn options(&self) -> Vec<ListOptions> {
        self.starts.borrow().iter().map(|(_, options)| options.clone()).collect()
    }

    pub fn watches_open(&self) -> usize {
        self.open.get()
    }

    /// Errors count only after an object that the watch gives.
    fn after(&self, version: &str) -> Vec<Item> {
        let version: u32 = version.parse().expect("the test's versions are numbers");
        let mut items = Vec::new();
        for item in &self.history {
            let is_wanted = match item {
                Ok(WatchEvent::Added(object)) => {
                    object.resource_version().parse::<u32>().is_ok_and(|own| own > version)
                }
                _ => !items.is_empty(),
            };
            if is_wanted {
                items.push(item.clone());
            }
        }
        items
    }

    fn stream(&self, items: Vec<Item>, closes: bool) -> WatchStream {
        self.open.set(self.open.get() + 1);
        let guard = Open(Rc::clone(&self.open));
        let late = self.runtime.sleep(self.delay).into_stream().filter_map(|()| async { None });
        let items = futures::stream::iter(items);
        let rest =
            if closes { futures::stream::empty().boxed_local() } else { futures::stream::pending().boxed_local() };
        let stream = late.chain(items).chain(rest).map(move |item| {
            let _held_as_long_as_the_stream = &guard;
            item
        });
        stream.boxed_local()
    }
}

struct Open(Rc<Cell<usize>>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Watcher for ScriptedWatcher {
    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        let items = self.after(&options.resource_version);
        self.starts.borrow_mut().push((self.runtime.now(), options));
        let first = self.first_starts.borrow_mut().pop_front();
        let result = match first {
            Some(Ok(items)) => Ok(self.stream(items, true)),
            Some(Err(error)) => Err(error),
            None => {
                let closes_after = self.closes_after.filter(|count| *count <= items.len());
                let items = items.into_iter().take(closes_after.unwrap_or(usize::MAX)).collect();
                Ok(self.stream(items, closes_after.is_some()))
            }
        };
        async { result }.boxed_local()
    }
}
