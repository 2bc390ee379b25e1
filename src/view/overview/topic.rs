use crate::api::GroupVersionResource;

/// The kinds that a survey follows, in the order in which one wants to hear of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    Nodes,
    Pods,
    Deployments,
    StatefulSets,
    DaemonSets,
    Jobs,
    Claims,
    Events,
}

impl Topic {
    pub const ALL: [Self; 8] = [
        Self::Nodes,
        Self::Pods,
        Self::Deployments,
        Self::StatefulSets,
        Self::DaemonSets,
        Self::Jobs,
        Self::Claims,
        Self::Events,
    ];

    /// The group, the name, and one of them in a sentence.
    const fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Pods => ("", "pods", "pod"),
            Self::Nodes => ("", "nodes", "node"),
            Self::Deployments => ("apps", "deployments", "deployment"),
            Self::StatefulSets => ("apps", "statefulsets", "StatefulSet"),
            Self::DaemonSets => ("apps", "daemonsets", "DaemonSet"),
            Self::Jobs => ("batch", "jobs", "job"),
            Self::Claims => ("", "persistentvolumeclaims", "PersistentVolumeClaim"),
            Self::Events => ("", "events", "event"),
        }
    }

    pub fn resource(self) -> GroupVersionResource {
        let (group, name, _) = self.names();
        GroupVersionResource::new(group, "v1", name)
    }

    /// The page that lists them.
    pub fn page(self) -> String {
        match self {
            Self::Events => "grouped-events".into(),
            _ => self.resource().to_string(),
        }
    }

    /// One or many of them in a sentence: `1 pod`, `nodes`.
    pub fn noun(self, count: usize) -> String {
        let (_, _, noun) = self.names();
        [noun, if count == 1 { "" } else { "s" }].concat()
    }

    pub const fn is_namespaced(self) -> bool {
        !matches!(self, Self::Nodes)
    }
}
