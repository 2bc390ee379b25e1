use std::cell::RefCell;
use std::rc::Rc;

use watchglass::cache::{Indexer, IndexerOptions, Indexers, ReflectorStore, Store, UndeltaStore};

use super::own_store::OwnStore;
use super::store::check_store;
use super::{name_func, object, values, versioned};

type Pushes = Rc<RefCell<Vec<String>>>;

/// A store, and the values of each list that it has told.
fn store() -> (UndeltaStore<Indexer>, Pushes) {
    let pushes = Pushes::default();
    let told = Rc::clone(&pushes);
    let options = IndexerOptions { key_func: name_func(), ..IndexerOptions::default() };
    let push = move |list: Vec<_>| told.borrow_mut().push(values(&list).join(" "));
    (UndeltaStore::new(Indexer::with_options(Indexers::new(), options), push), pushes)
}

/// client-go: `TestUndeltaStore`.
#[test]
fn a_store_that_tells_its_content_is_a_store() {
    check_store(&UndeltaStore::new(Indexer::new(Indexers::new()), |_| {}));
}

/// client-go: `TestUpdateCallsPush`.
#[test]
fn adding_and_updating_tell_the_content() {
    let (store, pushes) = store();
    store.add(object("a", "2")).unwrap();
    store.update(object("a", "1")).unwrap();
    store.add(object("b", "3")).unwrap();
    assert_eq!(*pushes.borrow(), ["2", "1", "1 3"]);
}

/// client-go: `TestDeleteCallsPush`.
#[test]
fn deleting_tells_the_content() {
    let (store, pushes) = store();
    store.add(object("a", "2")).unwrap();
    store.delete(object("a", "").into()).unwrap();
    assert_eq!(*pushes.borrow(), ["2", ""]);
}

/// client-go: `TestReadsDoNotCallPush`.
#[test]
fn reading_tells_nothing() {
    let (store, pushes) = store();
    store.list();
    store.list_keys();
    store.get(&object("a", "")).unwrap();
    store.get_by_key("a");
    store.last_store_sync_resource_version();
    store.bookmark("7");
    store.update_resource_version("8");
    store.resync().unwrap();
    assert!(pushes.borrow().is_empty());
    assert_eq!(store.last_store_sync_resource_version(), "7");
}

/// client-go: `TestReplaceCallsPush`.
#[test]
fn replacing_tells_the_content_once() {
    let (store, pushes) = store();
    store.replace(vec![object("a", "1"), object("b", "2")], "0").unwrap();
    assert_eq!(*pushes.borrow(), ["1 2"]);
    assert_eq!(store.last_store_sync_resource_version(), "0");
}

#[test]
fn a_write_that_fails_tells_nothing() {
    let (store, pushes) = store();
    let bad = || object("", "");
    assert!(store.add(bad()).is_err() && store.update(bad()).is_err());
    assert!(store.delete(bad().into()).is_err() && store.replace(vec![bad()], "").is_err());
    assert!(pushes.borrow().is_empty());
}

#[test]
fn whatever_else_a_store_does_goes_through() {
    let store = UndeltaStore::new(OwnStore::default(), |_| {});
    assert_eq!(store.resync().unwrap_err().to_string(), "resynced");
    store.update_resource_version("7");
    assert_eq!(store.list(), [versioned("a", "7")]);
    assert!(store.transformer().is_some());
}
