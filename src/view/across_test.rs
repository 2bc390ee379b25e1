use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::api::{ApiResource, GroupVersion, GroupVersionResource, Object};
use crate::view::columns::{NAMESPACES, PODS, built_in};
use crate::view::{Filter, Leaving, Resource, Sort};

fn kind(group: &str, name: &str) -> &'static Resource {
    built_in(&GroupVersionResource::new(group, "v1", name)).unwrap()
}

fn across() -> &'static Resource {
    Resource::across(&[
        &PODS,
        kind("apps", "deployments"),
        kind("apps", "daemonsets"),
        kind("", "services"),
        &NAMESPACES,
    ])
}

fn now() -> Timestamp {
    Timestamp::from_second(1_796_000_000).unwrap()
}

fn object(api_version: &str, kind: &str, name: &str, fields: Value) -> Object {
    let mut value = fields;
    value["apiVersion"] = api_version.into();
    value["kind"] = kind.into();
    let mut metadata = json!({ "namespace": "shop", "name": name, "uid": format!("{kind}{name}") });
    if kind == "Namespace" {
        metadata["namespace"] = Value::Null;
    }
    value["metadata"] = metadata;
    serde_json::from_value(value).unwrap()
}

fn pod(name: &str, phase: &str, node: &str) -> Object {
    let containers = json!([{ "name": "app", "image": "nginx" }]);
    let fields = json!({ "spec": { "nodeName": node, "containers": containers }, "status": { "phase": phase } });
    object("v1", "Pod", name, fields)
}

fn objects() -> Vec<Object> {
    let conditions = json!([{ "type": "Available", "status": "False" }]);
    let numbers = json!({ "numberReady": 1, "desiredNumberScheduled": 3 });
    vec![
        pod("web", "Running", "worker-1"),
        pod("idle", "Pending", ""),
        object("v1", "Service", "web", json!({ "spec": { "type": "ClusterIP", "clusterIP": "10.0.0.1" } })),
        object(
            "apps/v1",
            "Deployment",
            "web",
            json!({ "spec": { "replicas": 2 }, "status": { "readyReplicas": 1, "conditions": conditions } }),
        ),
        object("apps/v1", "DaemonSet", "agent", json!({ "status": numbers })),
        object("v1", "Namespace", "shop", json!({ "status": { "phase": "Active" } })),
    ]
}

fn model() -> TableModel {
    let mut model = TableModel::new(across());
    for it in objects() {
        model.upsert(&it, now());
    }
    model
}

fn keys(model: &TableModel) -> Vec<String> {
    model.window(0..99).iter().map(|it| it.row.key()).collect()
}

fn found(query: &str) -> String {
    let mut model = model();
    model.set_filter(Filter { query: Query::parse(query), ..Filter::default() });
    let bulk = keys(&model);
    let mut other = TableModel::new(across());
    other.set_filter(Filter { query: Query::parse(query), ..Filter::default() });
    for it in objects() {
        other.upsert(&it, now());
    }
    assert_eq!(keys(&other), bulk, "{query}: one by one as all at once");
    bulk.join(" ")
}

#[test]
fn rows_of_several_kinds_stand_by_namespace_name_and_kind() {
    let mut model = model();
    assert_eq!(
        keys(&model),
        [
            "namespaces/shop",
            "daemonsets.apps/shop/agent",
            "pods/shop/idle",
            "pods/shop/web",
            "deployments.apps/shop/web",
            "services/shop/web",
        ]
    );
    assert_eq!(model.shown_by_kind(), [2, 1, 1, 1, 1]);
    let kind = across().column("KIND");
    model.set_sort(Sort { column: kind, is_descending: true });
    assert_eq!(keys(&model)[..2], ["services/shop/web", "pods/shop/idle"]);
}

#[test]
fn a_row_is_found_by_its_kind_and_names_though_others_bear_them_too() {
    let mut model = model();
    for key in keys(&model) {
        assert_eq!(model.get(&key).unwrap().key(), key);
        let at = model.index_of(&key).unwrap();
        assert_eq!(model.window(at..at + 1)[0].row.key(), key);
    }
    for key in ["shop/web", "web", "nodes/web", "pods/web", ""] {
        assert!(model.get(key).is_none(), "{key}");
    }
    assert!(model.remove("pods/shop/web", now()) && !model.remove("pods/shop/web", now()));
    assert_eq!((model.total(), model.shown_by_kind()), (5, vec![1, 1, 1, 1, 1]));
    let leaving: Vec<_> = model.window(0..9).into_iter().filter(|it| it.leaving == Leaving::Yes).collect();
    assert_eq!((leaving.len(), &*leaving[0].row.key()), (1, "pods/shop/web"));
    model.upsert(&pod("web", "Failed", "worker-1"), now());
    assert_eq!((model.total(), model.rows()), (6, 6), "the same object is back");
}

#[test]
fn a_row_tells_what_the_table_of_its_kind_does() {
    let model = model();
    let texts = |key: &str| {
        let row = model.get(key).unwrap();
        row.cells.iter().map(|cell| cell.display(now())).collect::<Vec<_>>().join(" | ")
    };
    assert_eq!(texts("pods/shop/web"), "Pod | shop | web | 0/1 | Running | node worker-1 | <unknown>");
    let details = "up-to-date 0, available 0";
    assert_eq!(
        texts("deployments.apps/shop/web"),
        format!("Deployment | shop | web | 1/2 | Unavailable | {details} | <unknown>")
    );
    assert_eq!(texts("namespaces/shop"), "Namespace | <none> | shop |  | Active |  | <unknown>");
    assert!(
        texts("services/shop/web").contains("| type ClusterIP, cluster-ip 10.0.0.1 |"),
        "{}",
        texts("services/shop/web")
    );
    assert!(texts("daemonsets.apps/shop/agent").contains("| 1/3 | "), "of those wanted");
}

#[test]
fn a_query_is_asked_of_all_kinds_and_a_column_of_those_that_have_it() {
    for (query, expected) in [
        ("kind:pod", keys(&model()).join(" ")),
        ("web deployment", "deployments.apps/shop/web".into()),
        ("status:(Running|Active)", "namespaces/shop pods/shop/web".into()),
        ("node:worker-*", "pods/shop/web".into()),
        ("type=ClusterIP", "services/shop/web".into()),
        ("!type=ClusterIP name:web", "pods/shop/web deployments.apps/shop/web".into()),
        ("restarts<1", "pods/shop/idle pods/shop/web".into()),
        (
            "!ready",
            "daemonsets.apps/shop/agent pods/shop/idle pods/shop/web deployments.apps/shop/web namespaces/shop".into(),
        ),
        ("image:nginx", "pods/shop/idle pods/shop/web".into()),
        (".spec.replicas=2", "deployments.apps/shop/web".into()),
        ("ns:shop name:agent", "daemonsets.apps/shop/agent".into()),
    ] {
        let order = |text: &str| text.split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
        assert_eq!(order(&found(query)), order(&expected), "{query}");
    }
    assert_eq!(Query::parse("node:a restarts>1 type:x age<1d").check(across()), []);
    let errors = Query::parse("nod:a").check(across());
    assert!(errors[0].message.starts_with("None of the kinds has a column nod"), "{errors:?}");
}

#[test]
fn an_update_that_no_cell_shows_may_change_what_a_query_lets_through() {
    let mut model = model();
    model.set_filter(Filter { query: Query::parse("nominated-node:worker-9"), ..Filter::default() });
    assert_eq!(model.shown(), 0);
    let fields = json!({ "status": { "phase": "Pending", "nominatedNodeName": "worker-9" } });
    model.upsert(&object("v1", "Pod", "idle", fields), now());
    assert_eq!(keys(&model), ["pods/shop/idle"]);
}

#[test]
fn what_is_in_no_namespace_is_shown_whatever_namespaces_are_chosen() {
    let mut model = model();
    model.set_filter(Filter { namespaces: BTreeSet::from(["other".to_owned()]), ..Filter::default() });
    assert_eq!(keys(&model), ["namespaces/shop"]);
}

fn catalog() -> Catalog {
    let all = [
        ("v1", "pods", "Pod", "po"),
        ("v1", "services", "Service", "svc"),
        ("v1", "events", "Event", "ev"),
        ("events.k8s.io/v1", "events", "Event", "ev"),
        ("apps/v1", "deployments", "Deployment", "deploy"),
        ("explorer.test/v1", "gauges", "Gauge", "po"),
    ];
    let many =
        (0..20).map(|at| ("many.test/v1".to_owned(), format!("kind{at:02}s"), format!("Kind{at:02}"), String::new()));
    let all = all.map(|(version, name, kind, short)| (version.into(), name.into(), kind.into(), short.into()));
    let resource = |(version, name, kind, short): (String, String, String, String)| {
        let resource = ApiResource {
            singular_name: kind.to_lowercase(),
            name,
            kind,
            verbs: ["list", "watch"].map(String::from).into(),
            short_names: vec![short],
            ..ApiResource::default()
        };
        (GroupVersion::from_api_version(&version), resource)
    };
    let all: Vec<_> = all.into_iter().chain(many).map(resource).collect();
    Catalog::of(all.iter().map(|(version, resource)| (version, resource)))
}

fn named(text: &str) -> (String, Vec<(String, String)>) {
    let catalog = catalog();
    let (kinds, errors) = named_kinds(&Query::parse(text), &catalog);
    let pages: Vec<_> = kinds.iter().map(|kind| kind.page()).collect();
    (pages.join(" "), errors.into_iter().map(|it| (text[it.at].to_owned(), it.message)).collect())
}

#[test]
fn a_kind_is_named_as_kubectl_takes_it() {
    for (text, expected) in [
        ("kind:pods,deploy,service", "pods deployments.apps services"),
        ("kind:Pod,POD,po web kind:pods", "pods"),
        ("kind:deployments.apps,deploy.apps", "deployments.apps"),
        ("kind:po.explorer.test,gauge", "gauges.explorer.test"),
        ("kind:ev,events.events.k8s.io", "events events.events.k8s.io"),
        ("kind:(svc|po) web", "services pods"),
        ("web", ""),
    ] {
        assert_eq!(named(text), (expected.into(), vec![]), "{text}");
    }
}

#[test]
fn an_unknown_kind_is_an_error_at_its_place_with_the_nearest_names() {
    for (text, wrong, near) in [
        ("web kind:pod,deplo", "deplo", "; near to it are deployments.apps"),
        ("kind:(pod|servicess)", "servicess", "; near to it are services"),
        ("kind:\"Evnets\",pod", "Evnets", "; near to it are events, events.events.k8s.io"),
        ("kind:xyz", "xyz", "; the palette (:) lists them"),
    ] {
        let (_, errors) = named(text);
        assert_eq!(errors[0].0, wrong, "{text}");
        let expected = ["This server has no kind ", &wrong.to_lowercase(), near].concat();
        assert_eq!(errors[0].1, expected);
    }
}

#[test]
fn twelve_kinds_are_enough() {
    let names: Vec<_> = (0..14).map(|at| format!("kind{at:02}")).collect();
    let (kinds, errors) = named(&format!("kind:{},kind00", names.join(",")));
    assert_eq!(kinds.split(' ').count(), MOST_KINDS);
    assert_eq!(errors.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), ["kind12", "kind13"]);
    assert_eq!(errors[0].1, "This one is left out: 12 kinds at most are shown at once");
}

#[test]
fn the_terms_that_name_kinds_are_taken_from_the_others() {
    for (text, kinds, others) in [
        ("web kind:pod,deploy  status:Running kind:svc", "kind:pod,deploy kind:svc", "web status:Running"),
        ("web", "", "web"),
        ("kind:pod", "kind:pod", ""),
        ("kind: web", "", "kind: web"),
    ] {
        assert_eq!(Query::parse(text).split_kinds(), (kinds.into(), others.into()), "{text}");
    }
}
