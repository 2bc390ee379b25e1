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

fn update_in(indexers: Indexers, size: usize) -> Cost {
    let pods = pods(size);
    let (indexer, updates) = (store_of(indexers, &pods), updates(&pods, EVENTS));
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
        let indexer = store_of(by_node(), &pods);
        let moved = |(number, pod): (usize, &Object)| {
            edited(pod, |pod| set_field(pod, "spec.nodeName", format!("node-{:03}", (number + 7) % 200)))
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
}
