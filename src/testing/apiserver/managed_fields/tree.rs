//! What two values of one schema differ in, what they are together, and what is left without some paths
//! (structured-merge-diff: `typed/`).

use serde_json::{Map, Value};

use super::schema::{Rule, Schema};
use super::set::{self, Set};

/// What became of the fields between two versions of a value.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    pub(super) removed: Set,
    pub(super) modified: Set,
    pub(super) added: Set,
}

/// A value with its place in the object.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) schema: Schema<'a>,
    pub(super) is_root: bool,
}

impl<'a> Place<'a> {
    pub(super) fn root(schema: Schema<'a>) -> Self {
        Self { schema, is_root: true }
    }

    fn field(self, name: &'a str) -> Self {
        Self { schema: self.schema.field(name, self.is_root), is_root: false }
    }

    fn item(self) -> Self {
        Self { schema: self.schema.item(), is_root: false }
    }

    /// The value's parts by their edges; none when it is a leaf. Of items with the same edge each is there.
    fn parts(self, value: &'a Value) -> Result<Option<Vec<Part<'a>>>, String> {
        Ok(match (value, self.schema.rule(value)) {
            (Value::Object(fields), Rule::Granular) => {
                let part = |(name, value): (&'a String, &'a Value)| Part {
                    edge: format!("f:{name}"),
                    place: self.field(name),
                    is_named: self.schema.names_field(name, self.is_root),
                    value,
                };
                Some(fields.iter().map(part).collect())
            }
            (Value::Array(items), rule @ (Rule::Set | Rule::Keyed(_))) => {
                let part = |(number, value)| {
                    let within = |error| format!("element {number}: {error}");
                    let edge = self.schema.edge(&rule, value).map_err(within)?;
                    Ok(Part { edge, place: self.item(), is_named: false, value })
                };
                Some(items.iter().enumerate().map(part).collect::<Result<_, String>>()?)
            }
            _ => None,
        })
    }
}

struct Part<'a> {
    edge: String,
    place: Place<'a>,
    /// A field of a struct.
    is_named: bool,
    value: &'a Value,
}

fn find<'p, 'a>(parts: &'p [Part<'a>], edge: &str) -> Option<&'p Part<'a>> {
    parts.iter().find(|part| part.edge == edge)
}

fn is_void(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// # Errors
/// When a list's item lacks a field that tells it apart.
pub(super) fn compare<'a>(
    place: Place<'a>,
    old: Option<&'a Value>,
    new: Option<&'a Value>,
) -> Result<Comparison, String> {
    let has_parts = |value: Option<&Value>| value.is_some_and(|value| place.schema.rule(value) != Rule::Atomic);
    let is_void = |value: Option<&Value>| value.is_none_or(is_void);
    let is_leaf = (is_void(old) && is_void(new)) || !(has_parts(old) || has_parts(new));
    let changed_kind = !is_leaf && [old, new].iter().any(|value| !is_void(*value) && !has_parts(*value));
    let mut result = Comparison::default();
    match (old, new) {
        (None, _) => result.added.is_member = true,
        (_, None) => result.removed.is_member = true,
        _ => result.modified.is_member = changed_kind || (is_leaf && old != new),
    }
    if is_leaf {
        return Ok(result);
    }
    let (olds, news) = (parts_of(place, old)?, parts_of(place, new)?);
    for part in olds.iter().chain(news.iter().filter(|part| find(&olds, &part.edge).is_none())) {
        let value = |parts: &[Part<'a>]| find(parts, &part.edge).map(|part| part.value);
        let below = compare(part.place, value(&olds), value(&news))?;
        result.removed.put(part.edge.clone(), below.removed);
        result.modified.put(part.edge.clone(), below.modified);
        result.added.put(part.edge.clone(), below.added);
    }
    Ok(result)
}

fn parts_of<'a>(place: Place<'a>, value: Option<&'a Value>) -> Result<Vec<Part<'a>>, String> {
    Ok(value.map(|value| place.parts(value)).transpose()?.flatten().unwrap_or_default())
}

/// All paths of a value: its leaves, its lists' items, and the keys of its maps that are no structs.
pub(super) fn field_set(place: Place<'_>, value: &Value) -> Result<Set, String> {
    let mut set = Set::default();
    let Some(parts) = place.parts(value)? else { return Ok(Set::member()) };
    for part in parts {
        let mut below = field_set(part.place, part.value).map_err(|error| within(&part.edge, &error))?;
        below.is_member |= !part.is_named || (is_void(part.value) && !part.value.is_array());
        set.put(part.edge, below);
    }
    Ok(set)
}

fn within(edge: &str, error: &str) -> String {
    let place = set::in_words(edge);
    if error.starts_with(['.', '[']) { format!("{place}{error}") } else { format!("{place}: {error}") }
}

/// The first list's item that stands there twice, as messages name it.
pub(super) fn duplicate(place: Place<'_>, value: &Value) -> Option<String> {
    let parts = place.parts(value).ok()??;
    let twice = |(at, part): (usize, &Part<'_>)| find(&parts[..at], &part.edge).map(|part| part.edge.clone());
    if let Some(edge) = parts.iter().enumerate().find_map(twice) {
        return Some(format!(": duplicate entries for key {}", set::in_words(&edge)));
    }
    parts.iter().find_map(|part| Some(format!("{}{}", set::in_words(&part.edge), duplicate(part.place, part.value)?)))
}

/// The value with the applied one laid over it.
pub(super) fn merge(place: Place<'_>, live: Option<&Value>, applied: Option<&Value>) -> Result<Value, String> {
    let (live, applied) = match (live, applied) {
        (Some(live), Some(applied)) if !(is_void(live) && is_void(applied)) => (live, applied),
        (live, applied) => return Ok(applied.or(live).cloned().unwrap_or_default()),
    };
    let (Some(live_parts), Some(new_parts)) = (place.parts(live)?, place.parts(applied)?) else {
        return Ok(applied.clone());
    };
    let one = |live: Option<&Part<'_>>, new: Option<&Part<'_>>| {
        let below = live.or(new).map_or(place, |part| part.place);
        merge(below, live.map(|part| part.value), new.map(|part| part.value))
    };
    if live.is_object() {
        let mut map = Map::new();
        let news = new_parts.iter().filter(|part| find(&live_parts, &part.edge).is_none());
        for part in live_parts.iter().chain(news) {
            let value = one(find(&live_parts, &part.edge), find(&new_parts, &part.edge))?;
            map.insert(part.edge[2..].into(), value);
        }
        return Ok(map.into());
    }
    let order = merged_order(&live_parts, &new_parts);
    order
        .into_iter()
        .map(|edge| one(find(&live_parts, edge), find(&new_parts, edge)))
        .collect::<Result<Vec<_>, _>>()
        .map(Value::Array)
}

/// The items of both lists, those of the new one in its order and the others where they were
/// (structured-merge-diff: `typed/merge.go`, `visitListItems`).
fn merged_order<'p>(live: &'p [Part<'_>], new: &'p [Part<'_>]) -> Vec<&'p str> {
    let mut shared = new.iter().filter(|part| find(live, &part.edge).is_some()).map(|part| part.edge.as_str());
    let mut next_shared = shared.next();
    let mut order: Vec<&str> = Vec::with_capacity(live.len().max(new.len()));
    let (mut at_live, mut at_new) = (0, 0);
    while at_live < live.len() || at_new < new.len() {
        if let (Some(old), Some(item)) = (live.get(at_live), new.get(at_new)) {
            if old.edge == item.edge {
                order.push(&item.edge);
                (at_live, at_new) = (at_live + 1, at_new + 1);
                next_shared = shared.next();
                continue;
            }
            if find(new, &old.edge).is_some() && next_shared.is_some_and(|next| next != old.edge) {
                at_live += 1;
                continue;
            }
        }
        if let Some(old) = live.get(at_live) {
            if find(new, &old.edge).is_none() {
                order.push(&old.edge);
                at_live += 1;
                continue;
            }
            if order.contains(&old.edge.as_str()) {
                at_live += 1;
            }
        }
        if let Some(item) = new.get(at_new) {
            order.push(&item.edge);
            at_new += 1;
            if next_shared == Some(&item.edge) {
                next_shared = shared.next();
            }
        }
    }
    order
}

/// The value without the paths of the set; none when nothing is left of it.
pub(super) fn without(place: Place<'_>, value: &Value, paths: &Set) -> Result<Option<Value>, String> {
    let Some(parts) = place.parts(value)? else { return Ok(Some(value.clone())) };
    let mut kept = Vec::new();
    for part in &parts {
        let left = match paths.children.get(&part.edge) {
            Some(below) if below.is_member => None,
            Some(below) => without(part.place, part.value, below)?,
            None => Some(part.value.clone()),
        };
        kept.extend(left.map(|left| (&part.edge[2..], left)));
    }
    if kept.is_empty() && !parts.is_empty() {
        return Ok(None);
    }
    Ok(Some(match value {
        Value::Array(_) => kept.into_iter().map(|(_, value)| value).collect(),
        _ => kept.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into(),
    }))
}

/// The set with the structs' fields in it that lead to its paths.
pub(super) fn with_named_fields(place: Place<'_>, value: &Value, set: &Set) -> Result<Set, String> {
    let parts = place.parts(value)?.unwrap_or_default();
    let mut result = Set { is_member: set.is_member, ..Set::default() };
    for (edge, below) in &set.children {
        let part = find(&parts, edge);
        let mut inner =
            part.map_or_else(|| Ok(below.clone()), |part| with_named_fields(part.place, part.value, below))?;
        inner.is_member |= !below.children.is_empty() && part.is_some_and(|part| part.is_named);
        result.children.insert(edge.clone(), inner);
    }
    Ok(result)
}

/// What of a new object of a built-in kind Go's structs have from the start.
pub(super) fn skeleton(place: Place<'_>, value: &Value) -> Value {
    let fields = value.as_object().into_iter().flatten();
    let always = fields.filter(|(name, _)| place.schema.is_always_there(name, place.is_root));
    let empty = always.map(|(name, value)| {
        let below = if value.is_object() { skeleton(place.field(name), value) } else { Value::Null };
        (name.clone(), below)
    });
    empty.collect::<Map<_, _>>().into()
}
