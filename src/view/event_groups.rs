use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::columns::events::{GROUPED, first_time, last_time, message_of, number_of_times};
use super::{Catalog, Cell, Health, KindPage, Query, Resource, Row, Subject, UrlState, has_namespace, sorted_numbers};
use crate::api::Object;

/// The columns that a query of grouped events may name.
pub static EVENT_GROUPS: &Resource = &GROUPED;

/// Events about one object for one reason, told together.
#[derive(Clone, Debug)]
pub struct EventGroup {
    /// Tells it from the others.
    pub key: Arc<str>,
    /// Of the object: `apps/v1`.
    pub api_version: Box<str>,
    /// Of the object, as are the next two.
    pub kind: Box<str>,
    /// Empty for cluster-scoped objects.
    pub namespace: Box<str>,
    pub name: Box<str>,
    pub reason: Box<str>,
    /// `Normal`, `Warning`, or what its writer calls it.
    pub kind_of_event: Box<str>,
    pub count: i64,
    pub first_seen: Option<Timestamp>,
    pub last_seen: Option<Timestamp>,
    /// Of the last one.
    pub message: Box<str>,
    /// By the key of the event.
    events: BTreeMap<String, Object>,
}

/// Which groups are shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventFilter {
    /// Empty for all.
    pub namespaces: BTreeSet<String>,
    /// `Normal` or `Warning`; empty for all.
    pub kind_of_event: String,
    pub query: Query,
}

/// All events of a cluster, those of one object and reason together.
#[derive(Debug, Default)]
pub struct EventGroups {
    groups: BTreeMap<Arc<str>, Arc<EventGroup>>,
    /// The group of each event by its key.
    places: BTreeMap<String, Arc<str>>,
}

impl EventGroups {
    /// Takes an event, or the next state of one.
    pub fn upsert(&mut self, key: &str, event: &Object) {
        let new = EventGroup::empty(event);
        let is_elsewhere = self.places.get(key).is_some_and(|group| *group != new.key);
        if is_elsewhere {
            self.remove(key);
        }
        let group = self.groups.entry(new.key.clone()).or_insert_with(|| Arc::new(new));
        self.places.insert(key.into(), group.key.clone());
        let group = Arc::make_mut(group);
        group.events.insert(key.into(), event.clone());
        group.sum_up();
    }

    pub fn remove(&mut self, key: &str) {
        let Some(place) = self.places.remove(key) else { return };
        let Some(group) = self.groups.get_mut(&place) else { return };
        let group = Arc::make_mut(group);
        group.events.remove(key);
        if group.events.is_empty() {
            self.groups.remove(&place);
        } else {
            group.sum_up();
        }
    }

    /// How many events there are.
    pub fn events(&self) -> usize {
        self.places.len()
    }

    /// How many events there are in these namespaces.
    pub fn events_in(&self, namespaces: &BTreeSet<String>) -> usize {
        self.iter().filter(|group| has_namespace(namespaces, &group.namespace)).map(|group| group.events.len()).sum()
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// In no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<EventGroup>> {
        self.groups.values()
    }

    /// Those that the filter lets through, what was seen last first.
    pub fn shown(&self, filter: &EventFilter, now: Timestamp) -> Vec<Arc<EventGroup>> {
        let shown: Vec<_> = self.iter().filter(|group| group.passes(filter, now)).cloned().collect();
        let order = sorted_numbers(shown.len(), &mut |a, b| {
            shown[b].last_seen.cmp(&shown[a].last_seen).then_with(|| shown[a].key.cmp(&shown[b].key))
        });
        order.into_iter().map(|at| Arc::clone(&shown[at as usize])).collect()
    }
}

impl EventGroup {
    fn empty(event: &Object) -> Self {
        let about = |field: &str| {
            let value = event.str_at(&["involvedObject", field]).or_else(|| event.str_at(&["regarding", field]));
            Box::<str>::from(value.unwrap_or_default())
        };
        let text = |field: &str| Box::<str>::from(event.str_at(&[field]).unwrap_or_default());
        let (kind, namespace, name) = (about("kind"), about("namespace"), about("name"));
        let (reason, kind_of_event) = (text("reason"), text("type"));
        // None of them has such a sign in it.
        let key = [&*kind, &*namespace, &*name, &*reason, &*kind_of_event].join("\n");
        Self {
            key: key.into(),
            api_version: about("apiVersion"),
            kind,
            namespace,
            name,
            reason,
            kind_of_event,
            count: 0,
            first_seen: None,
            last_seen: None,
            message: Box::default(),
            events: BTreeMap::new(),
        }
    }

    fn sum_up(&mut self) {
        self.count = self.events.values().map(number_of_times).sum();
        self.first_seen = self.events.values().filter_map(first_time).min();
        let last = self.events.values().max_by_key(|event| last_time(event));
        self.last_seen = last.and_then(last_time);
        self.message = last.map(|event| message_of(event).trim().into()).unwrap_or_default();
    }

    pub fn is_warning(&self) -> bool {
        &*self.kind_of_event == "Warning"
    }

    pub fn health(&self) -> Health {
        match &*self.kind_of_event {
            "Normal" => Health::Ok,
            "Warning" => Health::Warning,
            _ => Health::Unknown,
        }
    }

    /// The object as `kubectl` names it: `pod/web-0`.
    pub fn object(&self) -> String {
        [&*self.kind.to_ascii_lowercase(), "/", &self.name].concat()
    }

    /// The hash of the object in the side panel; none where its kind is not known.
    pub fn object_hash(&self, catalog: Option<&Catalog>, chosen: &BTreeSet<String>) -> Option<String> {
        let page = KindPage::of(catalog, &self.api_version, &self.kind)?;
        let key = page.key(&self.namespace, &self.name);
        Some(UrlState::of_object(&page.name(), chosen, &key).to_hash())
    }

    fn passes(&self, filter: &EventFilter, now: Timestamp) -> bool {
        let EventFilter { namespaces, kind_of_event, query } = filter;
        let is_chosen = namespaces.is_empty() || has_namespace(namespaces, &self.namespace);
        is_chosen && (kind_of_event.is_empty() || *kind_of_event == *self.kind_of_event) && self.matches(query, now)
    }

    fn matches(&self, query: &Query, now: Timestamp) -> bool {
        let Some(object) = self.events.values().next_back().filter(|_| !query.is_empty()) else { return true };
        let cells = Box::new([
            Cell::text(&self.namespace),
            Cell::Age(self.last_seen),
            Cell::exact(&self.kind_of_event),
            Cell::exact(&self.reason),
            Cell::exact(&self.object()),
            Cell::Number(self.count),
            Cell::Age(self.first_seen),
            Cell::exact(&self.message),
        ]);
        let row = Row { namespace: self.namespace.clone(), name: self.name.clone(), cells, ..Row::default() };
        query.matches(&Subject { resource: EVENT_GROUPS, row: &row, object, now, hidden: 0 })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(minute: u32) -> Timestamp {
        format!("2026-11-29T12:{minute:02}:00Z").parse().unwrap()
    }

    /// Of a pod, with so many occurrences up to a minute.
    fn event(pod: &str, reason: &str, kind: &str, message: &str, count: i64, minute: u32) -> Object {
        serde_json::from_value(json!({
            "apiVersion": "v1", "kind": "Event", "metadata": { "name": "x", "namespace": "shop" },
            "involvedObject": { "apiVersion": "v1", "kind": "Pod", "namespace": "shop", "name": pod },
            "reason": reason, "type": kind, "message": message, "count": count,
            "firstTimestamp": at(0), "lastTimestamp": at(minute),
        }))
        .unwrap()
    }

    fn lines(groups: &EventGroups, kind: &str, query: &str) -> Vec<String> {
        let filter = EventFilter { kind_of_event: kind.into(), query: Query::parse(query), ..EventFilter::default() };
        let line = |group: &Arc<EventGroup>| {
            [&*group.reason, " ", &group.object(), " ", &group.count.to_string(), " ", &group.message].concat()
        };
        groups.shown(&filter, at(30)).iter().map(line).collect()
    }

    #[test]
    fn events_of_one_object_and_reason_are_told_together() {
        let mut groups = EventGroups::default();
        groups.upsert("shop/a", &event("web-0", "BackOff", "Warning", "first", 3, 5));
        groups.upsert("shop/b", &event("web-0", "BackOff", "Warning", "last", 2, 9));
        groups.upsert("shop/c", &event("web-0", "Pulled", "Normal", "pulled", 1, 2));
        groups.upsert("shop/d", &event("web-1", "BackOff", "Warning", "other", 1, 7));
        let all = ["BackOff pod/web-0 5 last", "BackOff pod/web-1 1 other", "Pulled pod/web-0 1 pulled"];
        assert_eq!(lines(&groups, "", ""), all);
        assert_eq!(lines(&groups, "Normal", ""), all[2..]);
        assert_eq!(lines(&groups, "Warning", "web-0"), all[..1]);
        assert_eq!((groups.len(), groups.events()), (3, 4));

        groups.upsert("shop/a", &event("web-0", "BackOff", "Warning", "again", 8, 12));
        assert_eq!(lines(&groups, "", "backoff")[0], "BackOff pod/web-0 10 again");
        groups.remove("shop/a");
        assert_eq!(lines(&groups, "", "backoff")[0], "BackOff pod/web-0 2 last");
        groups.upsert("shop/b", &event("web-0", "Killing", "Normal", "moved", 1, 13));
        assert_eq!(lines(&groups, "", "")[0], "Killing pod/web-0 1 moved");
        for key in ["shop/a", "shop/b", "shop/c", "shop/d", "shop/e"] {
            groups.remove(key);
        }
        assert!(groups.is_empty() && groups.events() == 0);
    }

    #[test]
    fn a_query_may_name_the_columns_and_the_namespace_must_be_chosen() {
        let mut groups = EventGroups::default();
        groups.upsert("shop/a", &event("web-0", "BackOff", "Warning", "restarting", 30, 5));
        groups.upsert("shop/b", &event("web-1", "Unhealthy", "Warning", "probe failed", 2, 25));
        for (query, found) in [
            ("reason=BackOff", 1),
            ("count>10", 1),
            ("lastseen<10m", 1),
            ("object:pod/web-*", 2),
            ("message:probe", 1),
            ("type=Normal", 0),
            (".involvedObject.name=web-0", 1),
        ] {
            assert_eq!(lines(&groups, "", query).len(), found, "{query}");
            assert_eq!(Query::parse(query).check(EVENT_GROUPS), [], "{query}");
        }
        let elsewhere = EventFilter { namespaces: BTreeSet::from(["media".into()]), ..EventFilter::default() };
        assert!(groups.shown(&elsewhere, at(30)).is_empty());
    }

    #[test]
    fn a_series_counts_for_itself_and_an_event_of_the_new_group_is_read_too() {
        let series = json!({
            "metadata": { "name": "x" }, "reason": "R", "type": "Warning", "note": "said", "eventTime": at(1),
            "series": { "count": 7, "lastObservedTime": at(4) }, "regarding": { "kind": "Node", "name": "n1" },
        });
        let mut groups = EventGroups::default();
        groups.upsert("x", &serde_json::from_value(series).unwrap());
        groups.upsert("y", &serde_json::from_value(json!({ "metadata": { "name": "y" } })).unwrap());
        let group = Arc::clone(groups.iter().find(|group| &*group.reason == "R").unwrap());
        assert_eq!((group.count, group.first_seen, group.last_seen), (7, Some(at(1)), Some(at(4))));
        assert_eq!((group.object(), &*group.message, group.is_warning()), ("node/n1".into(), "said", true));
        assert_eq!(lines(&groups, "", "").len(), 2);
    }
}
