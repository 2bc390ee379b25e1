use crate::api::{GroupVersionResource, Object};

/// A resource that the server keeps. All of them are of version `v1`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Empty for the core group.
    pub(super) group: &'static str,
    /// Plural; no two groups here share one.
    pub(super) resource: &'static str,
    pub(super) singular: &'static str,
    pub(super) kind: &'static str,
    pub(super) short_names: &'static [&'static str],
    pub(super) namespaced: bool,
    /// Has the subresource `status`, and so ignores a status that is sent to the object itself.
    pub(super) has_status: bool,
    /// The field selectors that it knows besides `metadata.name` and `metadata.namespace`.
    pub(super) fields: &'static [&'static str],
}

impl Kind {
    /// By the plural, `pods`.
    pub(super) fn by_resource(resource: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.resource == resource)
    }

    /// By what an object says that it is.
    pub(super) fn of(object: &Object) -> Option<&'static Self> {
        let name = object.group_version_kind();
        KINDS.iter().find(|kind| kind.kind == name.kind && kind.group == name.group && name.version == "v1")
    }

    pub(super) fn api_version(&self) -> String {
        GroupVersionResource::new(self.group, "v1", self.resource).api_version()
    }

    /// As error messages name it: `pods`, `deployments.apps`.
    pub(super) fn qualified(&self) -> String {
        GroupVersionResource::new(self.group, "v1", self.resource).to_string()
    }
}

const POD_FIELDS: &[&str] = &[
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
];

const EVENT_FIELDS: &[&str] = &[
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];

const fn core(resource: &'static str, singular: &'static str, kind: &'static str) -> Kind {
    Kind { group: "", resource, singular, kind, short_names: &[], namespaced: true, has_status: true, fields: &[] }
}

const fn apps(resource: &'static str, singular: &'static str, kind: &'static str) -> Kind {
    Kind { group: "apps", ..core(resource, singular, kind) }
}

/// By group, then by name: the order of the discovery documents.
pub(super) static KINDS: [Kind; 11] = [
    Kind { short_names: &["cm"], has_status: false, ..core("configmaps", "configmap", "ConfigMap") },
    Kind { short_names: &["ev"], has_status: false, fields: EVENT_FIELDS, ..core("events", "event", "Event") },
    Kind {
        short_names: &["ns"],
        namespaced: false,
        fields: &["status.phase"],
        ..core("namespaces", "namespace", "Namespace")
    },
    Kind { short_names: &["no"], namespaced: false, fields: &["spec.unschedulable"], ..core("nodes", "node", "Node") },
    Kind { short_names: &["po"], fields: POD_FIELDS, ..core("pods", "pod", "Pod") },
    Kind { has_status: false, fields: &["type"], ..core("secrets", "secret", "Secret") },
    Kind { short_names: &["svc"], fields: &["spec.clusterIP", "spec.type"], ..core("services", "service", "Service") },
    Kind { short_names: &["ds"], ..apps("daemonsets", "daemonset", "DaemonSet") },
    Kind { short_names: &["deploy"], ..apps("deployments", "deployment", "Deployment") },
    Kind { short_names: &["rs"], fields: &["status.replicas"], ..apps("replicasets", "replicaset", "ReplicaSet") },
    Kind { group: "batch", fields: &["status.successful"], ..core("jobs", "job", "Job") },
];
