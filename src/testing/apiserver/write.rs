//! What creates and changes objects. Watches hear of it by `changed`; nothing here waits.

use std::rc::Rc;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::ApiServer;
use super::deletion::DeleteOptions;
use super::kinds::Kind;
use super::managed_fields::{ManagedFields, Writer};
use super::refusal::{self, Refusal};
use super::update_rules::{check_same_object, keep_what_is_the_servers, wanted};
use super::validation;
use crate::api::{Manifest, Status};
use crate::testing::objects;

/// Who owns what a part of the cluster sets in an object whose fields somebody took note of.
const IN_PROCESS: &str = "in-process";

/// How much of an object an update may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Scope {
    /// Everything, as the parts of a cluster may by two requests.
    #[default]
    Whole,
    /// Everything but the status.
    Main,
    /// The status, and what of the metadata the real server lets pass with it.
    Status,
    /// What came through the subresource `scale`.
    Scale,
}

/// Who writes over the wire, and how. The default is a part of the cluster, within the same program.
#[derive(Clone, Debug, Default)]
pub(super) struct Writing {
    pub(super) scope: Scope,
    /// None within the program: of a new object nobody takes note of who set which field.
    pub(super) manager: Option<String>,
    pub(super) dry_run: bool,
    /// What an application has found out; none for other requests.
    pub(super) applied: Option<ManagedFields>,
}

/// Changes of objects by tests and by what plays the cluster's other parts. No rights are checked, no faults met.
impl ApiServer {
    /// Creates an object of the kind that it says it is, its status included.
    ///
    /// # Errors
    /// As the real server refuses: 409 when it exists, 404 without its namespace, 422 without a name.
    pub fn create(&self, object: Manifest) -> Result<Arc<Manifest>, Box<Status>> {
        let kind = self.known_kind(&object)?;
        self.create_by(&kind, object, &Writing::default())
    }

    /// Creates an object, and its namespace before it when that is missing.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn seed(&self, object: Manifest) -> Result<Arc<Manifest>, Box<Status>> {
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
    pub fn update(&self, object: Manifest) -> Result<Arc<Manifest>, Box<Status>> {
        let kind = self.known_kind(&object)?;
        self.update_by(&kind, object, &Writing::default())
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
        change: impl FnOnce(&mut Manifest),
    ) -> Result<Arc<Manifest>, Box<Status>> {
        let kind = self.kind(resource).ok_or_else(refusal::no_such_path)?;
        let mut object = Manifest::clone(&*self.found(&kind, namespace, name)?);
        change(&mut object);
        self.update_by(&kind, object, &Writing::default())
    }

    /// Deletes an object at once, and what it owns; with finalizers it is only marked until the last of them is gone.
    ///
    /// # Errors
    /// 404 when there is none.
    pub fn delete(&self, resource: &str, namespace: &str, name: &str) -> Result<Arc<Manifest>, Box<Status>> {
        let kind = self.kind(resource).ok_or_else(refusal::no_such_path)?;
        self.delete_checked(&kind, namespace, name, &DeleteOptions::default())
    }

    pub(super) fn create_by(
        &self,
        kind: &Rc<Kind>,
        mut object: Manifest,
        writing: &Writing,
    ) -> Result<Arc<Manifest>, Refusal> {
        validation::check_new(kind, &object, writing.manager.is_some())?;
        if object.metadata.name.is_empty() {
            let prefix = object.metadata.generate_name.as_deref().unwrap_or_default();
            object.metadata.name = format!("{prefix}{}", self.inner.store.borrow().new_suffix());
        }
        if kind.namespaced {
            self.check_namespace(kind, &object)?;
        }
        let found = self.inner.store.borrow().get(kind, object.namespace(), object.name());
        if let Some(found) = found {
            return Err(refusal::already_exists(kind, object.name(), found.metadata.deletion_timestamp.is_some()));
        }
        let metadata = &mut object.metadata;
        if metadata.uid.is_empty() {
            metadata.uid = self.inner.store.borrow().new_uid();
        }
        metadata.creation_timestamp.get_or_insert_with(|| self.wall_seconds());
        if wanted(kind, &object).is_some() {
            object.metadata.generation.get_or_insert(1);
        }
        self.before_write(kind, &mut object, None)?;
        self.note_fields(kind, None, &mut object, writing);
        if kind.is("namespaces") {
            // The server's own, whose deletion is the namespaces' controller's part; nobody is noted for it.
            let spec = object.fields.entry("spec").or_insert_with(|| json!({}));
            spec["finalizers"] = json!(["kubernetes"]);
        }
        if writing.dry_run {
            return Ok(Arc::new(object));
        }
        let object = self.put(kind, object);
        if writing.manager.is_some() {
            self.collect_if_ownerless(kind, &object);
        }
        Ok(object)
    }

    pub(super) fn update_by(
        &self,
        kind: &Rc<Kind>,
        mut object: Manifest,
        writing: &Writing,
    ) -> Result<Arc<Manifest>, Refusal> {
        let found = self.found(kind, object.namespace(), object.name())?;
        if kind.custom && writing.scope != Scope::Whole && object.metadata.resource_version.is_empty() {
            return Err(refusal::version_required(kind, object.name()));
        }
        check_same_object(kind, &mut object, &found)?;
        if writing.scope != Scope::Whole {
            keep_what_is_the_servers(writing.scope, kind, &mut object, &found);
            validation::check_update(kind, &object, &found)?;
        }
        self.before_write(kind, &mut object, Some(&found))?;
        object.metadata.generation = found.metadata.generation;
        if wanted(kind, &object) != wanted(kind, &found) {
            object.metadata.generation = found.metadata.generation.map(|generation| generation + 1);
        }
        self.note_fields(kind, Some(&found), &mut object, writing);
        object.api_version.clone_from(&found.api_version);
        if writing.dry_run || is_same(&object, &found) {
            return Ok(if writing.dry_run { Arc::new(object) } else { found });
        }
        let updated = self.put_or_remove(kind, object, &found)?;
        if writing.manager.is_some() && updated.metadata.owner_references != found.metadata.owner_references {
            self.collect_if_ownerless(kind, &updated);
        }
        Ok(updated)
    }

    /// Stores the object; one that is being deleted goes with its last finalizer.
    pub(super) fn put_or_remove(
        &self,
        kind: &Rc<Kind>,
        object: Manifest,
        before: &Manifest,
    ) -> Result<Arc<Manifest>, Refusal> {
        let metadata = &object.metadata;
        let is_last = !before.metadata.finalizers.is_empty() && metadata.finalizers.is_empty();
        if metadata.deletion_timestamp.is_some() && is_last && metadata.deletion_grace_period_seconds.unwrap_or(0) == 0
        {
            // Answered as it was last, for it is gone with what the update changed.
            let last = Arc::new(object.clone());
            self.remove(kind, object, self.inner.has_kubelet.get())?;
            return Ok(last);
        }
        let object = self.put(kind, object);
        self.collect_for(kind, &object);
        Ok(object)
    }

    pub(super) fn put(&self, kind: &Kind, object: Manifest) -> Arc<Manifest> {
        let object = self.inner.store.borrow_mut().put(kind, object);
        self.inner.changed.notify(usize::MAX);
        self.after_write(kind, &object);
        object
    }

    /// # Errors
    /// 404 when there is none.
    pub(super) fn found(&self, kind: &Kind, namespace: &str, name: &str) -> Result<Arc<Manifest>, Refusal> {
        let found = self.inner.store.borrow().get(kind, namespace, name);
        found.ok_or_else(|| refusal::not_found(kind, name))
    }

    /// Wall time as the API writes it, in whole seconds.
    pub(super) fn wall_seconds(&self) -> Timestamp {
        let wall = self.inner.runtime.clock.wall();
        Timestamp::from_second(wall.as_second()).unwrap_or(wall)
    }

    pub(super) fn known_kind(&self, object: &Manifest) -> Result<Rc<Kind>, Refusal> {
        let (kind, version) = (&object.kind, &object.api_version);
        let known = self.inner.kinds.borrow().of(object);
        known.ok_or_else(|| refusal::plain(400, format!("no kind \"{kind}\" is registered for version \"{version}\"")))
    }

    fn check_namespace(&self, kind: &Kind, object: &Manifest) -> Result<(), Refusal> {
        let namespaces = self.kind("namespaces").ok_or_else(refusal::no_such_path)?;
        let namespace = self.found(&namespaces, "", object.namespace())?;
        if namespace.metadata.deletion_timestamp.is_some() {
            return Err(refusal::terminating(kind, object.name(), object.namespace()));
        }
        Ok(())
    }

    /// Notes who set which field, from what was sent and what was there.
    fn note_fields(&self, kind: &Rc<Kind>, live: Option<&Manifest>, object: &mut Manifest, writing: &Writing) {
        let known = live.map(ManagedFields::of).unwrap_or_default();
        let sent = object.metadata.managed_fields.take();
        if let Some(applied) = &writing.applied {
            return applied.clone().put_into(object);
        }
        let takes_sent = matches!(writing.scope, Scope::Whole | Scope::Main);
        let known = match sent.filter(|_| takes_sent) {
            Some(sent) => ManagedFields::sent(&sent, known),
            None => known,
        };
        if known.is_empty() && (live.is_some() || writing.manager.is_none()) {
            return ManagedFields::default().put_into(object);
        }
        let live = live.map(without_managed_fields);
        let new = without_managed_fields(object);
        let version = object.api_version.rsplit('/').next().unwrap_or_default().to_owned();
        let schema = kind.schema(&version);
        let mut writer = Writer {
            manager: writing.manager.as_deref().unwrap_or(IN_PROCESS),
            api_version: &object.api_version.clone(),
            subresource: writing.scope.subresource(),
            is_custom: kind.custom,
            status_is_apart: kind.has("status"),
            schema,
            now: self.wall_seconds(),
        };
        let mut noted = known.updated(live.as_ref(), &new, &writer);
        if writing.scope == Scope::Whole && writer.status_is_apart {
            writer.subresource = "status";
            noted = noted.updated(live.as_ref(), &new, &writer);
        }
        if kind.custom {
            noted = noted.without_scale();
        }
        noted.put_into(object);
    }
}

impl Scope {
    pub(super) fn subresource(self) -> &'static str {
        match self {
            Self::Whole | Self::Main => "",
            Self::Status => "status",
            Self::Scale => "scale",
        }
    }
}

/// The object as the note of its fields sees it.
pub(super) fn without_managed_fields(object: &Manifest) -> Value {
    let mut object = object.clone();
    object.metadata.managed_fields = None;
    serde_json::to_value(object).unwrap_or_default()
}

/// Whether an update would change nothing but times in the note of who set what.
fn is_same(object: &Manifest, found: &Manifest) -> bool {
    let noted = ManagedFields::of(object).differs(&ManagedFields::of(found));
    !noted && without_managed_fields(object) == without_managed_fields(found)
}
