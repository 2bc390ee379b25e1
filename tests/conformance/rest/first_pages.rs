//! What has come of a first list soonest. client-go has no such thing: nobody looks at its lists while they come.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use watchglass::api::{Error, ListOptions};
use watchglass::cache::{ListProgress, ListResult, ListerWatcherSource as _};
use watchglass::rest::{FirstPage, FirstPages};

use super::scripted::{self, Scripted, Step, answer, list, pods};

/// What was told of the list while it came: how many objects, how many are expected, and the names.
type Told = Vec<(usize, Option<usize>, Vec<String>)>;

fn named(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name, "namespace": "shop" } })
}

/// A page at version 7, after which so many objects remain.
fn page(names: &[&str], remaining: u64) -> Step {
    let mut page = list(&names.iter().map(|name| named(name)).collect::<Vec<_>>());
    page["metadata"]["resourceVersion"] = "7".into();
    if remaining > 0 {
        page["metadata"]["continue"] = "token".into();
        page["metadata"]["remainingItemCount"] = remaining.into();
    }
    scripted::json(200, &page)
}

fn first_list(server: &Scripted, resource_version: &str) -> (Result<ListResult, Error>, Told) {
    let (runtime, told) = (server.sandbox().runtime(), Rc::<RefCell<Told>>::default());
    let until_shown = Rc::new(move || runtime.sleep(Duration::from_secs(1)));
    let source = FirstPages { client: server.client(), page: FirstPage { size: 2, until_shown } };
    let source = source.lister_watcher(&pods().resource, Some("shop"));
    // As the reflector asks.
    let options = ListOptions { resource_version: resource_version.into(), limit: Some(500), ..ListOptions::default() };
    let progress = Rc::clone(&told);
    let progress = Rc::new(move |it: ListProgress<'_>| {
        let names = it.objects.iter().map(|object| object.name().to_owned()).collect();
        progress.borrow_mut().push((it.received, it.expected, names));
    });
    let listed = server.block_on(source.list(options, progress));
    let told = told.borrow_mut().drain(..).filter(|(.., names)| !names.is_empty()).collect();
    (listed, told)
}

#[test]
fn a_page_comes_before_the_whole_list_which_is_not_older() {
    let server = Scripted::new([page(&["a", "b"], 1), page(&["a", "b", "c"], 0)]);
    let (listed, told) = first_list(&server, "0");
    let listed = listed.expect("both are answered");
    assert_eq!((listed.list.items.len(), listed.paginated), (3, false));
    let path = "GET api/v1/namespaces/shop/pods";
    let queries = ["?limit=2", "?resourceVersion=7"];
    assert_eq!(server.waits(), [1], "for the page to be shown");
    assert_eq!(server.lines(), queries.map(|query| [path, query].concat()));
    let names = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    assert_eq!(told, [(2, None, names(&["a", "b"])), (3, Some(3), names(&["a", "b", "c"]))]);
}

#[test]
fn a_page_with_all_objects_is_the_list() {
    for names in [&["a", "b"] as &[&str], &[]] {
        let server = Scripted::new([page(names, 0)]);
        let (listed, _) = first_list(&server, "0");
        let ListResult { list, paginated } = listed.expect("it is answered");
        assert_eq!((list.items.len(), paginated, server.attempts()), (names.len(), false, 1));
        assert_eq!(list.metadata.resource_version, "7");
    }
}

#[test]
fn only_a_list_that_may_be_of_any_age_begins_with_a_page() {
    for resource_version in ["", "5"] {
        let server = Scripted::new([page(&["a", "b", "c"], 0)]);
        let (listed, _) = first_list(&server, resource_version);
        assert_eq!(listed.expect("it is answered").list.items.len(), 3);
        assert_eq!(server.attempts(), 1);
        assert!(server.lines()[0].ends_with("limit=500"), "{:?}", server.lines());
    }
}

#[test]
fn a_page_that_is_refused_is_the_list_s_refusal() {
    let server = Scripted::new([answer(403)]);
    let (listed, told) = first_list(&server, "0");
    assert!(listed.is_err_and(|error| error.is_forbidden()));
    assert_eq!((server.attempts(), told), (1, Vec::new()));
}
