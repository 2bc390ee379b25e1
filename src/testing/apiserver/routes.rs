//! From a request's path, method and headers to an operation.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::kinds::{Kind, Kinds};
use super::query::{Options, Query, percent_decode, read_resource_version};
use super::refusal::{self, Refusal};
use super::transport::{refused, streamed, whole};
use super::write::{DeleteOptions, Scope};
use super::{ApiServer, discovery, list, watch};
use crate::api::Object;
use crate::runtime::{Method, Request, Response};

const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";

/// A request, understood as far as its path, its method and its query.
pub(super) struct Call {
    /// As rights name it; `get` for what is no resource.
    pub(super) verb: &'static str,
    /// None for discovery documents and the like.
    pub(super) target: Option<Target>,
    /// The path's parts, decoded.
    parts: Vec<String>,
    query: Query,
}

/// Where the objects lie that a request is about.
pub(super) struct Target {
    pub(super) kind: Rc<Kind>,
    /// As the path names it.
    pub(super) version: String,
    /// None for cluster-scoped kinds and for all namespaces.
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
    /// `status` is all there is.
    subresource: Option<String>,
}

impl Call {
    /// # Errors
    /// 404 for a resource that is not there, 405 for a method that it does not have, 501 for what is not offered.
    pub(super) fn read(server: &ApiServer, request: &Request) -> Result<Self, Refusal> {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let parts: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(percent_decode).collect();
        let query = Query::parse(query);
        let target = Target::read(&server.inner.kinds.borrow(), &parts.iter().map(String::as_str).collect::<Vec<_>>())?;
        let verb = match &target {
            Some(target) => target.verb(request.method, &query)?,
            None if request.method == Method::Get => "get",
            None => return Err(refusal::method_not_allowed()),
        };
        Ok(Self { verb, target, parts, query })
    }
}

impl Target {
    /// None when the path is shorter than a resource's.
    fn read(kinds: &Kinds, parts: &[&str]) -> Result<Option<Self>, Refusal> {
        let (group, version, rest) = match parts {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return Ok(None),
        };
        let (namespace, rest) = match rest {
            ["namespaces", _, "status" | "finalize"] => (None, rest),
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some((*namespace).to_owned()), rest),
            _ => (None, rest),
        };
        let (resource, name, subresource) = match rest {
            [] => return Ok(None),
            [resource] => (resource, None, None),
            [resource, name] => (resource, Some(name), None),
            [resource, name, subresource] => (resource, Some(name), Some(subresource)),
            _ => return Err(refusal::no_such_path()),
        };
        let kind = kinds.by_path(group, version, resource).ok_or_else(refusal::no_such_path)?;
        let misplaced = if kind.namespaced { name.is_some() && namespace.is_none() } else { namespace.is_some() };
        if misplaced {
            return Err(refusal::no_such_path());
        }
        if let Some(unknown) = subresource.filter(|it| !kind.has(it)) {
            return Err(refusal::not_offered(&format!("{}/{unknown}", kind.resource)));
        }
        let owned = |part: Option<&&str>| part.map(|part| (*part).to_owned());
        Ok(Some(Self {
            kind,
            version: version.to_owned(),
            namespace,
            name: owned(name),
            subresource: owned(subresource),
        }))
    }

    fn verb(&self, method: Method, query: &Query) -> Result<&'static str, Refusal> {
        let creates_in_place = self.namespace.is_some() || !self.kind.namespaced;
        Ok(match (method, self.name.is_some()) {
            (Method::Get, true) => "get",
            (Method::Get, false) if query.flag("watch") == Some(true) => "watch",
            (Method::Get, false) => "list",
            (Method::Post, false) if creates_in_place => "create",
            (Method::Put, true) => "update",
            (Method::Patch, true) => "patch",
            (Method::Delete, true) if self.subresource.is_none() => "delete",
            _ => return Err(refusal::method_not_allowed()),
        })
    }

    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }

    fn scope(&self) -> Scope {
        if self.subresource.is_some() { Scope::Status } else { Scope::Main }
    }
}

/// # Errors
/// With the refusal that is to be sent.
pub(super) fn answer(server: &ApiServer, call: &Call, request: &Request) -> Result<Response, Refusal> {
    let Some(target) = &call.target else { return answer_document(server, call) };
    check_accept(request)?;
    let name = target.name();
    server.inner.rights.borrow().check(call.verb, &target.kind, target.namespace.as_deref(), name)?;
    if !call.query.text("dryRun").is_empty() {
        return Err(refusal::not_offered("a dry run"));
    }
    let found = || {
        let found = server.inner.store.borrow().get(&target.kind, target.namespace(), name);
        found.ok_or_else(|| refusal::not_found(&target.kind, name))
    };
    match call.verb {
        "list" | "watch" => answer_collection(server, call, target, request),
        "get" => {
            let asked = read_resource_version(call.query.text("resourceVersion"))?;
            let current = server.inner.store.borrow().current();
            match asked.filter(|asked| *asked > current) {
                Some(asked) => Err(refusal::too_large(asked, current)),
                None => Ok(object_response(200, &found()?)),
            }
        }
        "create" => {
            let object = for_creation(target, read_object(target, request)?)?;
            Ok(object_response(201, &server.create(object)?))
        }
        "update" => {
            let mut object = read_object(target, request)?;
            if object.metadata.name.is_empty() {
                object.metadata.name = name.into();
            }
            check_same_name(target, &object)?;
            Ok(object_response(200, &server.update_in(target.scope(), object)?))
        }
        "patch" => {
            let object = patched(&*found()?, request)?;
            check_same_name(target, &object)?;
            Ok(object_response(200, &server.update_in(target.scope(), object)?))
        }
        _ => answer_deletion(server, target, request),
    }
}

/// What a list or a watch is answered when its resourceVersion is said to be too old.
pub(super) fn gone(server: &ApiServer, call: &Call) -> Response {
    let current = server.inner.store.borrow().current();
    let refusal = match read_resource_version(call.query.text("resourceVersion")) {
        Ok(Some(asked)) => refusal::too_old(asked, current),
        _ => refusal::plain(410, "The resourceVersion for the provided list is too old."),
    };
    match call.verb {
        "watch" => streamed(200, JSON, watch::error_body(&refusal)),
        _ => refused(&refusal),
    }
}

fn answer_document(server: &ApiServer, call: &Call) -> Result<Response, Refusal> {
    let parts: Vec<&str> = call.parts.iter().map(String::as_str).collect();
    if let ["healthz" | "livez" | "readyz"] = parts[..] {
        return Ok(whole(200, "text/plain; charset=utf-8", "ok"));
    }
    let document = discovery::document(server, &parts).ok_or_else(refusal::no_such_path)?;
    Ok(whole(200, JSON, super::to_json(&document)))
}

fn answer_collection(server: &ApiServer, call: &Call, target: &Target, request: &Request) -> Result<Response, Refusal> {
    let is_watch = call.verb == "watch";
    let has_watch_list = server.inner.options.watch_list;
    let options = Options::read(
        &call.query,
        &target.kind,
        &target.version,
        target.namespace.as_deref(),
        is_watch,
        has_watch_list,
    )?;
    let body = if is_watch {
        watch::check_watch_list(server, &options)?;
        watch::watch(server, Rc::clone(&target.kind), options, &request.path)
    } else {
        list::list(server, &target.kind, &options)?.into_body()
    };
    Ok(streamed(200, JSON, body))
}

fn answer_deletion(server: &ApiServer, target: &Target, request: &Request) -> Result<Response, Refusal> {
    let unreadable = |error| refusal::plain(400, format!("the object provided is unrecognized: {error}"));
    let mut options: DeleteOptions = match request.body.as_deref() {
        None | Some([]) => DeleteOptions::default(),
        Some(body) => serde_json::from_slice(body).map_err(unreadable)?,
    };
    options.leaves_pods_to_kubelet = server.inner.has_kubelet.get();
    let object = server.delete_checked(&target.kind, target.namespace(), target.name(), &options)?;
    if object.metadata.deletion_timestamp.is_some() {
        return Ok(object_response(200, &object));
    }
    let details = serde_json::json!({
        "name": object.name(), "group": target.kind.group, "kind": target.kind.resource, "uid": object.uid(),
    });
    let status = serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details,
    });
    Ok(whole(200, JSON, super::to_json(&status)))
}

fn object_response(status: u16, object: &Arc<Object>) -> Response {
    whole(status, JSON, super::to_json(&**object))
}

/// Only plain JSON is offered: no Table, no metadata alone, no protobuf.
fn check_accept(request: &Request) -> Result<(), Refusal> {
    let Some((_, accept)) = request.headers.iter().find(|(name, _)| *name == "accept") else { return Ok(()) };
    let plain = |range: &str| {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        ["application/json", "application/*", "*/*"].contains(&media) && !parts.any(|part| part.starts_with("as="))
    };
    if accept.is_empty() || accept.split(',').any(plain) {
        return Ok(());
    }
    Err(refusal::plain(406, "only the following media types are accepted: application/json"))
}

fn content_type(request: &Request) -> &str {
    let header = request.headers.iter().find(|(name, _)| *name == "content-type");
    header.map_or("", |(_, value)| value.split(';').next().unwrap_or_default().trim())
}

fn unsupported(accepted: &str) -> Refusal {
    let message =
        format!("the body of the request was in an unknown format - accepted media types include: {accepted}");
    refusal::plain(415, message)
}

fn read_object(target: &Target, request: &Request) -> Result<Object, Refusal> {
    if !["", JSON].contains(&content_type(request)) {
        return Err(unsupported(JSON));
    }
    let body = request.body.as_deref().unwrap_or_default();
    let mut object: Object = serde_json::from_slice(body)
        .map_err(|error| refusal::plain(400, format!("the object provided is unrecognized: {error}")))?;
    let (kind, version) = (&target.kind.kind, target.kind.api_version());
    if object.kind.is_empty() && object.api_version.is_empty() {
        object.kind.clone_from(kind);
        object.api_version.clone_from(&version);
    }
    if object.kind != *kind || object.api_version != version {
        let sent = object.group_version_kind();
        let message = format!("{sent} in the body does not match the expected {version}, Kind={kind}");
        return Err(refusal::plain(400, message));
    }
    if object.metadata.namespace.is_empty() {
        object.metadata.namespace = target.namespace().into();
    }
    if object.namespace() != target.namespace() {
        let message = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(refusal::plain(400, message));
    }
    Ok(object)
}

/// As the real server lets a client create it: the server alone says what its status, its uid and its age are.
fn for_creation(target: &Target, mut object: Object) -> Result<Object, Refusal> {
    object.metadata.uid.clear();
    object.metadata.creation_timestamp = None;
    object.metadata.deletion_timestamp = None;
    object.metadata.generation = None;
    if target.kind.has("status") {
        let status = match target.kind.resource.as_str() {
            "pods" => serde_json::json!({ "phase": "Pending" }),
            "namespaces" => serde_json::json!({ "phase": "Active" }),
            _ => serde_json::json!({}),
        };
        object.fields.insert("status".into(), status);
    }
    Ok(object)
}

fn check_same_name(target: &Target, object: &Object) -> Result<(), Refusal> {
    if object.name() == target.name() && object.namespace() == target.namespace() {
        return Ok(());
    }
    let (sent, asked) = (object.name(), target.name());
    let message = format!("the name of the object ({sent}) does not match the name on the URL ({asked})");
    Err(refusal::plain(400, message))
}

fn patched(object: &Object, request: &Request) -> Result<Object, Refusal> {
    let body = request.body.as_deref().unwrap_or_default();
    let unreadable = |error: serde_json::Error| refusal::plain(400, format!("error decoding patch: {error}"));
    let mut value = serde_json::to_value(object).map_err(unreadable)?;
    match content_type(request) {
        MERGE_PATCH => {
            let patch: Value = serde_json::from_slice(body).map_err(unreadable)?;
            if !patch.is_object() {
                return Err(refusal::plain(400, "error decoding patch: a merge patch must be an object"));
            }
            json_patch::merge(&mut value, &patch);
        }
        JSON_PATCH => {
            let patch: json_patch::Patch = serde_json::from_slice(body).map_err(unreadable)?;
            let failed = |error| {
                refusal::plain(422, format!("the server rejected our request due to an error in our request: {error}"))
            };
            json_patch::patch(&mut value, &patch).map_err(failed)?;
        }
        _ => return Err(unsupported(&format!("{JSON_PATCH}, {MERGE_PATCH}"))),
    }
    let invalid = |error| refusal::plain(422, format!("the patched object cannot be read: {error}"));
    serde_json::from_value(value).map_err(invalid)
}
