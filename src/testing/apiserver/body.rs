//! Bodies of requests that write: from bytes to objects and configurations.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::crd;
use super::managed_fields::LAST_APPLIED;
use super::refusal::{self, Refusal};
use super::routes::{Target, content_type};
use crate::api::Manifest;
use crate::runtime::Request;

const JSON: &str = "application/json";

pub(super) const OTHER_NAMESPACE: &str =
    "the namespace of the provided object does not match the namespace sent on the request";

/// An object, and what the server has to say of its text.
pub(super) struct Decoded {
    pub(super) object: Manifest,
    pub(super) warnings: Vec<String>,
}

/// # Errors
/// 400 for what is no object of the kind, 415 for what is no JSON, 501 for a strict look at the fields.
pub(super) fn read_object(target: &Target, request: &Request, is_strict: bool) -> Result<Decoded, Refusal> {
    if !["", JSON].contains(&content_type(request)) {
        let why = "the body of the request was in an unknown format - accepted media types include: ";
        return Err(refusal::plain(415, format!("{why}{JSON}")));
    }
    let body = request.body.as_deref().unwrap_or_default();
    let kind = &target.kind.kind;
    let unreadable = |error: &dyn fmt::Display| {
        let what = format!("the object provided is unrecognized (must be of type {kind})");
        refusal::plain(400, format!("{what}: couldn't get version/kind; json parse error: {error}"))
    };
    let value: Value = serde_json::from_slice(body).map_err(|error| unreadable(&error))?;
    check_kind(target, &value)?;
    let mut warnings = duplicates(body);
    let unknown = crd::unknown_fields(&target.kind, &target.version, &value);
    warnings.extend(unknown.into_iter().map(|path| format!("unknown field \"{path}\"")));
    if is_strict && !(target.kind.custom && warnings.is_empty()) {
        return Err(match &warnings[..] {
            [] => not_strict(),
            found => {
                let version = &target.version;
                let what = format!("{kind} in version \"{version}\" cannot be handled as a {kind}");
                refusal::plain(400, format!("{what}: strict decoding error: {}", found.join(", ")))
            }
        });
    }
    let mut object = object_of(target, value).map_err(|error| unreadable(&error))?;
    if object.metadata.namespace.is_empty() {
        object.metadata.namespace = target.namespace().into();
    }
    if object.namespace() != target.namespace() {
        return Err(refusal::plain(400, OTHER_NAMESPACE));
    }
    Ok(Decoded { object, warnings })
}

/// The real server converts between versions of a kind, and finds no way from one kind to another.
fn check_kind(target: &Target, sent: &Value) -> Result<(), Refusal> {
    let text = |name: &str| sent.get(name).and_then(Value::as_str).unwrap_or_default();
    let (version, kind, expected) = (text("apiVersion"), text("kind"), &target.kind.kind);
    if target.kind.custom || kind.is_empty() || kind == expected {
        return Ok(());
    }
    let version = version.rsplit('/').next().unwrap_or_default();
    let package = target.kind.group.split('.').next().filter(|group| !group.is_empty()).unwrap_or("core");
    let why = format!("converting ({version}.{kind}) to ({package}.{expected}): unknown conversion");
    let message = format!("{kind} in version \"{version}\" cannot be handled as a {expected}: {why}");
    Err(refusal::plain(400, message))
}

/// Of built-in kinds the server has no schemas, so that it cannot say which fields there are.
pub(super) fn not_strict() -> Refusal {
    refusal::not_offered("fieldValidation=Strict: it does not know which fields there are; send Warn or Ignore")
}

/// # Errors
/// With the reason when the value is no object of the kind.
pub(super) fn object_of(target: &Target, mut value: Value) -> Result<Manifest, String> {
    let metadata = value.get_mut("metadata").and_then(Value::as_object_mut);
    let managed_fields = metadata.and_then(|metadata| metadata.remove("managedFields"));
    let mut object: Manifest = serde_json::from_value(value).map_err(|error| error.to_string())?;
    object.metadata.managed_fields = managed_fields.filter(|sent| !sent.is_null()).map(Into::into);
    let (kind, version) = (&target.kind.kind, target.api_version());
    if object.kind.is_empty() && object.api_version.is_empty() {
        object.kind.clone_from(kind);
        object.api_version.clone_from(&version);
    }
    if object.kind != *kind || object.api_version != version {
        let (sent, version) = (&object.kind, &target.version);
        return Err(format!("{sent} in version \"{version}\" cannot be handled as a {kind}"));
    }
    Ok(object)
}

/// A configuration to apply.
///
/// # Errors
/// 400 for one of another kind or with managed fields, 501 for one that is YAML and not JSON.
pub(super) fn read_configuration(target: &Target, request: &Request) -> Result<Value, Refusal> {
    let body = request.body.as_deref().unwrap_or_default();
    let yaml = |_| refusal::not_offered("configurations in YAML: send the same as JSON");
    let config: Value = serde_json::from_slice(body).map_err(yaml)?;
    if !config.is_object() {
        return Err(refusal::plain(400, "error decoding YAML: the configuration is no object"));
    }
    let text = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let (api_version, expected) = match target.scope() {
        super::write::Scope::Scale => ("autoscaling/v1".to_owned(), "Scale"),
        _ => (target.api_version(), target.kind.kind.as_str()),
    };
    if version != api_version || kind != expected {
        let (group, version) = version.split_once('/').unwrap_or(("", &version));
        return Err(refusal::plain(400, format!("invalid object type: {group}/{version}, Kind={kind}")));
    }
    if config["metadata"].get("managedFields").is_some_and(|sent| !sent.is_null()) {
        return Err(refusal::plain(400, "metadata.managedFields must be nil"));
    }
    if config["metadata"]["namespace"].as_str().is_some_and(|namespace| namespace != target.namespace()) {
        return Err(refusal::plain(400, OTHER_NAMESPACE));
    }
    Ok(config)
}

/// Keeps what kubectl applied last up to date on an object that has it noted, so that both its ways of applying agree.
pub(super) fn renew_last_applied(object: &mut Manifest, config: &Value) {
    let Some(noted) = object.metadata.annotations.get_mut(LAST_APPLIED) else { return };
    let mut config = config.clone();
    let annotations = config["metadata"].get_mut("annotations").and_then(Value::as_object_mut);
    annotations.map(|annotations| annotations.remove(LAST_APPLIED));
    *noted = format!("{config}\n");
}

/// The fields that stand twice in a JSON text, as warnings name them; the text has been read before.
fn duplicates(text: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let seed = Seed { path: String::new(), found: &mut found };
    let _ = seed.deserialize(&mut serde_json::Deserializer::from_slice(text));
    found
}

struct Seed<'a> {
    path: String,
    found: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut names = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let dot = if self.path.is_empty() { "" } else { "." };
            let path = format!("{}{dot}{name}", self.path);
            if names.contains(&name) {
                self.found.push(format!("duplicate field \"{path}\""));
            }
            names.push(name);
            map.next_value_seed(Seed { path, found: self.found })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut place = 0;
        while items.next_element_seed(Seed { path: format!("{}[{place}]", self.path), found: self.found })?.is_some() {
            place += 1;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_stand_twice_are_found_wherever_they_are() {
        let text = br#"{"a":1,"b":[{"c":true,"c":null}],"a":{"d":"x","d":1.5}}"#;
        let expected = ["b[0].c", "a", "a.d"].map(|path| format!("duplicate field \"{path}\""));
        assert_eq!(duplicates(text), expected);
        assert!(duplicates(br#"{"a":{"b":1},"b":-1}"#).is_empty());
    }
}
