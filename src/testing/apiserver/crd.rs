//! Custom resource definitions.

/// What a definition says of its kind beyond the names.
#[derive(Debug, Default)]
pub(super) struct Custom {}
