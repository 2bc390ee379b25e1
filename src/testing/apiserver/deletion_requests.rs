//! Deletions as they come over the wire, of one object or of many.

use serde_json::json;

use super::ApiServer;
use super::deletion::DeleteOptions;
use super::list;
use super::query::{Options, Query};
use super::refusal::{self, Refusal};
use super::routes::{Call, Target, object_response};
use super::transport::{streamed, whole};
use crate::runtime::{Request, Response};

const JSON: &str = "application/json";

/// Kinds whose objects are answered themselves when they are deleted at once; of others a Status says that they are
/// gone.
const ANSWERED_WHOLE: [&str; 7] = [
    "pods",
    "services",
    "serviceaccounts",
    "persistentvolumeclaims",
    "persistentvolumes",
    "resourcequotas",
    "podtemplates",
];

/// # Errors
/// With the refusal that is to be sent.
pub(super) fn answer(server: &ApiServer, call: &Call, target: &Target, request: &Request) -> Result<Response, Refusal> {
    let options = read(server, &call.query, request)?;
    let object = server.delete_checked(&target.kind, target.namespace(), target.name(), &options)?;
    let is_marked = object.metadata.deletion_timestamp.is_some();
    if is_marked || ANSWERED_WHOLE.contains(&target.kind.qualified.as_str()) {
        return Ok(object_response(server, call, target, 200, &object));
    }
    let mut details = json!({ "name": object.name(), "kind": target.kind.resource, "uid": object.uid() });
    if !target.kind.group.is_empty() {
        details["group"] = target.kind.group.as_str().into();
    }
    let status =
        json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details });
    Ok(whole(200, JSON, super::to_json(&status)))
}

/// Deletes what a list with the same query holds, and answers with that list.
///
/// # Errors
/// As the list is refused, and as the first deletion is.
pub(super) fn answer_collection(
    server: &ApiServer,
    call: &Call,
    target: &Target,
    request: &Request,
) -> Result<Response, Refusal> {
    let options = read(server, &call.query, request)?;
    options.check()?;
    let (version, namespace) = (&target.version, target.namespace.as_deref());
    let selection = Options::read(&call.query, &target.kind, version, namespace, false, false)?;
    let page = list::list(server, &target.kind, &selection)?;
    for object in page.items() {
        match server.delete_checked(&target.kind, object.namespace(), object.name(), &options) {
            // What another one's deletion took with it is gone already.
            Err(refusal) if refusal.code != 404 => return Err(refusal),
            _ => {}
        }
    }
    let body = page.into_body(target.rendering(call), server.inner.runtime.clock.wall());
    Ok(streamed(200, JSON, body))
}

/// From the body, or without one from the query.
fn read(server: &ApiServer, query: &Query, request: &Request) -> Result<DeleteOptions, Refusal> {
    let unreadable = |error| refusal::plain(400, format!("couldn't get version/kind; json parse error: {error}"));
    let mut options: DeleteOptions = match request.body.as_deref() {
        None | Some([]) => DeleteOptions::default(),
        Some(body) => serde_json::from_slice(body).map_err(unreadable)?,
    };
    if request.body.as_deref().unwrap_or_default().is_empty() {
        let policy = query.text("propagationPolicy");
        options.propagation_policy = (!policy.is_empty()).then(|| policy.to_owned());
        options.grace_period_seconds = query.integer("gracePeriodSeconds")?;
        options.dry_run = query.all("dryRun").into_iter().map(str::to_owned).collect();
    }
    options.leaves_pods_to_kubelet = server.inner.has_kubelet.get();
    Ok(options)
}
