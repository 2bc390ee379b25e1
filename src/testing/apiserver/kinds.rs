//! The kinds of objects that the server keeps: the built-in ones, and those that custom resource definitions add.

use std::cell::Cell;
use std::cmp::Reverse;
use std::rc::Rc;

use serde_json::Value;

use super::table::json_path::PrinterColumn;
use crate::api::{GroupVersionResource, Manifest};

/// One kind, under all versions that it is served in.
#[derive(Debug, Default)]
pub(super) struct Kind {
    /// Empty for the core group.
    pub(super) group: String,
    /// Plural.
    pub(super) resource: String,
    pub(super) singular: String,
    pub(super) kind: String,
    pub(super) list_kind: String,
    pub(super) short_names: Vec<String>,
    pub(super) categories: Vec<String>,
    pub(super) namespaced: bool,
    /// `status`, `scale` and whatever else lies below an object.
    pub(super) subresources: Vec<String>,
    /// Served, the preferred one first; never empty.
    pub(super) versions: Vec<Version>,
    /// The version that the store keeps objects in.
    pub(super) storage_version: String,
    /// As error messages name it, and unique: `pods`, `deployments.apps`.
    pub(super) qualified: String,
    /// Where the subresource `scale` reads and writes; none without that subresource.
    pub(super) scale: Option<Scale>,
    /// Whether a definition describes it.
    pub(super) custom: bool,
    /// What its definition says; null for built-in kinds.
    pub(super) definition: Value,
    /// The newest resourceVersion of its objects, once it is redefined or gone; 0 before.
    pub(super) ended: Cell<u64>,
}

/// Paths below the object, without a leading dot: `spec.replicas`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) spec_replicas: String,
    pub(super) status_replicas: String,
    /// Of a text; built-in kinds have the selector itself, and this is its path.
    pub(super) label_selector: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Version {
    pub(super) name: String,
    /// The field selectors that it knows besides `metadata.name` and `metadata.namespace`.
    pub(super) fields: Vec<String>,
    /// Of custom resources, behind the name.
    pub(super) columns: Vec<PrinterColumn>,
    /// Of custom resources.
    pub(super) schema: Value,
    /// Each answer warns of it.
    pub(super) is_deprecated: bool,
}

impl Kind {
    /// Of the version that the store keeps objects in.
    pub(super) fn api_version(&self) -> String {
        self.api_version_of(&self.storage_version)
    }

    pub(super) fn api_version_of(&self, version: &str) -> String {
        GroupVersionResource::new(&self.group, version, "").api_version()
    }

    pub(super) fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// Whether objects have this subresource: with `status`, a status that is sent to the object itself is ignored.
    pub(super) fn has(&self, subresource: &str) -> bool {
        self.subresources.iter().any(|known| known == subresource)
    }

    /// Watches of it have nothing more to tell behind this resourceVersion.
    pub(super) fn end_at(&self, resource_version: u64) {
        self.ended.set(resource_version);
    }

    /// Whether it is a question to the server, of which nothing is kept.
    pub(super) fn is_review(&self) -> bool {
        ["authentication.k8s.io", "authorization.k8s.io"].contains(&self.group.as_str())
    }

    /// Whether it is measured, and can only be read.
    pub(super) fn is_metrics(&self) -> bool {
        self.group == METRICS
    }

    /// Whether this is the kind with that qualified name.
    pub(super) fn is(&self, qualified: &str) -> bool {
        self.qualified == qualified
    }
}

/// All kinds of a server, in the order of the discovery documents.
#[derive(Debug)]
pub(super) struct Kinds {
    all: Vec<Rc<Kind>>,
}

impl Kinds {
    /// The built-in ones.
    pub(super) fn new() -> Self {
        Self { all: BUILT_IN.lines().filter_map(read_line).map(Rc::new).collect() }
    }

    pub(super) fn all(&self) -> &[Rc<Kind>] {
        &self.all
    }

    /// By the plural, `pods`, or by the qualified name, `widgets.example.com`. Built-in kinds come first.
    pub(super) fn by_resource(&self, name: &str) -> Option<Rc<Kind>> {
        self.all.iter().find(|kind| kind.resource == name || kind.qualified == name).cloned()
    }

    /// As a path names it, in a version that is served.
    pub(super) fn by_path(&self, group: &str, version: &str, resource: &str) -> Option<Rc<Kind>> {
        let mut kinds = self.all.iter().filter(|kind| kind.group == group && kind.resource == resource);
        kinds.find(|kind| kind.version(version).is_some()).cloned()
    }

    /// By what an object says that it is.
    pub(super) fn of(&self, object: &Manifest) -> Option<Rc<Kind>> {
        let name = object.group_version_kind();
        let mut kinds = self.all.iter().filter(|kind| kind.kind == name.kind && kind.group == name.group);
        kinds.find(|kind| kind.version(&name.version).is_some()).cloned()
    }

    /// Adds a kind, or puts it in the place of the one with the same qualified name.
    pub(super) fn put(&mut self, kind: Kind) {
        match self.all.iter_mut().find(|known| known.qualified == kind.qualified) {
            Some(known) => *known = Rc::new(kind),
            None => self.all.push(Rc::new(kind)),
        }
    }

    /// Adds those that are measured.
    pub(super) fn put_metrics(&mut self) {
        MEASURED.lines().filter_map(read_line).for_each(|kind| self.put(kind));
    }

    pub(super) fn remove(&mut self, qualified: &str) {
        self.all.retain(|kind| !kind.custom || kind.qualified != qualified);
    }
}

/// Orders versions as discovery does: `v2`, `v1`, `v1beta1`, `v1alpha1`, then others by name.
pub(super) fn version_rank(name: &str) -> (Reverse<(u8, u32, u32)>, String) {
    let read = || {
        let rest = name.strip_prefix('v')?;
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let major = rest[..end].parse().ok()?;
        match &rest[end..] {
            "" => Some((3, major, 0)),
            stage => ["alpha", "beta"]
                .iter()
                .zip(1..)
                .find_map(|(prefix, rank)| Some((rank, major, stage.strip_prefix(prefix)?.parse().ok()?))),
        }
    };
    (Reverse(read().unwrap_or_default()), name.into())
}

/// Group and version, plural, singular, kind, `c` when cluster-scoped; then lists, `-` when empty: short names,
/// categories, subresources that are offered, field selectors. The groups stand in the real server's order.
const BUILT_IN: &str = "\
v1 configmaps configmap ConfigMap n cm - - -
v1 endpoints endpoints Endpoints n ep - - -
v1 events event Event n ev - - involvedObject.kind,involvedObject.namespace,involvedObject.name,involvedObject.uid,involvedObject.apiVersion,involvedObject.resourceVersion,involvedObject.fieldPath,reason,reportingComponent,source,type
v1 limitranges limitrange LimitRange n limits - - -
v1 namespaces namespace Namespace c ns - status status.phase
v1 nodes node Node c no - status spec.unschedulable
v1 persistentvolumeclaims persistentvolumeclaim PersistentVolumeClaim n pvc - status -
v1 persistentvolumes persistentvolume PersistentVolume c pv - status -
v1 pods pod Pod n po all exec,log,status spec.nodeName,spec.restartPolicy,spec.schedulerName,spec.serviceAccountName,spec.hostNetwork,status.phase,status.podIP,status.nominatedNodeName
v1 podtemplates podtemplate PodTemplate n - - - -
v1 replicationcontrollers replicationcontroller ReplicationController n rc all status,scale status.replicas
v1 resourcequotas resourcequota ResourceQuota n quota - status -
v1 secrets secret Secret n - - - type
v1 serviceaccounts serviceaccount ServiceAccount n sa - - -
v1 services service Service n svc all status spec.clusterIP,spec.type
apiregistration.k8s.io/v1 apiservices apiservice APIService c - api-extensions status -
apps/v1 controllerrevisions controllerrevision ControllerRevision n - - - -
apps/v1 daemonsets daemonset DaemonSet n ds all status -
apps/v1 deployments deployment Deployment n deploy all status,scale -
apps/v1 replicasets replicaset ReplicaSet n rs all status,scale status.replicas
apps/v1 statefulsets statefulset StatefulSet n sts all status,scale -
authentication.k8s.io/v1 selfsubjectreviews selfsubjectreview SelfSubjectReview c - - - -
authorization.k8s.io/v1 localsubjectaccessreviews localsubjectaccessreview LocalSubjectAccessReview n - - - -
authorization.k8s.io/v1 selfsubjectaccessreviews selfsubjectaccessreview SelfSubjectAccessReview c - - - -
authorization.k8s.io/v1 selfsubjectrulesreviews selfsubjectrulesreview SelfSubjectRulesReview c - - - -
authorization.k8s.io/v1 subjectaccessreviews subjectaccessreview SubjectAccessReview c - - - -
autoscaling/v2 horizontalpodautoscalers horizontalpodautoscaler HorizontalPodAutoscaler n hpa all status -
batch/v1 cronjobs cronjob CronJob n cj all status -
batch/v1 jobs job Job n - all status status.successful
networking.k8s.io/v1 ingressclasses ingressclass IngressClass c - - - -
networking.k8s.io/v1 ingresses ingress Ingress n ing - status -
networking.k8s.io/v1 networkpolicies networkpolicy NetworkPolicy n netpol - - -
policy/v1 poddisruptionbudgets poddisruptionbudget PodDisruptionBudget n pdb - status -
rbac.authorization.k8s.io/v1 clusterrolebindings clusterrolebinding ClusterRoleBinding c - - - -
rbac.authorization.k8s.io/v1 clusterroles clusterrole ClusterRole c - - - -
rbac.authorization.k8s.io/v1 rolebindings rolebinding RoleBinding n - - - -
rbac.authorization.k8s.io/v1 roles role Role n - - - -
storage.k8s.io/v1 storageclasses storageclass StorageClass c sc - - -
apiextensions.k8s.io/v1 customresourcedefinitions customresourcedefinition CustomResourceDefinition c crd,crds api-extensions status -
scheduling.k8s.io/v1 priorityclasses priorityclass PriorityClass c pc - - -
coordination.k8s.io/v1 leases lease Lease n - - - -
discovery.k8s.io/v1 endpointslices endpointslice EndpointSlice n - - - -
";

const METRICS: &str = "metrics.k8s.io";

/// As [`BUILT_IN`].
const MEASURED: &str = "\
metrics.k8s.io/v1beta1 nodes node NodeMetrics c - - - -
metrics.k8s.io/v1beta1 pods pod PodMetrics n - - - -
";

/// None when a column is missing, which a test excludes.
fn read_line(line: &str) -> Option<Kind> {
    let mut columns = line.split(' ');
    let api_version = columns.next()?;
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let mut text = || columns.next().map(str::to_owned);
    let (resource, singular, kind, scope) = (text()?, text()?, text()?, text()?);
    let mut list = || -> Option<Vec<String>> {
        let names = text()?;
        Some(names.split(',').filter(|name| *name != "-").map(str::to_owned).collect())
    };
    let (short_names, categories, subresources, fields) = (list()?, list()?, list()?, list()?);
    let scale = subresources.iter().any(|name| name == "scale");
    Some(Kind {
        qualified: GroupVersionResource::new(group, version, &resource).to_string(),
        group: group.into(),
        list_kind: format!("{kind}List"),
        resource,
        singular,
        kind,
        short_names,
        categories,
        namespaced: scope == "n",
        scale: scale.then(|| Scale {
            spec_replicas: "spec.replicas".into(),
            status_replicas: "status.replicas".into(),
            label_selector: Some("spec.selector".into()),
        }),
        subresources,
        versions: vec![Version { name: version.into(), fields, ..Version::default() }],
        storage_version: version.into(),
        ..Kind::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_kind_and_no_two_share_a_name() {
        let kinds = Kinds::new();
        assert_eq!(kinds.all().len(), BUILT_IN.lines().count());
        let mut names: Vec<_> = kinds.all().iter().map(|kind| &kind.resource).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), kinds.all().len());
        let deployments = kinds.by_path("apps", "v1", "deployments").unwrap();
        assert!(deployments.namespaced && deployments.has("status") && deployments.short_names == ["deploy"]);
    }

    #[test]
    fn versions_stand_in_the_order_of_their_ripeness() {
        let mut names = ["v1alpha1", "x", "v1", "v2beta1", "v10", "v2", "v1beta2", "v1beta1", "a"];
        names.sort_by_cached_key(|name| version_rank(name));
        assert_eq!(names, ["v10", "v2", "v1", "v2beta1", "v1beta2", "v1beta1", "v1alpha1", "a", "x"]);
    }
}
