use super::read::{at, items, status};
use super::{Cell, Column, Object, Resource, Source};

const GROUP: &str = "resource.k8s.io";

/// Devices of nodes and claims to them.
pub(super) static KINDS: [Resource; 4] = [
    Resource::of("ResourceClaims", "ResourceClaim", "resourceclaims", GROUP, "v1", &CLAIMS),
    Resource::of("ResourceClaimTemplates", "ResourceClaimTemplate", "resourceclaimtemplates", GROUP, "v1", &TEMPLATES),
    Resource::of("DeviceClasses", "DeviceClass", "deviceclasses", GROUP, "v1", &CLASSES),
    Resource::of("ResourceSlices", "ResourceSlice", "resourceslices", GROUP, "v1", &SLICES),
];

static CLAIMS: [Column; 4] = [
    Column::NAMESPACE,
    Column::NAME,
    Column::of("STATE", Source::By(state), "Whether devices are allocated, and for whom"),
    Column::AGE,
];

static TEMPLATES: [Column; 3] = [Column::NAMESPACE, Column::NAME, Column::AGE];

static CLASSES: [Column; 2] = [Column::NAME, Column::AGE];

static SLICES: [Column; 5] = [
    Column::NAME,
    Column::of("NODE", Source::Text("spec.nodeName"), "The node that has the devices"),
    Column::of("DRIVER", Source::Text("spec.driver"), "The driver of the devices"),
    Column::of("POOL", Source::Text("spec.pool.name"), "The pool that the devices are of"),
    Column::AGE,
];

/// (kubernetes: pkg/printers/internalversion/printers.go, `resourceClaimState`)
fn state(claim: &Object) -> Cell {
    let is_deleted = at(claim, "metadata.deletionTimestamp").is_some();
    let is_allocated = at(claim, "status.allocation").is_some();
    let is_reserved = is_allocated && items(claim, "status.reservedFor").next().is_some();
    let words = [
        (is_deleted, "deleted"),
        (!is_deleted && !is_allocated, "pending"),
        (is_allocated, "allocated"),
        (is_reserved, "reserved"),
    ];
    let words: Vec<_> = words.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
    status(&words.join(","))
}
