//! From a request's path, method and headers to an operation.

use std::rc::Rc;

use super::accept::Form;
use super::kinds::{Kind, Kinds};
use super::query::{Options, Query, percent_decode, read_resource_version};
use super::refusal::{self, Refusal};
use super::render::Rendering;
use super::rights::{Attributes, User};
use super::transport::{refused, streamed, whole};
use super::write::Scope;
use super::{ApiServer, deletion_requests, discovery, exec, list, log, requests, reviews, scale, watch};
use crate::api::Manifest;
use crate::runtime::{Method, Request, Response};

const JSON: &str = "application/json";

/// A request, understood as far as its path, its method and its query.
pub(super) struct Call {
    /// As rights name it; `get` for what is no resource.
    pub(super) verb: &'static str,
    /// None for discovery documents and the like.
    pub(super) target: Option<Target>,
    /// The path's parts, decoded.
    parts: Vec<String>,
    /// The path without its query, with a leading slash.
    path: String,
    pub(super) query: Query,
    form: Form,
}

/// Where the objects lie that a request is about.
pub(super) struct Target {
    pub(super) kind: Rc<Kind>,
    /// As the path names it.
    pub(super) version: String,
    /// None for cluster-scoped kinds and for all namespaces.
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
    pub(super) subresource: Option<String>,
    /// The resource, with the subresource behind a slash.
    resource: String,
}

impl Call {
    /// # Errors
    /// 404 for a resource that is not there, 405 for a method that it does not have, 501 for what is not offered.
    pub(super) fn read(server: &ApiServer, request: &Request) -> Result<Self, Refusal> {
        let (path_text, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let parts: Vec<String> = path_text.split('/').filter(|part| !part.is_empty()).map(percent_decode).collect();
        let query = Query::parse(query);
        let path: Vec<_> = parts.iter().map(String::as_str).collect();
        let target = Target::read(&server.inner.kinds.borrow(), &path);
        let target = target.map_err(|problem| problem.unwrap_or_else(|| discovery::missing(server, &path)))?;
        let verb = match &target {
            Some(target) => target.verb(request.method, &query)?,
            None if request.method == Method::Get => "get",
            None => return Err(refusal::method_not_allowed()),
        };
        let form = if target.is_some() { Form::read(header(request, "accept"), &query)? } else { Form::Whole };
        let path = if target.is_some() { String::new() } else { format!("/{path_text}") };
        Ok(Self { verb, target, parts, path, query, form })
    }

    /// What rights have to allow.
    pub(super) fn attributes(&self) -> Attributes<'_> {
        match &self.target {
            Some(target) => target.attributes(self.verb),
            None => Attributes { verb: self.verb, path: &self.path, ..Attributes::default() },
        }
    }
}

/// What the real server has below objects of these kinds, and this one has not.
const UNOFFERED: [&str; 11] = [
    "namespaces/finalize",
    "nodes/proxy",
    "pods/attach",
    "pods/binding",
    "pods/ephemeralcontainers",
    "pods/eviction",
    "pods/portforward",
    "pods/proxy",
    "pods/resize",
    "serviceaccounts/token",
    "services/proxy",
];

impl Target {
    /// None when the path is shorter than a resource's.
    fn read(kinds: &Kinds, parts: &[&str]) -> Result<Option<Self>, Option<Refusal>> {
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
            _ => return Err(None),
        };
        let kind = kinds.by_path(group, version, resource).ok_or(None)?;
        let misplaced = if kind.namespaced { name.is_some() && namespace.is_none() } else { namespace.is_some() };
        if misplaced {
            return Err(Some(refusal::no_such_path()));
        }
        if let Some(unknown) = subresource.filter(|it| !kind.has(it)) {
            let exists = UNOFFERED.contains(&format!("{}/{unknown}", kind.resource).as_str());
            let what = || refusal::not_offered(&format!("{}/{unknown}", kind.resource));
            return Err(Some(if exists { what() } else { refusal::no_such_path() }));
        }
        let owned = |part: Option<&&str>| part.map(|part| (*part).to_owned());
        let resource = match subresource {
            None => kind.resource.clone(),
            Some(subresource) => format!("{}/{subresource}", kind.resource),
        };
        Ok(Some(Self {
            kind,
            resource,
            version: version.to_owned(),
            namespace,
            name: owned(name),
            subresource: owned(subresource),
        }))
    }

    fn verb(&self, method: Method, query: &Query) -> Result<&'static str, Refusal> {
        if self.kind.is_review() && (method, self.name.is_some()) != (Method::Post, false) {
            return Err(refusal::method_not_allowed());
        }
        match (self.subresource.as_deref(), method) {
            (Some("log"), Method::Get) | (Some("exec"), Method::Get) => return Ok("get"),
            (Some("exec"), Method::Post) => return Ok("create"),
            (Some("log" | "exec"), _) => return Err(refusal::method_not_allowed()),
            _ => {}
        }
        let creates_in_place = self.namespace.is_some() || !self.kind.namespaced;
        Ok(match (method, self.name.is_some()) {
            (Method::Get, true) => "get",
            (Method::Get, false) if query.flag("watch") == Some(true) => "watch",
            (Method::Get, false) => "list",
            (Method::Post, false) if creates_in_place => "create",
            (Method::Put, true) => "update",
            (Method::Patch, true) => "patch",
            (Method::Delete, true) if self.subresource.is_none() => "delete",
            (Method::Delete, false) if creates_in_place && !self.kind.is("namespaces") => "deletecollection",
            _ => return Err(refusal::method_not_allowed()),
        })
    }

    fn attributes<'a>(&'a self, verb: &'a str) -> Attributes<'a> {
        Attributes {
            verb,
            group: &self.kind.group,
            resource: &self.resource,
            // A namespace is within itself (apiserver: `pkg/endpoints/request/requestinfo.go`).
            namespace: self.namespace.as_deref().or(self.name.as_deref().filter(|_| self.kind.is("namespaces"))),
            name: self.name(),
            path: "",
        }
    }

    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    pub(super) fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }

    pub(super) fn rendering(&self, call: &Call) -> Rendering {
        Rendering { form: call.form.clone(), kind: Rc::clone(&self.kind), version: self.version.clone() }
    }

    /// Of the version that the path names.
    pub(super) fn api_version(&self) -> String {
        self.kind.api_version_of(&self.version)
    }

    pub(super) fn scope(&self) -> Scope {
        match self.subresource.as_deref() {
            None => Scope::Main,
            Some("scale") => Scope::Scale,
            Some(_) => Scope::Status,
        }
    }
}

/// # Errors
/// With the refusal that is to be sent.
pub(super) fn answer(server: &ApiServer, user: &User, call: &Call, request: &Request) -> Result<Response, Refusal> {
    server.authorize(user, &call.attributes())?;
    let Some(target) = &call.target else { return answer_document(server, call, request) };
    call.form.check(&target.kind, &target.version, call.verb == "list")?;
    match target.subresource.as_deref() {
        Some("log") => return log::answer(server, target, &call.query, &request.path),
        Some("exec") => return answer_exec(server, call, target, request),
        _ => {}
    }
    if target.kind.is_review() {
        return reviews::answer(server, user, target, request.body.as_deref().unwrap_or_default());
    }
    let mut response = answer_about(server, call, target, request)?;
    if target.kind.version(&target.version).is_some_and(|version| version.is_deprecated) {
        let warning = format!("299 - \"{} {} is deprecated\"", target.api_version(), target.kind.kind);
        response.headers.push(("warning".into(), warning));
    }
    Ok(response)
}

fn answer_about(server: &ApiServer, call: &Call, target: &Target, request: &Request) -> Result<Response, Refusal> {
    let name = target.name();
    match call.verb {
        "list" | "watch" => answer_collection(server, call, target, request),
        "get" => {
            let asked = read_resource_version(call.query.text("resourceVersion"))?;
            let current = server.inner.store.borrow().current();
            match asked.filter(|asked| *asked > current) {
                Some(asked) => Err(refusal::too_large(asked, current)),
                None => {
                    let found = server.found(&target.kind, target.namespace(), name)?;
                    match target.scope() {
                        Scope::Scale => scale::response(target, &found),
                        _ => Ok(object_response(server, call, target, 200, &found)),
                    }
                }
            }
        }
        "delete" => deletion_requests::answer(server, call, target, request),
        "deletecollection" => deletion_requests::answer_collection(server, call, target, request),
        _ => requests::answer(server, call, target, request),
    }
}

/// The head of a socket, when one is asked for.
fn answer_exec(server: &ApiServer, call: &Call, target: &Target, request: &Request) -> Result<Response, Refusal> {
    exec::check(server, target, &call.query)?;
    if header(request, "upgrade") == "websocket" {
        return Ok(whole(101, "", ""));
    }
    Err(refusal::plain(400, "Upgrade request required"))
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

fn answer_document(server: &ApiServer, call: &Call, request: &Request) -> Result<Response, Refusal> {
    let parts: Vec<&str> = call.parts.iter().map(String::as_str).collect();
    if let ["healthz" | "livez" | "readyz"] = parts[..] {
        return Ok(whole(200, "text/plain; charset=utf-8", "ok"));
    }
    discovery::answer(server, &parts, header(request, "accept"), header(request, "if-none-match"))
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
        watch::watch(server, target.rendering(call), options, &request.path)
    } else {
        list::list(server, &target.kind, &options)?.into_body(target.rendering(call), server.inner.runtime.clock.wall())
    };
    Ok(streamed(200, JSON, body))
}

pub(super) fn object_response(
    server: &ApiServer,
    call: &Call,
    target: &Target,
    status: u16,
    object: &Manifest,
) -> Response {
    let now = server.inner.runtime.clock.wall();
    whole(status, JSON, target.rendering(call).object(object, true, now))
}

/// A header's value by its lower-case name; empty when it is absent.
pub(super) fn header<'a>(request: &'a Request, name: &str) -> &'a str {
    request.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
}

pub(super) fn content_type(request: &Request) -> &str {
    header(request, "content-type").split(';').next().unwrap_or_default().trim()
}
