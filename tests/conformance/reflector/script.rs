use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::channel::mpsc;
use futures::future::LocalBoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use watchglass::api::{Error, List, ListMeta, ListOptions, Object, ResourceVersionMatch, WatchEvent};
use watchglass::cache::{ListProgress, ListResult, ListerWatcher, WatchStream};
use watchglass::rest::{ListPager, Page};

use super::pod;

type Answer<T> = Rc<dyn Fn(&ListOptions) -> Result<T, Error>>;

/// A source that answers each request as a test says; lists come in pages, as over the wire.
#[derive(Clone)]
pub struct Script {
    page: Answer<List>,
    watch: Answer<WatchStream>,
    asked: Rc<RefCell<Vec<ListOptions>>>,
    supports_watch_list: bool,
}

impl Script {
    /// Lists are empty at version 1, watches stay open and silent.
    pub fn new() -> Self {
        Self {
            page: Rc::new(|_| Ok(list_at("1", []))),
            watch: Rc::new(|_| Ok(open([]))),
            asked: Rc::default(),
            supports_watch_list: false,
        }
    }

    pub fn on_page(self, page: impl Fn(&ListOptions) -> Result<List, Error> + 'static) -> Self {
        Self { page: Rc::new(page), ..self }
    }

    pub fn on_watch(self, watch: impl Fn(&ListOptions) -> Result<WatchStream, Error> + 'static) -> Self {
        Self { watch: Rc::new(watch), ..self }
    }

    pub fn with_watch_list(self) -> Self {
        Self { supports_watch_list: true, ..self }
    }

    /// The answer to a watch, without having been asked.
    pub fn stream(&self, options: &ListOptions) -> Result<WatchStream, Error> {
        (self.watch)(options)
    }

    /// The requests since the last call, as `list rv=0 limit=500`, `list rv= limit=4 continue=C1`, `watch rv=7` and
    /// `watch-list rv=7`.
    pub fn asked(&self) -> Vec<String> {
        self.asked.take().iter().map(describe).collect()
    }

    pub fn options(&self) -> Vec<ListOptions> {
        self.asked.borrow().clone()
    }
}

fn describe(options: &ListOptions) -> String {
    let version = &options.resource_version;
    match (options.watch, options.send_initial_events) {
        (true, None) => {
            assert_eq!((options.resource_version_match, options.limit), (None, None));
            format!("watch rv={version}")
        }
        (true, Some(initial)) => {
            assert!(initial && options.resource_version_match == Some(ResourceVersionMatch::NotOlderThan));
            format!("watch-list rv={version}")
        }
        (false, _) => {
            let exact = if options.resource_version_match.is_some() { " exact" } else { "" };
            let limit = options.limit.map(|limit| format!(" limit={limit}")).unwrap_or_default();
            let token = &options.r#continue;
            let token = if token.is_empty() { String::new() } else { format!(" continue={token}") };
            format!("list rv={version}{exact}{limit}{token}")
        }
    }
}

/// Answers one after the other, the last one for ever.
pub fn in_turn<T: Clone + 'static>(answers: impl IntoIterator<Item = T>) -> impl Fn() -> T {
    let (answers, next) = (answers.into_iter().collect::<Vec<_>>(), Cell::new(0));
    move || {
        let place = next.get().min(answers.len() - 1);
        next.set(next.get() + 1);
        answers[place].clone()
    }
}

pub fn versioned(name: &str, resource_version: &str) -> Object {
    let mut object = pod(name);
    object.metadata.resource_version = resource_version.into();
    object.into()
}

pub fn list_at(resource_version: &str, items: impl IntoIterator<Item = Object>) -> List {
    let metadata = ListMeta { resource_version: resource_version.into(), ..ListMeta::default() };
    List { metadata, items: items.into_iter().collect(), ..List::default() }
}

pub fn bookmark(resource_version: &str) -> WatchEvent {
    WatchEvent::Bookmark { resource_version: resource_version.into(), initial_events_end: false }
}

pub fn end_of_initial(resource_version: &str) -> WatchEvent {
    WatchEvent::Bookmark { resource_version: resource_version.into(), initial_events_end: true }
}

/// The events, and then a clean close.
pub fn closed(events: impl IntoIterator<Item = WatchEvent>) -> WatchStream {
    stream::iter(events.into_iter().map(Ok).collect::<Vec<_>>()).boxed_local()
}

/// The events, and then nothing for ever.
pub fn open(events: impl IntoIterator<Item = WatchEvent>) -> WatchStream {
    closed(events).chain(stream::pending()).boxed_local()
}

/// The events, and then the connection breaks.
pub fn broken(events: impl IntoIterator<Item = WatchEvent>) -> WatchStream {
    let reset = Error::Interrupted { reason: "reset".into() };
    closed(events).chain(stream::iter([Err(reset)])).boxed_local()
}

/// A stream whose events a test sends while it is open.
pub fn piped() -> (mpsc::UnboundedSender<Result<WatchEvent, Error>>, WatchStream) {
    let (sender, receiver) = mpsc::unbounded();
    (sender, receiver.boxed_local())
}

impl Page for Script {
    async fn page(&self, options: ListOptions) -> Result<List, Error> {
        self.asked.borrow_mut().push(options.clone());
        (self.page)(&options)
    }
}

impl ListerWatcher for Script {
    fn list(
        &self,
        options: ListOptions,
        _progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        let source = self.clone();
        async move {
            let (list, paginated) =
                ListPager { page_size: None, ..ListPager::default() }.list(&source, options).await?;
            Ok(ListResult { list, paginated })
        }
        .boxed_local()
    }

    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        assert!(options.allow_watch_bookmarks && options.timeout_seconds.is_some());
        let options = ListOptions { watch: true, ..options };
        self.asked.borrow_mut().push(options.clone());
        let answer = (self.watch)(&options);
        async { answer }.boxed_local()
    }

    fn supports_watch_list(&self) -> bool {
        self.supports_watch_list
    }
}
