use futures::StreamExt as _;
use futures::channel::mpsc;
use futures::future::{Either, select};

use crate::api::{Error, List, ListOptions, Object};

/// Gives one page of a list (client-go: `tools/pager`, `ListPageFunc`).
#[doc(alias = "ListPageFunc")]
pub trait Page {
    /// # Errors
    /// As any request.
    fn page(&self, options: ListOptions) -> impl Future<Output = Result<List, Error>>;
}

/// Lists in pages (client-go: `tools/pager/pager.go`).
///
/// Dropping a list's future ends it, and the request that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListPager {
    /// The limit of a page when the options have none; none for a whole list at once.
    pub page_size: Option<u32>,
    /// Fetch the whole list at once when the token of a later page has expired. Only [`list`](Self::list) can.
    pub full_list_if_expired: bool,
    /// How many pages may wait for [`each_list_item`](Self::each_list_item)'s function, beside the one that it works
    /// on and the one that is being fetched.
    pub page_buffer_size: usize,
}

impl Default for ListPager {
    fn default() -> Self {
        Self { page_size: Some(500), full_list_if_expired: true, page_buffer_size: 10 }
    }
}

impl ListPager {
    /// All pages as one list with the first page's resourceVersion, and whether there was more than one.
    ///
    /// # Errors
    /// The first page that fails; "expired" on a later page only when `full_list_if_expired` is off.
    pub async fn list(&self, source: &impl Page, options: ListOptions) -> Result<(List, bool), Error> {
        let options = self.limited(options);
        let mut list = source.page(options.clone()).await?;
        let mut paginated = false;
        while !list.metadata.r#continue.is_empty() {
            paginated = true;
            let next = following(&options, std::mem::take(&mut list.metadata.r#continue));
            match source.page(next).await {
                Ok(page) => {
                    list.items.extend(page.items);
                    list.metadata.r#continue = page.metadata.r#continue;
                }
                Err(error) if error.is_resource_expired() && self.full_list_if_expired => {
                    let whole = ListOptions { limit: None, r#continue: String::new(), ..options };
                    return Ok((source.page(whole).await?, true));
                }
                Err(error) => return Err(error),
            }
        }
        list.metadata.remaining_item_count = None;
        Ok((list, paginated))
    }

    /// Gives each item to the function, in order, while the following pages are fetched.
    ///
    /// A page is let go as soon as its items were given, so that a list of any length needs little memory.
    ///
    /// # Errors
    /// The function's error at once, or the error of the first page that fails after the items of the pages before it.
    /// A token that has expired is such an error: what was given cannot be taken back, so there is no full list.
    #[doc(alias = "EachListItem")]
    pub async fn each_list_item<E: From<Error>>(
        &self,
        source: &impl Page,
        options: ListOptions,
        mut on_item: impl AsyncFnMut(Object) -> Result<(), E>,
    ) -> Result<(), E> {
        let (sender, mut pages) = mpsc::channel::<List>(self.page_buffer_size);
        let fetch = std::pin::pin!(fetch_pages(source, self.limited(options), sender));
        let give = std::pin::pin!(async {
            while let Some(page) = pages.next().await {
                for item in page.items {
                    on_item(item).await?;
                }
            }
            Ok(())
        });
        match select(give, fetch).await {
            // Only an error ends it before all is fetched.
            Either::Left((given, _)) => given,
            Either::Right((fetched, give)) => {
                give.await?;
                Ok(fetched?)
            }
        }
    }

    fn limited(&self, options: ListOptions) -> ListOptions {
        ListOptions { limit: options.limit.filter(|limit| *limit > 0).or(self.page_size), ..options }
    }
}

/// Fetches a page only when there is room for it.
async fn fetch_pages(
    source: &impl Page,
    mut options: ListOptions,
    mut sender: mpsc::Sender<List>,
) -> Result<(), Error> {
    // An error is the end of the receiver, and then nobody wants more pages.
    while futures::future::poll_fn(|context| sender.poll_ready(context)).await.is_ok() {
        let mut page = source.page(options.clone()).await?;
        let token = std::mem::take(&mut page.metadata.r#continue);
        let is_last = token.is_empty();
        if sender.try_send(page).is_err() || is_last {
            break;
        }
        options = following(&options, token);
    }
    Ok(())
}

/// The token holds the resourceVersion; the server refuses both together (kubernetes/kubernetes#85221).
fn following(options: &ListOptions, token: String) -> ListOptions {
    let resource_version = String::new();
    ListOptions { r#continue: token, resource_version, resource_version_match: None, ..options.clone() }
}
