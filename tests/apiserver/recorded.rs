//! What kube-apiserver 1.37.2, with its controllers, answered to a sequence of requests, against what the in-memory
//! server answers to the same.
//!
//! In the recordings uids and resourceVersions are numbered in the order in which they first appeared, and times are
//! `time`: so what stays the same and what changes is compared, too.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use watchglass::api::Manifest;
use watchglass::runtime::Method;

use super::client::Client;

/// A request and its answer, a request alone that prepares, or the ConfigMaps that are left once the controllers have
/// done their part.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Step {
    method: String,
    path: String,
    r#type: String,
    body: Value,
    status: u16,
    answer: Value,
    /// How the ConfigMaps' names begin that may be left.
    left: String,
    /// Of each the name, the finalizers, whether it is being deleted, and how many owners it has.
    names: Value,
}

/// The names that stand for what differs from server to server.
#[derive(Default)]
struct Names {
    known: BTreeMap<(&'static str, String), String>,
    count: BTreeMap<&'static str, usize>,
}

impl Names {
    fn of(&mut self, what: &'static str, text: &str) -> String {
        if let Some(name) = self.known.get(&(what, text.to_owned())) {
            return name.clone();
        }
        let count = self.count.entry(what).or_default();
        *count += 1;
        let name = format!("{what}{count}");
        self.known.insert((what, text.to_owned()), name.clone());
        name
    }

    fn replace(&mut self, field: &str, value: Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(name, value)| {
                    let value = self.replace(&name, value);
                    (self.replace_uids(&name), value)
                });
                fields.collect::<Map<_, _>>().into()
            }
            Value::Array(items) => items.into_iter().map(|item| self.replace(field, item)).collect(),
            Value::String(text) if field == "resourceVersion" => self.of("rv", &text).into(),
            Value::String(text) if text.len() == 20 && text.ends_with('Z') && text.contains('T') => "time".into(),
            Value::String(text) => self.replace_uids(&text).into(),
            other => other,
        }
    }

    /// The other way round: this server's uids for their names.
    fn put_back(&self, body: &Value) -> Value {
        let mut text = body.to_string();
        for ((what, uid), name) in &self.known {
            if *what == "uid" {
                text = text.replace(&format!("\"{name}\""), &format!("\"{uid}\""));
            }
        }
        serde_json::from_str(&text).expect("it was JSON before")
    }

    /// Uids wherever they stand in a text, and the version in a record.
    fn replace_uids(&mut self, text: &str) -> String {
        let is_uid = |part: &str| {
            let lengths: Vec<usize> = part.split('-').map(str::len).collect();
            lengths == [8, 4, 4, 4, 12] && part.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
        };
        let mut parts = Vec::new();
        for part in text.split_inclusive(|c: char| !(c.is_ascii_hexdigit() || c == '-')) {
            let uid = part.trim_end_matches(|c: char| !(c.is_ascii_hexdigit() || c == '-'));
            let name = if is_uid(uid) { part.replace(uid, &self.of("uid", uid)) } else { part.to_owned() };
            parts.push(name);
        }
        let text = parts.concat();
        match text.split_once("in record (").map(|(head, tail)| (head.to_owned(), tail.to_owned())) {
            Some((head, tail)) if tail.starts_with(|c: char| c.is_ascii_digit()) => {
                let (version, rest) = tail.split_once(')').unwrap_or((&tail, ""));
                format!("{head}in record ({}){rest}", self.of("rv", version))
            }
            _ => text,
        }
    }
}

/// What both servers must say alike: defaults of fields are filled in by the real one alone.
fn comparable(answer: &Value) -> Value {
    match answer["kind"].as_str().unwrap_or_default() {
        "Status" => {
            let mut status = answer.clone();
            // The manager whose conflict is named first is any.
            if let Some(causes) = status.pointer_mut("/details/causes").and_then(Value::as_array_mut) {
                causes.sort_by_key(Value::to_string);
            }
            status
        }
        kind if kind.ends_with("List") => {
            answer["items"].as_array().expect("the test asks for what is there").iter().map(comparable).collect()
        }
        kind => {
            let containers = answer.pointer("/template/spec/containers").and_then(Value::as_array);
            let container = |it: &Value| json!([it["name"], it["image"], it["env"]]);
            let containers: Vec<_> = containers.into_iter().flatten().map(container).collect();
            let mut whole = json!({ "metadata": answer["metadata"], "data": answer["data"], "containers": containers });
            if kind == "Pod" {
                whole["status"] = json!([answer["status"]["message"], answer["status"]["conditions"]]);
            } else {
                whole["spec"] = answer["spec"].clone();
                whole["status"] = answer["status"].clone();
            }
            whole
        }
    }
}

fn left(client: &Client, prefix: &str) -> Value {
    let objects = client.server.objects("configmaps");
    let describe = |object: &Manifest| {
        let metadata = &object.metadata;
        json!([
            metadata.name,
            metadata.finalizers,
            metadata.deletion_timestamp.is_some(),
            metadata.owner_references.len()
        ])
    };
    objects.iter().filter(|object| object.name().starts_with(prefix)).map(|object| describe(object)).collect()
}

fn replay(recording: &str) {
    let steps: Vec<Step> = serde_json::from_str(recording).expect("a recording is a list of steps");
    let client = Client::new();
    let mut names = Names::default();
    let mut differences = Vec::new();
    for step in steps {
        if !step.left.is_empty() {
            let left = left(&client, &step.left);
            if left != step.names {
                differences.push(format!("left of {}\n  real: {}\n  ours: {left}", step.left, step.names));
            }
            continue;
        }
        let body = names.put_back(&step.body);
        let method = match step.method.as_str() {
            "GET" => Method::Get,
            "POST" => Method::Post,
            "PUT" => Method::Put,
            "PATCH" => Method::Patch,
            _ => Method::Delete,
        };
        let answer = client.write_text(method, &step.path, &step.r#type, &body);
        if step.status == 0 {
            continue;
        }
        let found = names.replace("", answer.json());
        let (found, expected) = (comparable(&found), comparable(&step.answer));
        if (answer.status, &found) != (step.status, &expected) {
            let request = format!("{} {} {}", step.method, step.path, step.body);
            let (status, ours) = (step.status, answer.status);
            differences.push(format!("{request}\n  real: {status} {expected}\n  ours: {ours} {found}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn writes_are_answered_as_by_the_real_server() {
    replay(include_str!("writes.json"));
}

#[test]
fn applications_to_custom_resources_scales_and_collected_garbage_are_as_with_the_real_server() {
    replay(include_str!("writes_more.json"));
}
