use jiff::Timestamp;

use super::Scope;
use crate::api::{GroupVersionResource, Object};
use crate::view::columns::built_in;
use crate::view::{Cell, Health};

/// An event, as the events of one object show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    pub uid: String,
    /// `Normal` or `Warning`.
    pub kind: String,
    pub health: Health,
    pub reason: String,
    pub count: i64,
    /// When it happened last.
    pub last: Option<Timestamp>,
    pub source: String,
    pub message: String,
}

/// Where the events of an object are.
pub fn event_scope(object: &Object) -> Scope {
    let which = match object.kind() {
        // The kubelet gives its node's name in place of the uid.
        "Node" => ["involvedObject.kind=Node,involvedObject.name=", object.name()].concat(),
        _ => ["involvedObject.uid=", &object.uid()].concat(),
    };
    let namespace = Some(object.namespace()).filter(|it| !it.is_empty());
    Scope { field_selector: which, ..Scope::of(GroupVersionResource::core("events"), namespace) }
}

/// The newest first.
pub fn events_of(events: &[Object]) -> Vec<EventLine> {
    let Some(resource) = built_in(&GroupVersionResource::core("events")) else { return Vec::new() };
    let line = |event: &Object| {
        let cells = resource.row(event).cells;
        let cell = |column: &str| cells.get(resource.column(column)?);
        let text = |column: &str| match cell(column) {
            Some(Cell::Text(Some(text)) | Cell::Status { text, .. }) => text.to_string(),
            _ => String::new(),
        };
        EventLine {
            uid: event.uid().into_owned(),
            kind: text("TYPE"),
            health: match cell("TYPE") {
                Some(Cell::Status { health, .. }) => *health,
                _ => Health::Unknown,
            },
            reason: text("REASON"),
            count: match cell("COUNT") {
                Some(Cell::Number(count)) => *count,
                _ => 1,
            },
            last: match cell("LAST SEEN") {
                Some(Cell::Age(last)) => *last,
                _ => None,
            },
            source: text("SOURCE"),
            message: text("MESSAGE"),
        }
    };
    let mut lines: Vec<EventLine> = Vec::with_capacity(events.len());
    for line in events.iter().map(line) {
        let is_before = |it: &EventLine| (it.last, &line.uid) > (line.last, &it.uid);
        lines.insert(lines.partition_point(is_before), line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::parse_time;

    fn object(fields: Value) -> Object {
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn events_are_looked_for_where_they_are() {
        for (fields, namespace, selector) in [
            (
                json!({"kind": "Pod", "metadata": {"name": "x", "namespace": "ns", "uid": "u1"}}),
                Some("ns"),
                "involvedObject.uid=u1",
            ),
            (
                json!({"kind": "PersistentVolume", "metadata": {"name": "x", "uid": "u2"}}),
                None,
                "involvedObject.uid=u2",
            ),
            (
                json!({"kind": "Node", "metadata": {"name": "n", "uid": "u3"}}),
                None,
                "involvedObject.kind=Node,involvedObject.name=n",
            ),
        ] {
            let scope = event_scope(&object(fields));
            assert_eq!((scope.namespace.as_deref(), scope.field_selector.as_str()), (namespace, selector));
        }
    }

    #[test]
    fn the_newest_event_is_the_first() {
        let event = |uid: &str, last: &str| {
            object(json!({
                "metadata": {"uid": uid}, "type": "Warning", "reason": "BackOff", "count": 4, "lastTimestamp": last,
                "message": "Back-off\n", "source": {"component": "kubelet"},
            }))
        };
        let (early, late) = ("2026-11-29T11:55:00Z", "2026-11-29T11:56:00Z");
        let lines = events_of(&[event("a", early), event("c", late), event("b", late)]);
        assert_eq!(lines.iter().map(|it| it.uid.as_str()).collect::<Vec<_>>(), ["b", "c", "a"]);
        let first = EventLine {
            uid: "b".into(),
            kind: "Warning".into(),
            health: Health::Warning,
            reason: "BackOff".into(),
            count: 4,
            last: parse_time(late),
            source: "kubelet".into(),
            message: "Back-off".into(),
        };
        assert_eq!(lines[0], first);
    }
}
