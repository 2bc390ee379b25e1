use super::*;

/// The columns of a kind, those on demand in brackets.
fn heads(path: &str) -> String {
    let columns = resource(path).columns.iter();
    columns.map(|it| if it.wide { format!("[{}]", it.name) } else { it.name.into() }).collect::<Vec<_>>().join(" | ")
}

#[test]
fn every_kind_has_a_table() {
    let paths: Vec<_> = built_ins().map(|it| format!("{}/{}/{}", it.group, it.version, it.name)).collect();
    assert_eq!(paths.len(), 60);
    for path in &paths {
        let found = resource(path.trim_start_matches('/'));
        assert_eq!(*path, format!("{}/{}/{}", found.group, found.version, found.name));
        let row = found.row(&object(&json!({})));
        assert_eq!(row.cells.len(), found.columns.len(), "{path}");
        assert!(found.title.ends_with('s'), "{path}");
        let kind = found.kind.to_lowercase();
        assert!(found.name.starts_with(&kind[..kind.len() - 1]), "{path}");
        let names: Vec<_> = found.columns.iter().map(|it| it.name).collect();
        assert!(names.contains(&"NAME") && found.columns.iter().all(|it| !it.description.is_empty()), "{path}");
    }
}

#[test]
fn a_table_is_found_by_group_and_plural_in_versions_with_the_same_fields() {
    let is_known = |group, version, name| built_in(&GroupVersionResource::new(group, version, name)).is_some();
    assert!(is_known("resource.k8s.io", "v1beta2", "resourceclaims"));
    assert!(is_known("autoscaling", "v2", "horizontalpodautoscalers"));
    assert!(is_known("autoscaling", "v2beta2", "horizontalpodautoscalers"));
    assert!(!is_known("autoscaling", "v1", "horizontalpodautoscalers"));
    assert!(!is_known("autoscaling", "v2beta1", "horizontalpodautoscalers"));
    assert!(is_known("flowcontrol.apiserver.k8s.io", "v1beta3", "prioritylevelconfigurations"));
    assert!(!is_known("flowcontrol.apiserver.k8s.io", "v1beta2", "prioritylevelconfigurations"));
    assert!(!is_known("resource.k8s.io", "v1alpha3", "resourceslices"));
    assert!(!is_known("example.com", "v1", "pods"));
    assert!(!is_known("", "v1", "deployments"));
    assert!(!is_known("apps", "v1", "widgets"));
    let title = |path| (resource(path).title, resource(path).kind, resource(path).is_namespaced());
    assert_eq!(title("apps/v1/statefulsets"), ("StatefulSets", "StatefulSet", true));
    assert_eq!(title("v1/nodes"), ("Nodes", "Node", false));
    assert!(std::ptr::eq(resource("v1/pods"), &PODS) && std::ptr::eq(resource("v1/namespaces"), &NAMESPACES));
}

#[test]
fn columns_are_those_of_kubectl() {
    for (path, expected) in [
        (
            "v1/pods",
            "NAMESPACE | NAME | READY | STATUS | RESTARTS | AGE | IP | NODE | [NOMINATED NODE] | [READINESS GATES]",
        ),
        (
            "apps/v1/deployments",
            "NAMESPACE | NAME | READY | UP-TO-DATE | AVAILABLE | AGE | [CONTAINERS] | [IMAGES] | [SELECTOR]",
        ),
        (
            "v1/nodes",
            "NAME | STATUS | ROLES | AGE | VERSION | [INTERNAL-IP] | [EXTERNAL-IP] | [OS-IMAGE] | [KERNEL-VERSION] | \
             [CONTAINER-RUNTIME]",
        ),
        (
            "v1/events",
            "NAMESPACE | LAST SEEN | TYPE | REASON | OBJECT | [SUBOBJECT] | [SOURCE] | MESSAGE | [FIRST SEEN] | \
             [COUNT] | [NAME]",
        ),
        ("v1/services", "NAMESPACE | NAME | TYPE | CLUSTER-IP | EXTERNAL-IP | PORT(S) | AGE | [SELECTOR]"),
        (
            "v1/persistentvolumes",
            "NAME | CAPACITY | ACCESS MODES | RECLAIM POLICY | STATUS | CLAIM | STORAGECLASS | \
             VOLUMEATTRIBUTESCLASS | REASON | AGE | [VOLUMEMODE]",
        ),
        ("rbac.authorization.k8s.io/v1/clusterroles", "NAME | CREATED AT"),
        (
            "rbac.authorization.k8s.io/v1/clusterrolebindings",
            "NAME | ROLE | AGE | [USERS] | [GROUPS] | [SERVICEACCOUNTS]",
        ),
        ("networking.k8s.io/v1/ipaddresses", "NAME | PARENTREF"),
    ] {
        assert_eq!(heads(path), expected);
    }
    let numeric =
        |path| -> Vec<_> { resource(path).columns.iter().filter(|it| it.is_numeric).map(|it| it.name).collect() };
    assert_eq!(numeric("batch/v1/jobs"), ["COMPLETIONS", "DURATION", "AGE"]);
    assert_eq!(
        numeric("policy/v1/poddisruptionbudgets"),
        ["MIN AVAILABLE", "MAX UNAVAILABLE", "ALLOWED DISRUPTIONS", "AGE"]
    );
}

#[test]
fn fields_of_other_types_do_no_harm() {
    let odd = json!({
        "metadata": {"ownerReferences": [null, {"controller": 1}]},
        "spec": [1, "two", {"three": null}],
        "status": {"conditions": {"type": "Ready"}, "capacity": "1Gi", "hard": [1], "loadBalancer": {"ingress": 4}},
        "subsets": [null, 5, {"addresses": 6, "ports": [null, {"port": "x"}]}],
        "subjects": [null, "a"],
        "data": "text",
        "series": "text",
        "count": "many",
    });
    let spec = json!({
        "spec": {
            "template": {"spec": {"containers": [null, 3, {"name": 4}]}},
            "selector": {"matchLabels": ["a"], "matchExpressions": [null, {"key": 3}]},
            "metrics": [null, {"type": "Resource"}, {"type": "Object", "object": []}],
            "paramRef": {"selector": 7},
            "versions": [null, {"served": "yes"}],
        },
    });
    for resource in built_ins() {
        for fields in [&odd, &spec] {
            assert_eq!(resource.row(&object(fields)).cells.len(), resource.columns.len());
        }
    }
}
