use std::cell::{Cell, RefCell};
use std::rc::Rc;

use watchglass::api::{Manifest, Object};
use watchglass::cache::{
    DeletedObject, ExplicitKey, Indexer, IndexerOptions, Indexers, ReflectorStore as _, Store, StoreError, Transaction,
    TransformFunc,
};

use super::{name_func, object, values, versioned};
use crate::fake_source::editing;

/// What every store does, whatever else it does (client-go: `doTestStore`).
pub fn check_store(store: &dyn Store) {
    let value = |name: &str| {
        store
            .get(&object(name, ""))
            .expect("it has a key")
            .map(|found| found.label("value").expect("it has one").into_owned())
    };
    store.add(object("foo", "bar")).expect("it has a key");
    assert_eq!(value("foo").as_deref(), Some("bar"));
    store.update(object("foo", "baz")).expect("it has a key");
    assert_eq!(value("foo").as_deref(), Some("baz"));
    store.delete(object("foo", "").into()).expect("it has a key");
    assert_eq!(value("foo"), None);
    store.delete(object("foo", "").into()).expect("an object that is not there is no error");

    store.add(object("a", "b")).expect("it has a key");
    store.add(object("c", "d")).expect("it has a key");
    store.update(object("e", "e")).expect("it has a key");
    assert_eq!(values(&store.list()), ["b", "d", "e"]);
    assert_eq!(sorted(store.list_keys()), ["a", "c", "e"]);

    store.replace(vec![object("foo", "foo"), object("bar", "bar")], "0").expect("it has a key");
    assert_eq!(values(&store.list()), ["bar", "foo"]);
    assert_eq!(sorted(store.list_keys()), ["bar", "foo"]);
    assert_eq!(store.get_by_key("foo"), Some(object("foo", "foo")));
    assert_eq!(store.get_by_key("a"), None);
    store.resync().expect("there is nothing to do");
    store.replace(vec![], "1").expect("it has a key");
    assert!(store.list().is_empty() && store.list_keys().is_empty());
}

fn sorted(mut keys: Vec<String>) -> Vec<String> {
    keys.sort();
    keys
}

fn indexer(options: IndexerOptions) -> Indexer {
    Indexer::with_options(Indexers::new(), options)
}

fn transforming(transform: impl Fn(&mut Manifest) -> Result<(), &'static str> + 'static) -> Indexer {
    let transformer: TransformFunc = editing(move |object| Ok(transform(object)?));
    indexer(IndexerOptions { transformer: Some(transformer), ..IndexerOptions::default() })
}

/// client-go: `TestCache`.
#[test]
fn an_indexer_is_a_store() {
    check_store(&Indexer::new(Indexers::new()));
}

/// client-go: `TestCacheWithTransformer`.
#[test]
fn an_indexer_that_transforms_is_a_store() {
    let called = Rc::new(Cell::new(false));
    let seen = called.clone();
    check_store(&transforming(move |_| {
        seen.set(true);
        Ok(())
    }));
    assert!(called.get());
}

#[test]
fn objects_are_stored_as_transformed_under_the_key_that_they_came_with() {
    let indexer = transforming(|object| {
        object.metadata.name.push('!');
        Ok(())
    });
    let original = object("a", "1");
    indexer.add(original.clone()).unwrap();
    assert_eq!(indexer.get_by_key("a").unwrap().name(), "a!");
    assert_eq!(original.name(), "a", "whoever holds the original still has it");
    indexer.update(object("b", "2")).unwrap();
    assert_eq!(indexer.get_by_key("b").unwrap().name(), "b!");
    indexer.replace([object("c", "3")], "").unwrap();
    assert_eq!(indexer.get_by_key("c").unwrap().name(), "c!");
    indexer.transact(vec![Transaction::Upsert(object("d", "4"))]).unwrap();
    assert_eq!(indexer.get_by_key("d").unwrap().name(), "d", "a transaction brings what was transformed before");
    assert!(indexer.transformer().is_none(), "a reflector must not transform what the store will");
}

#[test]
fn an_object_that_cannot_be_transformed_changes_nothing() {
    let indexer = transforming(|object| if object.name() == "bad" { Err("no") } else { Ok(()) });
    indexer.add(object("a", "1")).unwrap();
    let failures = [
        indexer.add(object("bad", "")),
        indexer.update(object("bad", "")),
        indexer.replace([object("b", ""), object("bad", "")], "9"),
    ];
    for failure in failures {
        assert_eq!(failure.unwrap_err().to_string(), "transforming: no");
    }
    assert_eq!(indexer.list_keys(), ["a"]);
    assert_eq!(indexer.last_store_sync_resource_version(), "");
}

#[test]
fn an_object_without_a_key_changes_nothing() {
    let indexer = indexer(IndexerOptions { key_func: name_func(), ..IndexerOptions::default() });
    indexer.add(object("a", "1")).unwrap();
    let failures = [
        indexer.add(object("", "")),
        indexer.update(object("", "")),
        indexer.delete(object("", "")),
        indexer.replace([object("b", ""), object("", "")], "9"),
        indexer.get(&object("", "")).map(|_| ()),
    ];
    for failure in failures {
        let error = failure.unwrap_err();
        assert!(matches!(error, StoreError::Key(_)));
        assert_eq!(error.to_string(), "couldn't create key for object : it has no name");
    }
    assert_eq!(indexer.list_keys(), ["a"]);
    assert_eq!(indexer.last_store_sync_resource_version(), "");
}

#[test]
fn of_two_listed_objects_with_one_key_the_last_stays() {
    let indexer = Indexer::new(Indexers::new());
    indexer.replace([object("a", "1"), object("b", "2"), object("a", "3")], "").unwrap();
    assert_eq!(values(&indexer.list()), ["2", "3"]);
    assert_eq!((indexer.len(), indexer.is_empty()), (2, false));
}

#[test]
fn a_tombstone_deletes_by_its_key_and_leaves_the_resource_version() {
    let indexer = Indexer::new(Indexers::new());
    indexer.replace([versioned("a", "5"), versioned("b", "6"), versioned("c", "7")], "8").unwrap();
    indexer.delete(ExplicitKey("a".into())).unwrap();
    let stale = DeletedObject::FinalStateUnknown { key: "b".into(), object: Some(versioned("other", "1")) };
    indexer.delete(stale.clone()).unwrap();
    assert_eq!(indexer.list_keys(), ["c"]);
    assert_eq!(indexer.last_store_sync_resource_version(), "8");
    indexer.transact(vec![Transaction::Delete(stale)]).unwrap();
    assert_eq!(indexer.last_store_sync_resource_version(), "8");
    indexer.delete(versioned("c", "9")).unwrap();
    assert!(indexer.is_empty());
    assert_eq!(indexer.last_store_sync_resource_version(), "9");
}

/// client-go: `TestCacheTransactionShouldIndexErrors`.
#[test]
fn a_transaction_applies_what_has_a_key_and_says_what_it_was() {
    let (good, bad) = (|name| Transaction::Upsert(object(name, "")), || Transaction::Upsert(object("", "")));
    type Case = (Vec<Transaction>, Option<&'static [usize]>, &'static [&'static str]);
    let cases: [Case; 4] = [
        (vec![], None, &[]),
        (vec![good("a"), good("b")], None, &["a", "b"]),
        (vec![bad(), bad()], Some(&[]), &[]),
        (vec![good("a"), bad(), good("b"), bad()], Some(&[0, 2]), &["a", "b"]),
    ];
    for (transactions, successful, keys) in cases {
        let total = transactions.len();
        let indexer = indexer(IndexerOptions { key_func: name_func(), ..IndexerOptions::default() });
        let error = indexer.transact(transactions).err();
        assert_eq!(sorted(indexer.list_keys()), keys);
        assert_eq!(error.as_ref().map(|error| &*error.successful_indices), successful);
        if let Some(error) = error {
            assert_eq!((error.total, error.errors.len()), (total, 2));
            let start = format!("failed to execute (2/{total}) transactions failed due to: ");
            assert!(error.to_string().starts_with(&start), "{error}");
        }
    }
}

#[test]
fn a_transaction_deletes_and_may_touch_a_key_twice() {
    let indexer = indexer(IndexerOptions { key_func: name_func(), ..IndexerOptions::default() });
    indexer.add(versioned("a", "1")).unwrap();
    let error = indexer.transact(vec![
        Transaction::Upsert(versioned("b", "2")),
        Transaction::Delete(versioned("a", "3").into()),
        Transaction::Delete(versioned("", "4").into()),
        Transaction::Upsert(versioned("b", "5")),
    ]);
    assert_eq!(error.unwrap_err().successful_indices, [0, 1, 3]);
    assert_eq!(indexer.list(), [versioned("b", "5")]);
    assert_eq!(indexer.last_store_sync_resource_version(), "5");
}

#[test]
fn a_replacement_says_what_was_there_before_it() {
    let indexer = Indexer::new(Indexers::new());
    indexer.replace([versioned("a", "1"), versioned("z", "2"), versioned("y", "3"), versioned("x", "4")], "4").unwrap();
    let list = [versioned("a", "5"), versioned("new", "6"), versioned("new", "7"), versioned("x", "4")];
    let replacement = indexer.replace_all(list, "9").unwrap();
    assert_eq!(
        replacement.before,
        [Some(versioned("a", "1")), None, Some(versioned("new", "6")), Some(versioned("x", "4"))]
    );
    assert_eq!(replacement.deleted, [("y".into(), versioned("y", "3")), ("z".into(), versioned("z", "2"))]);
    assert_eq!(sorted(indexer.list_keys()), ["a", "new", "x"]);
    assert_eq!(indexer.last_store_sync_resource_version(), "9");
}

#[test]
fn an_indexer_tells_its_resource_version_as_a_store_too() {
    let indexer = Indexer::new(Indexers::new());
    let store: &dyn Store = &indexer;
    assert_eq!(store.last_store_sync_resource_version(), "");
    store.bookmark("7");
    assert_eq!(store.last_store_sync_resource_version(), "7");
    assert_eq!(indexer.last_store_sync_resource_version(), "7");
    indexer.bookmark("6");
    assert_eq!(store.last_store_sync_resource_version(), "6");
    assert!(!indexer.contains_key("a"));
    indexer.add(versioned("a", "8")).unwrap();
    assert!(indexer.contains_key("a"));
    assert!(Object::ptr_eq(&indexer.get_by_key("a").unwrap(), &store.list()[0]), "objects are shared, not copied");
}

/// There is no metrics provider of the whole process here: who gives none has none.
///
/// client-go: `TestWithStoreMetricsDefaulting`.
#[test]
fn the_resource_version_is_told_as_a_number_of_15_digits() {
    let told = Rc::new(RefCell::new(Vec::new()));
    let metric = Rc::clone(&told);
    let metric: Rc<dyn Fn(u64)> = Rc::new(move |number| metric.borrow_mut().push(number));
    let indexer = indexer(IndexerOptions { resource_version_metric: Some(metric), ..IndexerOptions::default() });
    indexer.add(versioned("a", "1")).unwrap();
    indexer.update(versioned("a", "123456789012345")).unwrap();
    indexer.delete(versioned("a", "7123456789012345")).unwrap();
    indexer.replace(vec![], "4").unwrap();
    indexer.bookmark("5");
    indexer.transact(vec![Transaction::Upsert(versioned("a", "6"))]).unwrap();
    let long = 123_456_789_012_345;
    assert_eq!(told.take(), [1, long, long, 4, 5, 6]);
    indexer.bookmark("opaque");
    indexer.bookmark("ä23456789012345");
    assert!(told.borrow().is_empty());
    indexer.bookmark("");
    assert_eq!(told.take(), [0]);
}
