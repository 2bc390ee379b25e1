use super::{Cell, Source};

/// One column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// As `kubectl` heads it: `NAME`.
    pub name: &'static str,
    /// What the values mean.
    pub description: &'static str,
    /// Stands at the right: numbers and ages.
    pub is_numeric: bool,
    /// Shown on demand, as by `kubectl get -o wide`.
    pub wide: bool,
    pub(super) source: Source,
}

impl Column {
    pub(super) const NAMESPACE: Self = Self::of("NAMESPACE", Source::Namespace, "The namespace it is in");
    pub(super) const NAME: Self = Self::of("NAME", Source::Name, "Its name");
    pub(super) const AGE: Self = Self::of("AGE", Source::Age, "Time since it was created");
    pub(super) const CREATED_AT: Self = Self::of("CREATED AT", Source::CreatedAt, "When it was created");

    pub(super) const fn of(name: &'static str, source: Source, description: &'static str) -> Self {
        Self { name, description, is_numeric: source.is_numeric(), wide: false, source }
    }

    /// Numbers that a function makes.
    pub(super) const fn numeric(self) -> Self {
        Self { is_numeric: true, ..self }
    }

    pub(super) const fn wide(self) -> Self {
        Self { wide: true, ..self }
    }

    /// The names of the containers at a path, `spec.containers[].name`.
    pub(super) const fn containers(path: &'static str) -> Self {
        Self::of("CONTAINERS", Source::Joined(path), "Names of the containers in the template")
    }

    /// The images of the containers at a path, `spec.containers[].image`.
    pub(super) const fn images(path: &'static str) -> Self {
        Self::of("IMAGES", Source::Joined(path), "Images of the containers in the template")
    }

    /// Whether its cells are told beside the objects.
    pub const fn is_beside(&self) -> bool {
        matches!(self.source, Source::Beside(_) | Source::Measured(_))
    }

    /// The place of its cells among those that are told beside an object, and the cell of an object of which nothing is;
    /// none where they are the object's own.
    pub(in crate::view) fn beside(&self) -> Option<(usize, Cell)> {
        match self.source {
            Source::Beside(at) => Some((at.into(), Cell::exact(""))),
            Source::Measured(at) => Some((at.into(), Cell::Quantity("".into()))),
            _ => None,
        }
    }

    pub(super) const fn selector(source: Source) -> Self {
        Self::of("SELECTOR", source, "The labels of the pods it selects").wide()
    }
}
