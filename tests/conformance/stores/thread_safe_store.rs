use watchglass::cache::{IndexError, Indexers, StoreOperation, ThreadSafeStore};

use super::{by_word, names, object, versioned};

fn store() -> ThreadSafeStore {
    ThreadSafeStore::new(Indexers::from([("words".to_owned(), by_word())]))
}

fn upsert(store: &ThreadSafeStore, key: &str, value: &str) {
    store.upsert(key, object(key, value));
}

/// What stands under each word, as `word: key key`.
fn index(store: &ThreadSafeStore) -> Vec<String> {
    let keys = |word: &String| store.index_keys("words", word).expect("there is the index").join(" ");
    store.index_values("words").iter().map(|word| format!("{word}: {}", keys(word))).collect()
}

/// kubernetes/kubernetes#84959: values that come and go filled the memory.
///
/// client-go: `TestThreadSafeStoreDeleteRemovesEmptySetsFromIndex`.
#[test]
fn a_value_without_objects_is_forgotten() {
    let store = store();
    upsert(&store, "a", "job-1");
    assert_eq!(index(&store), ["job-1: a"]);
    store.delete("a");
    assert!(index(&store).is_empty());
    upsert(&store, "a", "job-2");
    upsert(&store, "a", "job-3");
    assert_eq!(index(&store), ["job-3: a"]);
    store.replace(vec![("b".into(), object("b", "job-4"))], "");
    assert_eq!(index(&store), ["job-4: b"]);
}

/// client-go: `TestThreadSafeStoreAddKeepsNonEmptySetPostDeleteFromIndex`.
#[test]
fn a_value_with_an_object_left_stays() {
    let store = store();
    upsert(&store, "retain", "same");
    upsert(&store, "delete", "same");
    assert_eq!(index(&store), ["same: delete retain"]);
    store.delete("delete");
    assert_eq!(index(&store), ["same: retain"]);
}

/// client-go: `TestThreadSafeStoreIndexingFunctionsWithMultipleValues`.
#[test]
fn an_object_stands_under_each_of_its_values_and_under_no_old_one() {
    let store = store();
    upsert(&store, "key1", "foo");
    let steps: [(&str, Option<&str>, &[&str]); 8] = [
        ("key2", Some("bar"), &["bar: key2", "foo: key1"]),
        ("key2", Some("foo bar"), &["bar: key2", "foo: key1 key2"]),
        ("key1", Some("foo bar"), &["bar: key1 key2", "foo: key1 key2"]),
        ("key3", Some("foo bar baz"), &["bar: key1 key2 key3", "baz: key3", "foo: key1 key2 key3"]),
        ("key1", Some("foo"), &["bar: key2 key3", "baz: key3", "foo: key1 key2 key3"]),
        ("key2", Some("bar"), &["bar: key2 key3", "baz: key3", "foo: key1 key3"]),
        ("key1", None, &["bar: key2 key3", "baz: key3", "foo: key3"]),
        ("key3", None, &["bar: key2"]),
    ];
    for (key, value, expected) in steps {
        match value {
            Some(value) => upsert(&store, key, value),
            None => drop(store.delete(key)),
        }
        assert_eq!(index(&store), expected, "after {key} {value:?}");
    }
}

/// An object of ours always has metadata, so there is none that leaves the store's resourceVersion.
///
/// client-go: `TestThreadSafeStoreRV`.
#[test]
fn the_store_has_the_resource_version_of_the_last_write() {
    let store = ThreadSafeStore::new(Indexers::new());
    let is = |expected: &str| assert_eq!(store.last_store_sync_resource_version(), expected);
    is("");
    for (key, version) in [("key1", "10"), ("key3", "10"), ("key4", "20")] {
        store.upsert(key, versioned(key, version));
        is(version);
    }
    assert_eq!(store.delete_with_object("key4", &versioned("key4", "30")), Some(versioned("key4", "20")));
    is("30");
    store.upsert("key6", versioned("key6", "40"));
    is("40");
    assert_eq!(store.delete("key6"), Some(versioned("key6", "40")));
    is("40");
    let upsert = |version| StoreOperation::Upsert { key: "key9".into(), object: versioned("key9", version) };
    store.transaction(vec![upsert("40"), upsert("30"), upsert("50")]);
    is("50");
    store.transaction(vec![]);
    is("50");
    store.replace(vec![("key2".into(), versioned("key2", "60"))], "70");
    is("70");
    store.delete_with_object("key2", &versioned("key2", "20"));
    is("20");
    store.bookmark("21");
    is("21");
}

#[test]
fn a_transaction_says_what_was_there_before_each_operation() {
    let store = store();
    upsert(&store, "a", "old");
    let new = StoreOperation::Upsert { key: "a".into(), object: object("a", "new") };
    let delete = |key: &str| StoreOperation::Delete { key: key.into(), final_state: None };
    let before = store.transaction(vec![new, delete("a"), delete("a"), delete("b")]);
    assert_eq!(before, [Some(object("a", "old")), Some(object("a", "new")), None, None]);
    assert!(store.is_empty() && index(&store).is_empty());
}

#[test]
fn the_deletion_that_ends_a_transaction_brings_the_resource_version_of_the_final_state() {
    let store = ThreadSafeStore::new(Indexers::new());
    let upsert = || StoreOperation::Upsert { key: "a".into(), object: versioned("a", "3") };
    let delete = |final_state| StoreOperation::Delete { key: "a".into(), final_state };
    store.transaction(vec![upsert(), delete(Some(versioned("a", "4")))]);
    assert_eq!(store.last_store_sync_resource_version(), "4");
    store.transaction(vec![upsert(), delete(None)]);
    assert_eq!(store.last_store_sync_resource_version(), "4");
}

#[test]
fn a_store_without_indexes_adds_them_over_what_is_there() {
    let store = ThreadSafeStore::default();
    upsert(&store, "a", "x y");
    upsert(&store, "b", "y");
    store.add_indexers(Indexers::from([("words".to_owned(), by_word())])).unwrap();
    assert_eq!(index(&store), ["x: a", "y: a b"]);
    assert_eq!(store.indexers().keys().collect::<Vec<_>>(), ["words"]);
    assert_eq!(names(&store.by_index("words", "y").unwrap()), ["a", "b"]);
    assert!(store.contains("a") && !store.contains("c"));
    assert_eq!((store.get("a"), store.get("c")), (Some(object("a", "x y")), None));
    assert_eq!(store.by_index("other", "y"), Err(IndexError::Unknown("other".into())));
}
