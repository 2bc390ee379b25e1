//! The pages: each reads the context and brings state and components together.

pub(crate) mod informers;
pub(crate) mod resource;
