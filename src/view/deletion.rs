use std::collections::BTreeMap;

use super::Resource;
use crate::api::{Object, PropagationPolicy};

/// More than so many objects are deleted only by who writes their number.
const MOST_UNASKED: usize = 10;

/// What a deletion would do, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// `Delete 3 pods in prod`
    pub title: String,
    /// What a person has to write before; none when a press is enough.
    pub must_write: Option<String>,
    /// What those make of it that own the objects.
    owners: Option<String>,
    /// What becomes of what the objects own or hold, and what does if that is to stay.
    below: Option<(&'static str, &'static str)>,
}

impl Deletion {
    /// Of these objects of a kind, in a cluster that people call so.
    pub fn of(resource: &Resource, objects: &[Object], cluster: &str) -> Self {
        let count = objects.len();
        let title = match objects {
            [one] => ["Delete ", &resource.noun(), " ", &named(one), " in ", cluster].concat(),
            _ => ["Delete ", &count.to_string(), " ", &resource.nouns(), " in ", cluster].concat(),
        };
        let must_write = match objects {
            [one] if resource.kind == "Namespace" => Some(one.name().to_owned()),
            _ if count > MOST_UNASKED || resource.kind == "Namespace" => Some(count.to_string()),
            _ => None,
        };
        Self { title, must_write, owners: owners(resource, objects), below: below(resource, count == 1) }
    }

    /// What else happens, as a sentence; none when nothing does.
    pub fn effect(&self, policy: PropagationPolicy) -> Option<String> {
        let is_orphaning = policy == PropagationPolicy::Orphan;
        let below = self.below.map(|(deleted, kept)| if is_orphaning { kept } else { deleted });
        let parts = [self.owners.as_deref().unwrap_or_default(), below.unwrap_or_default()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

fn named(object: &Object) -> String {
    match object.namespace() {
        "" => object.name().into(),
        namespace => [namespace, "/", object.name()].concat(),
    }
}

/// `their ReplicaSet starts new ones`
fn owners(resource: &Resource, objects: &[Object]) -> Option<String> {
    let mut kinds = BTreeMap::<String, usize>::new();
    for object in objects {
        let controller = object.owner_references().find(|owner| owner.controller == Some(true));
        if let Some(owner) = controller {
            *kinds.entry(owner.kind).or_default() += 1;
        }
    }
    let controlled: usize = kinds.values().sum();
    let is_pod = resource.kind == "Pod";
    if controlled == 0 {
        let text = if objects.len() == 1 { "nothing starts it again" } else { "nothing starts them again" };
        return is_pod.then(|| text.into());
    }
    let names = kinds.keys().map(String::as_str).collect::<Vec<_>>().join(" and ");
    let is_several = kinds.len() > 1;
    let verb = match (is_pod, is_several) {
        (true, false) => "starts",
        (true, true) => "start",
        (false, false) => "makes",
        (false, true) => "make",
    };
    let (whose, what) = if objects.len() == 1 { ("its", "a new one") } else { ("their", "new ones") };
    // The others have nobody who would.
    let what = match controlled == objects.len() {
        true => what.to_owned(),
        false => ["new ones for ", &controlled.to_string(), " of them"].concat(),
    };
    Some(match names.as_str() {
        "Job" | "CronJob" => [whose, " ", &names, " may ", if is_pod { "start " } else { "make " }, &what].concat(),
        "Node" => [whose, " node's kubelet starts ", &what].concat(),
        _ => [whose, " ", &names, " ", verb, " ", &what].concat(),
    })
}

/// What is deleted with the objects, and what becomes of that if it is to stay.
fn below(resource: &Resource, is_one: bool) -> Option<(&'static str, &'static str)> {
    let (one, many) = match (resource.group, resource.kind) {
        ("", "Namespace") => {
            let (one, many) = ("everything in it is deleted too", "everything in them is deleted too");
            ((one, one), (many, many))
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            let (one, many) = ("all objects of its kind are deleted too", "all objects of their kinds are deleted too");
            ((one, one), (many, many))
        }
        ("", "Node") => {
            let (one, many) = ("its pods are deleted too", "their pods are deleted too");
            ((one, one), (many, many))
        }
        ("", "PersistentVolumeClaim") => {
            let one = "its volume and what it holds go too, unless its reclaim policy keeps them";
            let many = "their volumes and what they hold go too, unless their reclaim policy keeps them";
            ((one, one), (many, many))
        }
        ("apps", "Deployment") => (
            ("its ReplicaSets and pods are deleted too", "its ReplicaSets and pods stay"),
            ("their ReplicaSets and pods are deleted too", "their ReplicaSets and pods stay"),
        ),
        ("batch", "CronJob") => (
            ("its Jobs and their pods are deleted too", "its Jobs and their pods stay"),
            ("their Jobs and pods are deleted too", "their Jobs and pods stay"),
        ),
        ("apps", "ReplicaSet" | "StatefulSet" | "DaemonSet") | ("batch", "Job") | ("", "ReplicationController") => {
            (("its pods are deleted too", "its pods stay"), ("their pods are deleted too", "their pods stay"))
        }
        _ => return None,
    };
    Some(if is_one { one } else { many })
}

#[cfg(test)]
mod tests {
    use PropagationPolicy::{Background, Orphan};
    use serde_json::json;

    use super::*;
    use crate::api::GroupVersionResource;
    use crate::view::columns::{NAMESPACES, PODS, built_in};

    fn objects(owners: &[&str]) -> Vec<Object> {
        let object = |(at, owner): (usize, &&str)| {
            let owner = json!([{"kind": owner, "name": "o", "controller": true}]);
            let owners = if owner[0]["kind"] == "" { json!([]) } else { owner };
            let metadata = json!({"namespace": "shop", "name": format!("a-{at}"), "ownerReferences": owners});
            serde_json::from_value(json!({"metadata": metadata})).unwrap()
        };
        owners.iter().enumerate().map(object).collect()
    }

    #[test]
    fn a_deletion_says_what_the_owners_do() {
        for (owners, title, effect) in [
            (&["ReplicaSet"; 3][..], "Delete 3 pods in prod", "their ReplicaSet starts new ones"),
            (&["StatefulSet"], "Delete pod shop/a-0 in prod", "its StatefulSet starts a new one"),
            (&["Job"; 2], "Delete 2 pods in prod", "their Job may start new ones"),
            (&["Node"], "Delete pod shop/a-0 in prod", "its node's kubelet starts a new one"),
            (&["", ""], "Delete 2 pods in prod", "nothing starts them again"),
            (&["", "ReplicaSet"], "Delete 2 pods in prod", "their ReplicaSet starts new ones for 1 of them"),
            (&["DaemonSet", "ReplicaSet"], "Delete 2 pods in prod", "their DaemonSet and ReplicaSet start new ones"),
        ] {
            let deletion = Deletion::of(&PODS, &objects(owners), "prod");
            assert_eq!(deletion.title, title);
            assert_eq!(deletion.effect(Background).as_deref(), Some(effect));
            assert_eq!(deletion.must_write, None);
        }
    }

    #[test]
    fn a_deletion_says_what_goes_with_it() {
        let deployments = built_in(&GroupVersionResource::new("apps", "v1", "deployments")).unwrap();
        let deletion = Deletion::of(deployments, &objects(&[""]), "prod");
        assert_eq!(deletion.effect(Background).as_deref(), Some("its ReplicaSets and pods are deleted too"));
        assert_eq!(deletion.effect(Orphan).as_deref(), Some("its ReplicaSets and pods stay"));
        let replica_sets = built_in(&GroupVersionResource::new("apps", "v1", "replicasets")).unwrap();
        let deletion = Deletion::of(replica_sets, &objects(&["Deployment"; 2]), "prod");
        let effect = "their Deployment makes new ones; their pods are deleted too";
        assert_eq!(deletion.effect(Background).as_deref(), Some(effect));
        let config_maps = built_in(&GroupVersionResource::new("", "v1", "configmaps")).unwrap();
        assert_eq!(Deletion::of(config_maps, &objects(&[""]), "prod").effect(Background), None);
    }

    #[test]
    fn many_objects_and_namespaces_must_be_written() {
        let must_write = |resource, count| Deletion::of(resource, &objects(&vec![""; count]), "prod").must_write;
        assert_eq!(must_write(&PODS, 10), None);
        assert_eq!(must_write(&PODS, 11).as_deref(), Some("11"));
        assert_eq!(must_write(&NAMESPACES, 1).as_deref(), Some("a-0"));
        assert_eq!(must_write(&NAMESPACES, 2).as_deref(), Some("2"));
    }
}
