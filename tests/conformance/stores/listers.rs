use std::rc::Rc;

use watchglass::api::{Error, GroupVersionResource, LabelSelector, Manifest, Object};
use watchglass::cache::{
    GenericLister, IndexFunc, Indexer, Indexers, NAMESPACE_INDEX, Store, list_all, list_all_by_namespace,
    namespace_index,
};

use super::names;
use super::own_store::OwnStore;

fn labelled(namespace: &str, name: &str, app: &str) -> Object {
    let mut object = Manifest::default();
    object.metadata.namespace = namespace.into();
    object.metadata.name = name.into();
    object.metadata.labels.insert("app".into(), app.into());
    object.into()
}

fn objects() -> [Object; 5] {
    [
        labelled("foo", "a", "web"),
        labelled("foo", "b", "db"),
        labelled("bar", "a", "web"),
        labelled("", "node", "web"),
        labelled("", "other", "db"),
    ]
}

fn indexer(indexers: Indexers) -> Indexer {
    let indexer = Indexer::new(indexers);
    indexer.replace(objects(), "1").expect("they have keys");
    indexer
}

fn by_namespace() -> Indexers {
    let by_namespace: IndexFunc = Rc::new(namespace_index);
    Indexers::from([(NAMESPACE_INDEX.to_owned(), by_namespace)])
}

fn selector(text: &str) -> LabelSelector {
    text.parse().expect("it is a selector")
}

/// A tenth of client-go's numbers.
///
/// client-go: `TestListAll`.
#[test]
fn a_list_has_what_the_selector_matches() {
    let cases = [(10_000, 1_000, "match=true", 1_000), (100_000, 0, "", 100_000), (10_000, 0, "match=true", 0)];
    for (count, matching, text, expected) in cases {
        let store = Indexer::new(Indexers::new());
        for number in 0..count {
            let mut object = Manifest::default();
            object.metadata.name = format!("obj-{number}");
            if number < matching {
                object.metadata.labels.insert("match".into(), "true".into());
            }
            store.add(object.into()).unwrap();
        }
        assert_eq!(list_all(&store, &selector(text)).len(), expected, "{text}");
        assert!(list_all(&store, &LabelSelector::nothing()).is_empty());
    }
}

#[test]
fn a_selector_that_matches_nothing_reads_no_store() {
    let store = OwnStore::default();
    list_all(&store, &LabelSelector::nothing());
    assert_eq!(store.lists.get(), 0);
    list_all(&store, &LabelSelector::everything());
    assert_eq!(store.lists.get(), 1);
    assert_eq!(store.last_store_sync_resource_version(), "", "a store that says nothing of it does not know");
}

#[test]
fn a_namespace_is_listed_with_its_index_and_without() {
    for indexers in [by_namespace(), Indexers::new()] {
        let indexer = indexer(indexers);
        let list = |namespace: &str, text: &str| {
            let found = list_all_by_namespace(&indexer, namespace, &selector(text));
            assert!(found.iter().all(|object| namespace.is_empty() || object.namespace() == namespace));
            names(&found).join(" ")
        };
        assert_eq!(list("foo", ""), "a b");
        assert_eq!(list("foo", "app=web"), "a");
        assert_eq!(list("bar", "app=db"), "");
        assert_eq!(list("none", ""), "");
        assert_eq!(list("", ""), "a a b node other");
        assert_eq!(list("", "app=web"), "a a node");
        assert!(list_all_by_namespace(&indexer, "foo", &LabelSelector::nothing()).is_empty());
        assert!(list_all_by_namespace(&indexer, "", &LabelSelector::nothing()).is_empty());
    }
}

/// Says of each object that it is in the namespace `foo`.
#[test]
fn a_namespace_is_found_by_its_index_alone() {
    let misleading: IndexFunc = Rc::new(|_| vec!["foo".into()]);
    let indexer = indexer(Indexers::from([(NAMESPACE_INDEX.to_owned(), misleading)]));
    assert_eq!(list_all_by_namespace(&indexer, "foo", &LabelSelector::everything()).len(), 5);
    assert!(list_all_by_namespace(&indexer, "bar", &LabelSelector::everything()).is_empty());
}

fn lister() -> GenericLister {
    GenericLister::new(Rc::new(indexer(by_namespace())), GroupVersionResource::new("apps", "v1", "deployments"))
}

fn check_not_found(answer: Result<Object, Error>, name: &str) {
    let error = answer.expect_err("there is no such object");
    assert!(error.status().expect("the server answers by a status").is_not_found());
    assert_eq!(error.to_string(), format!("deployments.apps {name:?} not found"));
    let details = error
        .status()
        .expect("the server answers by a status")
        .details
        .clone()
        .expect("the server answers by a status");
    assert_eq!((&*details.group, &*details.kind, &*details.name), ("apps", "deployments", name));
}

/// client-go: `dynamiclister TestListerGetMethod`, `metadatalister TestListerGetMethod`.
#[test]
fn a_lister_gets_by_key_or_answers_as_the_server_would() {
    assert_eq!(lister().get("node").unwrap(), labelled("", "node", "web"));
    check_not_found(lister().get("a"), "a");
}

/// client-go: `dynamiclister TestListerListMethod`, `metadatalister TestListerListMethod`.
#[test]
fn a_lister_lists_all_namespaces() {
    assert_eq!(names(&lister().list(&LabelSelector::everything())), ["a", "a", "b", "node", "other"]);
    assert_eq!(names(&lister().list(&selector("app=db"))), ["b", "other"]);
}

/// client-go: `dynamiclister TestNamespaceGetMethod`, `metadatalister TestNamespaceGetMethod`.
#[test]
fn a_namespaces_lister_gets_by_name_in_its_namespace_only() {
    let foo = lister().by_namespace("foo");
    assert_eq!(foo.get("b").unwrap(), labelled("foo", "b", "db"));
    check_not_found(foo.get("node"), "node");
    check_not_found(lister().by_namespace("bar").get("b"), "b");
}

/// client-go: `dynamiclister TestNamespaceListMethod`, `metadatalister TestNamespaceListMethod`.
#[test]
fn a_namespaces_lister_lists_its_namespace_only() {
    let foo = lister().by_namespace("foo");
    assert_eq!(names(&foo.list(&LabelSelector::everything())), ["a", "b"]);
    assert_eq!(names(&foo.list(&selector("app=web"))), ["a"]);
}
