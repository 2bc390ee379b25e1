use serde_json::{Value, json};
use watchglass::runtime::{Method, Request};
use watchglass::testing::apiserver::User;

use super::client::{Answer, Client};

const ACCESS: &str = "apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const RULES: &str = "apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
const WHO: &str = "apis/authentication.k8s.io/v1/selfsubjectreviews";

/// A server where `restricted` may look at pods in `allowed`.
fn server() -> Client {
    let client = Client::new();
    client.server.add_token("secret", User::new("restricted").in_group("restricted"), None);
    for object in [
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "allowed" } }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": { "name": "see-pods", "namespace": "allowed" },
            "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"] }],
        }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": { "name": "restricted-sees-pods", "namespace": "allowed" },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "see-pods" },
            "subjects": [{ "kind": "User", "name": "restricted" }],
        }),
    ] {
        client
            .server
            .create(serde_json::from_value(object).expect("the test asks for what is there"))
            .expect("the test asks for what is there");
    }
    client
}

fn send(client: &Client, method: Method, path: &str, headers: &[(&'static str, &str)], body: &Value) -> Answer {
    let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).to_owned())).collect();
    let body = (!body.is_null()).then(|| body.to_string().into());
    client.send(Request { method, path: path.into(), headers, body, ..Request::default() })
}

fn restricted(client: &Client, path: &str) -> Answer {
    send(client, Method::Get, path, &[("authorization", "Bearer secret")], &Value::Null)
}

fn ask(client: &Client, path: &str, spec: Value) -> Answer {
    send(client, Method::Post, path, &[("authorization", "Bearer secret")], &json!({ "spec": spec }))
}

#[test]
fn a_token_that_nobody_knows_or_that_has_expired_is_unauthorized() {
    let client = server();
    let get = |token: &str| send(&client, Method::Get, "api/v1/pods", &[("authorization", token)], &Value::Null);
    let refused = get("Bearer nope");
    assert_eq!(refused.status, 401);
    assert_eq!(
        (&refused.json()["message"], &refused.json()["reason"]),
        (&"Unauthorized".into(), &"Unauthorized".into())
    );
    let expires = client.sandbox.runtime().clock.wall() + jiff::SignedDuration::from_secs(60);
    client.server.add_token("short", User::new("short").in_group("system:masters"), Some(expires));
    assert_eq!(get("Bearer short").status, 200);
    client.sandbox.advance(std::time::Duration::from_secs(60));
    assert_eq!(get("Bearer short").status, 401);
}

#[test]
fn roles_and_their_bindings_say_what_a_user_may_do() {
    let client = server();
    assert_eq!(restricted(&client, "api/v1/namespaces/allowed/pods").status, 200);
    assert_eq!(restricted(&client, "apis").status, 200);
    let no = "User \"restricted\" cannot";
    for (path, message) in [
        (
            "api/v1/pods",
            format!("pods is forbidden: {no} list resource \"pods\" in API group \"\" at the cluster scope"),
        ),
        (
            "apis/apps/v1/namespaces/default/deployments",
            format!(
                "deployments.apps is forbidden: {no} list resource \"deployments\" in API group \"apps\" \
                 in the namespace \"default\""
            ),
        ),
        (
            "api/v1/namespaces/default/pods/x/status",
            format!(
                "pods \"x\" is forbidden: {no} get resource \"pods/status\" in API group \"\" \
                 in the namespace \"default\""
            ),
        ),
        ("metrics", format!("forbidden: {no} get path \"/metrics\"")),
    ] {
        let refused = restricted(&client, path);
        assert_eq!((refused.status, &refused.json()["message"]), (403, &message.into()), "{path}");
    }
    client.server.delete("rolebindings", "allowed", "restricted-sees-pods").unwrap();
    assert_eq!(restricted(&client, "api/v1/namespaces/allowed/pods").status, 403);
}

#[test]
fn headers_impersonate_for_those_who_may() {
    let client = server();
    let get = |headers: &[(&'static str, &str)], path: &str| send(&client, Method::Get, path, headers, &Value::Null);
    assert_eq!(get(&[("impersonate-user", "restricted")], "api/v1/pods").status, 403);
    assert_eq!(get(&[("impersonate-user", "restricted")], "api/v1/namespaces/allowed/pods").status, 200);
    let masters = [("impersonate-user", "bob"), ("impersonate-group", "a"), ("impersonate-group", "system:masters")];
    assert_eq!(get(&masters, "api/v1/pods").status, 200);
    let by_restricted = get(&[("authorization", "Bearer secret"), ("impersonate-user", "bob")], "api/v1/pods").json();
    let message = "pods is forbidden: User \"restricted\" cannot impersonate-on:user-info:list resource \"pods\" \
                   in API group \"\" at the cluster scope";
    assert_eq!(by_restricted["message"], message);
    let nobody = get(&[("impersonate-group", "a")], "api/v1/pods").json();
    let message = "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"a\"}, \
                   Extra:map[string][]string(nil)} without impersonating a user name";
    assert_eq!((&nobody["code"], &nobody["message"]), (&400.into(), &message.into()));
}

#[test]
fn an_access_review_says_whether_and_why() {
    let client = server();
    let list = |namespace: &str| json!({ "resourceAttributes": { "verb": "list", "resource": "pods", "namespace": namespace } });
    let allowed = ask(&client, ACCESS, list("allowed"));
    assert_eq!(allowed.status, 201);
    let reason = "RBAC: allowed by RoleBinding \"restricted-sees-pods/allowed\" of Role \"see-pods\" \
                  to User \"restricted\"";
    assert_eq!(allowed.json()["status"], json!({ "allowed": true, "reason": reason }));
    assert_eq!(ask(&client, ACCESS, list("default")).json()["status"], json!({ "allowed": false }));
    let path = ask(&client, ACCESS, json!({ "nonResourceAttributes": { "path": "/version", "verb": "get" } })).json();
    let reason = "RBAC: allowed by ClusterRoleBinding \"system:discovery\" of ClusterRole \"system:discovery\" \
                  to Group \"system:authenticated\"";
    assert_eq!(path["status"], json!({ "allowed": true, "reason": reason }));
    let neither = ask(&client, ACCESS, json!({})).json();
    let message = ".authorization.k8s.io \"\" is invalid: spec: Invalid value: null: \
                   exactly one of nonResourceAttributes or resourceAttributes must be specified";
    assert_eq!((&neither["code"], &neither["message"]), (&422.into(), &message.into()));
    let admin = send(&client, Method::Post, ACCESS, &[], &json!({ "spec": list("default") })).json();
    assert_eq!(admin["status"], json!({ "allowed": true }));
    client.server.forbid("list", "pods", Some("default"));
    let admin = send(&client, Method::Post, ACCESS, &[], &json!({ "spec": list("default") })).json();
    assert_eq!(admin["status"], json!({ "allowed": false }));
    assert_eq!(client.get(ACCESS).status, 405);
}

#[test]
fn a_rules_review_lists_what_a_user_may_do_in_a_namespace() {
    let client = server();
    let status = ask(&client, RULES, json!({ "namespace": "allowed" })).json()["status"].clone();
    assert_eq!(status["incomplete"], false);
    assert_eq!(
        status["resourceRules"],
        json!([
            { "verbs": ["create"], "apiGroups": ["authorization.k8s.io"],
                "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"] },
            { "verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"] },
            { "verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["pods"] },
        ])
    );
    assert_eq!(status["nonResourceRules"][0]["nonResourceURLs"][0], "/api");
    let without = ask(&client, RULES, json!({})).json();
    assert_eq!((&without["code"], &without["message"]), (&400.into(), &"no namespace on request".into()));
    let admin = send(&client, Method::Post, RULES, &[], &json!({ "spec": { "namespace": "default" } })).json();
    let all = json!({ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] });
    assert_eq!(admin["status"]["resourceRules"].as_array().unwrap().last(), Some(&all));
}

#[test]
fn a_user_is_told_who_he_is_and_others_may_be_asked_about_by_an_admin() {
    let client = server();
    let who = ask(&client, WHO, Value::Null).json();
    let info = json!({ "username": "restricted", "groups": ["restricted", "system:authenticated"] });
    assert_eq!(who["status"]["userInfo"], info);
    let path = "apis/authorization.k8s.io/v1/subjectaccessreviews";
    let list = json!({ "verb": "list", "resource": "pods", "namespace": "allowed" });
    let question = json!({ "spec": { "user": "restricted", "resourceAttributes": list } });
    assert_eq!(send(&client, Method::Post, path, &[], &question).json()["status"]["allowed"], true);
    assert_eq!(ask(&client, path, question["spec"].clone()).status, 403);
}
