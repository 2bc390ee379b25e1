//! What the core costs a native program: `make bench`.
//!
//! Each bench says how many items one iteration handles, so that `scripts/growth.mjs` can tell the time of one.

use std::sync::{Arc, Mutex};

use divan::AllocProfiler;
use watchglass::api::Object;
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
fn pods(count: usize) -> Vec<Arc<Object>> {
    static PODS: Mutex<Vec<Arc<Object>>> = Mutex::new(Vec::new());
    let mut pods = PODS.lock().expect("no bench panics while it makes pods");
    for number in pods.len()..count {
        pods.push(Arc::new(objects::numbered_pod(number)));
    }
    pods[..count].to_vec()
}

/// The same object as after one more change.
fn changed(pod: &Object, version: usize) -> Arc<Object> {
    let mut pod = pod.clone();
    pod.metadata.resource_version = version.to_string();
    Arc::new(pod)
}
