use super::read::{at, items, plain, status, text};
use super::{Cell, Column, Object, Resource, Source};

/// Volumes and claims to them.
pub(super) static KINDS: [Resource; 2] = [
    Resource::of("PersistentVolumeClaims", "PersistentVolumeClaim", "persistentvolumeclaims", "", "v1", &CLAIMS),
    Resource::of("PersistentVolumes", "PersistentVolume", "persistentvolumes", "", "v1", &VOLUMES),
];

const STATUS: Column = Column::of("STATUS", Source::By(phase), "Whether volume and claim have found each other");
const STORAGE_CLASS: Column = Column::of("STORAGECLASS", Source::By(class), "Its storage class");
const ATTRIBUTES_CLASS: Column =
    Column::of("VOLUMEATTRIBUTESCLASS", Source::OrUnset("spec.volumeAttributesClassName"), "Its class of attributes");
const VOLUME_MODE: Column =
    Column::of("VOLUMEMODE", Source::OrUnset("spec.volumeMode"), "Whether it has files or blocks").wide();

static VOLUMES: [Column; 11] = [
    Column::NAME,
    Column::of("CAPACITY", Source::Quantity("spec.capacity.storage", "0"), "Its size"),
    Column::of("ACCESS MODES", Source::By(volume_modes), "Who may use it at once"),
    Column::of(
        "RECLAIM POLICY",
        Source::Text("spec.persistentVolumeReclaimPolicy"),
        "What becomes of it after its claim",
    ),
    STATUS,
    Column::of("CLAIM", Source::By(claim), "The claim that has it"),
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    Column::of("REASON", Source::Text("status.reason"), "Why it has failed"),
    Column::AGE,
    VOLUME_MODE,
];

static CLAIMS: [Column; 10] = [
    Column::NAMESPACE,
    Column::NAME,
    STATUS,
    Column::of("VOLUME", Source::Text("spec.volumeName"), "The volume that it has"),
    Column::of("CAPACITY", Source::By(claimed), "The size of its volume").numeric(),
    Column::of("ACCESS MODES", Source::By(claim_modes), "Who may use its volume at once"),
    STORAGE_CLASS,
    ATTRIBUTES_CLASS,
    Column::AGE,
    VOLUME_MODE,
];

fn phase(object: &Object) -> Cell {
    match at(object, "metadata.deletionTimestamp") {
        Some(_) => status("Terminating"),
        None => status(&text(object, "status.phase")),
    }
}

fn class(object: &Object) -> Cell {
    let annotation = object.annotation("volume.beta.kubernetes.io/storage-class");
    Cell::exact(&annotation.unwrap_or_else(|| text(object, "spec.storageClassName")))
}

fn volume_modes(volume: &Object) -> Cell {
    access_modes(volume, "spec.accessModes")
}

fn claim_modes(claim: &Object) -> Cell {
    match is_bound(claim) {
        true => access_modes(claim, "status.accessModes"),
        false => Cell::exact(""),
    }
}

fn is_bound(claim: &Object) -> bool {
    !text(claim, "spec.volumeName").is_empty()
}

/// (kubernetes: pkg/apis/core/helper, `GetAccessModesAsString`)
fn access_modes(object: &Object, path: &str) -> Cell {
    let known =
        [("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP")];
    let has = |mode: &str| items(object, path).any(|it| plain(it) == mode);
    let modes: Vec<_> = known.iter().filter(|(mode, _)| has(mode)).map(|(_, short)| *short).collect();
    Cell::exact(&modes.join(","))
}

fn claim(volume: &Object) -> Cell {
    let Some(_) = at(volume, "spec.claimRef") else { return Cell::exact("") };
    Cell::exact(&[&text(volume, "spec.claimRef.namespace"), "/", &text(volume, "spec.claimRef.name")].concat())
}

fn claimed(claim: &Object) -> Cell {
    match is_bound(claim) {
        true => Source::Quantity("status.capacity.storage", "0").cell(claim),
        false => Cell::Quantity("".into()),
    }
}
