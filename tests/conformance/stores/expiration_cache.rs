use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::time::Duration;

use watchglass::cache::{
    ExpirationCache, ExpirationPolicy, ExplicitKey, ReflectorStore as _, Store as _, TimestampedEntry, TtlPolicy,
};
use watchglass::runtime::Moment;
use watchglass::testing::Sandbox;

use super::store::check_store;
use super::{name_func, object, values, versioned};

/// Expires everything but some keys.
#[derive(Default)]
struct NeverExpire(RefCell<HashSet<&'static str>>);

impl ExpirationPolicy for NeverExpire {
    fn is_expired(&self, entry: &TimestampedEntry) -> bool {
        !self.0.borrow().contains(&*entry.key)
    }
}

fn cache(policy: &Rc<NeverExpire>) -> ExpirationCache {
    let policy = Rc::clone(policy) as Rc<dyn ExpirationPolicy>;
    ExpirationCache::new(Sandbox::new().runtime().clock, name_func(), policy)
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn sorted_keys(cache: &ExpirationCache) -> Vec<String> {
    let mut keys = cache.list_keys();
    keys.sort();
    keys
}

#[test]
fn a_cache_whose_objects_never_expire_is_a_store() {
    let sandbox = Sandbox::new();
    check_store(&ExpirationCache::new_ttl_store(&sandbox.runtime(), name_func(), Duration::ZERO));
}

/// client-go: `TestTTLExpirationBasic`.
#[test]
fn an_expired_object_is_deleted_by_reading_it() {
    let cache = cache(&Rc::default());
    cache.add(object("foo", "bar")).unwrap();
    cache.add(object("other", "")).unwrap();
    assert_eq!(sorted_keys(&cache), ["foo", "other"], "listing keys asks nobody");
    assert_eq!(cache.get(&object("foo", "")).unwrap(), None);
    assert_eq!(cache.list_keys(), ["other"]);
    assert_eq!(cache.get_by_key("other"), None);
    assert!(cache.list_keys().is_empty());
}

/// client-go: `TestReAddExpiredItem`.
#[test]
fn an_expired_object_can_be_added_again() {
    let policy = Rc::<NeverExpire>::default();
    let cache = cache(&policy);
    cache.add(object("foo", "bar")).unwrap();
    assert_eq!(cache.get_by_key("foo"), None);
    cache.add(object("foo", "different")).unwrap();
    policy.0.borrow_mut().insert("foo");
    assert_eq!(cache.get_by_key("foo"), Some(object("foo", "different")));
    assert_eq!(cache.get(&object("foo", "")).unwrap(), Some(object("foo", "different")));
}

/// client-go: `TestTTLList`.
#[test]
fn listing_leaves_out_and_deletes_what_has_expired() {
    let policy = Rc::<NeverExpire>::default();
    policy.0.borrow_mut().insert("foo1");
    let cache = cache(&policy);
    for (name, value) in [("foo", "bar"), ("foo1", "bar1"), ("foo2", "bar2")] {
        cache.add(object(name, value)).unwrap();
    }
    assert_eq!(values(&cache.list()), ["bar1"]);
    assert_eq!(cache.list_keys(), ["foo1"]);
}

/// client-go: `TestTTLPolicy`.
#[test]
fn an_entry_expires_when_it_is_older_than_the_time_to_live() {
    let sandbox = Sandbox::new();
    sandbox.advance(seconds(100));
    let policy = |ttl| TtlPolicy { ttl, clock: sandbox.runtime().clock };
    let entry = |age: Duration| {
        let timestamp = Moment::after_start(seconds(100)) - age;
        TimestampedEntry { key: "foo".into(), object: object("foo", ""), timestamp }
    };
    let nano = Duration::from_nanos(1);
    assert!(!policy(seconds(30)).is_expired(&entry(Duration::ZERO)));
    assert!(!policy(seconds(30)).is_expired(&entry(seconds(30))));
    assert!(policy(seconds(30)).is_expired(&entry(seconds(30) + nano)));
    assert!(!policy(Duration::ZERO).is_expired(&entry(seconds(30) + nano)));
}

#[test]
fn writing_an_object_makes_it_young_again() {
    let sandbox = Sandbox::new();
    let cache = ExpirationCache::new_ttl_store(&sandbox.runtime(), name_func(), seconds(10));
    cache.replace(vec![object("a", ""), object("b", "")], "").unwrap();
    sandbox.advance(seconds(10));
    cache.update(object("a", "new")).unwrap();
    assert_eq!(values(&cache.list()), ["", "new"]);
    sandbox.advance(seconds(1));
    assert_eq!(values(&cache.list()), ["new"]);
    sandbox.advance(seconds(10));
    assert!(cache.list().is_empty());
}

/// Writes the entry that it is asked about anew before it answers.
struct Rewriting(RefCell<Option<Rc<ExpirationCache>>>);

impl ExpirationPolicy for Rewriting {
    fn is_expired(&self, _entry: &TimestampedEntry) -> bool {
        let cache = self.0.take();
        cache.is_some_and(|cache| cache.add(object("a", "new")).is_ok())
    }
}

#[test]
fn what_is_written_while_its_forerunner_is_judged_stays() {
    let policy = Rc::new(Rewriting(RefCell::default()));
    let shared = Rc::clone(&policy) as Rc<dyn ExpirationPolicy>;
    let cache = Rc::new(ExpirationCache::new(Sandbox::new().runtime().clock, name_func(), shared));
    policy.0.replace(Some(Rc::clone(&cache)));
    cache.add(object("a", "old")).unwrap();
    assert_eq!(cache.get_by_key("a"), None);
    assert_eq!(cache.get_by_key("a"), Some(object("a", "new")));
}

#[test]
fn an_object_without_a_key_changes_nothing() {
    let policy = Rc::<NeverExpire>::default();
    policy.0.borrow_mut().insert("a");
    let cache = cache(&policy);
    cache.add(object("a", "1")).unwrap();
    assert!(cache.add(object("", "")).is_err() && cache.update(object("", "")).is_err());
    assert!(cache.delete(object("", "").into()).is_err() && cache.get(&object("", "")).is_err());
    assert!(cache.replace(vec![object("b", ""), object("", "")], "9").is_err());
    assert_eq!(values(&cache.list()), ["1"]);
    assert_eq!(cache.last_store_sync_resource_version(), "");
}

#[test]
fn the_cache_has_the_resource_version_of_the_last_write() {
    let cache = cache(&Rc::default());
    let is = |expected: &str| assert_eq!(cache.last_store_sync_resource_version(), expected);
    is("");
    cache.add(versioned("a", "3")).unwrap();
    is("3");
    cache.delete(versioned("a", "4").into()).unwrap();
    is("4");
    cache.delete(ExplicitKey("a".into()).into()).unwrap();
    is("4");
    cache.replace(vec![versioned("a", "1")], "5").unwrap();
    is("5");
    cache.bookmark("6");
    is("6");
}
