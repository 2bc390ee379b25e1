//! What changes objects. Watches hear of it by `changed`; nothing here waits.

use std::rc::Rc;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::ApiServer;
use super::kinds::Kind;
use super::refusal::{self, Refusal};
use crate::api::{Object, Status};
use crate::testing::objects;

const MODIFIED_MEANWHILE: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// How much of an object an update may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Everything, as the parts of a cluster may by two requests.
    Whole,
    /// Everything but the status.
    Main,
    /// The status alone.
    Status,
}

/// The body of a DELETE, as far as it is understood.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DeleteOptions {
    preconditions: Preconditions,
    propagation_policy: String,
    grace_period_seconds: Option<i64>,
    dry_run: Vec<String>,
    /// Not from the wire: whether pods on nodes are only marked, for a kubelet to take them away.
    #[serde(skip)]
    pub(super) leaves_pods_to_kubelet: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Preconditions {
    uid: Option<String>,
    resource_version: Option<String>,
}

/// Changes of objects by tests and by what plays the cluster's other parts. No rights are checked, no faults met.
impl ApiServer {
    /// Creates an object of the kind that it says it is, its status included.
    ///
    /// # Errors
    /// As the real server refuses: 409 when it exists, 404 without its namespace, 422 without a name.
    pub fn create(&self, mut object: Object) -> Result<Arc<Object>, Box<Status>> {
        let kind = &*self.known_kind(&object)?;
        let namespaces = &*self.namespaces();
        check_new(kind, &object)?;
        let mut store = self.inner.store.borrow_mut();
        if kind.namespaced && store.get(namespaces, "", object.namespace()).is_none() {
            return Err(refusal::not_found(namespaces, object.namespace()));
        }
        let metadata = &mut object.metadata;
        if metadata.name.is_empty() {
            let prefix = metadata.generate_name.as_deref().unwrap_or_default();
            metadata.name = format!("{prefix}{}", store.new_suffix());
        }
        if store.get(kind, object.namespace(), object.name()).is_some() {
            return Err(refusal::already_exists(kind, object.name()));
        }
        let metadata = &mut object.metadata;
        if metadata.uid.is_empty() {
            metadata.uid = store.new_uid();
        }
        metadata.creation_timestamp.get_or_insert_with(|| self.wall_seconds());
        if object.fields.contains_key("spec") {
            metadata.generation.get_or_insert(1);
        }
        let object = store.put(kind, object);
        drop(store);
        self.inner.changed.notify(usize::MAX);
        Ok(object)
    }

    /// Creates an object, and its namespace before it when that is missing.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn seed(&self, object: Object) -> Result<Arc<Object>, Box<Status>> {
        let namespace = object.namespace();
        if !namespace.is_empty() && self.get("namespaces", "", namespace).is_none() {
            self.create(objects::namespace(namespace))?;
        }
        self.create(object)
    }

    /// Replaces an object whole. With a resourceVersion only when that is the newest.
    ///
    /// # Errors
    /// 404 when there is none, 409 when it has changed meanwhile.
    pub fn update(&self, object: Object) -> Result<Arc<Object>, Box<Status>> {
        self.update_in(Scope::Whole, object)
    }

    /// Changes an object in place.
    ///
    /// # Errors
    /// 404 when there is none.
    pub fn modify(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        change: impl FnOnce(&mut Object),
    ) -> Result<Arc<Object>, Box<Status>> {
        let kind = self.kind(resource).ok_or_else(refusal::no_such_path)?;
        let found = self.get(resource, namespace, name).ok_or_else(|| refusal::not_found(&kind, name))?;
        let mut object = Object::clone(&found);
        change(&mut object);
        self.update(object)
    }

    /// Deletes an object at once, and what it owns; with finalizers it is only marked until the last of them is gone.
    ///
    /// # Errors
    /// 404 when there is none.
    pub fn delete(&self, resource: &str, namespace: &str, name: &str) -> Result<Arc<Object>, Box<Status>> {
        let kind = self.kind(resource).ok_or_else(refusal::no_such_path)?;
        self.delete_checked(&kind, namespace, name, &DeleteOptions::default())
    }

    pub(super) fn update_in(&self, scope: Scope, mut object: Object) -> Result<Arc<Object>, Refusal> {
        let kind = &*self.known_kind(&object)?;
        let found = self.inner.store.borrow().get(kind, object.namespace(), object.name());
        let found = found.ok_or_else(|| refusal::not_found(kind, object.name()))?;
        let (sent, known) = (&mut object.metadata, &found.metadata);
        if !["", known.resource_version.as_str()].contains(&sent.resource_version.as_str()) {
            return Err(refusal::conflict(kind, &known.name, MODIFIED_MEANWHILE));
        }
        if !["", known.uid.as_str()].contains(&sent.uid.as_str()) {
            return Err(refusal::conflict(kind, &known.name, &wrong_uid(&sent.uid, &known.uid)));
        }
        sent.resource_version.clone_from(&known.resource_version);
        sent.uid.clone_from(&known.uid);
        sent.creation_timestamp = known.creation_timestamp;
        sent.generation = known.generation;
        if scope != Scope::Whole {
            sent.deletion_timestamp = known.deletion_timestamp;
            sent.deletion_grace_period_seconds = known.deletion_grace_period_seconds;
            keep_other_part(scope, kind, &mut object, &found);
        }
        if object == *found {
            return Ok(found);
        }
        if object.fields.get("spec") != found.fields.get("spec") {
            object.metadata.generation = found.metadata.generation.map(|generation| generation + 1);
        }
        let finalized = !found.metadata.finalizers.is_empty() && object.metadata.finalizers.is_empty();
        let is_last = object.metadata.deletion_timestamp.is_some() && finalized;
        let (namespace, name) = (object.metadata.namespace.clone(), object.metadata.name.clone());
        let updated = self.inner.store.borrow_mut().put(kind, object);
        self.inner.changed.notify(usize::MAX);
        if is_last { self.remove(kind, &namespace, &name, false) } else { Ok(updated) }
    }

    pub(super) fn delete_checked(
        &self,
        kind: &Kind,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Arc<Object>, Refusal> {
        if options.propagation_policy == "Foreground" || options.propagation_policy == "Orphan" {
            return Err(refusal::not_offered(&format!("the propagation policy {}", options.propagation_policy)));
        }
        if !options.dry_run.is_empty() {
            return Err(refusal::not_offered("a dry run"));
        }
        let found = self.inner.store.borrow().get(kind, namespace, name);
        let found = found.ok_or_else(|| refusal::not_found(kind, name))?;
        check_preconditions(kind, &found, &options.preconditions)?;
        let waits_for_kubelet = options.leaves_pods_to_kubelet
            && options.grace_period_seconds != Some(0)
            && found.str_at(&["spec", "nodeName"]).is_some();
        if waits_for_kubelet && found.metadata.deletion_timestamp.is_none() {
            let mut object = Object::clone(&found);
            objects::set_terminating(&mut object, self.wall_seconds());
            return self.update(object);
        }
        if waits_for_kubelet {
            return Ok(found);
        }
        if found.metadata.finalizers.is_empty() {
            return self.remove(kind, namespace, name, options.leaves_pods_to_kubelet);
        }
        let mut object = Object::clone(&found);
        object.metadata.deletion_timestamp.get_or_insert_with(|| self.wall_seconds());
        object.metadata.deletion_grace_period_seconds.get_or_insert(0);
        self.update(object)
    }

    /// Takes an object away, then what it owns, or holds when it is a namespace.
    fn remove(
        &self,
        kind: &Kind,
        namespace: &str,
        name: &str,
        leaves_pods_to_kubelet: bool,
    ) -> Result<Arc<Object>, Refusal> {
        let removed = self.inner.store.borrow_mut().remove(kind, namespace, name);
        let removed = removed.ok_or_else(|| refusal::not_found(kind, name))?;
        self.inner.changed.notify(usize::MAX);
        let is_namespace = kind.is("namespaces");
        // Nothing may outlive its namespace.
        let options = DeleteOptions {
            leaves_pods_to_kubelet: leaves_pods_to_kubelet && !is_namespace,
            ..DeleteOptions::default()
        };
        let depends = |object: &Object| {
            let owned = object.metadata.owner_references.iter().any(|owner| owner.uid == removed.uid());
            owned || (is_namespace && object.namespace() == name)
        };
        for kind in &self.kinds() {
            let dependents: Vec<_> = {
                let store = self.inner.store.borrow();
                let all = store.objects_from(kind, "").map(|(_, object)| Arc::clone(object));
                all.filter(|object| depends(object)).collect()
            };
            for object in dependents {
                // One that another dependent took with it is gone already.
                let _ = self.delete_checked(kind, object.namespace(), object.name(), &options);
            }
        }
        Ok(removed)
    }

    /// Wall time as the API writes it, in whole seconds.
    pub(super) fn wall_seconds(&self) -> Timestamp {
        let wall = self.inner.runtime.clock.wall();
        Timestamp::from_second(wall.as_second()).unwrap_or(wall)
    }

    fn namespaces(&self) -> Rc<Kind> {
        self.kind("namespaces").expect("it stands in the table of kinds")
    }

    fn known_kind(&self, object: &Object) -> Result<Rc<Kind>, Refusal> {
        let (kind, version) = (&object.kind, &object.api_version);
        let known = self.inner.kinds.borrow().of(object);
        known.ok_or_else(|| refusal::plain(400, format!("no kind \"{kind}\" is registered for version \"{version}\"")))
    }
}

fn check_new(kind: &Kind, object: &Object) -> Result<(), Refusal> {
    let metadata = &object.metadata;
    if !metadata.resource_version.is_empty() {
        let message = "Internal error occurred: resourceVersion should not be set on objects to be created";
        return Err(refusal::plain(500, message));
    }
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
    let name = metadata.generate_name.as_deref().filter(|_| metadata.name.is_empty()).unwrap_or(&metadata.name);
    let problem = if name.is_empty() {
        "Required value: name or generateName is required".to_owned()
    } else if !name.chars().all(legal) || name.starts_with(['-', '.']) || metadata.name.ends_with(['-', '.']) {
        format!(
            "Invalid value: \"{name}\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
        )
    } else if kind.namespaced && metadata.namespace.is_empty() {
        return Err(refusal::plain(
            422,
            format!("{} \"{name}\" is invalid: metadata.namespace: Required value", kind.kind),
        ));
    } else {
        return Ok(());
    };
    Err(refusal::plain(422, format!("{} \"{name}\" is invalid: metadata.name: {problem}", kind.kind)))
}

fn check_preconditions(kind: &Kind, found: &Object, preconditions: &Preconditions) -> Result<(), Refusal> {
    let Preconditions { uid, resource_version } = preconditions;
    if let Some(uid) = uid.as_ref().filter(|uid| *uid != found.uid()) {
        return Err(refusal::conflict(kind, found.name(), &wrong_uid(uid, found.uid())));
    }
    let Some(asked) = resource_version.as_ref().filter(|asked| *asked != found.resource_version()) else {
        return Ok(());
    };
    let (precondition, record) = (format!("the precondition ({asked})"), found.resource_version());
    let differ =
        format!("the ResourceVersion in {precondition} does not match the ResourceVersion in record ({record})");
    Err(refusal::conflict(kind, found.name(), &format!("{differ}. The object might have been modified")))
}

fn wrong_uid(asked: &str, known: &str) -> String {
    format!("Precondition failed: UID in precondition: {asked}, UID in object meta: {known}")
}

/// Puts back what an update to one part of the object may not touch.
fn keep_other_part(scope: Scope, kind: &Kind, object: &mut Object, known: &Object) {
    let put_back = |fields: &mut serde_json::Map<String, Value>| match known.fields.get("status") {
        Some(status) => fields.insert("status".into(), status.clone()),
        None => fields.remove("status"),
    };
    match scope {
        Scope::Whole => {}
        Scope::Main => {
            if kind.has("status") {
                put_back(&mut object.fields);
            }
        }
        Scope::Status => {
            let status = object.fields.remove("status");
            *object = known.clone();
            if let Some(status) = status {
                object.fields.insert("status".into(), status);
            }
        }
    }
}
