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
}
