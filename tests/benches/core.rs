//! What the core costs a native program: `make bench`.

use std::hint::black_box;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use watchglass::api::{List, ListMeta, Object};
use watchglass::cache::{IndexFunc, Indexer, Indexers, NAMESPACE_INDEX, namespace_index};
use watchglass::rest::decode::{ListDecoder, WatchDecoder};
use watchglass::testing::objects;
use watchglass::workqueue::Queue;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// What a browser hands over at a time.
const CHUNK: usize = 64 * 1024;

fn main() {
    divan::main();
}

fn pods(count: usize) -> Vec<Object> {
    (0..count)
        .map(|number| {
            let mut pod = objects::realistic_pod(&format!("ns-{}", number % 40), &format!("pod-{number}"));
            pod.metadata.resource_version = number.to_string();
            pod.into()
        })
        .collect()
}

fn list_bytes(count: usize) -> Vec<u8> {
    let metadata = ListMeta { resource_version: "1".into(), ..ListMeta::default() };
    let list = List { api_version: "v1".into(), kind: "PodList".into(), metadata, items: pods(count) };
    serde_json::to_vec(&list).expect("a list is JSON")
}

fn indexer() -> Indexer {
    let by_namespace: IndexFunc = std::rc::Rc::new(namespace_index);
    Indexer::new(Indexers::from([(NAMESPACE_INDEX.to_owned(), by_namespace)]))
}

#[divan::bench(args = [1_000, 10_000], sample_count = 10)]
fn decode_list(bencher: Bencher<'_, '_>, count: usize) {
    let bytes = list_bytes(count);
    let bencher = bencher.counter(BytesCount::new(bytes.len())).counter(ItemsCount::new(count));
    bencher.bench_local(|| {
        let (mut decoder, mut items) = (ListDecoder::default(), Vec::new());
        for chunk in bytes.chunks(CHUNK) {
            decoder.push(chunk, &mut |item| items.push(item)).expect("it is a list");
        }
        decoder.finish().expect("it is whole");
        items
    });
}

#[divan::bench(args = [1_000], sample_count = 20)]
fn decode_watch(bencher: Bencher<'_, '_>, count: usize) {
    let frame = |pod: &Object| {
        format!("{{\"type\":\"MODIFIED\",\"object\":{}}}\n", serde_json::to_string(pod).expect("a pod is JSON"))
    };
    let bytes: Vec<u8> = pods(count).iter().map(frame).collect::<String>().into();
    let bencher = bencher.counter(BytesCount::new(bytes.len())).counter(ItemsCount::new(count));
    bencher.bench_local(|| {
        let (mut decoder, mut events) = (WatchDecoder::default(), 0_usize);
        for chunk in bytes.chunks(CHUNK) {
            decoder
                .push(chunk, &mut |event| {
                    black_box(event);
                    events += 1;
                })
                .expect("these are events");
        }
        events
    });
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn store_replace(bencher: Bencher<'_, '_>, count: usize) {
    let (pods, indexer) = (pods(count), indexer());
    bencher.counter(ItemsCount::new(count)).bench_local(|| indexer.replace(pods.iter().cloned(), "1"));
}

#[divan::bench(args = SIZES)]
fn store_update(bencher: Bencher<'_, '_>, count: usize) {
    let (pods, indexer) = (pods(count), indexer());
    indexer.replace(pods.iter().cloned(), "1").expect("they have keys");
    let mut next = pods.iter().cycle();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        indexer.update(next.next().expect("it goes round").clone()).expect("it has a key");
    });
}

#[divan::bench(args = SIZES)]
fn queue_add_get_done(bencher: Bencher<'_, '_>, waiting: usize) {
    let queue = Queue::new();
    (0..waiting).for_each(|item| queue.add(item));
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        let item = queue.try_get().expect("something waits");
        queue.add(item);
        queue.done(&item);
    });
}
