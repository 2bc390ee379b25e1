//! The columns of each kind, and how an object becomes a row of them, cell by cell as `kubectl get -o wide` prints it.
//!
//! A kind is a static table of columns; most columns are a `Source`, a path in the object and a kind of cell. What
//! the printers of Kubernetes read of internal objects is read here of the API's JSON.

mod access;
mod across;
mod admission;
mod autoscaling;
mod cluster;
mod column;
mod config;
mod devices;
pub(super) mod events;
mod healths;
mod moments;
mod network;
mod nodes;
mod pods;
mod read;
mod resource;
mod served;
mod services;
mod source;
mod storage;
mod told;
mod volumes;
mod workloads;

pub use across::Member;
pub use column::Column;
pub(super) use read::{labels, selector};
pub use resource::Resource;
pub use told::ServedTable;

pub(super) use self::pods::Standing;
use self::source::Source;
use self::told::ToldColumn;
use super::{Cell, Health, NONE, Row, Span};
use crate::api::{GroupVersionResource, Object, ValueRef, parse_time};

/// Pods with `kubectl`'s columns.
pub static PODS: Resource = Resource::of("Pods", "Pod", "pods", "", "v1", &pods::COLUMNS).printed_by(pods::print);

/// Namespaces with `kubectl`'s columns.
pub static NAMESPACES: Resource = Resource::of("Namespaces", "Namespace", "namespaces", "", "v1", &cluster::NAMESPACES);

static ALL: [&[Resource]; 15] = [
    std::slice::from_ref(&PODS),
    std::slice::from_ref(&NAMESPACES),
    &workloads::KINDS,
    &services::KINDS,
    &network::KINDS,
    &config::KINDS,
    &volumes::KINDS,
    &storage::KINDS,
    &nodes::KINDS,
    &events::KINDS,
    &access::KINDS,
    &autoscaling::KINDS,
    &admission::KINDS,
    &devices::KINDS,
    &cluster::KINDS,
];

/// The table of a kind of Kubernetes' own; none where there is none, or the version has other fields than the one that
/// the table is of.
///
/// The resource may be served in another version than [`Resource::version`].
pub fn built_in(resource: &GroupVersionResource) -> Option<&'static Resource> {
    built_ins().find(|it| it.is(resource))
}

/// All kinds of Kubernetes' own that have a table, those of a topic together.
pub fn built_ins() -> impl Iterator<Item = &'static Resource> {
    ALL.iter().copied().flatten()
}

#[cfg(test)]
mod tests;
