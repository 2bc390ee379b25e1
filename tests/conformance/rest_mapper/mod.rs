//! apimachinery's `api/meta` mappers and client-go's `restmapper`.

mod category;
mod default_mapper;
mod deferred;
mod discovery_mapper;
mod error;
mod multi;
mod priority;
mod shortcut;
mod support;
