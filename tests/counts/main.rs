//! What the core does for one object or one event, counted and held against `tests/counts.toml`; never timed.
//!
//! Each count is taken among 1,000 and among 10,000 objects: what is done for one must not depend on how many there are.

mod budget;
mod decode;
mod informer;
mod limiters;
mod queue;
mod store;
mod table;

use std::sync::OnceLock;

use watchglass::api::{Manifest, Object};
use watchglass::testing::objects::{self, Build as _};

const SIZES: [usize; 2] = [1_000, 10_000];
/// How many events are counted at each size.
const EVENTS: usize = 500;

/// Small pods with names, namespaces, nodes, ids and versions of their own: what is counted among them does not depend on
/// what else is in an object.
fn pods(count: usize) -> Vec<Object> {
    const MOST: usize = 2 * SIZES[1];
    static PODS: OnceLock<Vec<Object>> = OnceLock::new();
    let pod = |number: usize| {
        objects::pod(&format!("team-{:02}", number % 40), &format!("web-7d9c6b8f5c-{number:05}"))
            .with_uid(&format!("2f6c1d0e-0b5a-4c57-9d1f-{number:012}"))
            .with_resource_version(&number.to_string())
            .with_field("spec.nodeName", format!("node-{:03}", number % 200))
    };
    let pods = PODS.get_or_init(|| (0..MOST).map(|number| pod(number).into()).collect());
    pods[..count].to_vec()
}

/// A changed copy.
fn edited(pod: &Object, change: impl FnOnce(&mut Manifest)) -> Object {
    let change = |pod: &mut Manifest| {
        change(pod);
        Ok::<_, serde_json::Error>(())
    };
    pod.edit(change).expect("it is a pod")
}

/// So many of the objects as their next changes bring them, from everywhere among them.
fn updates(pods: &[Object], count: usize) -> Vec<Object> {
    let next = |(number, pod): (usize, &Object)| {
        edited(pod, |pod| pod.metadata.resource_version = (pods.len() + number).to_string())
    };
    pods.iter().step_by(pods.len() / count).take(count).enumerate().map(next).collect()
}

/// Keys of objects, as work queues hold them.
fn keys(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("team-{:02}/web-7d9c6b8f5c-{number:05}", number % 40)).collect()
}
