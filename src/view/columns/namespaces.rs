use super::{Cell, Column};
use crate::api::Object;
use crate::view::Health;

pub(super) const COLUMNS: [Column; 3] = [
    Column::new("NAME", false, "The namespace's name"),
    Column::new("STATUS", false, "Whether it is in use or being deleted"),
    Column::new("AGE", true, "Time since the namespace was created"),
];

/// A namespace's cells (kubernetes: pkg/printers/internalversion/printers.go, `printNamespace`).
pub(super) fn print(namespace: &Object) -> Box<[Cell]> {
    let phase = namespace.str_at(&["status", "phase"]).unwrap_or_default();
    let health = match &*phase {
        "Active" => Health::Ok,
        "Terminating" => Health::Terminated,
        _ => Health::Unknown,
    };
    Box::new([
        Cell::text(namespace.name()),
        Cell::Status { text: phase.into(), health },
        Cell::Age(namespace.creation_timestamp()),
    ])
}
