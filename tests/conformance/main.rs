//! What client-go's informers do, told by what a server sees of them and what a handler sees.

mod fake_source;
mod informer;
mod queues;
mod recorder;
mod reflector;
mod stores;
mod workqueue;
