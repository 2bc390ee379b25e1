use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;
use serde_json::json;

use super::cluster::Event;
use crate::api::Manifest;
use crate::testing::apiserver::ApiServer;
use crate::testing::objects::{self, set_field};

/// The real server forgets events after an hour; so many are about what a small cluster then has.
const MAX_EVENTS: usize = 400;

/// Records events, and counts those that repeat (client-go: `tools/record`).
#[derive(Default)]
pub(super) struct Recorder {
    /// Namespace and name of the event by what it is about, its reason and its message.
    known: BTreeMap<[String; 3], [String; 2]>,
    /// In the order of their first occurrence.
    order: VecDeque<[String; 3]>,
}

impl Recorder {
    pub(super) fn record(&mut self, server: &ApiServer, about: &Manifest, event: Event<'_>, at: Timestamp) {
        let Event { kind, reason, message, component } = event;
        let key = [about.uid().to_owned(), reason.to_owned(), message];
        if let Some([namespace, name]) = self.known.get(&key) {
            let repeated = server.modify("events", namespace, name, |event| {
                let count = event.int_at(&["count"]).unwrap_or(0) + 1;
                set_field(event, "count", count);
                set_field(event, "lastTimestamp", json!(at));
            });
            if repeated.is_ok() {
                return;
            }
        }
        let object = objects::event(about, kind, reason, &key[2], component, &at.to_string());
        // The namespace may be gone: then nobody reads the event either.
        let Ok(created) = server.create(object) else { return };
        let place = [created.namespace().to_owned(), created.name().to_owned()];
        if self.known.insert(key.clone(), place).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > MAX_EVENTS {
            let oldest = self.order.pop_front().and_then(|key| self.known.remove(&key));
            if let Some([namespace, name]) = oldest {
                let _ = server.delete("events", &namespace, &name);
            }
        }
    }
}
