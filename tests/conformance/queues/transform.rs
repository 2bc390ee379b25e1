use std::cell::Cell;
use std::rc::Rc;

use watchglass::cache::{StoreError, TransformFunc, meta_namespace_key_func};

use super::Op::{Add, Delete, Replace, Update};
use super::subject::queues;
use super::{Known, Op, drain, object, run, tombstone};
use crate::fake_source::editing;

fn marking_transformer(calls: &Rc<Cell<usize>>) -> TransformFunc {
    let calls = Rc::clone(calls);
    editing(move |object| {
        calls.set(calls.get() + 1);
        if object.name() == "bad" {
            return Err("it is bad".into());
        }
        object.metadata.resource_version.push('t');
        Ok(())
    })
}

/// client-go: `TestDeltaFIFO_transformer`, `TestRealFIFO_transformer`.
#[test]
fn each_object_is_transformed_once_when_it_enters() {
    const OPS: [Op; 7] = [
        Add("foo", 10),
        Add("bar", 11),
        Update("foo", 12),
        Delete("foo", 15),
        Replace(&[]),
        Add("bar", 16),
        Replace(&[]),
    ];
    let expected: [&[&str]; 3] = [
        &[
            "added foo 10t, updated foo 12t, deleted foo 15t",
            "added bar 11t, gone bar 11t, added bar 16t, gone bar 16t",
        ],
        &[
            "added foo 10t",
            "added bar 11t",
            "updated foo 12t",
            "deleted foo 15t",
            "gone bar 11t",
            "added bar 16t",
            "gone bar 16t",
        ],
        &[
            "added foo 10t",
            "added bar 11t",
            "updated foo 12t",
            "deleted foo 15t",
            "all at 7 []",
            "added bar 16t",
            "all at 7 []",
        ],
    ];
    let calls = Rc::default();
    let transformer = marking_transformer(&calls);
    let transforming = queues(&Known::of(&[]), &meta_namespace_key_func(), Some(&transformer));
    for ((name, queue), expected) in transforming.into_iter().zip(expected) {
        run(&*queue, &OPS);
        assert_eq!(calls.take(), 5, "{name}");
        assert_eq!(drain(&*queue), expected, "{name}");
        assert!(queue.transformer().is_some_and(|same| Rc::ptr_eq(&same, &transformer)), "{name}");
    }
    assert!(
        queues(&Known::of(&[]), &meta_namespace_key_func(), None)
            .iter()
            .all(|(_, queue)| queue.transformer().is_none())
    );
}

#[test]
fn what_was_transformed_before_is_not_transformed_again() {
    let calls = Rc::default();
    let transformer = marking_transformer(&calls);
    let known = Known::of(&[("a", 1), ("gone", 1)]);
    let expected: [&[&str]; 3] =
        [&["gone gone 1", "sync a 1"], &["gone gone 1", "sync a 1"], &["gone gone 1", "sync all"]];
    for ((name, queue), expected) in
        queues(&known, &meta_namespace_key_func(), Some(&transformer)).into_iter().zip(expected)
    {
        queue.delete(tombstone("gone", 1)).unwrap();
        queue.resync().unwrap();
        assert_eq!(drain(&*queue), expected, "{name}");
        assert_eq!(calls.get(), 0, "{name}");
        queue.replace(vec![object("a", 2)], "2").unwrap();
        assert_eq!(calls.take(), 1, "{name}");
        assert!(drain(&*queue).concat().contains("a 2t"), "{name}");
    }
}

#[test]
fn an_object_that_cannot_be_transformed_changes_nothing() {
    let transformer = marking_transformer(&Rc::default());
    let known = Known::of(&[("bad", 1)]);
    for (name, queue) in queues(&known, &meta_namespace_key_func(), Some(&transformer)) {
        let bad = || object("bad", 1);
        for refused in [
            queue.add(bad()),
            queue.update(bad()),
            queue.delete(bad().into()),
            queue.replace(vec![object("a", 1), bad()], "1"),
        ] {
            assert!(matches!(refused, Err(StoreError::Transform(_))), "{name}");
        }
        assert!(queue.is_empty() && !queue.has_synced(), "{name}");
    }
}
