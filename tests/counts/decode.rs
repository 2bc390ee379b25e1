use std::hint::black_box;

use watchglass::api::Object;
use watchglass::rest::decode::{ListDecoder, WatchDecoder};
use watchglass::testing::objects::{numbered_pod, with_managed_fields};

use crate::budget::{cost_of_each, hold};

/// What a browser hands over at a time.
const CHUNK: usize = 64 * 1024;
/// A part of the size: the text of 10,000 is 80 MB.
const PART: usize = 20;

fn items(count: usize) -> Vec<String> {
    let different: Vec<_> = (0..100)
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
        cost_of_each(count, || {
            let mut decoder = WatchDecoder::default();
            for chunk in text.as_bytes().chunks(CHUNK) {
                let mut drop_it = |event| drop(black_box(event));
                decoder.push(chunk, &mut drop_it).expect("these are events");
            }
        })
    });
}
