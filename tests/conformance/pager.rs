use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use futures::FutureExt as _;
use watchglass::api::{Error, List, ListMeta, ListOptions, Manifest, Object, ResourceVersionMatch, Status};
use watchglass::rest::{ListPager, Page};
use watchglass::runtime::StopSource;
use watchglass::testing::Sandbox;

/// A server of so many items that checks what it is asked (client-go: `testPager`).
#[derive(Default)]
struct Pages {
    total: usize,
    asked: RefCell<Vec<ListOptions>>,
    /// The request, counted from zero, that is answered with "expired".
    expired_at: Option<usize>,
    /// The request that is answered with another error.
    broken_at: Option<usize>,
    /// The request that is never answered.
    silent_at: Option<usize>,
}

const VERSION: &str = "rv:20";

impl Pages {
    fn of(total: usize) -> Self {
        Self { total, ..Self::default() }
    }

    fn requests(&self) -> usize {
        self.asked.borrow().len()
    }

    /// `limit` and token of each request.
    fn asked(&self) -> Vec<(Option<u32>, String)> {
        self.asked.borrow().iter().map(|options| (options.limit, options.r#continue.clone())).collect()
    }
}

impl Page for Pages {
    async fn page(&self, options: ListOptions) -> Result<List, Error> {
        let number = Some(self.requests());
        self.asked.borrow_mut().push(options.clone());
        if number == self.silent_at {
            std::future::pending::<()>().await;
        }
        if number == self.expired_at {
            return Err(Status::failure(410, "this list has expired").into());
        }
        if number == self.broken_at {
            return Err(Status::failure(500, "broken").into());
        }
        let follows = !options.r#continue.is_empty();
        if follows && (!options.resource_version.is_empty() || options.resource_version_match.is_some()) {
            return Err(Status::failure(400, "no resourceVersion beside a token").into());
        }
        let token = options.r#continue.strip_prefix("rv:20:");
        let first: usize = token.map_or(0, |index| index.parse().expect("the token is the server's own"));
        let limit = options.limit.map_or(usize::MAX, |limit| limit as usize);
        let end = first.saturating_add(limit).min(self.total);
        let metadata = ListMeta {
            // Only the first page's version is the list's.
            resource_version: if follows { "later".into() } else { VERSION.into() },
            r#continue: if end < self.total { format!("{VERSION}:{end}") } else { String::new() },
            remaining_item_count: i64::try_from(self.total - end).ok(),
        };
        Ok(List { kind: "PodList".into(), metadata, items: (first..end).map(item).collect(), ..List::default() })
    }
}

fn item(index: usize) -> Object {
    let mut object = Manifest::default();
    object.metadata.name = index.to_string();
    object.into()
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|index| index.to_string()).collect()
}

const TEN: ListPager = ListPager { page_size: Some(10), full_list_if_expired: false, page_buffer_size: 0 };

fn list(pager: ListPager, pages: &Pages, options: ListOptions) -> Result<(Vec<String>, String, bool), Error> {
    let (list, paginated) = pager.list(pages, options).now_or_never().expect("the pages come at once")?;
    let names = list.items.iter().map(|item| item.name().to_owned()).collect();
    assert_eq!(list.kind, "PodList");
    assert!(list.metadata.r#continue.is_empty());
    Ok((names, list.metadata.resource_version, paginated))
}

/// client-go: `TestListPager_List`.
#[test]
fn pages_become_one_list_of_the_first_page_s_version() {
    for (total, requests) in [(0, 1), (9, 1), (10, 1), (11, 2), (20, 2), (21, 3)] {
        let pages = Pages::of(total);
        let expected = (names(total), VERSION.to_owned(), requests > 1);
        assert_eq!(list(TEN, &pages, ListOptions::default()), Ok(expected));
        let tokens =
            (0..requests).map(|page| if page == 0 { String::new() } else { format!("{VERSION}:{}", page * 10) });
        let expected: Vec<_> = tokens.map(|token| (Some(10), token)).collect();
        assert_eq!(pages.asked(), expected, "{total} items");
    }
}

/// client-go: `TestListPager_List`. kubernetes/kubernetes#85221.
#[test]
fn a_version_is_asked_for_with_the_first_page_only() {
    for resource_version_match in [None, Some(ResourceVersionMatch::NotOlderThan)] {
        let pages = Pages::of(11);
        let options = ListOptions {
            resource_version: "rv:10".into(),
            resource_version_match,
            label_selector: "app=web".into(),
            ..ListOptions::default()
        };
        assert_eq!(list(TEN, &pages, options), Ok((names(11), VERSION.into(), true)));
        let asked = pages.asked.borrow();
        assert_eq!(
            (asked[0].resource_version.as_str(), asked[0].resource_version_match),
            ("rv:10", resource_version_match)
        );
        assert_eq!((asked[1].resource_version.as_str(), asked[1].resource_version_match), ("", None));
        assert!(asked.iter().all(|options| options.label_selector == "app=web"));
    }
}

/// client-go: `TestListPager_List`.
#[test]
fn an_expired_token_leads_to_the_whole_list_if_that_is_wanted() {
    let expiring = || Pages { expired_at: Some(1), ..Pages::of(21) };
    let error = list(TEN, &expiring(), ListOptions::default()).unwrap_err();
    assert!(error.is_resource_expired());

    let pages = expiring();
    let with_fallback = ListPager { full_list_if_expired: true, ..TEN };
    let options = ListOptions {
        resource_version: "rv:10".into(),
        resource_version_match: Some(ResourceVersionMatch::Exact),
        ..ListOptions::default()
    };
    assert_eq!(list(with_fallback, &pages, options.clone()), Ok((names(21), VERSION.into(), true)));
    assert_eq!(pages.asked.borrow().last(), Some(&options), "as it was asked for, without a limit");
}

#[test]
fn what_is_not_an_expired_token_is_an_error_of_the_list() {
    let with_fallback = ListPager { full_list_if_expired: true, ..TEN };
    let first_page = Pages { expired_at: Some(0), ..Pages::of(21) };
    assert!(list(with_fallback, &first_page, ListOptions::default()).unwrap_err().is_resource_expired());
    assert_eq!(first_page.requests(), 1);
    let broken = Pages { broken_at: Some(1), ..Pages::of(21) };
    assert!(list(with_fallback, &broken, ListOptions::default()).unwrap_err().is_internal_error());
    assert_eq!(broken.requests(), 2);
    let broken = Pages { expired_at: Some(1), broken_at: Some(2), ..Pages::of(21) };
    assert!(list(with_fallback, &broken, ListOptions::default()).unwrap_err().is_internal_error());
    assert_eq!(broken.requests(), 3, "the whole list's error is final");
}

#[test]
fn a_pager_asks_for_500_at_once_unless_told_otherwise() {
    let expected = ListPager { page_size: Some(500), full_list_if_expired: true, page_buffer_size: 10 };
    assert_eq!(ListPager::default(), expected);
    let whole = ListPager { page_size: None, ..ListPager::default() };
    for (pager, limit, asked) in [
        (ListPager::default(), None, Some(500)),
        (ListPager::default(), Some(0), Some(500)),
        (ListPager::default(), Some(1), Some(1)),
        (whole, None, None),
        (whole, Some(7), Some(7)),
    ] {
        let pages = Pages::of(1);
        assert!(list(pager, &pages, ListOptions { limit, ..ListOptions::default() }).is_ok());
        assert_eq!(pages.asked(), [(asked, String::new())]);
    }
}

#[derive(Debug, PartialEq)]
enum WalkError {
    List(Error),
    Refused,
}

impl From<Error> for WalkError {
    fn from(error: Error) -> Self {
        Self::List(error)
    }
}

/// Walks to the end or to the item that is refused; gives the visited names too.
fn walk(pages: &Pages, refused: Option<usize>) -> (Vec<String>, Result<(), WalkError>) {
    let mut visited = Vec::new();
    let options = ListOptions { resource_version: "rv:10".into(), ..ListOptions::default() };
    let walk = TEN.each_list_item(pages, options, async |item: Object| {
        visited.push(item.name().to_owned());
        if Some(visited.len()) == refused { Err(WalkError::Refused) } else { Ok(()) }
    });
    let result = Sandbox::new().block_on(walk);
    (visited, result)
}

/// client-go: `TestListPager_EachListItem`. kubernetes/kubernetes#85221: with a resourceVersion, too.
#[test]
fn each_item_is_visited_once_and_in_order() {
    for total in [0, 9, 10, 11, 20, 21, 51] {
        let pages = Pages::of(total);
        assert_eq!(walk(&pages, None), (names(total), Ok(())));
        assert_eq!(pages.requests(), total.div_ceil(10).max(1));
        assert!(pages.asked().iter().all(|(limit, _)| *limit == Some(10)));
    }
}

/// client-go: `TestListPager_EachListItem`.
#[test]
fn a_page_that_fails_ends_the_walk_after_the_pages_before_it() {
    for full_list_if_expired in [false, true] {
        let pages = Pages { expired_at: Some(1), ..Pages::of(21) };
        let pager = ListPager { full_list_if_expired, page_buffer_size: 10, ..TEN };
        let mut visited = 0;
        let walk = pager.each_list_item(&pages, ListOptions::default(), async |_| {
            visited += 1;
            Ok::<_, Error>(())
        });
        assert!(Sandbox::new().block_on(walk).unwrap_err().is_resource_expired());
        assert_eq!((visited, pages.requests()), (10, 2));
    }
    let first = Pages { broken_at: Some(0), ..Pages::of(21) };
    let (visited, result) = walk(&first, None);
    assert!(matches!(result, Err(WalkError::List(error)) if error.is_internal_error()));
    assert!(visited.is_empty());
}

#[test]
fn an_item_that_is_refused_ends_the_walk_at_once() {
    assert_eq!(walk(&Pages::of(51), Some(3)), (names(3), Err(WalkError::Refused)));
    assert_eq!(walk(&Pages::of(21), Some(21)), (names(21), Err(WalkError::Refused)), "also at the very end");
    let broken = Pages { broken_at: Some(1), ..Pages::of(21) };
    assert_eq!(walk(&broken, Some(10)), (names(10), Err(WalkError::Refused)), "rather than the next page's error");
    let silent = Pages { silent_at: Some(1), ..Pages::of(21) };
    assert_eq!(walk(&silent, Some(10)), (names(10), Err(WalkError::Refused)), "without the page under way");
}

/// client-go: `TestListPager_EachListItem`.
#[test]
fn a_panic_at_an_item_goes_through() {
    let pages = Pages::of(51);
    let visited = Cell::new(0);
    let walk = TEN.each_list_item(&pages, ListOptions::default(), async |_| {
        visited.set(visited.get() + 1);
        assert!(visited.get() < 3, "processor error");
        Ok::<_, Error>(())
    });
    let result = catch_unwind(AssertUnwindSafe(|| Sandbox::new().block_on(walk)));
    assert!(result.is_err());
    assert_eq!(visited.get(), 3);
}

/// client-go: `TestListPager_EachListItem`.
#[test]
fn a_walk_that_is_cancelled_stops_at_the_next_wait() {
    let (sandbox, pages) = (Sandbox::new(), Pages::of(51));
    let (runtime, visited) = (sandbox.runtime(), Cell::new(0));
    let stop = RefCell::new(StopSource::new());
    let token = stop.borrow().token();
    let walk = TEN.each_list_item(&pages, ListOptions::default(), async |_| {
        visited.set(visited.get() + 1);
        if visited.get() == 3 {
            stop.borrow_mut().stop();
        }
        runtime.spawner.yield_now().await;
        Ok::<_, Error>(())
    });
    assert_eq!(sandbox.block_on(token.unless_stopped(walk)), None);
    assert_eq!(visited.get(), 3);
}

/// client-go: `TestListPager_eachListPageBuffered`.
#[test]
fn pages_are_fetched_ahead_as_far_as_the_buffer_goes() {
    // Pages there are, pages worked on, places in the buffer, pages fetched then.
    let cases = [(1, 1, 0, 1), (5, 1, 0, 2), (5, 2, 0, 3), (5, 5, 0, 5), (5, 1, 1, 3), (5, 5, 1, 5), (5, 1, 10, 5)];
    for (total, worked_on, page_buffer_size, fetched) in cases {
        let (sandbox, pages) = (Sandbox::new(), Rc::new(Pages::of(total * 10)));
        let visited = Rc::new(Cell::new(0));
        let (source, counted) = (Rc::clone(&pages), Rc::clone(&visited));
        let _walk = sandbox.spawn(async move {
            let pager = ListPager { page_buffer_size, ..TEN };
            let walk = pager.each_list_item(&*source, ListOptions::default(), async |_| {
                counted.set(counted.get() + 1);
                if counted.get() > (worked_on - 1) * 10 {
                    std::future::pending::<()>().await;
                }
                Ok::<_, Error>(())
            });
            walk.await.expect("it does not end");
        });
        sandbox.run_until_idle();
        assert_eq!(visited.get(), (worked_on - 1) * 10 + 1);
        assert_eq!(pages.requests(), fetched, "{worked_on}/{total} pages, {page_buffer_size} buffered");
    }
}
