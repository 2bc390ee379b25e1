//! Typed requests (client-go: `kubernetes/clientset.go` and `kubernetes/typed`): the types are k8s-openapi's, and which
//! kinds there are is one table.
//!
//! ```
//! # #[cfg(feature = "testing")] {
//! use watchglass::api::{GetOptions, ListOptions};
//! use watchglass::rest::{Config, clientset::Clientset};
//! # use watchglass::testing::{Sandbox, apiserver::ApiServer, objects};
//! # let sandbox = Sandbox::new();
//! # let server = ApiServer::new(sandbox.runtime());
//! # server.seed(objects::pod("shop", "web-0")).unwrap();
//! # sandbox.block_on(async {
//! let clientset = Clientset::for_config(&Config::new(&sandbox.runtime(), server.transport()));
//! let pods = clientset.core_v1().pods("shop").list(&ListOptions::default()).await?;
//! assert_eq!(pods.items[0].metadata.name.as_deref(), Some("web-0"));
//! let missing = clientset.apps_v1().deployments("shop").get("web", &GetOptions::default()).await;
//! assert!(missing.unwrap_err().is_not_found());
//! # Ok::<(), watchglass::api::Error>(())
//! # }).unwrap();
//! # }
//! ```

#![deny(missing_docs)]

mod expansions;
mod groups;
mod informer;
mod typed_api;
mod typed_event;

pub use expansions::HasScale;
pub use groups::*;
pub use informer::{TypedInformer, TypedLister, TypedNamespaceLister};
pub use typed_api::{Api, Kind};
pub use typed_event::{TypedEvent, TypedWatch, from_object, to_manifest};
