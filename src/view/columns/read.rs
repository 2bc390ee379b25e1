use std::borrow::Cow;

use super::healths::health_of;
use super::{Cell, Object, ValueRef};
use crate::view::sort_numbers::sorted_numbers;

/// The value at a path with dots, none when it is absent or null.
pub(super) fn at<'a>(object: &'a Object, path: &str) -> Option<ValueRef<'a>> {
    below(object.get(&[])?, path)
}

/// As [`at`], from a value on.
pub(super) fn below<'a>(value: ValueRef<'a>, path: &str) -> Option<ValueRef<'a>> {
    path.split('.').try_fold(value, ValueRef::get).filter(|it| !it.is_null())
}

/// The text at a path with dots, empty when it is absent or of another type.
pub(super) fn text<'a>(object: &'a Object, path: &str) -> Cow<'a, str> {
    at(object, path).and_then(ValueRef::as_str).unwrap_or_default()
}

/// As [`text`], from a value on.
pub(super) fn text_below<'a>(value: ValueRef<'a>, path: &str) -> Cow<'a, str> {
    below(value, path).and_then(ValueRef::as_str).unwrap_or_default()
}

/// The number at a path with dots, zero when it is absent or of another type.
pub(super) fn number_below(value: ValueRef<'_>, path: &str) -> i64 {
    below(value, path).and_then(ValueRef::as_i64).unwrap_or(0)
}

/// A text or a whole number as a text; anything else is empty.
pub(super) fn plain(value: ValueRef<'_>) -> Cow<'_, str> {
    match value.as_i64() {
        Some(number) => number.to_string().into(),
        None => value.as_str().unwrap_or_default(),
    }
}

/// The items of the list at a path with dots.
pub(super) fn items<'a>(object: &'a Object, path: &str) -> impl Iterator<Item = ValueRef<'a>> {
    at(object, path).into_iter().flat_map(ValueRef::items)
}

/// How many entries the list or map at a path has.
pub(super) fn count(object: &Object, path: &str) -> i64 {
    at(object, path).map_or(0, |it| it.items().count() + it.entries().count()) as i64
}

/// The texts of a list, or those that are a field of its items (`list[].field`), with commas between them.
pub(super) fn joined(object: &Object, path: &str) -> String {
    let (list, field) = path.split_once("[].").unwrap_or((path, ""));
    let mut joined = String::new();
    for (index, item) in items(object, list).enumerate() {
        if index > 0 {
            joined.push(',');
        }
        joined.push_str(&if field.is_empty() { plain(item) } else { text_below(item, field) });
    }
    joined
}

/// The condition of a type.
pub(super) fn condition<'a>(object: &'a Object, kind: &str) -> Option<ValueRef<'a>> {
    items(object, "status.conditions").find(|it| text_below(*it, "type") == kind)
}

/// Whether the condition of a type is `True`.
pub(super) fn is_condition(object: &Object, kind: &str) -> bool {
    condition(object, kind).is_some_and(|it| text_below(it, "status") == "True")
}

/// A word of the one vocabulary.
pub(super) fn status(word: &str) -> Cell {
    Cell::Status { text: word.into(), health: health_of(word) }
}

/// `Kind/name` of a reference.
pub(super) fn reference(object: &Object, path: &str) -> Cell {
    let part = |field| at(object, path).map(|it| text_below(it, field)).unwrap_or_default();
    Cell::exact(&[&part("kind"), "/", &part("name")].concat())
}

/// The first texts of a list and how many more there are; `<unset>` where the texts are empty.
pub(super) fn first_and_more(texts: &[Cow<'_, str>], most: usize) -> String {
    let first = texts[..most.min(texts.len())].join(",");
    match texts.len().checked_sub(most) {
        Some(more @ 1..) => format!("{first} + {more} more..."),
        _ if first.is_empty() => "<unset>".into(),
        _ => first,
    }
}

pub(super) fn sorted(texts: Vec<String>) -> Vec<String> {
    let order = sorted_numbers(texts.len(), &mut |a, b| texts[a].cmp(&texts[b]));
    let mut texts = texts;
    order.into_iter().map(|at| std::mem::take(&mut texts[at as usize])).collect()
}

/// `a=b,c=d`, sorted (apimachinery: `labels.Set.String`).
pub(in crate::view) fn labels(map: Option<ValueRef<'_>>) -> String {
    let entries = map.into_iter().flat_map(ValueRef::entries);
    sorted(entries.map(|(key, value)| [key, "=", &plain(value)].concat()).collect()).join(",")
}

/// A label selector's requirements by their keys; none when it is not valid (apimachinery:
/// `metav1.LabelSelectorAsSelector` and `labels.Selector.String`).
pub(in crate::view) fn selector(selector: Option<ValueRef<'_>>) -> Option<String> {
    let Some(selector) = selector else { return Some(String::new()) };
    let mut keys = Vec::new();
    let mut texts = Vec::new();
    for (key, value) in below(selector, "matchLabels").into_iter().flat_map(ValueRef::entries) {
        keys.push(Cow::Borrowed(key));
        texts.push([key, "=", &plain(value)].concat());
    }
    for expression in below(selector, "matchExpressions").into_iter().flat_map(ValueRef::items) {
        let key = text_below(expression, "key");
        texts.push(requirement(&key, expression)?);
        keys.push(key);
    }
    let order = sorted_numbers(keys.len(), &mut |a, b| keys[a].cmp(&keys[b]));
    Some(order.into_iter().map(|at| texts[at as usize].as_str()).collect::<Vec<_>>().join(","))
}

fn requirement(key: &str, expression: ValueRef<'_>) -> Option<String> {
    let values = below(expression, "values").into_iter().flat_map(ValueRef::items);
    let values = sorted(values.map(|it| plain(it).into_owned()).collect());
    let listed = |operator| (!values.is_empty()).then(|| [key, operator, &values.join(","), ")"].concat());
    match &*text_below(expression, "operator") {
        "In" => listed(" in ("),
        "NotIn" => listed(" notin ("),
        "Exists" if values.is_empty() => Some(key.into()),
        "DoesNotExist" if values.is_empty() => Some(["!", key].concat()),
        _ => None,
    }
}
