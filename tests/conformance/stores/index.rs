use std::rc::Rc;

use watchglass::cache::{
    IndexError, IndexFunc, Indexer, Indexers, NAMESPACE_INDEX, index_func_to_key_func, namespace_index,
};

use super::super::fake_source::pod;
use super::{by_word, names, object, values};

fn indexer(objects: &[(&str, &str)]) -> Indexer {
    let indexer = Indexer::new(Indexers::from([("words".to_owned(), by_word())]));
    for (name, value) in objects {
        indexer.add(object(name, value)).expect("it has a key");
    }
    indexer
}

/// client-go: `TestGetIndexFuncValues`.
#[test]
fn an_index_lists_its_values_each_once() {
    let indexer = indexer(&[("one", "bar"), ("two", "bar"), ("tre", "biz")]);
    assert_eq!(indexer.index_values("words"), ["bar", "biz"]);
    assert!(indexer.index_values("unknown").is_empty(), "an unknown index is no error here");
}

/// client-go: `TestMultiIndexKeys`.
#[test]
fn an_object_with_several_values_is_found_by_each() {
    let indexer = indexer(&[("one", "ernie bert"), ("two", "bert oscar"), ("tre", "ernie elmo")]);
    let found = |value: &str| names(&indexer.by_index("words", value).unwrap()).join(" ");
    let all = ["ernie", "bert", "elmo", "oscar", "elmo1"].map(found);
    assert_eq!(all, ["one tre", "one two", "tre", "two", ""]);
    indexer.delete(object("tre", "")).unwrap();
    assert_eq!(["ernie", "elmo"].map(found), ["one", ""]);
    indexer.update(object("two", "oscar")).unwrap();
    assert_eq!(["bert", "oscar"].map(found), ["one", "two"]);
    assert_eq!(indexer.index_keys("words", "oscar").unwrap(), ["two"]);
}

/// client-go: `TestIndex`.
#[test]
fn objects_are_found_by_an_object_that_shares_a_value() {
    let indexer = indexer(&[("a", "b"), ("c", "b"), ("e", "f"), ("g", "h")]);
    let sharing = |value: &str| names(&indexer.index("words", &object("", value)).unwrap()).join(" ");
    assert_eq!(["b", "f", "h", "none"].map(sharing), ["a c", "e", "g", ""]);
}

#[test]
fn an_object_that_shares_several_values_is_found_once() {
    let indexer = indexer(&[("a", "x y"), ("b", "y z"), ("c", "z")]);
    let found = indexer.index("words", &object("", "x y")).unwrap();
    assert_eq!(values(&found), ["x y", "y z"]);
}

#[test]
fn an_unknown_index_is_an_error_that_names_it() {
    let indexer = indexer(&[("a", "x")]);
    let errors = [
        indexer.index("none", &object("a", "x")).unwrap_err(),
        indexer.by_index("none", "x").unwrap_err(),
        indexer.index_keys("none", "x").unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.to_string(), "Index with name none does not exist");
    }
}

#[test]
fn an_index_added_later_holds_what_is_there_and_names_do_not_clash() {
    let indexer = indexer(&[("a", "x")]);
    indexer.add_indexers(Indexers::from([("again".to_owned(), by_word())])).unwrap();
    assert_eq!(names(&indexer.by_index("again", "x").unwrap()), ["a"]);
    let clash = Indexers::from([("new".to_owned(), by_word()), ("again".to_owned(), by_word())]);
    let error = indexer.add_indexers(clash).unwrap_err();
    assert_eq!(error, IndexError::Conflict(vec!["again".into()]));
    assert_eq!(error.to_string(), r#"indexer conflict: ["again"]"#);
    assert_eq!(indexer.indexers().keys().collect::<Vec<_>>(), ["words", "again"], "nothing was added");
}

#[test]
fn the_namespace_is_an_index_and_empty_for_cluster_scoped_objects() {
    let by_namespace: IndexFunc = Rc::new(namespace_index);
    let indexer = Indexer::new(Indexers::from([(NAMESPACE_INDEX.to_owned(), by_namespace)]));
    indexer.add(pod("a").into()).unwrap();
    indexer.add(object("node", "")).unwrap();
    assert_eq!(indexer.index_keys("namespace", "ns").unwrap(), ["ns/a"]);
    assert_eq!(indexer.index_keys("namespace", "").unwrap(), ["node"]);
}

#[test]
fn an_index_with_one_value_for_each_object_may_be_a_key() {
    let key_func = index_func_to_key_func(by_word());
    assert_eq!(key_func(&object("a", "x")).unwrap(), "x");
    let several = key_func(&object("a", "x y z")).unwrap_err();
    assert_eq!(several.to_string(), r#"couldn't create key for object a: too many keys: ["x", "y", "z"]"#);
    let none = index_func_to_key_func(Rc::new(|_| vec![]))(&object("a", "x")).unwrap_err();
    assert_eq!(none.to_string(), "couldn't create key for object a: unexpected empty indexKeys");
}
