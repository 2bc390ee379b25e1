use std::rc::Rc;

use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;

use crate::api::{Error, List, ListOptions, WatchEvent};

/// How far a list has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListProgress {
    pub received: usize,
    /// How many there will be, when the server told.
    pub expected: Option<usize>,
}

/// A whole list.
#[derive(Clone, Debug, Default)]
pub struct ListResult {
    pub list: List,
    /// It came in more than one page.
    pub paginated: bool,
}

/// The events of one watch. An error is the last item; the end without one is a clean close.
pub type WatchStream = LocalBoxStream<'static, Result<WatchEvent, Error>>;

/// Lists and watches one kind of object in one scope.
///
/// Dropping a future or the stream aborts the request.
pub trait ListerWatcher {
    /// # Errors
    /// As any request.
    fn list(
        &self,
        options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>>;

    /// # Errors
    /// As any request.
    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>>;

    /// Whether [`watch`](Self::watch) may ask for a WatchList, a stream that begins with the whole state and marks its
    /// end (client-go: `util/watchlist`, `DoesClientNotSupportWatchListSemantics`, which asks the other way round).
    ///
    /// No, unless it is known better: servers compress such streams, browsers read only the first part of them
    /// (kube-rs/kube#2079), and a server that does not mark the end leaves everybody waiting.
    #[doc(alias = "IsWatchListSemanticsUnSupported")]
    fn supports_watch_list(&self) -> bool {
        false
    }
}

/// Changes the options of a list or a watch: selectors, most of all
/// (client-go: `internalinterfaces.TweakListOptionsFunc`).
#[doc(alias = "TweakListOptionsFunc")]
pub type OptionsModifier = Rc<dyn Fn(&mut ListOptions)>;

/// Lists and watches with options that are changed (client-go: `cache.NewFilteredListWatchFromClient`).
#[doc(alias = "NewFilteredListWatchFromClient")]
#[derive(Clone)]
pub struct FilteredListWatch {
    lister_watcher: Rc<dyn ListerWatcher>,
    modifier: OptionsModifier,
}

impl FilteredListWatch {
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
