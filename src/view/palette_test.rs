use super::Catalog;
use super::palette::{Action, Candidate, Choice, NamedObject, Scope, Sources, candidates};
use crate::api::{ApiResource, GroupVersion};

fn catalog() -> Catalog {
    let verbs = || ["list", "watch"].map(String::from).to_vec();
    let all = [
        ("v1", "pods", "Pod", "po", true),
        ("v1", "nodes", "Node", "no", false),
        ("v1", "namespaces", "Namespace", "ns", false),
        ("apps/v1", "deployments", "Deployment", "deploy", true),
        ("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", "netpol", true),
        ("explorer.test/v1", "gauges", "Gauge", "po", true),
    ];
    let all = all.map(|(version, name, kind, short, namespaced)| {
        let resource = ApiResource {
            name: name.into(),
            singular_name: kind.to_lowercase(),
            kind: kind.into(),
            namespaced,
            verbs: verbs(),
            short_names: vec![short.into()],
            ..ApiResource::default()
        };
        (GroupVersion::from_api_version(version), resource)
    });
    Catalog::of(all.iter().map(|(version, resource)| (version, resource)))
}

fn found_among(typed: &str, recent: &[&str], objects: &[(&str, &str)]) -> Vec<Candidate> {
    let catalog = catalog();
    let namespaces = ["default", "kube-public", "kube-system", "shop"].map(String::from);
    let recent: Vec<_> = recent.iter().map(|id| (*id).to_owned()).collect();
    let each = |call: &mut dyn FnMut(NamedObject<'_>)| {
        for (namespace, name) in objects {
            call(NamedObject { page: "pods", noun: "pod", namespace, name });
        }
    };
    let sources = Sources { catalog: Some(&catalog), namespaces: &namespaces, recent: &recent, objects: &each };
    candidates(typed, sources)
}

fn titles(typed: &str) -> Vec<String> {
    found_among(typed, &[], &[]).into_iter().map(|it| it.title).collect()
}

fn page(page: &str) -> Choice {
    Choice::View { page: page.into(), scope: Scope::AsItIs, query: String::new() }
}

#[test]
fn a_kind_is_found_by_each_of_its_names() {
    for typed in
        ["deploy", "deployment", "Deployments", "deployments.apps", "depl", ":deploy", " : deploy ", "apps", "dplmt"]
    {
        assert_eq!(found_among(typed, &[], &[])[0].choice, page("deployments.apps"), "{typed}");
    }
    assert_eq!(titles("policy")[0], "NetworkPolicies");
    assert!(titles("xyz").is_empty());
}

#[test]
fn a_short_name_of_two_groups_offers_both_and_says_which_is_which() {
    let found = found_among("po", &[], &[]);
    let first: Vec<_> = found.iter().take(2).map(|it| (&*it.title, &*it.detail)).collect();
    assert_eq!(first, [("Pods", "po"), ("Gauges", "po · explorer.test")]);
}

#[test]
fn what_fits_better_stands_before_what_fits_worse_whatever_it_is() {
    let found = found_among("no", &[], &[("shop", "node-exporter"), ("shop", "no")]);
    let all: Vec<_> = found.iter().map(|it| (&*it.title, &*it.detail)).take(3).collect();
    assert_eq!(all, [("Nodes", "no"), ("no", "pod in shop"), ("node-exporter", "pod in shop")]);
    assert_eq!(titles("default")[0], "default");
    assert_eq!(titles("dark"), ["Dark theme"]);
    assert_eq!(titles("dark theme"), ["Dark theme"]);
    assert_eq!(titles("all")[0], "All namespaces");
}

#[test]
fn a_kind_may_be_followed_by_a_namespace_and_a_query() {
    let view = |page: &str, scope, query: &str| Choice::View { page: page.into(), scope, query: query.into() };
    let one = |name: &str| Scope::One(name.into());
    for (typed, expected) in [
        ("deploy kube-system", vec![view("deployments.apps", one("kube-system"), "")]),
        (
            ":deploy sys",
            vec![view("deployments.apps", one("kube-system"), ""), view("deployments.apps", one("sys"), "")],
        ),
        ("deploy all", vec![view("deployments.apps", Scope::All, "")]),
        ("pods /web", vec![view("pods", Scope::AsItIs, "web")]),
        ("pods /we?b/", vec![view("pods", Scope::AsItIs, "/we?b/")]),
        ("pods shop /status:Run age<1h", vec![view("pods", one("shop"), "status:Run age<1h")]),
        ("no /ready", vec![view("nodes", Scope::AsItIs, "ready")]),
        ("pods ", vec![page("pods")]),
    ] {
        let found: Vec<_> = found_among(typed, &[], &[]).into_iter().map(|it| it.choice).collect();
        assert_eq!(found, expected, "{typed}");
    }
    assert_eq!(titles("po shop"), ["Pods in shop", "Gauges in shop"]);
    assert_eq!(titles("no shop"), Vec::<String>::new(), "nodes are in no namespace");
}

#[test]
fn a_query_that_names_kinds_leads_to_the_table_of_several_and_its_last_name_is_completed() {
    let first = |typed: &str| match found_among(typed, &[], &[]).remove(0).choice {
        Choice::View { page, query, .. } => [page, query].join(" "),
        other => format!("{other:?}"),
    };
    assert_eq!(first("kind:pod,deploy web "), "across kind:pod,deploy web");
    assert_eq!(first(":Kind:po"), "across Kind:po");
    assert_eq!(first("kind:"), "across kind:");
    assert_eq!(titles("kind:no,dep"), ["kind:no,dep", "Deployments · kind:no,deployments.apps"]);
    assert_eq!(titles("kind:no web"), ["kind:no web"]);
    assert_eq!(found_among("several", &[], &[])[0].choice, page("across"));
}

#[test]
fn fifty_objects_are_enough_and_the_best_are_among_them() {
    let names: Vec<_> = (0..200).map(|number| format!("w-e-b-{number}")).chain(["web".to_owned()]).collect();
    let objects: Vec<_> = names.iter().map(|name| ("shop", name.as_str())).collect();
    let found = found_among("web", &[], &objects);
    assert_eq!((found.len(), &*found[0].title), (50, "web"));
    assert!(found_among("w", &[], &objects).iter().all(|it| !matches!(it.choice, Choice::Object { .. })));
}

#[test]
fn the_last_choices_stand_first_when_nothing_is_typed() {
    let at_rest = |recent: &[&str]| found_among("", recent, &[("shop", "web")]);
    assert_eq!(at_rest(&[])[..2].iter().map(|it| &*it.title).collect::<Vec<_>>(), ["Overview", "Events"]);
    let found = at_rest(&["action theme-dark", "namespace shop", "page gone", "page nodes"]);
    let first: Vec<_> = found.iter().take(4).map(|it| &*it.title).collect();
    assert_eq!(first, ["Dark theme", "shop", "Nodes", "Overview"]);
    assert_eq!(found.iter().filter(|it| it.title == "Nodes").count(), 1);
}

#[test]
fn a_choice_is_remembered_once_and_an_object_never() {
    let recent = ["page nodes".to_owned(), "page pods".to_owned()];
    assert_eq!(page("pods").remembered(&recent), ["page pods", "page nodes"]);
    assert_eq!(Choice::Action(Action::Keys).remembered(&[]), ["action keys"]);
    let object = Choice::Object { page: "pods".into(), namespace: "shop".into(), name: "web".into() };
    assert_eq!(object.remembered(&recent), recent);
    let many: Vec<_> = (0..20).map(|number| format!("page {number}")).collect();
    assert_eq!(page("pods").remembered(&many).len(), 8);
}

#[test]
fn before_the_server_has_told_its_kinds_there_are_pages_and_actions() {
    let sources = Sources { catalog: None, namespaces: &[], recent: &[], objects: &|_| {} };
    assert!(candidates("", sources).len() > 5);
    assert!(candidates("pods", sources).is_empty());
}
