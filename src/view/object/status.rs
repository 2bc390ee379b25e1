use crate::api::{Object, ValueRef};
use crate::view::{Cell, Health, Resource};

/// Conditions that say how an object is as a whole, with what they read where they do not hold.
const WHOLE: [(&str, &str); 4] =
    [("Ready", "NotReady"), ("Available", "Unavailable"), ("Established", "NotEstablished"), ("Complete", "")];

/// An object's state in a word of the one vocabulary: that of its table where the kind has one, else what its deletion,
/// its conditions or its ready pods say; none where nothing does.
pub fn status_of(resource: &Resource, object: &Object) -> Option<(Box<str>, Health)> {
    status_by(&resource.cells(object), object)
}

/// The same of an object whose cells are read already.
pub(in crate::view) fn status_by(cells: &[Cell], object: &Object) -> Option<(Box<str>, Health)> {
    let own = cells.iter().find_map(|cell| match cell {
        Cell::Status { text, health } if !text.is_empty() => Some((text.clone(), *health)),
        _ => None,
    });
    if own.is_some() {
        return own;
    }
    if object.deletion_timestamp().is_some() {
        return Some(("Terminating".into(), Health::Terminated));
    }
    let by_condition = WHOLE.iter().find_map(|(holds, fails)| match holds_condition(object, holds)? {
        true => Some((*holds, Health::Ok)),
        false if fails.is_empty() => None,
        false => Some((*fails, Health::Error)),
    });
    let by_pods = || {
        cells.iter().find_map(|cell| match cell {
            Cell::Ready { ready, total } if ready >= total => Some(("Ready", Health::Ok)),
            Cell::Ready { .. } => Some(("NotReady", Health::Warning)),
            _ => None,
        })
    };
    by_condition.or_else(by_pods).map(|(word, health)| (word.into(), health))
}

/// Whether the condition of a type is `True`; none where the object has none such.
fn holds_condition(object: &Object, kind: &str) -> Option<bool> {
    let text =
        |value: ValueRef<'_>, field, text| value.get(field).and_then(ValueRef::as_str).is_some_and(|it| it == text);
    let condition = object.list_at(&["status", "conditions"]).find(|it| text(*it, "type", kind))?;
    Some(text(condition, "status", "True"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::GroupVersionResource;
    use crate::view::columns::built_in;

    fn status(resource: (&str, &str), fields: Value) -> Option<(String, Health)> {
        let resource = built_in(&GroupVersionResource::new(resource.0, "v1", resource.1)).unwrap();
        let object: Object = serde_json::from_value(fields).unwrap();
        status_of(resource, &object).map(|(word, health)| (word.into(), health))
    }

    #[test]
    fn the_word_is_the_tables_or_that_of_a_condition() {
        let condition =
            |kind: &str, status: &str| json!({"status": {"conditions": [{"type": kind, "status": status}]}});
        let deleted = json!({"metadata": {"deletionTimestamp": "2026-11-29T11:55:00Z"}});
        let cases = [
            (("", "pods"), json!({"status": {"phase": "Pending"}}), Some(("Pending", Health::Progressing))),
            (("", "namespaces"), json!({"status": {"phase": "Active"}}), Some(("Active", Health::Ok))),
            (("apps", "deployments"), condition("Available", "True"), Some(("Available", Health::Ok))),
            (("apps", "deployments"), condition("Available", "False"), Some(("Unavailable", Health::Error))),
            (("apps", "statefulsets"), json!({"spec": {"replicas": 2}}), Some(("NotReady", Health::Warning))),
            (
                ("apps", "statefulsets"),
                json!({"spec": {"replicas": 1}, "status": {"readyReplicas": 1}}),
                Some(("Ready", Health::Ok)),
            ),
            (("", "configmaps"), deleted, Some(("Terminating", Health::Terminated))),
            (("", "configmaps"), json!({}), None),
        ];
        for (resource, fields, expected) in cases {
            let expected = expected.map(|(word, health)| (word.to_owned(), health));
            assert_eq!(status(resource, fields.clone()), expected, "{resource:?} {fields}");
        }
    }
}
