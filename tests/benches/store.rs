use std::rc::Rc;

use divan::Bencher;
use divan::counter::ItemsCount;
use watchglass::api::Object;
use watchglass::cache::{IndexFunc, Indexer, Indexers, NAMESPACE_INDEX, namespace_index};

use crate::{SIZES, changed, pods};

const NODE_INDEX: &str = "node";

fn indexer() -> Indexer {
    let by_namespace: IndexFunc = Rc::new(namespace_index);
    let by_node: IndexFunc =
        Rc::new(|pod| pod.str_at(&["spec", "nodeName"]).map(std::borrow::Cow::into_owned).into_iter().collect());
    Indexer::new(Indexers::from([(NAMESPACE_INDEX.to_owned(), by_namespace), (NODE_INDEX.to_owned(), by_node)]))
}

/// Into an empty store, as a first list.
#[divan::bench(args = SIZES, sample_count = 5)]
fn first_replace(bencher: Bencher<'_, '_>, count: usize) {
    let pods = pods(count);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let indexer = indexer();
        indexer.replace(pods.iter().cloned(), "1").expect("they have keys");
        indexer
    });
}

/// Of what is there already, as a relist.
#[divan::bench(args = SIZES, sample_count = 5)]
fn replace(bencher: Bencher<'_, '_>, count: usize) {
    let (pods, indexer) = (pods(count), indexer());
    indexer.replace(pods.iter().cloned(), "1").expect("they have keys");
    bencher.counter(ItemsCount::new(count)).bench_local(|| indexer.replace(pods.iter().cloned(), "1"));
}

#[divan::bench(args = SIZES)]
fn update(bencher: Bencher<'_, '_>, count: usize) {
    update_to(bencher, count, changed);
}

/// The object moves from one value of an index to another.
#[divan::bench(args = SIZES)]
fn update_moves_index(bencher: Bencher<'_, '_>, count: usize) {
    update_to(bencher, count, |pod, version| {
        let moved = |pod: &mut watchglass::api::Manifest| {
            pod.metadata.resource_version = version.to_string();
            watchglass::testing::objects::set_field(pod, "spec.nodeName", format!("node-{:03}", version % 200));
            Ok::<_, serde_json::Error>(())
        };
        pod.edit(moved).expect("it is a pod")
    });
}

/// One object after the other, each as it is next, in a store of so many.
fn update_to(bencher: Bencher<'_, '_>, count: usize, next_state: impl Fn(&Object, usize) -> Object) {
    let (pods, indexer) = (pods(count), indexer());
    indexer.replace(pods.iter().cloned(), "1").expect("they have keys");
    let (mut next, mut version) = (pods.iter().step_by(7).cycle(), count);
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| {
            version += 1;
            next_state(next.next().expect("it goes round"), version)
        })
        .bench_local_values(|pod| indexer.update(pod));
}

/// One value's objects: a node has one in 200.
#[divan::bench(args = SIZES, sample_count = 20)]
fn by_index(bencher: Bencher<'_, '_>, count: usize) {
    let (pods, indexer) = (pods(count), indexer());
    indexer.replace(pods.iter().cloned(), "1").expect("they have keys");
    let found = indexer.by_index(NODE_INDEX, "node-000").expect("the index is there").len();
    bencher.counter(ItemsCount::new(found)).bench_local(|| indexer.by_index(NODE_INDEX, "node-000"));
}
