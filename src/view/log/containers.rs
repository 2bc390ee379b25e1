use crate::api::Object;

/// A container of a pod whose log can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogContainer {
    pub name: String,
    pub role: Role,
    pub restarts: i64,
    /// There is a log of its last run too.
    pub has_previous: bool,
}

/// What a container is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Main,
    /// Runs before the others, or beside them from before they start.
    Init,
    /// Came later, to look for faults.
    Ephemeral,
}

const PLACES: [(&str, &str, Role); 3] = [
    ("containers", "containerStatuses", Role::Main),
    ("initContainers", "initContainerStatuses", Role::Init),
    ("ephemeralContainers", "ephemeralContainerStatuses", Role::Ephemeral),
];

/// What of a pod its logs' readers have to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPod {
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub containers: Vec<LogContainer>,
    /// The container to begin with.
    pub default: String,
}

impl LogPod {
    pub fn of(pod: &Object) -> Self {
        let containers = log_containers(pod);
        let default = default_container(pod, &containers).unwrap_or_default();
        let (namespace, name) = (pod.namespace().to_owned(), pod.name().to_owned());
        Self { namespace, name, uid: pod.uid().into_owned(), containers, default }
    }

    pub fn container(&self, name: &str) -> Option<&LogContainer> {
        self.containers.iter().find(|it| it.name == name)
    }
}

/// All containers of a pod, those that are its purpose first.
fn log_containers(pod: &Object) -> Vec<LogContainer> {
    let of = |(spec, status, role): (&str, &'static str, Role)| {
        let names: Vec<_> =
            pod.list_at(&["spec", spec]).filter_map(|it| Some(it.get("name")?.as_str()?.into())).collect();
        names.into_iter().map(move |name| container(pod, status, role, name))
    };
    PLACES.into_iter().flat_map(of).collect()
}

fn container(pod: &Object, statuses: &str, role: Role, name: String) -> LogContainer {
    let is_its = |name_of: Option<std::borrow::Cow<'_, str>>| name_of.is_some_and(|it| it == *name);
    let status = pod.list_at(&["status", statuses]).find(|it| is_its(it.get("name").and_then(|name| name.as_str())));
    let restarts = status.and_then(|status| status.get("restartCount")?.as_i64()).unwrap_or_default();
    let has_previous = status.is_some_and(|status| status.at(&["lastState", "terminated"]).is_some());
    LogContainer { name, role, restarts, has_previous }
}

/// The one to begin with: that which the pod names, else the first.
fn default_container(pod: &Object, containers: &[LogContainer]) -> Option<String> {
    let named = pod.annotation("kubectl.kubernetes.io/default-container");
    let named = named.filter(|named| containers.iter().any(|it| it.name == **named));
    named.map(|named| named.into_owned()).or_else(|| Some(containers.first()?.name.clone()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pod_has_containers_of_three_kinds_and_one_to_begin_with() {
        let mut pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a", "annotations": {} },
            "spec": {
                "initContainers": [{ "name": "setup" }],
                "containers": [{ "name": "proxy" }, { "name": "app" }],
                "ephemeralContainers": [{ "name": "debug" }],
            },
            "status": { "containerStatuses": [
                { "name": "app", "restartCount": 3, "lastState": { "terminated": { "exitCode": 1 } } },
                { "name": "proxy", "restartCount": 0, "lastState": {} },
            ] },
        });
        let object: Object = serde_json::from_value(pod.clone()).expect("it is a pod");
        let containers = log_containers(&object);
        let short: Vec<_> =
            containers.iter().map(|it| (it.name.as_str(), it.role, it.restarts, it.has_previous)).collect();
        assert_eq!(
            short,
            [
                ("proxy", Role::Main, 0, false),
                ("app", Role::Main, 3, true),
                ("setup", Role::Init, 0, false),
                ("debug", Role::Ephemeral, 0, false),
            ]
        );
        assert_eq!(default_container(&object, &containers).as_deref(), Some("proxy"));
        for (named, chosen) in [("app", "app"), ("nothing", "proxy")] {
            pod["metadata"]["annotations"]["kubectl.kubernetes.io/default-container"] = named.into();
            let object: Object = serde_json::from_value(pod.clone()).expect("it is a pod");
            assert_eq!(default_container(&object, &containers).as_deref(), Some(chosen));
        }
        let none: Object = serde_json::from_value(json!({ "kind": "Pod" })).expect("it is an object");
        assert_eq!(default_container(&none, &log_containers(&none)), None);
    }
}
