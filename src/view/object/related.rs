use std::borrow::Cow;

use jiff::Timestamp;

use super::status_of;
use crate::api::{GroupVersionResource, Object, ValueRef};
use crate::view::columns::{built_in, labels, selector};
use crate::view::{Catalog, CatalogEntry, Health, is_of_the_api, object_key};

/// A list with selectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    pub resource: GroupVersionResource,
    /// All when absent.
    pub namespace: Option<String>,
    pub label_selector: String,
    pub field_selector: String,
    /// Only what each object tells of itself as any does.
    pub is_metadata: bool,
}

/// Objects of one kind that have to do with an object, and how they are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// `ReplicaSets`
    pub title: Cow<'static, str>,
    pub scope: Scope,
    keep: Keep,
}

/// Which of the objects of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    All,
    /// Those that the object owns.
    Owned,
    /// Those that one of the relation before owns.
    OwnedByThose,
    /// Pods that mount the claim.
    Mounting,
}

/// An object of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// `namespace/name`, or the name alone.
    pub key: String,
    pub name: String,
    pub status: Option<(Box<str>, Health)>,
    pub created: Option<Timestamp>,
}

impl Scope {
    pub(super) fn of(resource: GroupVersionResource, namespace: Option<&str>) -> Self {
        Self { resource, namespace: namespace.map(Into::into), ..Self::default() }
    }

    fn labelled(self, label_selector: String) -> Self {
        Self { label_selector, ..self }
    }

    fn with_field(self, field: &str, value: &str) -> Self {
        Self { field_selector: [field, "=", value].concat(), ..self }
    }
}

impl Relation {
    const fn new(title: &'static str, scope: Scope, keep: Keep) -> Self {
        Self { title: Cow::Borrowed(title), scope, keep }
    }

    /// Of what the list has, the objects that are meant. `before` are those of the relation before.
    pub fn keep(&self, object: &Object, before: &[Object], listed: Vec<Object>) -> Vec<Object> {
        let uid = object.uid();
        let is_kept = |it: &Object| match self.keep {
            Keep::All => true,
            Keep::Owned => it.owner_references().any(|owner| owner.uid == uid),
            Keep::OwnedByThose => it.owner_references().any(|owner| before.iter().any(|it| it.uid() == owner.uid)),
            Keep::Mounting => it.list_at(&["spec", "volumes"]).any(|volume| {
                volume.at(&["persistentVolumeClaim", "claimName"]).and_then(ValueRef::as_str).as_deref()
                    == Some(object.name())
            }),
        };
        listed.into_iter().filter(is_kept).collect()
    }

    /// The query that shows the same in the kind's table, where there is one.
    pub fn query(&self) -> Option<String> {
        match (self.keep, self.scope.label_selector.as_str(), self.scope.field_selector.as_str()) {
            (Keep::Mounting, ..) | (_, "", "") => None,
            (_, "", field) => Some([".", field].concat()),
            (_, labels, _) => Some(["-l ", labels].concat()),
        }
    }
}

/// What has to do with an object, beside its owners.
pub fn relations(object: &Object) -> Vec<Relation> {
    let (group, kind) = (object.group_version_kind().group, object.kind());
    let namespace = Some(object.namespace()).filter(|it| !it.is_empty());
    let core = |name: &str, namespace: Option<&str>| Scope::of(GroupVersionResource::core(name), namespace);
    let of = |group: &str, name: &str| Scope::of(GroupVersionResource::new(group, "v1", name), namespace);
    let selected = || selector(object.get(&["spec", "selector"])).unwrap_or_default();
    let pods = |keep| Relation::new("Pods", core("pods", namespace).labelled(selected()), keep);
    let named = |title, scope: Scope, name: &str| {
        let relation = Relation::new(title, scope.with_field("metadata.name", name), Keep::All);
        (!name.is_empty()).then_some(relation)
    };
    let text = |path: &[&str]| object.str_at(path).unwrap_or_default();
    match (group.as_str(), kind) {
        ("apps", "Deployment") => {
            let sets = of("apps", "replicasets").labelled(selected());
            vec![Relation::new("ReplicaSets", sets, Keep::Owned), pods(Keep::OwnedByThose)]
        }
        ("apps", "ReplicaSet" | "StatefulSet" | "DaemonSet") | ("batch", "Job") => vec![pods(Keep::Owned)],
        ("", "ReplicationController") => {
            let labels = labels(object.get(&["spec", "selector"]));
            vec![Relation::new("Pods", core("pods", namespace).labelled(labels), Keep::Owned)]
        }
        ("batch", "CronJob") => vec![Relation::new("Jobs", of("batch", "jobs"), Keep::Owned)],
        ("", "Service") => {
            let of_service = ["kubernetes.io/service-name=", object.name()].concat();
            let slices = of("discovery.k8s.io", "endpointslices").labelled(of_service);
            let labels = labels(object.get(&["spec", "selector"]));
            let pods = Relation::new("Pods", core("pods", namespace).labelled(labels), Keep::All);
            let has_selector = !pods.scope.label_selector.is_empty();
            std::iter::once(Relation::new("EndpointSlices", slices, Keep::All))
                .chain(has_selector.then_some(pods))
                .collect()
        }
        ("", "PersistentVolumeClaim") => {
            let volume = named("PersistentVolume", core("persistentvolumes", None), &text(&["spec", "volumeName"]));
            let pods = Relation::new("Pods", core("pods", namespace), Keep::Mounting);
            volume.into_iter().chain([pods]).collect()
        }
        ("", "PersistentVolume") => {
            let part = |field| text(&["spec", "claimRef", field]);
            let (namespace, name): (Cow<'_, str>, Cow<'_, str>) = (part("namespace"), part("name"));
            let claims = core("persistentvolumeclaims", Some(&*namespace));
            named("PersistentVolumeClaim", claims, &name).into_iter().collect()
        }
        ("", "Node") => {
            let pods = core("pods", None).with_field("spec.nodeName", object.name());
            vec![Relation::new("Pods", pods, Keep::All)]
        }
        ("", "Pod") => named("Node", core("nodes", None), &text(&["spec", "nodeName"])).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether the object's kind is none of Kubernetes' own, of which it is known what they own.
pub fn is_custom(object: &Object) -> bool {
    !is_of_the_api(&object.group_version_kind().group)
}

/// The kinds that an object may own objects of, beside those that are known to.
pub fn ownable(object: &Object, known: &[Relation], catalog: &Catalog) -> Vec<Relation> {
    let namespace = Some(object.namespace()).filter(|it| !it.is_empty());
    let is_meant = |entry: &&CatalogEntry| {
        let is_known = known.iter().any(|it| it.scope.resource.to_string() == entry.page());
        // Owner and owned are in one namespace, unless the owner is in none. An event only names what it is about.
        (entry.is_namespaced || namespace.is_none()) && !is_known && entry.resource.resource != "events"
    };
    let relation = |entry: &CatalogEntry| Relation {
        title: Cow::Owned(entry.title.clone()),
        // A cluster may have many.
        scope: Scope { is_metadata: namespace.is_none(), ..Scope::of(entry.resource.clone(), namespace) },
        keep: Keep::Owned,
    };
    catalog.entries().filter(is_meant).map(relation).collect()
}

/// The objects of a relation, the newest first.
pub fn related(scope: &Scope, objects: &[Object]) -> Vec<Related> {
    let built_in = built_in(&scope.resource).filter(|_| !scope.is_metadata);
    let of = |object: &Object| Related {
        key: object_key(object.namespace(), object.name()),
        name: object.name().to_owned(),
        status: built_in.and_then(|resource| status_of(resource, object)),
        created: object.creation_timestamp(),
    };
    let mut all: Vec<Related> = Vec::with_capacity(objects.len());
    for related in objects.iter().map(of) {
        let is_before = |it: &Related| (it.created, &related.key) > (related.created, &it.key);
        all.insert(all.partition_point(is_before), related);
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::{ApiResource, GroupVersion};

    fn object(fields: Value) -> Object {
        serde_json::from_value(fields).unwrap()
    }

    fn named(api_version: &str, kind: &str, mut fields: Value) -> Object {
        fields["apiVersion"] = api_version.into();
        fields["kind"] = kind.into();
        fields["metadata"] = json!({"name": "x", "namespace": "ns", "uid": "u"});
        object(fields)
    }

    fn lists(object: &Object) -> Vec<String> {
        let line = |it: Relation| {
            let Scope { resource, namespace, label_selector, field_selector, .. } = it.scope;
            format!("{} {resource} {namespace:?} {label_selector}{field_selector}", it.title)
        };
        relations(object).into_iter().map(line).collect()
    }

    #[test]
    fn each_kind_has_what_belongs_to_it() {
        let selector = json!({"spec": {"selector": {"matchLabels": {"app": "web"}}}});
        let labels = json!({"spec": {"selector": {"app": "web"}}});
        let cases: [(&str, &str, Value, &[&str]); 11] = [
            (
                "apps/v1",
                "Deployment",
                selector.clone(),
                &["ReplicaSets replicasets.apps Some(\"ns\") app=web", "Pods pods Some(\"ns\") app=web"],
            ),
            ("apps/v1", "StatefulSet", selector.clone(), &["Pods pods Some(\"ns\") app=web"]),
            ("batch/v1", "Job", selector, &["Pods pods Some(\"ns\") app=web"]),
            ("batch/v1", "CronJob", json!({}), &["Jobs jobs.batch Some(\"ns\") "]),
            (
                "v1",
                "Service",
                labels,
                &[
                    "EndpointSlices endpointslices.discovery.k8s.io Some(\"ns\") kubernetes.io/service-name=x",
                    "Pods pods Some(\"ns\") app=web",
                ],
            ),
            (
                "v1",
                "PersistentVolumeClaim",
                json!({"spec": {"volumeName": "v"}}),
                &["PersistentVolume persistentvolumes None metadata.name=v", "Pods pods Some(\"ns\") "],
            ),
            ("v1", "PersistentVolumeClaim", json!({}), &["Pods pods Some(\"ns\") "]),
            (
                "v1",
                "PersistentVolume",
                json!({"spec": {"claimRef": {"namespace": "a", "name": "c"}}}),
                &["PersistentVolumeClaim persistentvolumeclaims Some(\"a\") metadata.name=c"],
            ),
            ("v1", "Node", json!({}), &["Pods pods None spec.nodeName=x"]),
            ("v1", "Pod", json!({"spec": {"nodeName": "n"}}), &["Node nodes None metadata.name=n"]),
            ("example.com/v1", "Deployment", json!({}), &[]),
        ];
        for (api_version, kind, fields, expected) in cases {
            assert_eq!(lists(&named(api_version, kind, fields)), expected, "{kind}");
        }
    }

    #[test]
    fn an_object_may_own_those_of_its_namespace_and_one_of_the_cluster_all() {
        let resource = |name: &str, namespaced| {
            let verbs = ["list", "watch"].map(String::from).into();
            ApiResource { name: name.into(), kind: name.into(), namespaced, verbs, ..ApiResource::default() }
        };
        let core = GroupVersion::from_api_version("v1");
        let all = ["pods", "replicasets", "events"].map(|name| resource(name, true));
        let all: Vec<_> = all.into_iter().chain([resource("nodes", false)]).collect();
        let catalog = Catalog::of(all.iter().map(|it| (&core, it)));
        let asked = |object: &Object| {
            let line = |it: &Relation| format!("{} {:?}", it.scope.resource, it.scope.namespace);
            ownable(object, &relations(object), &catalog).iter().map(line).collect::<Vec<_>>()
        };
        let gauge = named("example.com/v1", "Gauge", json!({}));
        assert_eq!(asked(&gauge), ["pods Some(\"ns\")", "replicasets Some(\"ns\")"]);
        assert_eq!(asked(&named("batch/v1", "Job", json!({}))), ["replicasets Some(\"ns\")"]);
        let valve = object(json!({"apiVersion": "example.com/v1", "kind": "Valve", "metadata": {"name": "x"}}));
        assert_eq!(asked(&valve), ["pods None", "replicasets None", "nodes None"]);
        assert!(is_custom(&gauge) && !is_custom(&named("batch/v1", "Job", json!({}))));
    }

    #[test]
    fn owned_are_those_that_name_the_owner() {
        let deployment = named("apps/v1", "Deployment", json!({}));
        let owned = |uid: &str, owner: &str| {
            object(json!({"metadata": {"name": uid, "uid": uid, "ownerReferences": [{"uid": owner}]}}))
        };
        let relations = relations(&deployment);
        let names = |objects: &[Object]| objects.iter().map(|it| it.name().to_owned()).collect::<Vec<_>>();
        let sets = relations[0].keep(&deployment, &[], vec![owned("a", "u"), owned("b", "other")]);
        assert_eq!(names(&sets), ["a"]);
        let pods = relations[1].keep(&deployment, &sets, vec![owned("p", "a"), owned("q", "b")]);
        assert_eq!(names(&pods), ["p"]);
    }

    #[test]
    fn pods_of_a_claim_mount_it() {
        let claim = named("v1", "PersistentVolumeClaim", json!({}));
        let pod = |name: &str, claim: &str| {
            let volumes = json!([{"name": "other"}, {"persistentVolumeClaim": {"claimName": claim}}]);
            object(json!({"metadata": {"name": name}, "spec": {"volumes": volumes}}))
        };
        let kept = relations(&claim)[0].keep(&claim, &[], vec![pod("a", "x"), pod("b", "y")]);
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].name(), "a");
    }

    #[test]
    fn the_newest_of_a_relation_is_the_first() {
        let set = |name: &str, time: &str| {
            object(json!({"metadata": {"name": name, "namespace": "ns", "creationTimestamp": time}}))
        };
        let sets =
            [set("a", "2026-11-29T11:55:00Z"), set("c", "2026-11-29T11:56:00Z"), set("b", "2026-11-29T11:56:00Z")];
        let all = related(&Scope::of(GroupVersionResource::new("apps", "v1", "replicasets"), Some("ns")), &sets);
        assert_eq!(all.iter().map(|it| it.key.as_str()).collect::<Vec<_>>(), ["ns/b", "ns/c", "ns/a"]);
    }

    #[test]
    fn a_query_shows_the_same_in_a_table() {
        let query = |object: &Object| relations(object).iter().map(Relation::query).collect::<Vec<_>>();
        let service = named("v1", "Service", json!({"spec": {"selector": {"app": "web"}}}));
        assert_eq!(query(&service)[1].as_deref(), Some("-l app=web"));
        assert_eq!(query(&named("v1", "Node", json!({})))[0].as_deref(), Some(".spec.nodeName=x"));
        assert_eq!(query(&named("v1", "PersistentVolumeClaim", json!({}))), [None]);
    }
}
