//! Strategic merge patches of built-in kinds (apimachinery: `pkg/util/strategicpatch/patch.go`).

use serde_json::{Map, Value};

use super::managed_fields::{Rule, Schema};

const DIRECTIVE: &str = "$patch";
const ORDER: &str = "$setElementOrder/";
const DELETE_VALUES: &str = "$deleteFromPrimitiveList/";
const RETAIN: &str = "$retainKeys";

/// Why a patch cannot be laid over an object.
#[derive(Debug)]
pub(super) enum Unfit {
    /// The patch is none: the server fails over it.
    Malformed(String),
    /// The object is of another form than the patch.
    Mismatch(String),
}

/// Changes a map as the patch says. Maps are merged, and so are lists whose items a field tells apart.
///
/// # Errors
/// For an unknown directive, an item without the field that tells it apart, and a list where a map is or the reverse.
pub(super) fn apply<'a>(
    schema: Schema<'a>,
    at_root: bool,
    live: &mut Map<String, Value>,
    patch: &'a Map<String, Value>,
) -> Result<(), Unfit> {
    match directive(patch)? {
        "replace" => {
            *live = patch.iter().filter(|(name, _)| *name != DIRECTIVE).map(|(k, v)| (k.clone(), v.clone())).collect();
            return Ok(());
        }
        "delete" => {
            live.clear();
            return Ok(());
        }
        _ => {}
    }
    if let Some(retained) = patch.get(RETAIN).and_then(Value::as_array) {
        live.retain(|name, _| retained.iter().any(|kept| kept == name.as_str()));
    }
    for (name, value) in patch {
        if let Some(list) = name.strip_prefix(DELETE_VALUES) {
            let gone = value.as_array().map_or(&[][..], Vec::as_slice);
            if let Some(values) = live.get_mut(list).and_then(Value::as_array_mut) {
                values.retain(|value| !gone.contains(value));
            }
        } else if let Some(list) = name.strip_prefix(ORDER).filter(|list| !patch.contains_key(*list)) {
            let items = live.get_mut(list).and_then(Value::as_array_mut);
            if let (Some(items), Some(order)) = (items, value.as_array()) {
                let before = items.clone();
                put_in_order(items, &before, order);
            }
        } else if !name.starts_with('$') {
            let order = patch.get(&format!("{ORDER}{name}"));
            merge_field(schema.field(name, at_root), live, name, value, order)?;
        }
    }
    Ok(())
}

fn directive(patch: &Map<String, Value>) -> Result<&str, Unfit> {
    match patch.get(DIRECTIVE).map(Value::as_str) {
        None => Ok("merge"),
        Some(Some(known @ ("merge" | "replace" | "delete"))) => Ok(known),
        _ => {
            let (unknown, patch) = (in_go(&patch[DIRECTIVE]), in_go(&patch.clone().into()));
            Err(Unfit::Malformed(format!("unknown patch type: {unknown} in map: {patch}")))
        }
    }
}

fn merge_field<'a>(
    schema: Schema<'a>,
    live: &mut Map<String, Value>,
    name: &str,
    value: &'a Value,
    order: Option<&Value>,
) -> Result<(), Unfit> {
    let mismatch = |text: &str| Err(Unfit::Mismatch(format!("{name}: {text}")));
    match (live.get_mut(name), value) {
        (_, Value::Null) => {
            live.remove(name);
        }
        (Some(Value::Object(fields)), Value::Object(patch)) => apply(schema, false, fields, patch)?,
        (Some(Value::Array(items)), Value::Array(patch)) => merge_list(schema, items, patch, order)?,
        (Some(Value::Array(_)), Value::Object(_)) => return mismatch("cannot restore slice from map"),
        (Some(Value::Object(_)), Value::Array(_)) => return mismatch("cannot restore map from slice"),
        (_, Value::Object(patch)) => {
            let mut fields = Map::new();
            apply(schema, false, &mut fields, patch)?;
            if directive(patch)? != "delete" {
                live.insert(name.into(), fields.into());
            }
        }
        (_, Value::Array(patch)) => {
            let mut items = Vec::new();
            merge_list(schema, &mut items, patch, order)?;
            live.insert(name.into(), items.into());
        }
        _ => {
            live.insert(name.into(), value.clone());
        }
    }
    Ok(())
}

fn merge_list<'a>(
    schema: Schema<'a>,
    items: &mut Vec<Value>,
    patch: &'a [Value],
    order: Option<&Value>,
) -> Result<(), Unfit> {
    let before = items.clone();
    let key = match schema.merge_rule() {
        Rule::Keyed(keys) => keys.first().copied().unwrap_or_default(),
        Rule::Set => "",
        _ => {
            *items = patch.to_vec();
            return Ok(());
        }
    };
    if key.is_empty() {
        let new: Vec<_> = patch.iter().filter(|value| !items.contains(value)).cloned().collect();
        items.extend(new);
    } else {
        merge_items(schema, items, patch, key)?;
    }
    let named = order.and_then(Value::as_array).map_or(patch, Vec::as_slice);
    let key_alone =
        |item: &Value| item.get(key).map_or_else(|| item.clone(), |value| serde_json::json!({ key: value }));
    let kept = patch.iter().filter(|item| item.get(DIRECTIVE).is_none());
    let mut rest = named.iter().map(key_alone);
    if !kept.map(key_alone).all(|item| rest.any(|next| next == item)) {
        let (patch, order) = (in_go(&patch.to_vec().into()), in_go(&named.to_vec().into()));
        let text = format!("The order in patch list:\n{patch}\n doesn't match $setElementOrder list:\n{order}\n");
        return Err(Unfit::Malformed(text));
    }
    let named: Vec<Value> = named.iter().map(key_alone).collect();
    put_in_order(items, &before, &named);
    Ok(())
}

fn merge_items<'a>(schema: Schema<'a>, items: &mut Vec<Value>, patch: &'a [Value], key: &str) -> Result<(), Unfit> {
    let patches: Vec<&Map<String, Value>> = patch.iter().filter_map(Value::as_object).collect();
    if patches.iter().any(|patch| patch.len() == 1 && patch.get(DIRECTIVE).is_some_and(|it| it == "replace")) {
        *items = patches.iter().filter(|patch| !patch.contains_key(DIRECTIVE)).map(|it| (*it).clone().into()).collect();
        return Ok(());
    }
    for patch in patches {
        let told_apart = patch.get(key).ok_or_else(|| {
            let patch = in_go(&patch.clone().into());
            Unfit::Malformed(format!("map: {patch} does not contain declared merge key: {key}"))
        })?;
        if directive(patch)? == "delete" {
            items.retain(|item| item.get(key) != Some(told_apart));
            continue;
        }
        match items.iter_mut().find(|item| item.get(key) == Some(told_apart)) {
            Some(Value::Object(fields)) => apply(schema, false, fields, patch)?,
            _ => {
                let mut fields = Map::new();
                apply(schema, false, &mut fields, patch)?;
                items.push(fields.into());
            }
        }
    }
    Ok(())
}

/// Puts the items that the order names in that order; of the others each stays before those that it stood before.
fn put_in_order(items: &mut Vec<Value>, before: &[Value], order: &[Value]) {
    // An order of maps names each by its key alone.
    let is = |item: &Value, named: &Value| match named.as_object() {
        Some(key) => key.iter().all(|(name, value)| item.get(name) == Some(value)),
        None => item == named,
    };
    let named_at = |item: &Value| order.iter().position(|named| is(item, named));
    let (mut named, others): (Vec<_>, Vec<_>) = items.drain(..).partition(|item| named_at(item).is_some());
    named.sort_by_key(named_at);
    let place_before = |item: &Value| {
        let named = &order[named_at(item)?];
        before.iter().position(|old| is(old, named))
    };
    // Those that are not named have not changed.
    let mut others = others.into_iter().map(|item| (before.iter().position(|old| *old == item), item)).peekable();
    for item in named {
        let place = place_before(&item);
        while let Some((_, other)) = others.next_if(|(other, _)| place.is_some() && *other < place) {
            items.push(other);
        }
        items.push(item);
    }
    items.extend(others.map(|(_, item)| item));
}

/// A value as Go prints it.
fn in_go(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<_> = fields.iter().map(|(name, value)| format!("{name}:{}", in_go(value))).collect();
            format!("map[{}]", fields.join(" "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(in_go).collect::<Vec<_>>().join(" ")),
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn patched(mut live: Value, patch: &Value) -> Result<Value, Unfit> {
        let kind = Schema::of_kind("Deployment");
        apply(kind, true, live.as_object_mut().unwrap(), patch.as_object().unwrap())?;
        Ok(live)
    }

    fn containers(list: &Value) -> Value {
        json!({ "spec": { "template": { "spec": { "containers": list } } } })
    }

    #[test]
    fn lists_are_merged_by_their_keys_and_directives_are_carried_out() {
        let live = containers(&json!([{ "name": "a", "image": "1" }, { "name": "b", "image": "1" }]));
        for (patch, expected) in [
            (json!([{ "name": "b", "image": "2" }, { "name": "c" }]), json!([["a", "1"], ["b", "2"], ["c", null]])),
            (json!([{ "name": "a", "$patch": "delete" }]), json!([["b", "1"]])),
            (json!([{ "name": "x" }, { "$patch": "replace" }]), json!([["x", null]])),
        ] {
            let result = patched(live.clone(), &containers(&patch)).unwrap();
            let items = result["spec"]["template"]["spec"]["containers"].as_array().unwrap().clone();
            let found: Value = items.iter().map(|item| json!([item["name"], item["image"]])).collect();
            assert_eq!(found, expected, "{patch}");
        }
        let error = patched(live.clone(), &containers(&json!([{ "image": "2" }]))).unwrap_err();
        assert!(matches!(error, Unfit::Malformed(text) if text.ends_with("does not contain declared merge key: name")));
        assert!(matches!(patched(live, &containers(&json!({}))).unwrap_err(), Unfit::Mismatch(_)));
    }

    #[test]
    fn an_order_is_kept_and_what_it_does_not_name_stays_where_it_was() {
        let live = containers(&json!([{ "name": "a" }, { "name": "server" }, { "name": "b" }]));
        let mut patch = containers(&json!([]));
        patch["spec"]["template"]["spec"] =
            json!({ "$setElementOrder/containers": [{ "name": "b" }, { "name": "a" }] });
        let result = patched(live, &patch).unwrap();
        let names = containers(&json!([{ "name": "server" }, { "name": "b" }, { "name": "a" }]));
        assert_eq!(result, names);
    }

    #[test]
    fn maps_are_merged_retained_or_replaced_and_sets_grow_and_shrink() {
        let live = json!({ "metadata": { "finalizers": ["a/b"] }, "spec": { "strategy": { "type": "X", "x": 1 } } });
        for (patch, path, expected) in [
            (json!({ "metadata": { "finalizers": ["c/d", "a/b"] } }), "/metadata/finalizers", json!(["c/d", "a/b"])),
            (
                json!({ "metadata": { "$deleteFromPrimitiveList/finalizers": ["a/b"] } }),
                "/metadata/finalizers",
                json!([]),
            ),
            (
                json!({ "spec": { "strategy": { "$patch": "replace", "type": "Y" } } }),
                "/spec/strategy",
                json!({ "type": "Y" }),
            ),
            (
                json!({ "spec": { "strategy": { "$retainKeys": ["type"], "type": "Y" } } }),
                "/spec/strategy",
                json!({ "type": "Y" }),
            ),
            (json!({ "spec": { "strategy": { "type": null } } }), "/spec/strategy", json!({ "x": 1 })),
        ] {
            assert_eq!(patched(live.clone(), &patch).unwrap().pointer(path), Some(&expected), "{patch}");
        }
    }
}
