//! What containers have said: fed by tests and scenarios, read and followed through `pods/log`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::ApiServer;
use super::faults::WatchMemory;
use super::query::Query;
use super::refusal::{self, Refusal};
use super::routes::Target;
use super::transport::{streamed, whole};
use crate::api::Manifest;
use crate::runtime::{Response, TransportError};

/// The logs of all containers, by the pod's uid and the container's name.
#[derive(Default)]
pub(super) struct Logs {
    logs: HashMap<(String, String), Log>,
    /// Who follows one: namespace, pod and container, by a number.
    followed: BTreeMap<u64, [String; 3]>,
}

#[derive(Default)]
struct Log {
    lines: Vec<Line>,
    /// What the container said before it was started again; none before the first time.
    previous: Option<Vec<Line>>,
    restarts: usize,
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
        self.append_logs(namespace, pod, container, [line.to_owned()])
    }

    /// Has a container say lines, all of them now, a nanosecond one after the other.
    ///
    /// # Errors
    /// As [`append_log`](Self::append_log).
    pub fn append_logs(
        &self,
        namespace: &str,
        pod: &str,
        container: &str,
        lines: impl IntoIterator<Item = String>,
    ) -> Result<(), Box<crate::api::Status>> {
        let now = self.inner.runtime.clock.wall();
        let after = |at: u64| now.checked_add(Duration::from_nanos(at)).unwrap_or(now);
        let lines = (0..).zip(lines).map(|(at, text)| Line { time: after(at), text });
        self.change_log(namespace, pod, container, |log| log.lines.extend(lines))
    }

    /// Begins a new log for a container that was started again; the old one is the previous one from now on, and ends
    /// for those who follow it.
    ///
    /// # Errors
    /// As [`append_log`](Self::append_log).
    pub fn rotate_log(&self, namespace: &str, pod: &str, container: &str) -> Result<(), Box<crate::api::Status>> {
        self.change_log(namespace, pod, container, |log| {
            log.previous = Some(std::mem::take(&mut log.lines));
            log.restarts += 1;
        })
    }

    /// Has a container end with an error and run again, with a new log; its pod says so.
    ///
    /// # Errors
    /// As [`append_log`](Self::append_log).
    pub fn restart_container(
        &self,
        namespace: &str,
        pod: &str,
        container: &str,
    ) -> Result<(), Box<crate::api::Status>> {
        let now = self.wall_seconds();
        self.modify("pods", namespace, pod, |pod| {
            let statuses = pod.fields.get_mut("status").and_then(|status| status["containerStatuses"].as_array_mut());
            let status = statuses.into_iter().flatten().find(|status| status["name"] == container);
            let Some(status) = status else { return };
            let started = status["state"]["running"]["startedAt"].take();
            let end = json!({ "exitCode": 1, "reason": "Error", "startedAt": started, "finishedAt": now });
            status["lastState"] = json!({ "terminated": end });
            status["state"] = json!({ "running": { "startedAt": now } });
            status["restartCount"] = (status["restartCount"].as_i64().unwrap_or_default() + 1).into();
        })?;
        self.rotate_log(namespace, pod, container)
    }

    /// The logs that somebody follows now: namespace, pod and container.
    pub fn followed_logs(&self) -> Vec<(String, String, String)> {
        let mut followed: Vec<_> = self.inner.logs.borrow().followed.values().cloned().collect();
        followed.sort();
        followed.dedup();
        followed.into_iter().map(|[namespace, pod, container]| (namespace, pod, container)).collect()
    }

    /// Whether a container has said anything.
    pub fn has_log(&self, namespace: &str, pod: &str, container: &str) -> bool {
        let Some(pod) = self.get("pods", namespace, pod) else { return false };
        self.inner.logs.borrow().logs.contains_key(&(pod.uid().to_owned(), container.to_owned()))
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
pub(super) fn answer(server: &ApiServer, target: &Target, query: &Query, path: &str) -> Result<Response, Refusal> {
    const TEXT: &str = "text/plain";
    let (namespace, name) = (target.namespace.as_deref().unwrap_or_default(), target.name());
    let options = Options::read(query, name, server.inner.runtime.clock.wall())?;
    let pod = server.pod(namespace, name)?;
    let container = container_of(&pod, query.text("container"))?;
    if pod.str_at(&["spec", "nodeName"]).is_none_or(str::is_empty) {
        return Ok(whole(204, TEXT, ""));
    }
    if let Some(reason) = waits_for_its_start(&pod, &container).filter(|_| !options.previous) {
        let why = format!("container \"{container}\" in pod \"{name}\" is waiting to start: {reason}");
        return Err(refusal::plain(400, why));
    }
    let key = (pod.uid().to_owned(), container);
    let (mut lines, told, restarts) = {
        let logs = server.inner.logs.borrow();
        let log = logs.logs.get(&key);
        let lines = match (options.previous, log) {
            (true, log) => {
                let why = format!("previous terminated container \"{}\" in pod \"{name}\" not found", key.1);
                log.and_then(|log| log.previous.clone()).ok_or_else(|| refusal::plain(400, why))?
            }
            (false, log) => log.map_or_else(Vec::new, |log| log.lines.clone()),
        };
        (lines, log.map_or(0, |log| log.lines.len()), log.map_or(0, |log| log.restarts))
    };
    lines.retain(|line| options.since.is_none_or(|since| line.time >= since));
    let first = options.tail.map_or(0, |tail| lines.len().saturating_sub(tail));
    let bytes: Vec<u8> = lines[first..].iter().flat_map(|line| line.bytes(options.timestamps)).collect();
    let limit = options.limit.unwrap_or(usize::MAX);
    if !options.follow || options.previous {
        return Ok(whole(200, TEXT, Bytes::from(bytes.get(..limit).unwrap_or(&bytes).to_owned())));
    }
    let follower = Follower {
        server: server.clone(),
        number: note_follower(server, [namespace, name, &key.1]),
        pod: (namespace.to_owned(), name.to_owned()),
        key,
        path: path.to_owned(),
        memory: server.inner.faults.borrow().new_memory(),
        timestamps: options.timestamps,
        bytes,
        told,
        restarts,
        left: limit,
    };
    let chunks = stream::unfold(Some(follower), |follower| async { follower?.next().await });
    Ok(streamed(200, TEXT, chunks.boxed_local()))
}

fn note_follower(server: &ApiServer, who: [&str; 3]) -> u64 {
    let followed = &mut server.inner.logs.borrow_mut().followed;
    let number = followed.last_key_value().map_or(0, |(last, _)| last + 1);
    followed.insert(number, who.map(str::to_owned));
    number
}

fn status_of<'a>(pod: &'a Manifest, container: &str) -> Option<&'a Value> {
    let of = |field| pod.list_at(&["status", field]).iter();
    let mut all = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"].into_iter().flat_map(of);
    all.find(|status| status["name"] == container)
}

/// Why there is no log yet, when the container has never run (kubelet: `kubelet_pods.go`, `validateContainerLogStatus`).
fn waits_for_its_start(pod: &Manifest, container: &str) -> Option<String> {
    let status = status_of(pod, container)?;
    let has_run = status.pointer("/lastState/terminated").is_some();
    let reason = status.pointer("/state/waiting/reason").and_then(Value::as_str).filter(|_| !has_run)?;
    Some(match reason {
        "ErrImagePull" => "image can't be pulled".into(),
        "ImagePullBackOff" => "trying and failing to pull image".into(),
        reason => reason.to_owned(),
    })
}

/// Gives the bytes that are there, then each line as it comes, until the container or the pod ends or the limit is
/// reached.
struct Follower {
    server: ApiServer,
    number: u64,
    pod: (String, String),
    key: (String, String),
    /// Path and query, for the faults' filters.
    path: String,
    memory: WatchMemory,
    timestamps: bool,
    bytes: Vec<u8>,
    /// How many lines of the container's log were told.
    told: usize,
    /// The container's when it began.
    restarts: usize,
    left: usize,
}

impl Follower {
    /// The next chunk, and the one that goes on behind it.
    async fn next(mut self) -> Option<(Result<Bytes, TransportError>, Option<Self>)> {
        loop {
            if self.left == 0 {
                return None;
            }
            let changed = self.server.inner.changed.listen();
            match self.server.inner.faults.borrow().end_of_open(&self.path, &mut self.memory) {
                Some(true) => return None,
                Some(false) => return Some((Err(TransportError("connection reset by peer".into())), None)),
                None => {}
            }
            let was_restarted = self.take_lines();
            if !self.bytes.is_empty() {
                let mut bytes = std::mem::take(&mut self.bytes);
                bytes.truncate(self.left);
                self.left -= bytes.len();
                return Some((Ok(bytes.into()), Some(self)));
            }
            if was_restarted || self.has_ended() {
                return None;
            }
            changed.await;
        }
    }

    /// Whether these are the last, because the container was started again.
    fn take_lines(&mut self) -> bool {
        let logs = self.server.inner.logs.borrow();
        let Some(log) = logs.logs.get(&self.key) else { return false };
        let was_restarted = log.restarts != self.restarts;
        let lines = match (was_restarted, &log.previous) {
            (true, Some(previous)) if log.restarts == self.restarts + 1 => previous,
            (true, _) => return true,
            (false, _) => &log.lines,
        };
        let new = lines.get(self.told..).unwrap_or_default();
        self.bytes.extend(new.iter().flat_map(|line| line.bytes(self.timestamps)));
        self.told = lines.len().max(self.told);
        was_restarted
    }

    fn has_ended(&self) -> bool {
        let pod = self.server.get("pods", &self.pod.0, &self.pod.1).filter(|pod| pod.uid() == self.key.0);
        let Some(pod) = pod else { return true };
        status_of(&pod, &self.key.1).is_some_and(|status| status["state"].get("running").is_none())
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.server.inner.logs.borrow_mut().followed.remove(&self.number);
    }
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
