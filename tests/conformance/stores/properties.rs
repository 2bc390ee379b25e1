use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use watchglass::api::Object;
use watchglass::cache::{DeletedObject, Indexer, Indexers, Transaction};

use super::{by_word, object};
use crate::properties::config;

#[derive(Clone, Debug)]
enum Step {
    Upsert(Object),
    Delete(Object),
    Replace(Vec<Object>),
    ReplaceAll(Vec<Object>),
    Transact(Vec<(bool, Object)>),
}

/// Few names and words, so that they meet often; some objects repeat a word, and some have the empty one.
fn an_object() -> impl Strategy<Value = Object> {
    let words = prop::collection::vec(prop::sample::select(vec!["x", "y", "z", ""]), 0..4);
    (prop::sample::select(vec!["a", "b", "c", "d", "e"]), words)
        .prop_map(|(name, words)| object(name, &words.join(" ")))
}

fn a_step() -> impl Strategy<Value = Step> {
    let list = || prop::collection::vec(an_object(), 0..8);
    prop_oneof![
        4 => an_object().prop_map(Step::Upsert),
        2 => an_object().prop_map(Step::Delete),
        1 => list().prop_map(Step::Replace),
        2 => list().prop_map(Step::ReplaceAll),
        2 => prop::collection::vec((any::<bool>(), an_object()), 0..8).prop_map(Step::Transact),
    ]
}

type Model = BTreeMap<String, Object>;

fn insert(model: &mut Model, object: &Object) -> Option<Object> {
    model.insert(object.name().into(), object.clone())
}

fn apply(indexer: &Indexer, model: &mut Model, step: Step) {
    match step {
        Step::Upsert(object) => {
            insert(model, &object);
            indexer.add(object).expect("all have keys");
        }
        Step::Delete(object) => {
            model.remove(object.name());
            indexer.delete(object).expect("all have keys");
        }
        Step::Replace(list) => {
            model.clear();
            list.iter().for_each(|object| drop(insert(model, object)));
            indexer.replace(list, "1").expect("all have keys");
        }
        Step::ReplaceAll(list) => {
            let mut kept: Model = model.clone();
            kept.retain(|name, _| list.iter().any(|object| object.name() == name));
            let deleted: Model = model.iter().filter(|(name, _)| !kept.contains_key(*name)).map(owned).collect();
            let before: Vec<_> = list.iter().map(|object| insert(&mut kept, object)).collect();
            *model = kept;
            let replacement = indexer.replace_all(list, "1").expect("all have keys");
            assert_eq!(replacement.before, before);
            assert_eq!(replacement.deleted, deleted.into_iter().collect::<Vec<_>>());
        }
        Step::Transact(operations) => {
            let transaction = |(delete, object): (bool, Object)| {
                if delete {
                    model.remove(object.name());
                    Transaction::Delete(DeletedObject::Known(object))
                } else {
                    insert(model, &object);
                    Transaction::Upsert(object)
                }
            };
            indexer.transact(operations.into_iter().map(transaction).collect()).expect("all have keys");
        }
    }
}

fn owned((name, object): (&String, &Object)) -> (String, Object) {
    (name.clone(), object.clone())
}

fn rebuilt(model: &Model) -> BTreeMap<String, BTreeSet<String>> {
    let mut index = BTreeMap::<String, BTreeSet<String>>::new();
    for (name, object) in model {
        for word in by_word()(object) {
            index.entry(word).or_default().insert(name.clone());
        }
    }
    index
}

proptest! {
    #![proptest_config(config("tests/conformance/proptest-regressions/indexes.txt"))]

    #[test]
    fn every_index_equals_one_that_is_built_anew_from_the_content(steps in prop::collection::vec(a_step(), 1..24)) {
        let indexer = Indexer::new(Indexers::from([("words".to_owned(), by_word())]));
        let mut model = Model::new();
        for step in steps {
            apply(&indexer, &mut model, step);
            let keys = |word: &String| indexer.index_keys("words", word).unwrap().into_iter().collect();
            let index: BTreeMap<String, BTreeSet<String>> =
                indexer.index_values("words").iter().map(|word| (word.clone(), keys(word))).collect();
            prop_assert_eq!(index, rebuilt(&model));
            let content: Model = indexer.list().into_iter().map(|object| (object.name().to_owned(), object)).collect();
            prop_assert_eq!(content, model.clone());
        }
    }
}
