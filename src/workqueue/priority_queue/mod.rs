//! Work by its urgency: controller-runtime's `pkg/controller/priorityqueue`.

mod entries;
mod queue;

pub use queue::{AddOptions, LOW_PRIORITY, PriorityQueue, PriorityQueueConfig};
