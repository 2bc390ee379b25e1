//! Work queues: client-go's `util/workqueue`.

mod queue;

pub use queue::Queue;
