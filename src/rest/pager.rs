use crate::api::{Error, List, ListOptions};

/// Gives one page of a list.
pub trait Page {
    /// # Errors
    /// As any request.
    fn page(&self, options: ListOptions) -> impl Future<Output = Result<List, Error>>;
}

/// Lists in pages (client-go: `tools/pager`).
#[derive(Clone, Copy, Debug)]
pub struct Pager {
    /// Fetch the whole list at once when the token of a later page has expired.
    pub full_list_if_expired: bool,
}

impl Pager {
    /// All pages as one list with the first page's resourceVersion, and whether there was more than one.
    ///
    /// # Errors
    /// The first page that fails; "expired" on a later page only when `full_list_if_expired` is off.
    pub async fn list(&self, source: &impl Page, options: ListOptions) -> Result<(List, bool), Error> {
        let mut list = source.page(options.clone()).await?;
        let mut paginated = false;
        while !list.metadata.r#continue.is_empty() {
            paginated = true;
            let token = std::mem::take(&mut list.metadata.r#continue);
            // The token holds the resourceVersion; the server refuses both together.
            let next = ListOptions {
                r#continue: token,
                resource_version: String::new(),
                resource_version_match: None,
                ..options.clone()
            };
            match source.page(next).await {
                Ok(page) => {
                    list.items.extend(page.items);
                    list.metadata.r#continue = page.metadata.r#continue;
                }
                Err(Error::Status(status)) if status.reason == "Expired" && self.full_list_if_expired => {
                    let whole = ListOptions { limit: None, r#continue: String::new(), ..options };
                    return Ok((source.page(whole).await?, true));
                }
                Err(error) => return Err(error),
            }
        }
        list.metadata.remaining_item_count = None;
        Ok((list, paginated))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Arc;

    use futures::FutureExt as _;

    use super::*;
    use crate::api::{ListMeta, Object, Status};

    #[derive(Default)]
    struct Pages {
        asked: RefCell<Vec<ListOptions>>,
        expired_at: Option<usize>,
    }

    impl Page for Pages {
        async fn page(&self, options: ListOptions) -> Result<List, Error> {
            let number = self.asked.borrow().len();
            let whole = options.limit.is_none();
            self.asked.borrow_mut().push(options);
            if self.expired_at == Some(number) {
                return Err(Status::failure(410, "token expired").into());
            }
            let metadata = ListMeta {
                resource_version: format!("{}", 10 + number),
                r#continue: if whole || number == 2 { String::new() } else { format!("token-{number}") },
                remaining_item_count: None,
            };
            Ok(List { metadata, items: vec![Arc::new(Object::default())], ..List::default() })
        }
    }

    fn list(pages: &Pages) -> Result<(List, bool), Error> {
        let options = ListOptions { limit: Some(1), resource_version: "5".into(), ..ListOptions::default() };
        Pager { full_list_if_expired: true }.list(pages, options).now_or_never().unwrap()
    }

    /// client-go: `TestListPager_List`; kubernetes/kubernetes#85221.
    #[test]
    fn later_pages_carry_the_token_alone_and_the_first_gives_the_resource_version() {
        let pages = Pages::default();
        let (whole, paginated) = list(&pages).unwrap();
        assert_eq!((whole.items.len(), paginated, whole.metadata.resource_version.as_str()), (3, true, "10"));
        let asked = pages.asked.borrow();
        let asked: Vec<_> = asked.iter().map(|it| (it.r#continue.as_str(), it.resource_version.as_str())).collect();
        assert_eq!(asked, [("", "5"), ("token-0", ""), ("token-1", "")]);
    }

    #[test]
    fn an_expired_token_leads_to_one_list_without_a_limit() {
        let pages = Pages { expired_at: Some(1), ..Pages::default() };
        let (whole, paginated) = list(&pages).unwrap();
        assert_eq!((whole.items.len(), paginated), (1, true));
        let last = pages.asked.borrow().last().cloned().unwrap();
        assert_eq!((last.limit, last.resource_version.as_str()), (None, "5"));
        assert!(list(&Pages { expired_at: Some(0), ..Pages::default() }).is_err());
    }
}
