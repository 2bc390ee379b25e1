//! From what people call a resource to what the server calls it, and from kinds to resources and back
//! (apimachinery: `pkg/api/meta`; client-go: `restmapper`).
//!
//! All but `deferred` only compute: they know what they were given. `deferred` asks the server.

mod category;
mod default_mapper;
mod deferred;
mod discovery_mapper;
mod error;
mod guess;
mod mapper;
mod multi;
mod priority;
mod shortcut;

pub use category::{CategoryExpander, DiscoveryCategoryExpander, SimpleCategoryExpander, UnionCategoryExpander};
pub use default_mapper::DefaultRestMapper;
pub use deferred::DeferredDiscoveryRestMapper;
pub use discovery_mapper::{ApiGroupResources, api_group_resources, new_discovery_rest_mapper};
pub use error::RestMapperError;
pub use guess::unsafe_guess_kind_to_resource;
pub use mapper::{RestMapper, RestMapping, RestScope};
pub use multi::MultiRestMapper;
pub use priority::{ANY, PriorityRestMapper};
pub use shortcut::{ShortcutExpander, WarningHandler};
