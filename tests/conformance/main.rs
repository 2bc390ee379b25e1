//! What client-go's informers do, told by what a server sees of them and what a handler sees.

mod delta_fifo;
mod fake_source;
mod flow_control;
mod informer;
mod informer_factory;
mod recorder;
mod reflector;
mod store;
mod workqueue;
