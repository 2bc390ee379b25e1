//! What client-go's informers do, told by what a server sees of them and what a handler sees.

mod browser_list;
mod compact_objects;
mod decode_properties;
mod discovery;
mod dynamic;
mod fake_source;
mod flow_control;
mod informer;
mod known_bugs;
mod ledger;
mod pager;
mod properties;
mod queues;
mod recorder;
mod reflector;
mod rest;
mod rest_mapper;
mod stores;
mod transport;
#[cfg(feature = "typed")]
mod typed;
mod wait;
mod watch_decoder;
mod watch_framing;
mod watch_list_options;
mod watch_tools;
mod wire;
mod workqueue;
