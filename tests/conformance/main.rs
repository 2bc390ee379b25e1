//! What client-go's informers do, told by what a server sees of them and what a handler sees.

mod fake_source;
mod informer;
mod informer_factory;
mod queues;
mod recorder;
mod reflector;
mod store;
mod workqueue;
