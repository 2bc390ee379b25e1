use std::rc::Rc;
use std::time::Duration;

use watchglass::api::{Manifest, Object};
use watchglass::cache::{IndexError, Indexer, Indexers, MutationCache, MutationCacheOptions, Store};
use watchglass::testing::Sandbox;

fn pod(name: &str, uid: &str, resource_version: &str) -> Object {
    let mut pod = Manifest::default();
    pod.metadata.name = name.into();
    pod.metadata.uid = uid.into();
    pod.metadata.resource_version = resource_version.into();
    pod.into()
}

struct Fixture {
    sandbox: Sandbox,
    store: Rc<Indexer>,
    cache: MutationCache,
}

/// A cache over a store that is its indexer too, with all objects under `all`.
fn fixture(options: MutationCacheOptions) -> Fixture {
    let sandbox = Sandbox::new();
    let indexers = Indexers::from([("all".to_owned(), Rc::new(|_: &Object| vec!["yes".into()]) as _)]);
    let store = Rc::new(Indexer::new(indexers));
    let options = MutationCacheOptions { indexer: Some(Rc::clone(&store)), ..options };
    let cache = MutationCache::new(&sandbox.runtime(), Rc::clone(&store) as Rc<dyn Store>, options);
    Fixture { sandbox, store, cache }
}

fn plain() -> Fixture {
    fixture(MutationCacheOptions::default())
}

fn with_adds() -> Fixture {
    fixture(MutationCacheOptions { include_adds: true, ..MutationCacheOptions::default() })
}

impl Fixture {
    /// The uid and the resourceVersion of `pod`.
    fn get(&self) -> Option<String> {
        self.cache.get_by_key("pod").map(|pod| format!("{} {}", pod.uid(), pod.resource_version()))
    }

    /// The resourceVersions by index, in the order given.
    fn by_index(&self) -> Vec<String> {
        let objects = self.cache.by_index("all", "yes").expect("there is the index");
        objects.iter().map(|object| object.resource_version().to_owned()).collect()
    }
}

/// client-go: `TestMutationCacheOnAddOrUpdate`.
#[test]
fn a_mutation_is_done_with_when_the_store_has_something_as_new() {
    for (store_version, expected, tracked) in [("2", "1", 0), ("3", "1", 0), ("1", "2", 1)] {
        let it = plain();
        it.cache.mutation(pod("pod", "uid-1", "2"));
        it.cache.on_add_or_update(&pod("pod", "uid-1", store_version));
        assert_eq!(it.cache.tracked_keys().len(), tracked);
        it.store.add(pod("pod", "uid-1", "1")).unwrap();
        assert_eq!(it.get(), Some(format!("uid-1 {expected}")), "after {store_version}");
    }
}

/// client-go: `TestMutationCacheOnDelete`.
#[test]
fn a_deletion_ends_a_mutation_of_the_same_object_or_of_an_older_one() {
    let cases = [("uid-1", "1", false), ("uid-2", "3", false), ("uid-2", "4", false), ("uid-other", "1", true)];
    for (uid, version, expected) in cases {
        let it = with_adds();
        it.store.add(pod("pod", "uid-1", "2")).unwrap();
        it.cache.mutation(pod("pod", "uid-1", "3"));
        let deleted = pod("pod", uid, version);
        it.store.delete(deleted.clone()).unwrap();
        it.cache.on_delete(&deleted);
        assert_eq!(it.get().is_some(), expected, "{uid} {version}");
    }
}

/// client-go: `TestMutationCacheUpdateConcurrentDelete`.
#[test]
fn a_mutation_that_comes_after_the_deletion_is_refused() {
    let it = with_adds();
    let updated = pod("pod", "uid-1", "2");
    it.cache.on_add_or_update(&updated);
    it.cache.on_delete(&updated);
    it.cache.mutation(updated);
    assert_eq!(it.get(), None);
    assert_eq!(it.cache.tracked_keys(), ["pod"], "the tombstone is there still");
    it.cache.mutation(pod("pod", "uid-1", "3"));
    it.cache.mutation(pod("pod", "uid-2", "1"));
    it.cache.mutation(pod("pod", "uid-2", "2"));
    assert_eq!((it.get(), it.by_index()), (None, vec![]));
    it.cache.mutation(pod("pod", "uid-2", "3"));
    assert_eq!(it.get().as_deref(), Some("uid-2 3"), "another object, and newer than the deletion");
}

/// client-go: `TestMutationCacheUpdateConcurrentRecreate`.
#[test]
fn a_late_mutation_does_not_hide_the_object_that_came_after_it() {
    let it = with_adds();
    let (updated, replacement) = (pod("pod", "uid-1", "2"), pod("pod", "uid-2", "3"));
    it.store.add(replacement.clone()).unwrap();
    it.cache.on_add_or_update(&updated);
    it.cache.on_delete(&updated);
    it.cache.on_add_or_update(&replacement);
    it.cache.mutation(updated);
    assert_eq!(it.get().as_deref(), Some("uid-2 3"));
    assert!(it.cache.tracked_keys().is_empty());
}

/// client-go: `TestMutationCacheOnDeleteClearsStaleMutation`.
#[test]
fn an_index_shows_an_added_object_until_it_is_deleted() {
    let it = with_adds();
    it.cache.mutation(pod("pod", "uid-1", "2"));
    assert_eq!(it.by_index(), ["2"]);
    it.cache.on_delete(&pod("pod", "uid-1", "1"));
    assert!(it.by_index().is_empty());
}

#[test]
fn the_newer_of_store_and_mutation_is_given() {
    let it = plain();
    it.store.add(pod("pod", "u", "9")).unwrap();
    for (version, expected, tracked) in [("8", "u 9", 0), ("9", "u 9", 0), ("10", "u 10", 1)] {
        it.cache.mutation(pod("pod", "u", version));
        assert_eq!(it.get().as_deref(), Some(expected));
        assert_eq!(it.cache.tracked_keys().len(), tracked, "what the store has is not kept");
    }
    assert_eq!(it.by_index(), ["10"]);
    it.store.add(pod("pod", "u", "11")).unwrap();
    assert_eq!((it.by_index(), it.cache.tracked_keys().len()), (vec!["11".to_owned()], 0));
}

#[test]
fn of_two_mutations_the_newer_is_kept() {
    let it = with_adds();
    for (version, expected) in [("5", "u 5"), ("4", "u 5"), ("6", "u 6")] {
        it.cache.mutation(pod("pod", "u", version));
        assert_eq!(it.get().as_deref(), Some(expected));
    }
    it.cache.mutation(pod("pod", "other", "6"));
    assert_eq!(it.get().as_deref(), Some("other 6"), "of two as new the later");
}

#[test]
fn what_the_store_does_not_hold_is_given_only_on_request_and_as_often_as_asked() {
    let it = plain();
    it.cache.mutation(pod("pod", "u", "1"));
    assert_eq!((it.get(), it.by_index()), (None, vec![]));
    let it = with_adds();
    it.cache.mutation(pod("pod", "u", "1"));
    assert_eq!([it.get(), it.get()], [Some("u 1".to_owned()), Some("u 1".to_owned())]);
}

#[test]
fn a_tombstone_never_hides_what_the_store_holds() {
    let it = with_adds();
    it.store.add(pod("pod", "u", "3")).unwrap();
    it.cache.on_delete(&pod("pod", "u", "5"));
    assert_eq!((it.get().as_deref(), it.by_index()), (Some("u 3"), vec!["3".to_owned()]));
    assert_eq!(it.cache.tracked_keys(), ["pod"]);
    it.store.add(pod("pod", "u2", "6")).unwrap();
    assert_eq!(it.get().as_deref(), Some("u2 6"));
    assert!(it.cache.tracked_keys().is_empty());
}

#[test]
fn an_index_shows_added_objects_of_its_value_least_recently_used_first() {
    let sandbox = Sandbox::new();
    let by_uid = Rc::new(|object: &Object| vec![object.uid().into_owned()]) as _;
    let store = Rc::new(Indexer::new(Indexers::from([("uid".to_owned(), by_uid)])));
    let options = MutationCacheOptions {
        indexer: Some(Rc::clone(&store)),
        include_adds: true,
        ..MutationCacheOptions::default()
    };
    let cache = MutationCache::new(&sandbox.runtime(), Rc::clone(&store) as Rc<dyn Store>, options);
    store.add(pod("stored", "u", "1")).unwrap();
    for name in ["a", "b", "c", "stored"] {
        cache.mutation(pod(name, "u", "2"));
    }
    cache.mutation(pod("other", "v", "2"));
    cache.get_by_key("a");
    let found = cache.by_index("uid", "u").unwrap();
    let found: Vec<_> = found.iter().map(|object| (object.name(), object.resource_version())).collect();
    assert_eq!(found, [("stored", "2"), ("b", "2"), ("c", "2"), ("a", "2")]);
}

#[test]
fn without_an_indexer_or_an_index_there_is_an_error() {
    let it = plain();
    assert_eq!(it.cache.by_index("none", "yes"), Err(IndexError::Unknown("none".into())));
    let alone = MutationCache::new(&it.sandbox.runtime(), it.store, MutationCacheOptions::default());
    let error = alone.by_index("all", "yes").unwrap_err();
    assert_eq!(error.to_string(), "no indexer has been provided to the mutation cache");
}

/// client-go panics here.
#[test]
fn a_resource_version_that_is_no_integer_is_the_stores_to_tell() {
    let it = with_adds();
    for version in ["abc", "-1", "1.5", "99999999999999999999999"] {
        it.cache.mutation(pod("pod", "u", version));
        assert_eq!(it.get(), None, "{version} is not kept");
        it.cache.mutation(pod("pod", "u", "5"));
        it.cache.on_add_or_update(&pod("pod", "u", version));
        assert_eq!(it.get(), None, "{version} of the store ends a mutation");
        it.cache.mutation(pod("pod", "u", "5"));
        it.store.add(pod("pod", "u", version)).unwrap();
        assert_eq!(it.get(), Some(format!("u {version}")));
        it.store.delete(pod("pod", "u", version)).unwrap();
    }
    it.cache.mutation(pod("pod", "u", "5"));
    it.cache.on_delete(&pod("pod", "other", "abc"));
    assert_eq!(it.get(), None, "a deletion that cannot be compared ends a mutation");
    it.cache.mutation(pod("pod", "other", "6"));
    assert_eq!(it.get(), None, "of the same uid");
    it.cache.mutation(pod("pod", "u", "1"));
    assert_eq!(it.get().as_deref(), Some("u 1"));
}

#[test]
fn an_empty_resource_version_is_the_oldest() {
    let it = with_adds();
    it.cache.mutation(pod("pod", "u", ""));
    assert_eq!(it.get().as_deref(), Some("u "));
    it.cache.on_add_or_update(&pod("pod", "u", ""));
    assert_eq!(it.get(), None);
    it.cache.mutation(pod("pod", "u", "1"));
    it.cache.on_add_or_update(&pod("pod", "u", ""));
    assert_eq!(it.get().as_deref(), Some("u 1"));
}

#[test]
fn a_mutation_is_kept_for_five_minutes_or_for_the_time_given() {
    let given = MutationCacheOptions { ttl: Duration::from_secs(7), ..MutationCacheOptions::default() };
    for (options, seconds) in [(MutationCacheOptions::default(), 300), (given, 7)] {
        let it = fixture(MutationCacheOptions { include_adds: true, ..options });
        it.cache.mutation(pod("pod", "u", "1"));
        it.sandbox.advance(Duration::from_secs(seconds));
        assert_eq!(it.get().as_deref(), Some("u 1"));
        it.sandbox.advance(Duration::from_nanos(1));
        assert!(it.cache.tracked_keys().is_empty());
        assert_eq!(it.get(), None);
    }
}

#[test]
fn a_hundred_mutations_are_kept_or_as_many_as_given() {
    let given = MutationCacheOptions { max_cache_size: 2, ..MutationCacheOptions::default() };
    for (options, size) in [(MutationCacheOptions::default(), 100), (given, 2)] {
        let it = fixture(options);
        (0..size).for_each(|number| it.cache.mutation(pod(&format!("pod-{number}"), "u", "1")));
        assert_eq!(it.cache.tracked_keys().len(), size);
        it.cache.mutation(pod("one more", "u", "1"));
        assert_eq!(it.cache.tracked_keys().len(), size);
        assert_eq!(it.cache.tracked_keys()[0], "pod-1", "the least recently used went");
    }
}
