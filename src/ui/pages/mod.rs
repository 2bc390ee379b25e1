//! The pages: each reads the context and brings state and components together.

pub(crate) mod object;
pub(crate) mod resource;
