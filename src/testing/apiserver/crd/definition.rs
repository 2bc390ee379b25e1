//! What a definition says, and what becomes of it.

use std::cell::Cell;
use std::rc::Rc;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::schema::{self, Problem};
use super::{at, invalid};
use crate::api::{Manifest, StatusCause};
use crate::testing::apiserver::kinds::{Kind, Scale, Version, version_rank};
use crate::testing::apiserver::refusal::{self, Refusal};
use crate::testing::apiserver::table::json_path::PrinterColumn;

/// Sets what the real server sets when a definition is written.
pub(super) fn fill(object: &mut Manifest, before: Option<&Manifest>) {
    let Some(spec) = object.fields.get_mut("spec").and_then(Value::as_object_mut) else { return };
    spec.entry("conversion").or_insert_with(|| json!({ "strategy": "None" }));
    if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) {
        let kind = names.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        names.entry("singular").or_insert_with(|| kind.to_lowercase().into());
        names.entry("listKind").or_insert_with(|| format!("{kind}List").into());
    }
    let storage = versions(object).iter().find(|version| version["storage"] == true);
    let storage = storage.map(|version| version["name"].clone());
    let mut stored = match before.map(|before| at(before, &["status", "storedVersions"])) {
        Some(Value::Array(stored)) => stored.clone(),
        _ => Vec::new(),
    };
    stored.extend(storage.filter(|storage| !stored.contains(storage)));
    let status = object.fields.entry("status").or_insert(Value::Null);
    if status["conditions"].as_array().is_none_or(Vec::is_empty) {
        *status = json!({ "conditions": null, "acceptedNames": { "plural": "", "kind": "" } });
    }
    status["storedVersions"] = stored.into();
}

fn versions(object: &Manifest) -> &[Value] {
    at(object, &["spec", "versions"]).as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// # Errors
/// 422 and 501.
pub(super) fn check(object: &Manifest) -> Result<(), Refusal> {
    let mut causes = check_names(object);
    causes.extend(check_group(object));
    if versions(object).iter().filter(|version| version["storage"] == true).count() != 1 {
        let versions = at(object, &["spec", "versions"]);
        let message = format!("Invalid value: {versions}: must have exactly one version marked as storage version");
        causes.push(cause("Invalid", "spec.versions", message));
        let message = "Invalid value: null: must have at least one stored version";
        causes.push(cause("Invalid", "status.storedVersions", message.into()));
    }
    causes.extend(check_schemas(object)?);
    if causes.is_empty() {
        return kind_of(object).map(|_| ());
    }
    let kind =
        Kind { group: "apiextensions.k8s.io".into(), kind: "CustomResourceDefinition".into(), ..Kind::default() };
    Err(invalid(&kind, object.name(), causes))
}

fn cause(reason: &str, field: &str, message: String) -> StatusCause {
    StatusCause { reason: format!("FieldValue{reason}"), field: field.into(), message }
}

fn check_names(object: &Manifest) -> Vec<StatusCause> {
    let spec = object.fields.get("spec").unwrap_or(&Value::Null);
    let (group, names, scope) = (text(spec, "group"), &spec["names"], text(spec, "scope"));
    let mut causes = Vec::new();
    for (path, value) in
        [("group", group), ("names.plural", text(names, "plural")), ("names.kind", text(names, "kind"))]
    {
        if value.is_empty() {
            causes.push(cause("Required", &format!("spec.{path}"), "Required value".into()));
        }
    }
    if object.name() != format!("{}.{group}", text(names, "plural")) {
        let message = format!("Invalid value: \"{}\": must be spec.names.plural+\".\"+spec.group", object.name());
        causes.push(cause("Invalid", "metadata.name", message));
    }
    if !["Namespaced", "Cluster"].contains(&scope) {
        let message = format!("Unsupported value: \"{scope}\": supported values: \"Cluster\", \"Namespaced\"");
        causes.push(cause("NotSupported", "spec.scope", message));
    }
    causes
}

/// The project's own groups are not for everybody.
fn check_group(object: &Manifest) -> Option<StatusCause> {
    const APPROVAL: &str = "api-approved.kubernetes.io";
    let group = at(object, &["spec", "group"]).as_str().unwrap_or_default();
    let is_protected = ["k8s.io", "kubernetes.io"].iter().any(|it| group == *it || group.ends_with(&format!(".{it}")));
    if !is_protected || object.metadata.annotations.contains_key(APPROVAL) {
        return None;
    }
    let why = format!("protected groups must have approval annotation \"{APPROVAL}\"");
    let message = format!("Required value: {why}, see https://github.com/kubernetes/enhancements/pull/1111");
    Some(cause("Required", &format!("metadata.annotations[{APPROVAL}]"), message))
}

/// # Errors
/// 501 for the first keyword that is not offered.
fn check_schemas(object: &Manifest) -> Result<Vec<StatusCause>, Refusal> {
    let (all, mut causes) = (versions(object), Vec::new());
    for (place, version) in all.iter().enumerate() {
        let schema = &version["schema"]["openAPIV3Schema"];
        if schema.is_null() {
            let field = format!("spec.versions[{place}].schema.openAPIV3Schema");
            causes.push(cause("Required", &field, "Required value".into()));
            continue;
        }
        // The only version's schema is reported where older definitions had it.
        let path = if all.len() == 1 { "spec.validation".into() } else { format!("spec.versions[{place}].schema") };
        match schema::check(schema, &format!("{path}.openAPIV3Schema"), "must not be empty at the root") {
            Ok(()) => {}
            Err(Problem::NoType(path, why)) => causes.push(cause("Required", &path, format!("Required value: {why}"))),
            Err(Problem::NotOffered(what)) => return Err(refusal::not_offered(&what)),
        }
    }
    Ok(causes)
}

/// The kind that a definition describes.
///
/// # Errors
/// 501 for what is not offered.
pub(super) fn kind_of(object: &Manifest) -> Result<Kind, Refusal> {
    let spec = object.fields.get("spec").unwrap_or(&Value::Null);
    if text(&spec["conversion"], "strategy") != "None" {
        return Err(refusal::not_offered("the conversion of custom resources by a webhook"));
    }
    let all = versions(object);
    if all.iter().any(|version| version["subresources"] != all[0]["subresources"]) {
        return Err(refusal::not_offered("versions of a custom resource that differ in their subresources"));
    }
    if all.iter().any(|version| version["deprecationWarning"].is_string()) {
        return Err(refusal::not_offered("a warning of one's own about a deprecated version"));
    }
    let mut served: Vec<_> = all.iter().filter(|version| version["served"] == true).collect();
    served.sort_by_cached_key(|version| version_rank(text(version, "name")));
    let names = &spec["names"];
    let list = |name: &str| -> Vec<String> {
        names[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let subresources = &all.first().unwrap_or(&Value::Null)["subresources"];
    let scale = &subresources["scale"];
    Ok(Kind {
        group: text(spec, "group").into(),
        resource: text(names, "plural").into(),
        singular: text(names, "singular").into(),
        kind: text(names, "kind").into(),
        list_kind: text(names, "listKind").into(),
        short_names: list("shortNames"),
        categories: list("categories"),
        namespaced: text(spec, "scope") == "Namespaced",
        subresources: ["status", "scale"]
            .into_iter()
            .filter(|it| subresources[it].is_object())
            .map(str::to_owned)
            .collect(),
        scale: scale.is_object().then(|| Scale {
            spec_replicas: path(text(scale, "specReplicasPath")),
            status_replicas: path(text(scale, "statusReplicasPath")),
            label_selector: scale["labelSelectorPath"].as_str().map(path),
        }),
        versions: served.into_iter().map(read_version).collect::<Result<_, _>>()?,
        storage_version: all.iter().find(|it| it["storage"] == true).map_or("", |it| text(it, "name")).into(),
        qualified: object.name().into(),
        custom: true,
        definition: spec.clone(),
        ended: Cell::default(),
    })
}

fn path(json_path: &str) -> String {
    json_path.trim_start_matches('.').into()
}

fn read_version(version: &Value) -> Result<Version, Refusal> {
    let list = |name: &str| version[name].as_array().into_iter().flatten();
    let columns = list("additionalPrinterColumns").map(|column| {
        let json_path = text(column, "jsonPath");
        let read = PrinterColumn::read(column);
        read.ok_or_else(|| refusal::not_offered(&format!("the path {json_path} of a printer column")))
    });
    let mut columns: Vec<_> = columns.collect::<Result<_, _>>()?;
    if columns.is_empty() {
        columns.push(PrinterColumn::age());
    }
    Ok(Version {
        name: text(version, "name").into(),
        fields: list("selectableFields").map(|field| path(text(field, "jsonPath"))).collect(),
        columns,
        schema: version["schema"]["openAPIV3Schema"].clone(),
        is_deprecated: version["deprecated"] == true,
    })
}

/// Why its names are not accepted, and which of them are; none when all are.
pub(super) struct Taken {
    reason: &'static str,
    name: String,
    accepted: Value,
}

/// Whether another kind of the group has one of the definition's names.
pub(super) fn names_taken(definition: &Manifest, kinds: &[Rc<Kind>]) -> Option<Taken> {
    let names = at(definition, &["spec", "names"]);
    let group = at(definition, &["spec", "group"]).as_str().unwrap_or_default();
    let others = || kinds.iter().filter(|kind| kind.group == group && kind.qualified != definition.name());
    let resource = |name: &str| {
        others()
            .any(|it| it.resource == name || it.singular == name || it.short_names.iter().any(|short| short == name))
    };
    let kind = |name: &str| others().any(|it| it.kind == name || it.list_kind == name);
    let short_names: Vec<_> = names["shortNames"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut accepted = json!({ "plural": names["plural"], "kind": "" });
    let mut taken = None;
    let mut claim = |field: &str, reason: &'static str, conflict: Option<&str>| match conflict {
        Some(name) => taken = Some((reason, name.to_owned())),
        None if !names[field].is_null() => accepted[field] = names[field].clone(),
        None => {}
    };
    let one = |name: &'static str, is_taken: bool| Some(text(names, name)).filter(|_| is_taken);
    claim("singular", "SingularConflict", one("singular", resource(text(names, "singular"))));
    claim("shortNames", "ShortNamesConflict", short_names.into_iter().find(|name| resource(name)));
    claim("kind", "KindConflict", one("kind", kind(text(names, "kind"))));
    claim("listKind", "ListKindConflict", one("listKind", kind(text(names, "listKind"))));
    claim("categories", "", None);
    taken.map(|(reason, name)| Taken { reason, name, accepted })
}

/// The status that a definition comes to.
pub(super) fn status(definition: &Manifest, taken: &Option<Taken>, now: Timestamp) -> Value {
    let condition = |name: &str, is_true: bool, reason: &str, message: &str| {
        let status = if is_true { "True" } else { "False" };
        json!({ "type": name, "status": status, "lastTransitionTime": now, "reason": reason, "message": message })
    };
    let mut changed = definition.clone();
    let (names, conditions) = match taken {
        None => (
            at(definition, &["spec", "names"]),
            [
                condition("NamesAccepted", true, "NoConflicts", "no conflicts found"),
                condition("Established", true, "InitialNamesAccepted", "the initial names have been accepted"),
            ],
        ),
        Some(taken) => (
            &taken.accepted,
            [
                condition("NamesAccepted", false, taken.reason, &format!("\"{}\" is already in use", taken.name)),
                condition("Established", false, "NotAccepted", "not all names are accepted"),
            ],
        ),
    };
    conditions.into_iter().for_each(|condition| set_condition(&mut changed, condition));
    let mut status = changed.fields.remove("status").unwrap_or_default();
    status["acceptedNames"] = names.clone();
    status
}

/// Puts a condition in the place of the one of its type, unless that says the same already.
pub(in super::super) fn set_condition(object: &mut Manifest, condition: Value) {
    let status = object.fields.entry("status").or_insert_with(|| Value::Object(Map::new()));
    if !status["conditions"].is_array() {
        status["conditions"] = json!([]);
    }
    let Some(conditions) = status["conditions"].as_array_mut() else { return };
    match conditions.iter_mut().find(|known| known["type"] == condition["type"]) {
        Some(known) if known["status"] == condition["status"] && known["reason"] == condition["reason"] => {}
        Some(known) => *known = condition,
        None => conditions.push(condition),
    }
}
