mod delaying_queue;
mod figures;
mod metrics;
mod parallelizer;
mod priority_queue;
mod queue;
#[cfg(not(target_arch = "wasm32"))]
mod queue_property;
mod rate_limiters;
mod rate_limiting_queue;

use std::hash::Hash;
use std::time::Duration;

use watchglass::workqueue::Queue;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Takes and finishes what is ready now.
fn drain<T: Clone + Eq + Hash + 'static>(queue: &Queue<T>) -> Vec<T> {
    let mut items = Vec::new();
    while let Some(item) = queue.try_get() {
        queue.done(&item);
        items.push(item);
    }
    items
}
