//! What the core costs a native program: `make bench`.
//!
//! Each bench says how many items one iteration handles, so that `scripts/growth.mjs` can tell the time of one.

use std::sync::Mutex;

use divan::AllocProfiler;
use watchglass::api::{Manifest, Object};
use watchglass::testing::objects;

mod decode;
mod limiters;
mod queue;
mod store;
mod table;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

/// The same objects for all benches: to make them takes longer than most of what is done with them.
fn pods(count: usize) -> Vec<Object> {
    static PODS: Mutex<Vec<Object>> = Mutex::new(Vec::new());
    let mut pods = PODS.lock().expect("no bench panics while it makes pods");
    for number in pods.len()..count {
        pods.push(objects::numbered_pod(number).into());
    }
    pods[..count].to_vec()
}

/// The same object as after one more change.
fn changed(pod: &Object, version: usize) -> Object {
    let next = |pod: &mut Manifest| {
        pod.metadata.resource_version = version.to_string();
        Ok::<_, serde_json::Error>(())
    };
    pod.edit(next).expect("it is a pod")
}
