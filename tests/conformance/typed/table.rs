//! The table of kinds against what k8s-openapi knows, and what URLs they make.

use std::collections::BTreeSet;

use watchglass::api::{GetOptions, Object};
use watchglass::rest::clientset::{Clientset, Kind as _};

use crate::rest::scripted::{Scripted, answer};

#[test]
fn accessors_reach_the_group_the_version_and_the_namespace() {
    let server = Scripted::new([answer(404)]);
    let clientset = Clientset::for_config(&server.config());
    let any = GetOptions::default();
    server.block_on(async {
        clientset.core_v1().nodes().get("x", &any).await.expect_err("there is none");
        clientset.core_v1().endpoints("n").get("x", &any).await.expect_err("there is none");
        clientset.core_v1().pods("").get("x", &any).await.expect_err("there is none");
        clientset.rbac_v1().cluster_roles().get("x", &any).await.expect_err("there is none");
        clientset.networking_v1().ip_addresses().get("x", &any).await.expect_err("there is none");
        clientset.autoscaling_v2().horizontal_pod_autoscalers("n").get("x", &any).await.expect_err("there is none");
        clientset.internal_v1alpha1().storage_versions().get("x", &any).await.expect_err("there is none");
        clientset.apiextensions_v1().custom_resource_definitions().get("x", &any).await.expect_err("there is none");
        clientset.apiregistration_v1().api_services().get("x", &any).await.expect_err("there is none");
    });
    let expected = [
        "api/v1/nodes/x",
        "api/v1/namespaces/n/endpoints/x",
        "api/v1/pods/x",
        "apis/rbac.authorization.k8s.io/v1/clusterroles/x",
        "apis/networking.k8s.io/v1/ipaddresses/x",
        "apis/autoscaling/v2/namespaces/n/horizontalpodautoscalers/x",
        "apis/internal.apiserver.k8s.io/v1alpha1/storageversions/x",
        "apis/apiextensions.k8s.io/v1/customresourcedefinitions/x",
        "apis/apiregistration.k8s.io/v1/apiservices/x",
    ];
    assert_eq!(server.lines(), expected.map(|path| format!("GET {path}")));
}

#[test]
fn a_kind_names_its_resource() {
    let pods = k8s_openapi::api::core::v1::Pod::resource();
    assert_eq!((pods.to_string(), pods.version.as_str()), ("pods".into(), "v1"));
    let names: BTreeSet<_> = [k8s_openapi::api::apps::v1::Deployment::resource().to_string()].into();
    assert!(names.contains("deployments.apps"));
    let _: fn(&Object) -> _ = watchglass::rest::clientset::from_object::<k8s_openapi::api::core::v1::Pod>;
}
