//! The wire: what an API server sends and takes, as pure data.
//!
//! Nothing here does I/O, waits, or knows which host it runs on.

mod delete_options;
mod discovery;
mod duration;
mod error;
mod exec_options;
mod go_number;
mod group_version;
mod gvk;
mod jsonpath;
mod list;
mod list_options;
mod log_options;
mod manifest;
mod meta;
mod object;
mod patch;
mod path;
mod query;
mod selector;
mod status;
mod table;
mod time;
mod watch_event;
mod watch_list;
mod write_options;

pub use delete_options::{DeleteOptions, Preconditions, PropagationPolicy};
pub(crate) use discovery::OpenApiV3Discovery;
pub use discovery::{
    ApiGroup, ApiGroupDiscovery, ApiGroupDiscoveryList, ApiGroupList, ApiResource, ApiResourceDiscovery,
    ApiResourceList, ApiSubresourceDiscovery, ApiVersionDiscovery, ApiVersions, DiscoveryName,
    GroupVersionForDiscovery, VersionInfo,
};
pub use duration::human_duration;
pub use error::Error;
pub use exec_options::ExecOptions;
pub(crate) use go_number::number_text;
pub use group_version::{GroupKind, GroupResource, GroupVersion};
pub use gvk::{GroupVersionKind, GroupVersionResource};
pub use jsonpath::{EvaluationError, Found, JsonPath, JsonPathError, Scalar};
pub use list::{List, ListMeta};
pub use list_options::{ListOptions, ResourceVersionMatch};
pub use log_options::LogOptions;
pub use manifest::Manifest;
pub use meta::{ManagedBy, ObjectMeta, OwnerReference};
pub use object::{Object, ValueRef};
pub(crate) use object::{ObjectPool, TypeMeta};
pub use patch::Patch;
pub use path::{ResourcePath, percent_encode};
#[cfg(feature = "testing")]
pub(crate) use selector::field_text;
pub use selector::{FieldSelector, LabelSelector, SelectorError};
pub use status::{Status, StatusCause, StatusDetails};
pub use table::{Table, TableColumn, TableRow};
pub use time::parse_time;
pub use watch_event::WatchEvent;
pub use write_options::{ApplyOptions, CreateOptions, FieldValidation, GetOptions, PatchOptions, UpdateOptions};
