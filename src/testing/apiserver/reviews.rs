//! Questions about who one is and what one may do: nothing of them is kept.

use serde_json::{Value, json};

use super::ApiServer;
use super::refusal::{self, Refusal};
use super::rights::{AUTHENTICATED, Attributes, User};
use super::routes::Target;
use super::transport::whole;
use crate::api::{Status, StatusCause, StatusDetails};
use crate::runtime::Response;

/// # Errors
/// 422 and 400 for questions that make no sense.
pub(super) fn answer(server: &ApiServer, user: &User, target: &Target, body: &[u8]) -> Result<Response, Refusal> {
    let unreadable = |error| refusal::plain(400, format!("the object provided is unrecognized: {error}"));
    let question: Value = if body.is_empty() { json!({}) } else { serde_json::from_slice(body).map_err(unreadable)? };
    let spec = &question["spec"];
    let mut answer = json!({
        "kind": target.kind.kind, "apiVersion": target.kind.api_version(), "metadata": {}, "spec": spec,
    });
    answer["status"] = match target.kind.kind.as_str() {
        "SelfSubjectReview" => {
            answer["metadata"] = json!({ "creationTimestamp": server.wall_seconds() });
            answer.as_object_mut().map(|answer| answer.remove("spec"));
            json!({ "userInfo": { "username": user.name, "groups": user.groups } })
        }
        "SelfSubjectRulesReview" => {
            answer["spec"] = json!({});
            rules(server, user, spec)?
        }
        "SelfSubjectAccessReview" => verdict(server, user, spec)?,
        kind => {
            let namespace = target.namespace.as_deref();
            if kind == "LocalSubjectAccessReview" && spec["resourceAttributes"]["namespace"].as_str() != namespace {
                return Err(refusal::plain(
                    400,
                    "the namespace of the provided object does not match the namespace sent on the request",
                ));
            }
            verdict(server, &subject(spec), spec)?
        }
    };
    Ok(whole(201, "application/json", super::to_json(&answer)))
}

/// Whom somebody else asks about.
fn subject(spec: &Value) -> User {
    let groups = spec["groups"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    User { name: spec["user"].as_str().unwrap_or_default().into(), groups: groups.collect() }
}

fn verdict(server: &ApiServer, user: &User, spec: &Value) -> Result<Value, Refusal> {
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    if resource.is_object() == path.is_object() {
        let value = if path.is_object() {
            format!("{{\"Path\":{},\"Verb\":{}}}", path["path"], path["verb"])
        } else {
            "null".to_owned()
        };
        let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        return Err(invalid_spec(&format!("Invalid value: {value}: {why}")));
    }
    let text = |value: &'_ Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let (verb, of) = if path.is_object() { (text(path, "verb"), path) } else { (text(resource, "verb"), resource) };
    let mut name = text(resource, "resource");
    if let Some(subresource) = resource["subresource"].as_str().filter(|it| !it.is_empty()) {
        name = format!("{name}/{subresource}");
    }
    let asked = Attributes {
        verb: &verb,
        group: resource["group"].as_str().unwrap_or_default(),
        resource: &name,
        namespace: resource["namespace"].as_str().filter(|namespace| !namespace.is_empty()),
        name: resource["name"].as_str().unwrap_or_default(),
        path: of["path"].as_str().unwrap_or_default(),
    };
    let verdict = server.judge(user, &asked);
    let mut status = json!({ "allowed": verdict.allowed });
    if !verdict.reason.is_empty() {
        status["reason"] = verdict.reason.into();
    }
    Ok(status)
}

fn invalid_spec(message: &str) -> Refusal {
    let cause = StatusCause { reason: "FieldValueInvalid".into(), message: message.into(), field: "spec".into() };
    let details =
        StatusDetails { group: "authorization.k8s.io".into(), causes: vec![cause], ..StatusDetails::default() };
    let text = format!(".authorization.k8s.io \"\" is invalid: spec: {message}");
    Box::new(Status { details: Some(details), ..Status::failure(422, text) })
}

fn rules(server: &ApiServer, user: &User, spec: &Value) -> Result<Value, Refusal> {
    let namespace = spec["namespace"].as_str().filter(|namespace| !namespace.is_empty());
    let namespace = namespace.ok_or_else(|| refusal::plain(400, "no namespace on request"))?;
    let (mut resources, mut paths) = (Vec::new(), Vec::new());
    let is_limited = server.inner.rights.borrow().forbids_something() && user.is_master();
    if !is_limited {
        server.each_rule(user, Some(namespace), |rule, _| {
            let rules = if rule["nonResourceURLs"].is_array() { &mut paths } else { &mut resources };
            rules.push(rule.clone());
        });
        if user.is_master() {
            resources.push(json!({ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }));
            paths.push(json!({ "verbs": ["*"], "nonResourceURLs": ["*"] }));
        }
    }
    let mut status = json!({ "resourceRules": resources, "nonResourceRules": paths, "incomplete": is_limited });
    if is_limited {
        let who = format!("rights were taken from {}, a member of {AUTHENTICATED}", user.name);
        status["evaluationError"] = format!("{who}, which rules that only allow cannot say").into();
    }
    Ok(status)
}
