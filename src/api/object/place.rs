/// What is kept of an entry of `managedFields`: who changed the object, and when, not which fields.
pub(super) const MANAGER: [&str; 4] = ["manager", "operation", "subresource", "time"];

/// Where in an object a value stands, as far as it matters for what is left out and for what it must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    Root,
    /// The kind and its version.
    Type,
    Metadata,
    /// A value right in the metadata of which nothing else is known.
    Field,
    Time,
    /// Labels and annotations.
    Texts,
    Owners,
    ManagedFields,
    Manager,
    Elsewhere,
}

impl Place {
    /// That of an entry of the object that stands here.
    pub(super) fn below(self, key: &str) -> Self {
        match self {
            Self::Root => match key {
                "metadata" => Self::Metadata,
                "kind" | "apiVersion" => Self::Type,
                _ => Self::Elsewhere,
            },
            Self::Metadata => match key {
                "managedFields" => Self::ManagedFields,
                "creationTimestamp" | "deletionTimestamp" => Self::Time,
                "labels" | "annotations" => Self::Texts,
                "ownerReferences" => Self::Owners,
                _ => Self::Field,
            },
            Self::Texts | Self::Field => Self::Field,
            Self::Owners => Self::Owners,
            _ => Self::Elsewhere,
        }
    }

    /// That of a value of the array that stands here.
    pub(super) const fn item(self) -> Self {
        match self {
            Self::ManagedFields => Self::Manager,
            Self::Owners => Self::Owners,
            _ => Self::Elsewhere,
        }
    }

    /// Whether an object that stands here may do without what another one has.
    pub(super) const fn may_lack(self) -> bool {
        !matches!(self, Self::Root | Self::Owners)
    }

    /// Whether an object that stands here may have an entry that another one has not.
    pub(super) fn may_have(self, key: &str) -> bool {
        match self {
            Self::Root => self.below(key) == Self::Elsewhere,
            Self::Metadata | Self::Owners => false,
            _ => true,
        }
    }
}
