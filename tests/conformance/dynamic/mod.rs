//! Any resource, by its name: whole objects and their metadata.

mod client;
mod informers;
mod memory;
mod metadata;
