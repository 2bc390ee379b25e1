use std::borrow::Cow;
use std::rc::Rc;

use watchglass::api::Object;
use watchglass::cache::{IndexFunc, Indexer, Indexers, NAMESPACE_INDEX, namespace_index};
use watchglass::testing::objects::set_field;

use crate::budget::{Cost, cost_of_each, hold};
use crate::{EVENTS, edited, pods, updates};

fn without_indexes() -> Indexers {
    Indexers::default()
}

fn by_namespace() -> Indexers {
    let by_namespace: IndexFunc = Rc::new(namespace_index);
    Indexers::from([(NAMESPACE_INDEX.to_owned(), by_namespace)])
}

fn by_node() -> Indexers {
    let by_node: IndexFunc =
        Rc::new(|pod| pod.str_at(&["spec", "nodeName"]).map(Cow::into_owned).into_iter().collect());
    Indexers::from([("node".to_owned(), by_node)])
}

fn store_of(indexers: Indexers, pods: &[Object]) -> Indexer {
    let indexer = Indexer::new(indexers);
    indexer.replace(pods.iter().cloned(), "1").expect("they have keys");
    indexer
}

/// An index is made when it is first asked.
fn asked_store_of(indexers: Indexers, pods: &[Object]) -> Indexer {
    let indexer = store_of(indexers, pods);
    let asked = indexer.indexers().keys().all(|index| !indexer.index_values(index).is_empty());
    assert!(asked);
    indexer
}

fn update_in(indexers: Indexers, size: usize) -> Cost {
    let pods = pods(size);
    let (indexer, updates) = (asked_store_of(indexers, &pods), updates(&pods, EVENTS));
    cost_of_each(EVENTS, || updates.into_iter().for_each(|pod| indexer.update(pod).expect("it has a key")))
}

#[test]
fn an_update_costs_the_same_among_few_and_many() {
    hold("store-update", |size| update_in(without_indexes(), size));
    hold("store-update-with-an-index", |size| update_in(by_namespace(), size));
}

#[test]
fn an_object_that_moves_in_an_index_costs_no_more_among_many() {
    hold("store-update-moves-in-an-index", |size| {
        let pods = pods(size);
        let indexer = asked_store_of(by_node(), &pods);
        let moved = |(number, pod): (usize, &Object)| {
            edited(pod, |pod| {
                pod.metadata.resource_version = (size + number).to_string();
                set_field(pod, "spec.nodeName", format!("node-{:03}", (number + 7) % 200));
            })
        };
        let moved: Vec<_> = pods.iter().step_by(size / EVENTS).take(EVENTS).enumerate().map(moved).collect();
        cost_of_each(EVENTS, || moved.into_iter().for_each(|pod| indexer.update(pod).expect("it has a key")))
    });
}

#[test]
fn a_replace_costs_so_much_for_each_object() {
    hold("store-first-replace", |size| {
        let pods = pods(size);
        cost_of_each(size, || store_of(by_namespace(), &pods))
    });
    hold("store-replace", |size| {
        let pods = pods(size);
        let indexer = store_of(by_namespace(), &pods);
        cost_of_each(size, || indexer.replace(pods.iter().cloned(), "2").expect("they have keys"))
    });
    hold("store-replace-with-an-index", |size| {
        let pods = pods(size);
        let indexer = asked_store_of(by_namespace(), &pods);
        cost_of_each(size, || indexer.replace(pods.iter().cloned(), "2").expect("they have keys"))
    });
}

#[test]
fn an_index_costs_little_for_each_object_and_nothing_before_it_is_asked() {
    hold("store-first-replace-with-an-index", |size| {
        let pods = pods(size);
        cost_of_each(size, || asked_store_of(by_namespace(), &pods))
    });
}

/// What the page would hold twice: an object that comes again as it was.
#[test]
fn an_equal_object_is_held_once() {
    hold("store-replace-with-equal-objects", |size| {
        let pods = pods(size);
        let indexer = store_of(by_namespace(), &pods);
        let copies: Vec<_> = pods.iter().map(|pod| edited(pod, |_| ())).collect();
        cost_of_each(size, || indexer.replace(copies, "2").expect("they have keys"))
    });
    hold("store-update-with-an-equal-object", |size| {
        let pods = pods(size);
        let indexer = asked_store_of(by_namespace(), &pods);
        let copies: Vec<_> = pods[..EVENTS].iter().map(|pod| edited(pod, |_| ())).collect();
        cost_of_each(EVENTS, || copies.into_iter().for_each(|pod| indexer.update(pod).expect("it has a key")))
    });
}
