use watchglass::api::Object;
use watchglass::rest::decode::{ListDecoder, SharedPool, WatchDecoder};
use watchglass::testing::objects::{numbered_pod, with_managed_fields};

use crate::budget::{cost_of_each, hold};

/// What a browser hands over at a time.
const CHUNK: usize = 128 * 1024;
/// A part of the size: the text of 10,000 is 80 MB.
const PART: usize = 20;
/// How many are different.
const PODS: usize = 100;

fn items(count: usize) -> Vec<String> {
    let different: Vec<_> = (0..PODS)
        .map(|number| serde_json::to_string(&with_managed_fields(numbered_pod(number))).expect("a pod is JSON"))
        .collect();
    different.iter().cycle().take(count).cloned().collect()
}

#[test]
fn a_list_s_item_costs_its_object() {
    hold("decode-list-item", |size| {
        let count = size / PART;
        let head = r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":["#;
        let list = format!("{head}{}]}}", items(count).join(","));
        let mut objects: Vec<Object> = Vec::with_capacity(count);
        cost_of_each(count, || {
            let mut decoder = ListDecoder::default();
            for chunk in list.as_bytes().chunks(CHUNK) {
                decoder.push(chunk, &mut |item| objects.push(item)).expect("it is a list");
            }
            decoder.finish().expect("it is whole");
        })
    });
}

#[test]
fn a_watch_s_event_costs_its_object() {
    hold("decode-watch-event", |size| {
        let count = size / PART;
        let frame = |item: String| format!("{{\"type\":\"MODIFIED\",\"object\":{item}}}\n");
        let text: String = items(count).into_iter().map(frame).collect();
        // As a store does, which holds the newest state of each: others are described by them.
        let mut newest: Vec<_> = (0..PODS).map(|_| None).collect();
        let mut number = 0;
        cost_of_each(count, || {
            let mut decoder = WatchDecoder::default();
            for chunk in text.as_bytes().chunks(CHUNK) {
                let mut hold = |event| {
                    newest[number % PODS] = Some(event);
                    number += 1;
                };
                decoder.push(chunk, &mut hold).expect("these are events");
            }
        })
    });
}

/// kubernetes/kubernetes#102874: what reads objects is kept from one to the next, for as long as a program runs.
#[test]
fn a_large_object_leaves_no_large_memory_behind() {
    let pool = SharedPool::default();
    let held = cost_of_each(1, || {
        for size in [1 << 20, 5, 6] {
            let list = format!(r#"{{"kind":"PodList","items":[{{"metadata":{{"name":"{}"}}}}]}}"#, "n".repeat(size));
            ListDecoder::with_pool(&pool).push(list.as_bytes(), &mut drop).expect("it is a list");
        }
    });
    assert!(held.live_bytes < f64::from(1 << 18), "{held}");
}
