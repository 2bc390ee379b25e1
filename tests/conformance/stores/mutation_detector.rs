use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Weak};
use std::time::Duration;

use watchglass::cache::MutationDetector;
use watchglass::testing::Sandbox;

/// An object that can be changed while it is shared.
type Mutable = RefCell<String>;

fn detector(sandbox: &Sandbox) -> (MutationDetector<Mutable>, Rc<RefCell<Vec<String>>>) {
    let failures: Rc<RefCell<Vec<String>>> = Rc::default();
    let told = Rc::clone(&failures);
    let failure = move |message: &str| told.borrow_mut().push(message.to_owned());
    (MutationDetector::with_failure_func(&sandbox.runtime(), "pods", failure), failures)
}

#[expect(clippy::arc_with_non_send_sync, reason = "the detector takes what informers share")]
fn mutable(text: &str) -> Arc<Mutable> {
    Arc::new(RefCell::new(text.to_owned()))
}

/// client-go: `TestMutationDetector`.
#[test]
fn a_changed_object_is_found_within_a_second() {
    let sandbox = Sandbox::new();
    let (detector, failures) = detector(&sandbox);
    let (changed, unchanged) = (mutable("foo"), mutable("bar"));
    detector.add_object(&unchanged);
    detector.add_object(&changed);
    sandbox.advance(Duration::from_secs(10));
    assert!(failures.borrow().is_empty());
    changed.borrow_mut().push_str("true");
    sandbox.advance(Duration::from_millis(999));
    assert!(failures.borrow().is_empty());
    sandbox.advance(Duration::from_millis(1));
    assert_eq!(*failures.borrow(), ["cache pods modified"]);
    sandbox.advance(Duration::from_secs(1));
    assert_eq!(failures.borrow().len(), 2, "it goes on comparing");
}

#[test]
fn an_object_is_compared_for_two_generations_and_then_let_go() {
    let sandbox = Sandbox::new();
    let (detector, failures) = detector(&sandbox);
    let object = mutable("foo");
    detector.add_object(&object);
    let weak: Weak<Mutable> = Arc::downgrade(&object);
    drop(object);
    sandbox.advance(Duration::from_secs(2 * 121 - 1));
    let object = weak.upgrade().expect("it is in the second generation");
    object.borrow_mut().push('!');
    object.borrow_mut().pop();
    drop(object);
    sandbox.advance(Duration::from_secs(1));
    assert!(weak.upgrade().is_none());
    assert!(failures.borrow().is_empty());
}

#[test]
fn a_change_in_the_second_generation_is_found_too() {
    let sandbox = Sandbox::new();
    let (detector, failures) = detector(&sandbox);
    let object = mutable("foo");
    detector.add_object(&object);
    sandbox.advance(Duration::from_secs(121));
    object.borrow_mut().push('!');
    sandbox.advance(Duration::from_secs(1));
    assert_eq!(failures.borrow().len(), 1);
}

#[test]
fn an_object_is_not_let_go_before_its_two_minutes_are_over() {
    let sandbox = Sandbox::new();
    let (detector, failures) = detector(&sandbox);
    sandbox.advance(Duration::from_secs(120));
    let object = mutable("foo");
    detector.add_object(&object);
    sandbox.advance(Duration::from_secs(241));
    assert_eq!(Arc::strong_count(&object), 2, "added just before the first rotation, it is held to the third");
    assert!(failures.borrow().is_empty());
}

#[test]
fn a_dropped_detector_compares_no_more() {
    let sandbox = Sandbox::new();
    let (detector, failures) = detector(&sandbox);
    let object = mutable("foo");
    detector.add_object(&object);
    sandbox.advance(Duration::from_secs(1));
    drop(detector);
    object.borrow_mut().push('!');
    sandbox.advance(Duration::from_secs(10));
    assert!(failures.borrow().is_empty());
    assert_eq!(Arc::strong_count(&object), 1);
}

#[test]
#[should_panic(expected = "cache pods modified")]
fn without_a_function_of_its_own_a_changed_object_ends_the_program() {
    let sandbox = Sandbox::new();
    let detector = MutationDetector::new(&sandbox.runtime(), "pods");
    let object = mutable("foo");
    detector.add_object(&object);
    object.borrow_mut().push('!');
    sandbox.advance(Duration::from_secs(1));
}
