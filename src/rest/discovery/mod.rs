//! What a server serves: groups, versions and resources (client-go: `discovery`).
//!
//! `client` asks; `roots` and `aggregated` read the answers; `resources` holds what is known and only computes.
//! `cached` remembers, `stored` also beyond the program's end, and `invalidation` forgets when the server changes.

mod aggregated;
mod cached;
mod client;
mod error;
mod invalidation;
mod open_api;
mod print;
mod resources;
mod roots;
mod stored;

pub use aggregated::{SplitDiscovery, split_groups_and_resources};
pub use cached::CachedDiscoveryClient;
pub use client::DiscoveryClient;
pub use error::{DiscoveryError, FailedVersions};
pub use invalidation::Invalidation;
pub use print::{ApiResourcesOptions, ApiResourcesOutput, SortBy, print_api_resources, print_api_versions};
pub use resources::{GroupsAndMaybeResources, ResourcesByVersion, ServerResources, extract_group_versions};
pub use stored::DiscoveryStorage;
