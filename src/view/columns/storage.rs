use super::network::default_name;
use super::read::{at, joined, status, text};
use super::source::flag;
use super::{Cell, Column, Object, Resource, Source};

const GROUP: &str = "storage.k8s.io";

/// What volumes are made by.
pub(super) static KINDS: [Resource; 6] = [
    Resource::of("StorageClasses", "StorageClass", "storageclasses", GROUP, "v1", &CLASSES),
    Resource::of("VolumeAttachments", "VolumeAttachment", "volumeattachments", GROUP, "v1", &ATTACHMENTS),
    Resource::of(
        "VolumeAttributesClasses",
        "VolumeAttributesClass",
        "volumeattributesclasses",
        GROUP,
        "v1",
        &ATTRIBUTES_CLASSES,
    ),
    Resource::of("CSIDrivers", "CSIDriver", "csidrivers", GROUP, "v1", &CSI_DRIVERS),
    Resource::of("CSINodes", "CSINode", "csinodes", GROUP, "v1", &CSI_NODES),
    Resource::of("CSIStorageCapacities", "CSIStorageCapacity", "csistoragecapacities", GROUP, "v1", &CSI_CAPACITIES),
];

static CLASSES: [Column; 6] = [
    Column::of("NAME", Source::By(class_name), "Its name, and whether it is the default"),
    Column::of("PROVISIONER", Source::Text("provisioner"), "What makes its volumes"),
    Column::of("RECLAIMPOLICY", Source::By(reclaim_policy), "What becomes of a volume after its claim"),
    Column::of("VOLUMEBINDINGMODE", Source::By(binding_mode), "When volumes are made"),
    Column::of("ALLOWVOLUMEEXPANSION", Source::Flag("allowVolumeExpansion"), "Whether volumes may grow"),
    Column::AGE,
];

static ATTACHMENTS: [Column; 6] = [
    Column::NAME,
    Column::of("ATTACHER", Source::Text("spec.attacher"), "The driver that attaches it"),
    Column::of("PV", Source::Text("spec.source.persistentVolumeName"), "The volume"),
    Column::of("NODE", Source::Text("spec.nodeName"), "The node it is attached to"),
    Column::of("ATTACHED", Source::By(attached), "Whether it is attached"),
    Column::AGE,
];

static ATTRIBUTES_CLASSES: [Column; 3] =
    [Column::NAME, Column::of("DRIVERNAME", Source::Text("driverName"), "The driver it is for"), Column::AGE];

static CSI_DRIVERS: [Column; 8] = [
    Column::NAME,
    Column::of("ATTACHREQUIRED", Source::By(attach_required), "Whether volumes must be attached"),
    Column::of("PODINFOONMOUNT", Source::Flag("spec.podInfoOnMount"), "Whether it is told of the pod"),
    Column::of("STORAGECAPACITY", Source::Flag("spec.storageCapacity"), "Whether pods are placed by its capacity"),
    Column::of("TOKENREQUESTS", Source::By(token_requests), "Audiences of the tokens it needs"),
    Column::of("REQUIRESREPUBLISH", Source::Flag("spec.requiresRepublish"), "Whether mounts are renewed now and then"),
    Column::of("MODES", Source::JoinedOrNone("spec.volumeLifecycleModes"), "Which kinds of volumes it has"),
    Column::AGE,
];

static CSI_NODES: [Column; 3] =
    [Column::NAME, Column::of("DRIVERS", Source::Count("spec.drivers"), "Drivers on the node"), Column::AGE];

/// The API server has a printer with more columns, and does not use it.
static CSI_CAPACITIES: [Column; 3] = [Column::NAMESPACE, Column::NAME, Column::CREATED_AT];

/// `kubectl` notes the newest of several defaults alone, which an object does not say of itself.
fn class_name(class: &Object) -> Cell {
    let annotations =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
    default_name(class, &annotations)
}

fn reclaim_policy(class: &Object) -> Cell {
    text_or(class, "reclaimPolicy", "Delete")
}

fn binding_mode(class: &Object) -> Cell {
    text_or(class, "volumeBindingMode", "Immediate")
}

fn text_or(object: &Object, path: &str, none: &str) -> Cell {
    match at(object, path) {
        Some(_) => Cell::exact(&text(object, path)),
        None => Cell::exact(none),
    }
}

fn attached(attachment: &Object) -> Cell {
    let is_attached = at(attachment, "status.attached").and_then(|it| it.as_bool()) == Some(true);
    status(if is_attached { "true" } else { "false" })
}

fn attach_required(driver: &Object) -> Cell {
    flag(at(driver, "spec.attachRequired").and_then(|it| it.as_bool()).unwrap_or(true))
}

fn token_requests(driver: &Object) -> Cell {
    match at(driver, "spec.tokenRequests") {
        Some(_) => Cell::exact(&joined(driver, "spec.tokenRequests[].audience")),
        None => Cell::exact("<unset>"),
    }
}
