use std::rc::Rc;

use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;

use crate::api::{Error, List, ListOptions, Object, WatchEvent};

/// How far a list has come (client-go has no such thing).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ListProgress<'a> {
    /// How many objects have come so far, over all pages.
    pub received: usize,
    /// How many there will be, when the server told.
    pub expected: Option<usize>,
    /// Those that have come since the last time.
    pub objects: &'a [Object],
}

/// A whole list (client-go: `tools/pager/pager.go`, what `ListWithAlloc` returns).
#[derive(Clone, Debug, Default)]
pub struct ListResult {
    /// The objects of all pages, with the first page's resourceVersion.
    pub list: List,
    /// It came in more than one page.
    pub paginated: bool,
}

/// The events of one watch. An error is the last item; the end without one is a clean close
/// (apimachinery: `pkg/watch/watch.go`, `Interface`).
pub type WatchStream = LocalBoxStream<'static, Result<WatchEvent, Error>>;

/// Lists and watches one kind of object in one scope (client-go: `tools/cache/listwatch.go`, `ListerWatcher`).
///
/// Dropping a future or the stream aborts the request.
pub trait ListerWatcher {
    /// Gets the whole list, page by page if it has several, and tells of each step on the way.
    ///
    /// # Errors
    /// As any request.
    fn list(
        &self,
        options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>>;

    /// Opens a watch of what happens after the resourceVersion in the options.
    ///
    /// # Errors
    /// As any request.
    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>>;

    /// Whether [`watch`](Self::watch) may ask for a WatchList, a stream that begins with the whole state and marks its
    /// end (client-go: `util/watchlist/watch_list.go`, `DoesClientNotSupportWatchListSemantics`, which asks the other
    /// way round).
    ///
    /// No, unless it is known better: servers compress such streams, browsers read only the first part of them
    /// (kube-rs/kube#2079), and a server that does not mark the end leaves everybody waiting.
    #[doc(alias = "IsWatchListSemanticsUnSupported")]
    fn supports_watch_list(&self) -> bool {
        false
    }
}

/// Changes the options of a list or a watch: selectors, most of all
/// (client-go: `informers/internalinterfaces/factory_interfaces.go`, `TweakListOptionsFunc`).
#[doc(alias = "TweakListOptionsFunc")]
pub type OptionsModifier = Rc<dyn Fn(&mut ListOptions)>;

/// Lists and watches with options that are changed
/// (client-go: `tools/cache/listwatch.go`, `NewFilteredListWatchFromClient`).
#[doc(alias = "NewFilteredListWatchFromClient")]
#[derive(Clone)]
pub struct FilteredListWatch {
    lister_watcher: Rc<dyn ListerWatcher>,
    modifier: OptionsModifier,
}

impl FilteredListWatch {
    /// The modifier changes what the reflector asks for, and should leave resourceVersion and paging as they are.
    pub fn new(lister_watcher: Rc<dyn ListerWatcher>, modifier: OptionsModifier) -> Self {
        Self { lister_watcher, modifier }
    }

    fn modified(&self, mut options: ListOptions) -> ListOptions {
        (self.modifier)(&mut options);
        options
    }
}

impl ListerWatcher for FilteredListWatch {
    fn list(
        &self,
        options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        self.lister_watcher.list(self.modified(options), progress)
    }

    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        self.lister_watcher.watch(self.modified(options))
    }

    fn supports_watch_list(&self) -> bool {
        self.lister_watcher.supports_watch_list()
    }
}
