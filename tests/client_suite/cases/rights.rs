//! Who may do what.

use serde_json::{Value, json};
use watchglass::api::{CreateOptions, DeleteOptions, GetOptions, GroupVersionResource, ListOptions, Manifest};

use super::{Context, config_map, deployment, failure, namespaces, object};

const GET: GetOptions = GetOptions { resource_version: String::new() };

/// What a review answers: whether a verb is allowed.
async fn may(context: &Context, verb: &str, resource: &str, namespace: &str) -> bool {
    let review = object(json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": { "resourceAttributes": { "verb": verb, "resource": resource, "namespace": namespace } },
    }));
    let reviews = GroupVersionResource::new("authorization.k8s.io", "v1", "selfsubjectaccessreviews");
    let answer = context.everywhere(&reviews).create(&review, &CreateOptions::default()).await.expect("an answer");
    answer.get(&["status", "allowed"]).and_then(Value::as_bool).expect("it says yes or no")
}

async fn rules(context: &Context) -> Manifest {
    let review = object(json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
        "spec": { "namespace": context.namespace },
    }));
    let reviews = GroupVersionResource::new("authorization.k8s.io", "v1", "selfsubjectrulesreviews");
    context.everywhere(&reviews).create(&review, &CreateOptions::default()).await.expect("an answer")
}

pub async fn of_the_administrator_are_all(context: Context) {
    for (verb, resource, namespace) in [
        ("list", "pods", context.namespace.as_str()),
        ("delete", "secrets", ""),
        ("create", "configmaps", "other"),
        ("watch", "nodes", ""),
    ] {
        assert!(may(&context, verb, resource, namespace).await, "{verb} {resource}");
    }
    let rules = rules(&context).await;
    let all = json!({ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] });
    assert!(rules.list_at(&["status", "resourceRules"]).contains(&all), "{rules:?}");
    assert_eq!(rules.get(&["status", "incomplete"]), Some(&json!(false)));
}

pub async fn of_somebody_else_are_few(context: Context) {
    let somebody = context.as_user("somebody");
    for (verb, resource, namespace) in
        [("list", "pods", context.namespace.as_str()), ("delete", "secrets", ""), ("get", "nodes", "")]
    {
        assert!(!may(&somebody, verb, resource, namespace).await, "{verb} {resource}");
    }
    let rules = rules(&somebody).await;
    let of_pods = rules.list_at(&["status", "resourceRules"]).iter().any(|rule| {
        let resources = rule["resources"].as_array().expect("resources");
        resources.iter().any(|it| it == "pods" || it == "*")
    });
    assert!(!of_pods, "{rules:?}");
}

fn forbidden(message: &str, name: &str, kind: &str, group: &str) -> Value {
    let mut details = json!({ "kind": kind });
    for (key, value) in [("name", name), ("group", group)] {
        if !value.is_empty() {
            details[key] = json!(value);
        }
    }
    json!({ "status": "Failure", "code": 403, "reason": "Forbidden", "message": message, "details": details })
}

pub async fn that_are_missing_are_named(context: Context) {
    let somebody = context.as_user("somebody");
    let namespace = &context.namespace;
    let error = somebody.config_maps().list(&ListOptions::default()).await.expect_err("it is forbidden");
    assert!(error.is_forbidden());
    let message = format!(
        "configmaps is forbidden: User \"somebody\" cannot list resource \"configmaps\" in API group \"\" in the \
         namespace \"{namespace}\""
    );
    assert_eq!(failure(Err::<(), _>(error)), forbidden(&message, "", "configmaps", ""));

    let all = somebody.everywhere(&super::pods());
    let message =
        "pods is forbidden: User \"somebody\" cannot list resource \"pods\" in API group \"\" at the cluster scope";
    assert_eq!(failure(all.list(&ListOptions::default()).await), forbidden(message, "", "pods", ""));

    let message = format!(
        "deployments.apps \"web\" is forbidden: User \"somebody\" cannot get resource \"deployments\" in API group \
         \"apps\" in the namespace \"{namespace}\""
    );
    let answer = failure(somebody.deployments().get("web", &GET).await);
    assert_eq!(answer, forbidden(&message, "web", "deployments", "apps"));

    let message = format!(
        "configmaps is forbidden: User \"somebody\" cannot create resource \"configmaps\" in API group \"\" in the \
         namespace \"{namespace}\""
    );
    let answer = failure(somebody.config_maps().create(&config_map("one", json!({})), &CreateOptions::default()).await);
    assert_eq!(answer, forbidden(&message, "", "configmaps", ""));

    let message = format!(
        "namespaces \"{namespace}\" is forbidden: User \"somebody\" cannot delete resource \"namespaces\" in API group \
         \"\" in the namespace \"{namespace}\""
    );
    let answer = failure(somebody.everywhere(&namespaces()).delete(namespace, &DeleteOptions::default()).await);
    assert_eq!(answer, forbidden(&message, namespace, "namespaces", ""));
}

pub async fn that_are_missing_forbid_watches_and_subresources(context: Context) {
    let somebody = context.as_user("somebody");
    let Err(error) = somebody.config_maps().watch(&ListOptions::default()).await else { panic!("it is forbidden") };
    let message = format!(
        "configmaps is forbidden: User \"somebody\" cannot watch resource \"configmaps\" in API group \"\" in the \
         namespace \"{}\"",
        context.namespace
    );
    assert_eq!(failure(Err::<(), _>(error)), forbidden(&message, "", "configmaps", ""));
    context.deployments().create(&deployment("web"), &CreateOptions::default()).await.expect("it is created");
    let message = format!(
        "deployments.apps \"web\" is forbidden: User \"somebody\" cannot get resource \"deployments/scale\" in API group \
         \"apps\" in the namespace \"{}\"",
        context.namespace
    );
    let answer = failure(somebody.deployments().subresource("scale").get("web", &GET).await);
    assert_eq!(answer, forbidden(&message, "web", "deployments", "apps"));
}

/// Nobody may act as others because he acts as somebody.
pub async fn come_from_the_one_who_acts(context: Context) {
    let somebody = context.as_user("somebody");
    let other = somebody.as_user("system:admin");
    assert!(!may(&other, "list", "pods", &context.namespace).await, "the innermost name counts");
    assert!(may(&context, "list", "pods", &context.namespace).await);
}

pub async fn come_with_a_role_and_its_binding(context: Context) {
    let somebody = context.as_user(&format!("reader-of-{}", context.namespace));
    let user = format!("reader-of-{}", context.namespace);
    let role = object(json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": { "name": "reader" },
        "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"] }],
    }));
    let binding = object(json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": { "name": "reader" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user }],
    }));
    assert!(!may(&somebody, "list", "configmaps", &context.namespace).await);
    for (resource, object) in [("roles", role), ("rolebindings", binding)] {
        let resource = GroupVersionResource::new("rbac.authorization.k8s.io", "v1", resource);
        context.resource(&resource).create(&object, &CreateOptions::default()).await.expect("it is created");
    }
    // The authorizer follows by watches of its own.
    context.until(async || may(&somebody, "list", "configmaps", &context.namespace).await).await;
    assert!(!may(&somebody, "delete", "configmaps", &context.namespace).await);
    assert!(!may(&somebody, "list", "configmaps", "default").await);
    context.create_config_maps(&["one"]).await;
    assert_eq!(somebody.config_maps().get("one", &GET).await.expect("it may be read").name(), "one");
    let deletion = somebody.config_maps().delete("one", &DeleteOptions::default()).await;
    assert!(deletion.expect_err("it may only be read").is_forbidden());
    let rules = rules(&somebody).await;
    let mine = json!({ "verbs": ["get", "list"], "apiGroups": [""], "resources": ["configmaps"] });
    assert!(rules.list_at(&["status", "resourceRules"]).contains(&mine), "{rules:?}");
}
