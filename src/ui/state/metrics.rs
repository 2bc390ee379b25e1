use std::time::Duration;

use super::Session;
use crate::api::{Error, GroupVersionResource, ListOptions, Object, ResourcePath};

/// metrics-server measures every fifteen seconds.
pub(crate) const BETWEEN_MEASUREMENTS: Duration = Duration::from_secs(15);

/// With more, a list of what all use every few seconds is more than a glance is worth.
pub(crate) const MOST_MEASURED: usize = 5_000;

/// What metrics.k8s.io has of this name, `pods` or `nodes`; none where it is not served, as far as the server tells.
///
/// Mostly known already: the rail asks for it too.
pub(crate) async fn metrics_resource(session: Session, name: &str) -> Option<GroupVersionResource> {
    let found = session.discovery().server_preferred_resources().await.ok()?;
    let mut metrics = found.each_resource().filter(|(version, _)| version.group == "metrics.k8s.io");
    let (version, resource) = metrics.find(|(_, resource)| resource.name == name)?;
    Some(GroupVersionResource::new(&version.group, &version.version, &resource.name))
}

/// All objects of a resource, in a namespace or in all.
pub(crate) fn path_in(resource: &GroupVersionResource, namespace: Option<&str>) -> ResourcePath {
    let all = ResourcePath::all(resource.clone());
    match namespace {
        Some(namespace) => all.in_namespace(namespace),
        None => all,
    }
}

/// All of them, in a namespace or in all.
pub(crate) async fn list_metrics(
    session: Session,
    resource: &GroupVersionResource,
    namespace: Option<&str>,
) -> Result<Vec<Object>, Error> {
    session.client().list(&path_in(resource, namespace), &ListOptions::default(), &|_| {}).await.map(|list| list.items)
}
