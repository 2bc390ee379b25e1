use super::*;

#[test]
fn volumes() {
    let spec = json!({
        "claimRef": {"namespace": "default", "name": "test"},
        "accessModes": ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod", "ReadWriteOnce"],
        "capacity": {"storage": "4Gi"},
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": "fast", "volumeAttributesClassName": "gold", "volumeMode": "Block",
    });
    let old = json!({"annotations": {"volume.beta.kubernetes.io/storage-class": "old"}});
    check(
        "v1/persistentvolumes",
        &[
            (
                json!({"spec": spec, "status": {"phase": "Bound"}}),
                "x | 4Gi | RWO,ROX,RWX,RWOP | Retain | Bound | default/test | fast | gold |  | 5m | Block",
            ),
            (
                json!({"metadata": old, "spec": {"storageClassName": "new"}, "status": {"phase": "Failed", "reason": "Why"}}),
                "x | 0 |  |  | Failed |  | old | <unset> | Why | 5m | <unset>",
            ),
            (
                json!({"metadata": {"deletionTimestamp": NOW}, "status": {"phase": "Bound"}}),
                "x | 0 |  |  | Terminating |  |  | <unset> |  | 5m | <unset>",
            ),
        ],
    );
}

#[test]
fn claims() {
    let status = json!({"phase": "Bound", "accessModes": ["ReadOnlyMany"], "capacity": {"storage": "4Gi"}});
    let spec = json!({"volumeName": "my-volume", "volumeMode": "Filesystem", "storageClassName": "fast"});
    check(
        "v1/persistentvolumeclaims",
        &[
            (
                json!({"spec": spec, "status": status}),
                "ns | x | Bound | my-volume | 4Gi | ROX | fast | <unset> | 5m | Filesystem",
            ),
            (
                json!({"spec": {"volumeAttributesClassName": "gold"}, "status": status}),
                "ns | x | Bound |  |  |  |  | gold | 5m | <unset>",
            ),
            (
                json!({"spec": {"volumeName": "v"}, "status": {"phase": "Pending"}}),
                "ns | x | Pending | v | 0 |  |  | <unset> | 5m | <unset>",
            ),
        ],
    );
}

#[test]
fn phases_of_volumes_and_claims_have_their_health() {
    for (phase, expected) in [
        ("Available", Health::Ok),
        ("Bound", Health::Ok),
        ("Pending", Health::Progressing),
        ("Released", Health::Warning),
        ("Failed", Health::Error),
        ("Lost", Health::Error),
        ("", Health::Unknown),
    ] {
        for path in ["v1/persistentvolumes", "v1/persistentvolumeclaims"] {
            assert_eq!(health(path, "STATUS", &json!({"status": {"phase": phase}})), expected, "{phase}");
        }
    }
}

#[test]
fn storage_classes() {
    let annotated = |key: &str| json!({"annotations": {key: "true"}});
    let full = json!({
        "metadata": annotated("storageclass.kubernetes.io/is-default-class"), "provisioner": "nfs",
        "reclaimPolicy": "Retain", "volumeBindingMode": "WaitForFirstConsumer", "allowVolumeExpansion": true,
    });
    let old = annotated("storageclass.beta.kubernetes.io/is-default-class");
    check(
        "storage.k8s.io/v1/storageclasses",
        &[
            (json!({"provisioner": "nfs"}), "x | nfs | Delete | Immediate | false | 5m"),
            (full, "x (default) | nfs | Retain | WaitForFirstConsumer | true | 5m"),
            (json!({"metadata": old}), "x (default) |  | Delete | Immediate | false | 5m"),
        ],
    );
}

#[test]
fn drivers_and_what_they_attach() {
    let spec = json!({
        "attachRequired": false, "podInfoOnMount": true, "storageCapacity": true, "requiresRepublish": true,
        "tokenRequests": [{"audience": "a"}, {"audience": ""}, {"audience": "b"}],
        "volumeLifecycleModes": ["Persistent", "Ephemeral"],
    });
    check(
        "storage.k8s.io/v1/csidrivers",
        &[
            (json!({"spec": spec}), "x | false | true | true | a,,b | true | Persistent,Ephemeral | 5m"),
            (json!({"spec": {}}), "x | true | false | false | <unset> | false | <none> | 5m"),
        ],
    );
    check("storage.k8s.io/v1/csinodes", &[(json!({"spec": {"drivers": [{}, {}]}}), "x | 2 | 5m")]);
    let capacity = json!({"storageClassName": "fast", "capacity": "1Gi"});
    check("storage.k8s.io/v1/csistoragecapacities", &[(capacity, "ns | x | 2026-11-29T11:55:00Z")]);
    let spec = json!({"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "pv"}});
    check(
        "storage.k8s.io/v1/volumeattachments",
        &[
            (json!({"spec": spec, "status": {"attached": true}}), "x | a | pv | n | true | 5m"),
            (json!({"spec": {"attacher": "a", "nodeName": "n", "source": {}}}), "x | a |  | n | false | 5m"),
        ],
    );
    check("storage.k8s.io/v1/volumeattributesclasses", &[(json!({"driverName": "fake"}), "x | fake | 5m")]);
}

#[test]
fn devices() {
    let claim = |status: Value| json!({"status": status});
    let deleted = json!({"deletionTimestamp": NOW});
    check(
        "resource.k8s.io/v1/resourceclaims",
        &[
            (json!({}), "ns | x | pending | 5m"),
            (claim(json!({"allocation": {}})), "ns | x | allocated | 5m"),
            (claim(json!({"allocation": {}, "reservedFor": [{}]})), "ns | x | allocated,reserved | 5m"),
            (json!({"metadata": deleted}), "ns | x | deleted | 5m"),
            (json!({"metadata": deleted, "status": {"allocation": {}}}), "ns | x | deleted,allocated | 5m"),
        ],
    );
    check("resource.k8s.io/v1/resourceclaimtemplates", &[(json!({}), "ns | x | 5m")]);
    check("resource.k8s.io/v1/deviceclasses", &[(json!({}), "x | 5m")]);
    check(
        "resource.k8s.io/v1/resourceslices",
        &[
            (json!({"spec": {"nodeName": "n", "driver": "d", "pool": {"name": "p"}}}), "x | n | d | p | 5m"),
            (json!({"spec": {"allNodes": true, "driver": "d", "pool": {"name": "p"}}}), "x |  | d | p | 5m"),
        ],
    );
}
