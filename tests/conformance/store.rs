use std::rc::Rc;
use std::sync::Arc;

use watchglass::api::Object;
use watchglass::cache::{IndexError, IndexFunc, Indexer, Indexers, NAMESPACE_INDEX, namespace_index};

use super::fake_source::pod;
use super::recorder::listing;

fn by_label(label: &'static str) -> IndexFunc {
    Rc::new(move |object: &Object| object.metadata.labels.get(label).into_iter().flat_map(|it| values(it)).collect())
}

fn values(text: &str) -> impl Iterator<Item = String> {
    text.split(' ').map(str::to_owned)
}

fn indexer() -> Indexer {
    let by_namespace: IndexFunc = Rc::new(namespace_index);
    Indexer::new(Indexers::from([(NAMESPACE_INDEX.to_owned(), by_namespace), ("users".to_owned(), by_label("users"))]))
}

fn labelled(name: &str, users: &str) -> Arc<Object> {
    let mut pod = pod(name);
    pod.metadata.labels.insert("users".into(), users.into());
    Arc::new(pod)
}

/// client-go: `TestCache`, `doTestStore`.
#[test]
fn an_object_is_added_changed_found_and_deleted_by_its_key() {
    let indexer = indexer();
    indexer.add(Arc::new(pod("a")));
    indexer.update(labelled("a", "ernie"));
    assert_eq!(indexer.len(), 1);
    assert_eq!(indexer.get_by_key("ns/a").unwrap().metadata.labels["users"], "ernie");
    indexer.delete(&pod("unknown"));
    indexer.delete(&pod("a"));
    assert!(indexer.is_empty() && indexer.get(&pod("a")).is_none());
    indexer.replace([Arc::new(pod("b")), Arc::new(pod("c")), labelled("b", "bert")]);
    assert_eq!(listing(&indexer), ["b ", "c "]);
    assert_eq!(indexer.index_keys("users", "bert").unwrap(), ["ns/b"], "of two objects with one key the last stays");
}

/// client-go: `TestMultiIndexKeys`.
#[test]
fn an_object_stands_under_each_of_its_values_and_under_no_old_one() {
    let indexer = indexer();
    indexer.add(labelled("one", "ernie bert"));
    indexer.add(labelled("tre", "ernie elmo"));
    assert_eq!(indexer.index_keys("users", "ernie").unwrap(), ["ns/one", "ns/tre"]);
    assert_eq!(indexer.index_values("users"), ["bert", "elmo", "ernie"]);
    indexer.update(labelled("one", "oscar elmo"));
    assert_eq!(indexer.index_keys("users", "ernie").unwrap(), ["ns/tre"]);
    assert_eq!(indexer.index_keys("users", "elmo").unwrap(), ["ns/one", "ns/tre"]);
    indexer.delete(&pod("one"));
    indexer.delete(&pod("tre"));
    assert!(indexer.index_values("users").is_empty(), "values without objects are forgotten (k/k#84959)");
    assert!(indexer.by_index(NAMESPACE_INDEX, "ns").unwrap().is_empty());
}

/// client-go: `TestAddIndexerAfterAdd`, `TestThreadSafeStoreAddIndexers`.
#[test]
fn an_index_added_later_holds_what_is_there_and_names_do_not_clash() {
    let indexer = indexer();
    indexer.add(labelled("a", "ernie"));
    indexer.add_indexers(Indexers::from([("again".to_owned(), by_label("users"))])).unwrap();
    assert_eq!(indexer.by_index("again", "ernie").unwrap().len(), 1);
    let clash = Indexers::from([("new".to_owned(), by_label("users")), ("again".to_owned(), by_label("users"))]);
    assert_eq!(indexer.add_indexers(clash), Err(IndexError::Conflict(vec!["again".into()])));
    let unknown = indexer.by_index("new", "ernie").unwrap_err();
    assert_eq!(unknown.to_string(), "Index with name new does not exist");
}
