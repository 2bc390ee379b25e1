use std::cell::Cell;
use std::rc::Rc;

use futures::future::{FutureExt as _, LocalBoxFuture};

use super::pager::{Page, Pager};
use super::rest_client::RestClient;
use crate::api::{Error, List, ListOptions, ResourcePath};
use crate::cache::{ListProgress, ListResult, ListerWatcher, WatchStream};

/// Lists and watches one resource (client-go: `cache.NewListWatchFromClient`).
#[derive(Clone)]
pub struct ResourceListWatch {
    client: RestClient,
    path: ResourcePath,
    watch_list: bool,
    modifier: Option<OptionsModifier>,
}

/// Changes the options of each list and watch: selectors, most of all.
pub type OptionsModifier = Rc<dyn Fn(&mut ListOptions)>;

impl ResourceListWatch {
    /// Without WatchLists.
    pub fn new(client: RestClient, path: ResourcePath) -> Self {
        Self { client, path, watch_list: false, modifier: None }
    }

    /// Whether to get the first state by a WatchList.
    ///
    /// For native programs: servers compress these streams member by member, and browsers read the first member only.
    /// Not for resources of aggregated API servers, which may never mark the end (kubernetes/kubernetes#140890).
    #[must_use]
    pub fn with_watch_list(mut self, watch_list: bool) -> Self {
        self.watch_list = watch_list;
        self
    }

    /// Lists and watches with changed options (client-go: `cache.NewFilteredListWatchFromClient`).
    ///
    /// ```
    /// use watchglass::api::{GroupVersionResource, ResourcePath};
    /// use watchglass::rest::{ResourceListWatch, RestClient};
    ///
    /// fn pods_of_a_node(client: RestClient) -> ResourceListWatch {
    ///     let pods = ResourcePath::all(GroupVersionResource::core("pods"));
    ///     let on_the_node = |options: &mut watchglass::api::ListOptions| {
    ///         options.field_selector = "spec.nodeName=node-1".into();
    ///     };
    ///     ResourceListWatch::new(client, pods).with_options_modifier(std::rc::Rc::new(on_the_node))
    /// }
    /// ```
    #[doc(alias = "NewFilteredListWatchFromClient")]
    #[must_use]
    pub fn with_options_modifier(mut self, modifier: OptionsModifier) -> Self {
        self.modifier = Some(modifier);
        self
    }

    fn modified(&self, mut options: ListOptions) -> ListOptions {
        if let Some(modifier) = &self.modifier {
            modifier(&mut options);
        }
        options
    }
}

impl ListerWatcher for ResourceListWatch {
    fn list(
        &self,
        options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        let options = self.modified(options);
        let pages = Pages { of: self.clone(), progress, before: Cell::new(0), expected: Cell::new(None) };
        async move {
            let (list, paginated) = Pager { full_list_if_expired: true }.list(&pages, options).await?;
            Ok(ListResult { list, paginated })
        }
        .boxed_local()
    }

    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        let options = self.modified(options);
        let Self { client, path, .. } = self.clone();
        async move { client.watch(&path, &options).await }.boxed_local()
    }

    fn supports_watch_list(&self) -> bool {
        self.watch_list
    }
}

struct Pages {
    of: ResourceListWatch,
    progress: Rc<dyn Fn(ListProgress)>,
    /// Items of the pages before the one that is coming.
    before: Cell<usize>,
    expected: Cell<Option<usize>>,
}

impl Page for Pages {
    async fn page(&self, options: ListOptions) -> Result<List, Error> {
        if options.r#continue.is_empty() {
            self.before.set(0);
        }
        let (before, expected) = (self.before.get(), self.expected.get());
        let on_items = |received| (self.progress)(ListProgress { received: before + received, expected });
        let list = self.of.client.list(&self.of.path, &options, &on_items).await?;
        self.before.set(before + list.items.len());
        let remaining = list.metadata.remaining_item_count.and_then(|count| usize::try_from(count).ok());
        self.expected.set(remaining.map(|remaining| self.before.get() + remaining).or(expected));
        Ok(list)
    }
}
