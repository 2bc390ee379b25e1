use std::borrow::Cow;

use crate::api::{Object, ValueRef};

/// Between the keys of a path.
pub(super) const BELOW: char = '\0';

/// Where a pod's spec stands in the kinds that make pods, and where it has images.
const PODS: [&str; 3] = ["spec", "spec\0template\0spec", "spec\0jobTemplate\0spec\0template\0spec"];
const IMAGES: [&str; 3] = ["containers\0image", "initContainers\0image", "ephemeralContainers\0image"];

/// The keys of `.spec.containers[0].image`: a backslash takes a dot into a key, `[*]` stands for any item.
pub(super) fn path_of(text: &str) -> String {
    let (mut path, mut is_escaped) = (String::new(), false);
    for c in text.strip_prefix('.').unwrap_or(text).chars() {
        match c {
            _ if std::mem::take(&mut is_escaped) => path.push(c),
            '\\' => is_escaped = true,
            '.' | '[' => path.push(BELOW),
            ']' => {}
            _ => path.push(c),
        }
    }
    path
}

/// Whether a text, number or truth at this path is what is looked for; of a list without an index, any item's.
pub(super) fn any_at(value: ValueRef<'_>, path: &str, look: &mut dyn FnMut(&str) -> bool) -> bool {
    let (key, rest) = path.split_once(BELOW).unwrap_or((path, ""));
    let mut items = value.items().peekable();
    if items.peek().is_some() {
        return match key.parse() {
            Ok(index) => items.nth(index).is_some_and(|item| any_at(item, rest, look)),
            Err(_) => items.any(|item| any_at(item, if key == "*" { rest } else { path }, look)),
        };
    }
    match key {
        "" if rest.is_empty() => text(value).is_some_and(|text| look(&text)),
        _ => value.get(key).is_some_and(|below| any_at(below, rest, look)),
    }
}

/// Whether an image of any container of a pod, or of what makes pods, is what is looked for.
pub(super) fn any_image(object: &Object, look: &mut dyn FnMut(&str) -> bool) -> bool {
    PODS.into_iter().any(|pod| {
        let keys: Vec<&str> = pod.split(BELOW).collect();
        object.get(&keys).is_some_and(|pod| IMAGES.into_iter().any(|path| any_at(pod, path, look)))
    })
}

fn text(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    let number = || value.as_i64().map(|number| number.to_string().into());
    let truth = || value.as_bool().map(|it| if it { "true" } else { "false" }.into());
    value.as_str().or_else(number).or_else(truth)
}
