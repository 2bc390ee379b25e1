/// In which form the server is to give objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accept {
    /// Whole.
    #[default]
    Object,
    /// `PartialObjectMetadata`: all but what the kind itself holds.
    #[doc(alias = "PartialObjectMetadata")]
    Metadata,
    /// A `Table`, as `kubectl get` prints them.
    Table(IncludeObject),
}

/// What a table's rows hold besides their cells (`metav1.IncludeObjectPolicy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncludeObject {
    /// Nothing.
    None,
    #[default]
    Metadata,
    /// The whole object.
    Object,
}

pub(in crate::rest) const JSON: &str = "application/json";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

impl Accept {
    /// For single objects, and for a watch.
    pub(in crate::rest) const fn header(self) -> &'static str {
        match self {
            Self::Object => JSON,
            Self::Metadata => METADATA,
            Self::Table(_) => TABLE,
        }
    }

    /// For lists.
    pub(in crate::rest) const fn list_header(self) -> &'static str {
        match self {
            Self::Metadata => METADATA_LIST,
            other => other.header(),
        }
    }

    pub(super) const fn query(self) -> &'static str {
        match self {
            Self::Table(IncludeObject::None) => "includeObject=None",
            Self::Table(IncludeObject::Object) => "includeObject=Object",
            // The server includes the metadata by itself.
            _ => "",
        }
    }
}
