use std::rc::Rc;

use watchglass::api::GroupResource;
use watchglass::rest::rest_mapper::{
    CategoryExpander, DiscoveryCategoryExpander, SimpleCategoryExpander, UnionCategoryExpander,
};

use super::support::served;

fn simple(members: &[(&str, &str)]) -> SimpleCategoryExpander {
    let members = members.iter().map(|(group, resource)| GroupResource::new(group, resource)).collect();
    SimpleCategoryExpander { expansions: [("all".to_owned(), members)].into() }
}

fn expanded(expander: &dyn CategoryExpander, category: &str) -> Option<Vec<String>> {
    Some(expander.expand(category)?.iter().map(ToString::to_string).collect())
}

/// client-go: `TestCategoryExpansion`.
#[test]
fn a_category_is_its_members_and_an_unknown_one_nothing() {
    let expander = simple(&[("", "one"), ("", "two"), ("alpha", "three"), ("bravo", "four")]);
    assert_eq!(expanded(&expander, "service"), None);
    let members = ["one", "two", "three.alpha", "four.bravo"].map(str::to_owned);
    assert_eq!(expanded(&expander, "all"), Some(members.into()));
    let more = simple(&[("", "two"), ("charlie", "five")]);
    let union = UnionCategoryExpander(vec![Rc::new(expander), Rc::new(more)]);
    let members = ["one", "two", "three.alpha", "four.bravo", "five.charlie"].map(str::to_owned);
    assert_eq!(expanded(&union, "all"), Some(members.into()), "without duplicates");
    assert_eq!(expanded(&union, "service"), None);
}

/// client-go: `TestDiscoveryCategoryExpander`.
#[test]
fn the_server_tells_the_categories() {
    let of =
        |lists: &[(&str, &[&str])], category: &str| expanded(&DiscoveryCategoryExpander::new(served(lists)), category);
    let jobs: (&str, &[&str]) = ("batch/v1", &["jobs job -jz @all"]);
    assert_eq!(
        of(&[jobs, ("v1", &["pods pod @all @other", "nodes"])], "all"),
        Some(vec!["jobs.batch".into(), "pods".into()])
    );
    assert_eq!(of(&[("batch/v1", &["jobs job -jz"])], "all"), None);
    assert_eq!(of(&[jobs], "targaryens"), None);
    assert_eq!(of(&[], "all"), None);
}
