use super::read::{at, count, joined, labels, plain, selector, status, text};
use super::{Cell, Object};

/// Where a cell comes from. Paths have a dot between the names of fields.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Namespace,
    Name,
    Age,
    CreatedAt,
    /// A text, empty where there is none.
    Text(&'static str),
    /// A text, `<none>` where it is empty or there is none.
    OrNone(&'static str),
    /// A text, `<unset>` where there is none.
    OrUnset(&'static str),
    /// A text with its health.
    Status(&'static str),
    /// A whole number, zero where there is none.
    Number(&'static str),
    /// A number or quantity, and what stands where there is none.
    Quantity(&'static str, &'static str),
    /// `true` or `false`, the latter where there is none.
    Flag(&'static str),
    /// How many entries a list or map has.
    Count(&'static str),
    /// The texts of a list with commas between them; `list[].field` where they are fields of its items.
    Joined(&'static str),
    /// As [`Joined`](Self::Joined), `<none>` where there are none.
    JoinedOrNone(&'static str),
    /// A map of labels.
    Labels(&'static str),
    /// A label selector.
    Selector(&'static str),
    By(fn(&Object) -> Cell),
    /// The resource prints the row as a whole.
    Printed,
    /// Told beside the object, in this place.
    Beside(u8),
    /// A quantity that is told beside the object, in this place.
    Measured(u8),
}

impl Source {
    pub(super) const fn is_numeric(self) -> bool {
        matches!(self, Self::Age | Self::Number(_) | Self::Quantity(..) | Self::Count(_) | Self::Measured(_))
    }

    pub(super) fn cell(self, object: &Object) -> Cell {
        match self {
            Self::Namespace => Cell::text(object.namespace()),
            Self::Name => Cell::text(object.name()),
            Self::Age => Cell::Age(object.creation_timestamp()),
            // Texts like this one sort as the times do.
            Self::CreatedAt => Cell::exact(match &*text(object, "metadata.creationTimestamp") {
                "" => "0001-01-01T00:00:00Z",
                time => time,
            }),
            Self::Text(path) => Cell::exact(&text(object, path)),
            Self::OrNone(path) => Cell::text(&text(object, path)),
            Self::OrUnset(path) => Cell::exact(&at(object, path).map_or_else(|| "<unset>".into(), plain)),
            Self::Status(path) => status(&text(object, path)),
            Self::Number(path) => Cell::Number(at(object, path).and_then(|it| it.as_i64()).unwrap_or(0)),
            Self::Quantity(path, none) => {
                Cell::Quantity(at(object, path).map_or_else(|| none.into(), plain).into_owned().into())
            }
            Self::Flag(path) => flag(at(object, path).and_then(|it| it.as_bool()).unwrap_or(false)),
            Self::Count(path) => Cell::Number(count(object, path)),
            Self::Joined(path) => Cell::exact(&joined(object, path)),
            Self::JoinedOrNone(path) => Cell::text(&joined(object, path)),
            Self::Labels(path) => Cell::text(&labels(at(object, path))),
            Self::Selector(path) => match selector(at(object, path)) {
                Some(text) => Cell::text(&text),
                None => Cell::exact("<error>"),
            },
            Self::By(cell) => cell(object),
            Self::Printed => Cell::Text(None),
            Self::Beside(_) => Cell::exact(""),
            Self::Measured(_) => Cell::Quantity("".into()),
        }
    }
}

pub(super) fn flag(is_so: bool) -> Cell {
    Cell::exact(if is_so { "true" } else { "false" })
}
