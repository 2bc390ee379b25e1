//! What containers have said: fed by tests and scenarios, read and followed through `pods/log`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt as _, stream};
use jiff::Timestamp;

use super::ApiServer;
use super::query::Query;
use super::refusal::{self, Refusal};
use super::routes::Target;
use super::transport::{streamed, whole};
use crate::api::Manifest;
use crate::runtime::{Body, Response};

/// The logs of all containers, by the pod's uid and the container's name.
#[derive(Default)]
pub(super) struct Logs {
    logs: HashMap<(String, String), Log>,
}

#[derive(Default)]
struct Log {
    lines: Vec<Line>,
    /// What the container said before it was started again; none before the first time.
    previous: Option<Vec<Line>>,
}

#[derive(Clone)]
struct Line {
    time: Timestamp,
    text: String,
}

impl Line {
    fn bytes(&self, timestamps: bool) -> Vec<u8> {
        let text = &self.text;
        if timestamps { format!("{:.9} {text}\n", self.time) } else { format!("{text}\n") }.into_bytes()
    }
}

/// What a request says of the lines it wants.
#[derive(Default)]
struct Options {
    follow: bool,
    previous: bool,
    timestamps: bool,
    since: Option<Timestamp>,
    tail: Option<usize>,
    limit: Option<usize>,
}

impl ApiServer {
    /// Has a container say a line, now by the wall clock. Who follows its log reads it at once.
    ///
    /// # Errors
    /// 404 when there is no such pod, 400 when it has no such container.
    pub fn append_log(
        &self,
        namespace: &str,
        pod: &str,
        container: &str,
        line: &str,
    ) -> Result<(), Box<crate::api::Status>> {
        let time = self.inner.runtime.clock.wall();
        self.change_log(namespace, pod, container, |log| log.lines.push(Line { time, text: line.into() }))
    }

    /// Begins a new log for a container that was started again; the old one is the previous one from now on.
    ///
    /// # Errors
    /// As [`append_log`](Self::append_log).
    pub fn rotate_log(&self, namespace: &str, pod: &str, container: &str) -> Result<(), Box<crate::api::Status>> {
        self.change_log(namespace, pod, container, |log| log.previous = Some(std::mem::take(&mut log.lines)))
    }

    fn change_log(
        &self,
        namespace: &str,
        pod: &str,
        container: &str,
        change: impl FnOnce(&mut Log),
    ) -> Result<(), Refusal> {
        let pod = self.pod(namespace, pod)?;
        let container = container_of(&pod, container)?;
        change(self.inner.logs.borrow_mut().logs.entry((pod.uid().into(), container)).or_default());
        self.inner.changed.notify(usize::MAX);
        Ok(())
    }

    pub(super) fn pod(&self, namespace: &str, name: &str) -> Result<Arc<Manifest>, Refusal> {
        let kind = self.kind("pods").ok_or_else(refusal::no_such_path)?;
        self.get("pods", namespace, name).ok_or_else(|| refusal::not_found(&kind, name))
    }
}

/// The container that is meant, which need not be named when there is but one.
///
/// # Errors
/// 400 without a name where there are several, and for a name that no container has.
pub(super) fn container_of(pod: &Manifest, name: &str) -> Result<String, Refusal> {
    let of = |field| pod.list_at(&["spec", field]).iter().filter_map(|container| container["name"].as_str());
    let names: Vec<_> = of("initContainers").chain(of("containers")).chain(of("ephemeralContainers")).collect();
    let default = pod.metadata.annotations.get("kubectl.kubernetes.io/default-container").map_or("", String::as_str);
    let name = if name.is_empty() && names.contains(&default) { default } else { name };
    match (name, &names[..]) {
        ("", [only]) => Ok((*only).to_owned()),
        ("", _) => {
            let choice = names.join(" ");
            let why = format!("a container name must be specified for pod {}, choose one of: [{choice}]", pod.name());
            Err(refusal::plain(400, why))
        }
        (name, names) if names.contains(&name) => Ok(name.to_owned()),
        (name, _) => Err(refusal::plain(400, format!("container {name} is not valid for pod {}", pod.name()))),
    }
}

/// # Errors
/// 400, 404 and 422 as the real server says them.
pub(super) fn answer(server: &ApiServer, target: &Target, query: &Query) -> Result<Response, Refusal> {
    const TEXT: &str = "text/plain";
    let (namespace, name) = (target.namespace.as_deref().unwrap_or_default(), target.name());
    let options = Options::read(query, name, server.inner.runtime.clock.wall())?;
    let pod = server.pod(namespace, name)?;
    let container = container_of(&pod, query.text("container"))?;
    if pod.str_at(&["spec", "nodeName"]).is_none_or(str::is_empty) {
        return Ok(whole(204, TEXT, ""));
    }
    let key = (pod.uid().to_owned(), container);
    let (mut lines, told) = {
        let logs = server.inner.logs.borrow();
        let log = logs.logs.get(&key);
        let lines = match (options.previous, log) {
            (true, log) => {
                let why = format!("previous terminated container \"{}\" in pod \"{name}\" not found", key.1);
                log.and_then(|log| log.previous.clone()).ok_or_else(|| refusal::plain(400, why))?
            }
            (false, log) => log.map_or_else(Vec::new, |log| log.lines.clone()),
        };
        (lines, log.map_or(0, |log| log.lines.len()))
    };
    lines.retain(|line| options.since.is_none_or(|since| line.time >= since));
    let first = options.tail.map_or(0, |tail| lines.len().saturating_sub(tail));
    let bytes: Vec<u8> = lines[first..].iter().flat_map(|line| line.bytes(options.timestamps)).collect();
    if !options.follow || options.previous {
        let limit = options.limit.unwrap_or(usize::MAX).min(bytes.len());
        return Ok(whole(200, TEXT, Bytes::from(bytes).slice(..limit)));
    }
    let pod = (namespace.to_owned(), name.to_owned());
    Ok(streamed(200, TEXT, follow(server, pod, key, bytes, told, &options)))
}

/// The bytes that are there, then each line as it comes, until the pod goes or the limit is reached.
fn follow(
    server: &ApiServer,
    pod: (String, String),
    key: (String, String),
    bytes: Vec<u8>,
    told: usize,
    options: &Options,
) -> Body {
    let (server, timestamps) = (server.clone(), options.timestamps);
    let start = (bytes, told, options.limit.unwrap_or(usize::MAX));
    let chunks = stream::unfold(start, move |(mut bytes, mut told, left)| {
        let (server, pod, key) = (server.clone(), pod.clone(), key.clone());
        async move {
            loop {
                if left == 0 {
                    return None;
                }
                let changed = server.inner.changed.listen();
                if let Some(log) = server.inner.logs.borrow().logs.get(&key) {
                    // A new log begins with its first line.
                    let from = if log.lines.len() < told { 0 } else { told };
                    bytes.extend(log.lines[from..].iter().flat_map(|line| line.bytes(timestamps)));
                    told = log.lines.len();
                }
                if !bytes.is_empty() {
                    bytes.truncate(left);
                    let left = left - bytes.len();
                    return Some((Ok(Bytes::from(bytes)), (Vec::new(), told, left)));
                }
                let is_there = server.get("pods", &pod.0, &pod.1).is_some_and(|pod| pod.uid() == key.0);
                if !is_there {
                    return None;
                }
                changed.await;
            }
        }
    });
    chunks.boxed_local()
}

impl Options {
    fn read(query: &Query, pod: &str, now: Timestamp) -> Result<Self, Refusal> {
        let invalid = |field: &str, reason: &str, message: String| {
            Err(refusal::invalid_in(("", "PodLogOptions"), pod, field, reason, &message))
        };
        let [tail, limit, seconds] =
            [query.integer("tailLines")?, query.integer("limitBytes")?, query.integer("sinceSeconds")?];
        for (field, value, least) in [("tailLines", tail, 0), ("limitBytes", limit, 1), ("sinceSeconds", seconds, 1)] {
            if let Some(value) = value.filter(|value| *value < least) {
                let bound = if least == 0 { "greater than or equal to" } else { "greater than" };
                let message = format!("Invalid value: {value}: must be {bound} 0");
                return invalid(field, "FieldValueInvalid", message);
            }
        }
        if !query.text("stream").is_empty() {
            return invalid("stream", "FieldValueForbidden", "Forbidden: may not be specified".into());
        }
        let time = query.text("sinceTime");
        if seconds.is_some() && !time.is_empty() {
            let why = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified";
            return invalid("[]", "FieldValueForbidden", why.into());
        }
        let ago = seconds.and_then(|seconds| u64::try_from(seconds).ok()).map(Duration::from_secs);
        let size = |number: Option<i64>| number.and_then(|number| usize::try_from(number).ok());
        Ok(Self {
            follow: query.flag("follow").unwrap_or(false),
            previous: query.flag("previous").unwrap_or(false),
            timestamps: query.flag("timestamps").unwrap_or(false),
            since: ago.and_then(|ago| now.checked_sub(ago).ok()).or_else(|| time.parse().ok()),
            tail: size(tail),
            limit: size(limit),
        })
    }
}
