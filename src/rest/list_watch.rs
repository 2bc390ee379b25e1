use std::cell::Cell;
use std::rc::Rc;

use futures::future::{FutureExt as _, LocalBoxFuture};

use super::pager::{ListPager, Page};
use super::rest_client::{Accept, RestClient, scope};
use crate::api::{Error, GroupVersionResource, List, ListOptions, Object, ResourcePath};
use crate::cache::{ListProgress, ListResult, ListerWatcher, ListerWatcherSource, WatchStream};

/// Lists and watches one resource (client-go: `cache.NewListWatchFromClient`).
#[derive(Clone)]
pub struct ResourceListWatch {
    client: RestClient,
    /// For what the reflector tries again by itself, where its waits can be seen and cut short.
    once: RestClient,
    path: ResourcePath,
    accept: Accept,
    watch_list: bool,
    first_page: Option<FirstPage>,
}

impl ResourceListWatch {
    /// Without WatchLists.
    pub fn new(client: RestClient, path: ResourcePath) -> Self {
        let once = client.without_retries();
        Self { client, once, path, accept: Accept::Object, watch_list: false, first_page: None }
    }

    /// Whole objects or their metadata. No reflector takes tables.
    #[must_use]
    pub fn with_accept(mut self, accept: Accept) -> Self {
        self.accept = accept;
        self
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

    /// Asks for a few objects before a first list, for who shows what has come of it.
    ///
    /// A server answers that at once, and a whole list only when much of it is made. Where there are no more objects,
    /// the page is the list; else the whole list is not older than it.
    #[must_use]
    pub fn with_first_page(mut self, page: FirstPage) -> Self {
        self.first_page = Some(page);
        self
    }
}

impl ListerWatcher for ResourceListWatch {
    fn list(
        &self,
        options: ListOptions,
        progress: Rc<dyn Fn(ListProgress)>,
    ) -> LocalBoxFuture<'static, Result<ListResult, Error>> {
        let pages = Pages { of: self.clone(), progress, before: Cell::new(0), expected: Cell::new(None) };
        async move {
            // Whether the list is limited is the reflector's decision.
            let pager = ListPager { page_size: None, ..ListPager::default() };
            let Some(first_page) = pages.of.first_page.clone().filter(|_| options.resource_version == "0") else {
                let (list, paginated) = pager.list(&pages, options).await?;
                return Ok(ListResult { list, paginated });
            };
            let limit = Some(first_page.size);
            let page = pages.page(ListOptions { limit, resource_version: String::new(), ..options.clone() }).await?;
            if page.metadata.r#continue.is_empty() {
                return Ok(ListResult { list: page, paginated: false });
            }
            (first_page.until_shown)().await;
            let (list, paginated) = pager.list(&pages, not_older_than(page, options)).await?;
            Ok(ListResult { list, paginated })
        }
        .boxed_local()
    }

    fn watch(&self, options: ListOptions) -> LocalBoxFuture<'static, Result<WatchStream, Error>> {
        let Self { once, path, accept, .. } = self.clone();
        async move { once.watch_as(&path, &options, accept).await }.boxed_local()
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

/// The whole list of which this is a page. A limit would have the server pass its cache by.
fn not_older_than(page: List, options: ListOptions) -> ListOptions {
    ListOptions { limit: None, resource_version: page.metadata.resource_version, ..options }
}

impl Page for Pages {
    async fn page(&self, options: ListOptions) -> Result<List, Error> {
        let mut client = &self.of.client;
        if options.r#continue.is_empty() {
            self.before.set(0);
            // A later page is worth a wait: without it all pages before it would come again.
            client = &self.of.once;
        }
        let (before, expected) = (self.before.get(), self.expected.get());
        let told = Cell::new(0);
        let on_items = |objects: &[Object]| {
            let received = before + objects.len();
            let objects = &objects[told.replace(objects.len())..];
            (self.progress)(ListProgress { received, expected, objects });
        };
        let list = client.list_as(&self.of.path, &options, self.of.accept, &on_items).await?;
        self.before.set(before + list.items.len());
        let remaining = list.metadata.remaining_item_count.and_then(|count| usize::try_from(count).ok());
        self.expected.set(remaining.map(|remaining| self.before.get() + remaining).or(expected));
        Ok(list)
    }
}

/// What a first list begins with; see [`ResourceListWatch::with_first_page`].
#[derive(Clone)]
pub struct FirstPage {
    /// How many objects.
    pub size: u32,
    /// Is waited for before the whole list is asked for: a server that works on it leaves less of a machine to who
    /// shows the page.
    pub until_shown: Rc<dyn Fn() -> LocalBoxFuture<'static, ()>>,
}

/// Has all first lists begin with a page.
#[derive(Clone)]
pub struct FirstPages {
    pub client: RestClient,
    pub page: FirstPage,
}

impl ListerWatcherSource for FirstPages {
    fn lister_watcher(&self, resource: &GroupVersionResource, namespace: Option<&str>) -> Rc<dyn ListerWatcher> {
        let objects = ResourceListWatch::new(self.client.clone(), scope(resource, namespace));
        Rc::new(objects.with_first_page(self.page.clone()))
    }
}
