use super::*;

#[test]
fn config_maps_and_secrets() {
    check(
        "v1/configmaps",
        &[
            (json!({}), "ns | x | 0 | 5m"),
            (json!({"data": {"a": "1", "b": "2"}, "binaryData": {"c": "AA=="}}), "ns | x | 3 | 5m"),
        ],
    );
    check(
        "v1/secrets",
        &[
            (
                json!({"type": "kubernetes.io/tls", "data": {"a": "AA==", "b": "AA=="}}),
                "ns | x | kubernetes.io/tls | 2 | 5m",
            ),
            (json!({"type": "Opaque"}), "ns | x | Opaque | 0 | 5m"),
        ],
    );
}

#[test]
fn kinds_without_a_printer_have_their_time() {
    check("v1/limitranges", &[(json!({}), "ns | x | 2026-11-29T11:55:00Z")]);
    check("rbac.authorization.k8s.io/v1/roles", &[(json!({}), "ns | x | 2026-11-29T11:55:00Z")]);
    check(
        "rbac.authorization.k8s.io/v1/clusterroles",
        &[
            (json!({}), "x | 2026-11-29T11:55:00Z"),
            (json!({"metadata": {"creationTimestamp": null}}), "x | 0001-01-01T00:00:00Z"),
        ],
    );
}

#[test]
fn pod_templates() {
    let mut template = template();
    template["metadata"]["labels"] = json!({"b": "2", "a": "1"});
    check(
        "v1/podtemplates",
        &[
            (json!({"template": template}), "ns | x | web,log | web:1,log:2 | a=1,b=2"),
            (json!({}), "ns | x |  |  | <none>"),
        ],
    );
}

#[test]
fn resource_quotas() {
    let used = json!({"cpu": "1", "memory": "1Gi", "limits.cpu": "2", "limits.memory": "2Gi"});
    let hard = json!({"memory": "4Gi", "pods": "10", "cpu": "100", "limits.memory": "8Gi", "limits.cpu": "200"});
    check(
        "v1/resourcequotas",
        &[
            (
                json!({"status": {"used": used, "hard": hard}}),
                "ns | x | cpu: 1/100, memory: 1Gi/4Gi, pods: 0/10 | limits.cpu: 2/200, limits.memory: 2Gi/8Gi | 5m",
            ),
            (json!({}), "ns | x |  |  | 5m"),
        ],
    );
}

#[test]
fn service_accounts_and_bindings() {
    check("v1/serviceaccounts", &[(json!({"secrets": [{}]}), "ns | x | 5m")]);
    let subjects = json!([
        {"kind": "User", "name": "ann"}, {"kind": "Group", "name": "ops"}, {"kind": "User", "name": "bob"},
        {"kind": "ServiceAccount", "namespace": "a", "name": "b"}, {"kind": "Other", "name": "c"},
    ]);
    let binding = json!({"roleRef": {"kind": "Role", "name": "edit"}, "subjects": subjects});
    check(
        "rbac.authorization.k8s.io/v1/rolebindings",
        &[
            (binding.clone(), "ns | x | Role/edit | 5m | ann, bob | ops | a/b"),
            (json!({"roleRef": {"kind": "Role", "name": "r"}}), "ns | x | Role/r | 5m |  |  | "),
        ],
    );
    check(
        "rbac.authorization.k8s.io/v1/clusterrolebindings",
        &[(binding, "x | Role/edit | 5m | ann, bob | ops | a/b")],
    );
}

#[test]
fn signing_requests() {
    let path = "certificates.k8s.io/v1/certificatesigningrequests";
    let conditions = |kinds: &[&str]| -> Value { kinds.iter().map(|it| json!({"type": it})).collect() };
    let spec = json!({"signerName": "example.com/signer", "username": "ann", "expirationSeconds": 608_400});
    check(
        path,
        &[
            (json!({}), "x | 5m | <none> |  | <none> | Pending"),
            (
                json!({"spec": spec, "status": {"conditions": conditions(&["Approved"])}}),
                "x | 5m | example.com/signer | ann | 7d1h | Approved",
            ),
        ],
    );
    for (kinds, certificate, text, expected) in [
        (&[][..], "", "Pending", Health::Progressing),
        (&["Approved"], "", "Approved", Health::Progressing),
        (&["Approved"], "AA==", "Approved,Issued", Health::Ok),
        (&["Approved", "Denied"], "", "Denied", Health::Error),
        (&["Approved", "Failed"], "", "Approved,Failed", Health::Error),
    ] {
        let fields = json!({"status": {"conditions": conditions(kinds), "certificate": certificate}});
        assert_eq!(printed(path, &fields), format!("x | 5m | <none> |  | <none> | {text}"));
        assert_eq!(health(path, "CONDITION", &fields), expected, "{text}");
    }
}
