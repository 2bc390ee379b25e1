use std::hint::black_box;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use watchglass::api::{List, ListMeta};
use watchglass::rest::decode::{ListDecoder, WatchDecoder};
use watchglass::testing::objects::{numbered_pod, with_managed_fields};

use crate::SIZES;

/// What a browser hands over at a time.
const CHUNK: usize = 128 * 1024;

/// 100,000 pods are 800 MB of text: the objects of one thousand are repeated.
fn list_bytes(count: usize) -> Vec<u8> {
    let metadata = ListMeta { resource_version: "1".into(), ..ListMeta::default() };
    let head = List { api_version: "v1".into(), kind: "PodList".into(), metadata, items: Vec::new() };
    let mut bytes = serde_json::to_vec(&head).expect("a list is JSON");
    bytes.truncate(bytes.len() - "]}".len());
    assert!(bytes.ends_with(b"["), "items come last");
    let items: Vec<_> = (0..count.min(1_000)).map(|number| with_managed_fields(numbered_pod(number))).collect();
    for (place, pod) in items.iter().cycle().take(count).enumerate() {
        bytes.extend_from_slice(if place == 0 { b"" } else { b"," });
        serde_json::to_writer(&mut bytes, pod).expect("a pod is JSON");
    }
    bytes.extend_from_slice(b"]}");
    bytes
}

fn watch_bytes(count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..count {
        bytes.extend_from_slice(br#"{"type":"MODIFIED","object":"#);
        serde_json::to_writer(&mut bytes, &with_managed_fields(numbered_pod(number))).expect("a pod is JSON");
        bytes.extend_from_slice(b"}\n");
    }
    bytes
}

/// The objects are dropped as they come: what keeping them costs is the store's.
#[divan::bench(args = SIZES, sample_count = 3)]
fn list(bencher: Bencher<'_, '_>, count: usize) {
    let bytes = list_bytes(count);
    let bencher = bencher.counter(BytesCount::new(bytes.len())).counter(ItemsCount::new(count));
    bencher.bench_local(|| {
        let mut decoder = ListDecoder::default();
        for chunk in bytes.chunks(CHUNK) {
            decoder
                .push(chunk, &mut |item| {
                    black_box(item);
                })
                .expect("it is a list");
        }
        decoder.finish().expect("it is whole")
    });
}

#[divan::bench(args = [1_000, 10_000], sample_count = 10)]
fn watch(bencher: Bencher<'_, '_>, count: usize) {
    let bytes = watch_bytes(count);
    let bencher = bencher.counter(BytesCount::new(bytes.len())).counter(ItemsCount::new(count));
    bencher.bench_local(|| {
        let mut decoder = WatchDecoder::default();
        for chunk in bytes.chunks(CHUNK) {
            decoder
                .push(chunk, &mut |event| {
                    black_box(event);
                })
                .expect("these are events");
        }
        decoder.buffered()
    });
}
