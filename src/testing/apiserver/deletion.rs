//! Deletions, and what the garbage collector and the namespaces' controller make of them, at once and in one go
//! (apiserver: `registry/generic/registry/store.go`; kube-controller-manager: `garbagecollector`, `namespace`).

use std::rc::Rc;
use std::sync::Arc;

use jiff::SignedDuration;
use serde::Deserialize;

use super::ApiServer;
use super::crd::DEFINITIONS;
use super::kinds::Kind;
use super::refusal::{self, Refusal};
use super::write::Writing;
use crate::api::{Manifest, OwnerReference};

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

/// How long a pod may take to end that does not say it.
const DEFAULT_GRACE_SECONDS: i64 = 30;

/// The body of a DELETE.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DeleteOptions {
    preconditions: Preconditions,
    pub(super) propagation_policy: Option<String>,
    orphan_dependents: Option<bool>,
    pub(super) grace_period_seconds: Option<i64>,
    pub(super) dry_run: Vec<String>,
    /// Not from the wire: whether pods on nodes are only marked, for a kubelet to take them away.
    #[serde(skip)]
    pub(super) leaves_pods_to_kubelet: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Preconditions {
    uid: Option<String>,
    resource_version: Option<String>,
}

impl DeleteOptions {
    /// # Errors
    /// 422 for values that there are not (apimachinery: `pkg/apis/meta/v1/validation/validation.go`).
    pub(super) fn check(&self) -> Result<(), Refusal> {
        let kind = ("meta.k8s.io", "DeleteOptions");
        let invalid = |field, reason, message: &str| Err(refusal::invalid_in(kind, "", field, reason, message));
        let policy = self.propagation_policy.as_deref().unwrap_or("Background");
        if self.orphan_dependents.is_some() && self.propagation_policy.is_some() {
            let why = "orphanDependents and deletionPropagation cannot be both set";
            let message = format!("Invalid value: \"{policy}\": {why}");
            return invalid("propagationPolicy", "FieldValueInvalid", &message);
        }
        if !["Foreground", "Background", "Orphan"].contains(&policy) {
            let supported = "supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"";
            let message = format!("Unsupported value: \"{policy}\": {supported}");
            return invalid("propagationPolicy", "FieldValueNotSupported", &message);
        }
        if self.dry_run.iter().any(|value| value != "All") {
            let message = format!(
                "Unsupported value: {}: supported values: \"All\"",
                String::from_utf8_lossy(&super::to_json(&self.dry_run))
            );
            return invalid("dryRun", "FieldValueNotSupported", &message);
        }
        Ok(())
    }

    /// The finalizers that an object is deleted with: those that it has, and the garbage collector's for the policy.
    fn finalizers_of(&self, object: &Manifest) -> Vec<String> {
        let orphan = self.orphan_dependents.map(|orphans| if orphans { "Orphan" } else { "Background" });
        let wanted = match self.propagation_policy.as_deref().or(orphan) {
            Some("Foreground") => Some(FOREGROUND),
            Some("Orphan") => Some(ORPHAN),
            Some(_) => None,
            None => return object.metadata.finalizers.clone(),
        };
        let known = object.metadata.finalizers.iter();
        let mut finalizers: Vec<String> =
            known.filter(|name| ![FOREGROUND, ORPHAN].contains(&name.as_str())).cloned().collect();
        finalizers.extend(wanted.map(str::to_owned));
        finalizers
    }
}

impl ApiServer {
    /// Deletes an object, or marks it for those who have finalizers on it. What is answered is the object as it was
    /// when it was marked, even if the garbage collector is done with it already.
    pub(super) fn delete_checked(
        &self,
        kind: &Rc<Kind>,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Arc<Manifest>, Refusal> {
        options.check()?;
        let found = self.found(kind, namespace, name)?;
        check_preconditions(kind, &found, &options.preconditions)?;
        if kind.is(DEFINITIONS) && found.metadata.deletion_timestamp.is_none() && options.dry_run.is_empty() {
            return self.delete_definition(&found);
        }
        let is_dry = !options.dry_run.is_empty();
        let is_namespace = kind.is("namespaces");
        let mut object = Manifest::clone(&found);
        object.metadata.finalizers = options.finalizers_of(&found);
        let waits_for_kubelet = options.leaves_pods_to_kubelet && found.str_at(&["spec", "nodeName"]).is_some();
        if waits_for_kubelet && kind.is("pods") && options.grace_period_seconds != Some(0) {
            if !self.set_grace(&mut object, options.grace_period_seconds) {
                return Ok(found);
            }
        } else if object.metadata.finalizers.is_empty() && !is_namespace {
            if kind.is("pods") {
                self.mark(&mut object);
            }
            let leaves = options.leaves_pods_to_kubelet;
            return if is_dry { Ok(Arc::new(object)) } else { self.remove(kind, object, leaves) };
        } else if is_namespace {
            set_terminating_namespace(&mut object);
            object.metadata.deletion_timestamp.get_or_insert_with(|| self.wall_seconds());
        } else {
            self.mark(&mut object);
        }
        if object == *found {
            return Ok(found);
        }
        if is_dry {
            return Ok(Arc::new(object));
        }
        let marked = self.put(kind, object);
        if is_namespace {
            self.empty_namespace(name);
        } else {
            self.collect_for(kind, &marked);
        }
        Ok(marked)
    }

    /// Marks an object as being deleted, without time for it to end.
    fn mark(&self, object: &mut Manifest) {
        let metadata = &mut object.metadata;
        if metadata.deletion_timestamp.is_none() {
            metadata.deletion_timestamp = Some(self.wall_seconds());
            metadata.generation = metadata.generation.map(|generation| generation + 1);
        }
        metadata.deletion_grace_period_seconds = Some(0);
    }

    /// Marks a pod as ending within the time that was asked for or that it says itself; a shorter time replaces a
    /// longer one. False when nothing changes.
    fn set_grace(&self, pod: &mut Manifest, asked: Option<i64>) -> bool {
        let own = pod.int_at(&["spec", "terminationGracePeriodSeconds"]).unwrap_or(DEFAULT_GRACE_SECONDS);
        let seconds = match asked.unwrap_or(own) {
            ..0 => 1,
            seconds => seconds,
        };
        if pod.metadata.deletion_grace_period_seconds.is_some_and(|known| known <= seconds) {
            return false;
        }
        if pod.metadata.deletion_timestamp.is_none() {
            pod.metadata.generation = pod.metadata.generation.map(|generation| generation + 1);
        }
        pod.metadata.deletion_grace_period_seconds = Some(seconds);
        pod.metadata.deletion_timestamp = self.wall_seconds().checked_add(SignedDuration::from_secs(seconds)).ok();
        true
    }

    /// Takes an object away, and has what depends on it follow. The object is its last state.
    pub(super) fn remove(
        &self,
        kind: &Rc<Kind>,
        object: Manifest,
        leaves_pods_to_kubelet: bool,
    ) -> Result<Arc<Manifest>, Refusal> {
        let removed = self.inner.store.borrow_mut().remove(kind, object);
        let removed = removed.ok_or_else(refusal::no_such_path)?;
        self.inner.changed.notify(usize::MAX);
        let options = DeleteOptions { leaves_pods_to_kubelet, ..DeleteOptions::default() };
        for (kind, dependent) in self.dependents(removed.uid()) {
            self.collect(&kind, &dependent, removed.uid(), &options);
        }
        self.finish_owners(&removed);
        self.finish_namespace(removed.namespace());
        Ok(removed)
    }

    /// Does the garbage collector's part for an object that waits for it.
    pub(super) fn collect_for(&self, kind: &Rc<Kind>, object: &Manifest) {
        if object.metadata.deletion_timestamp.is_none() {
            return;
        }
        let has = |name: &str| object.metadata.finalizers.iter().any(|known| known == name);
        if has(ORPHAN) {
            for (kind, dependent) in self.dependents(object.uid()) {
                self.disown(&kind, &dependent, object.uid());
            }
            self.take_finalizer(kind, object, ORPHAN);
        } else if has(FOREGROUND) {
            let options = DeleteOptions {
                propagation_policy: Some("Foreground".into()),
                leaves_pods_to_kubelet: self.inner.has_kubelet.get(),
                ..DeleteOptions::default()
            };
            for (kind, dependent) in self.dependents(object.uid()) {
                self.collect(&kind, &dependent, object.uid(), &options);
            }
            self.finish_foreground(kind, object.namespace(), object.name());
        }
    }

    /// An object all of whose owners are gone, or never were, goes too.
    pub(super) fn collect_if_ownerless(&self, kind: &Rc<Kind>, object: &Manifest) {
        let owners = &object.metadata.owner_references;
        if !owners.is_empty() && owners.iter().all(|owner| self.is_absent(owner, object.namespace())) {
            let _ = self.delete_checked(kind, object.namespace(), object.name(), &DeleteOptions::default());
        }
    }

    /// Deletes a dependent of an owner that is gone or waits for it; one that others own, too, only loses that owner.
    fn collect(&self, kind: &Rc<Kind>, dependent: &Manifest, owner: &str, options: &DeleteOptions) {
        let others = dependent.metadata.owner_references.iter().filter(|other| other.uid != owner);
        let is_solid = |other: &OwnerReference| self.owner(other, dependent.namespace()).is_some_and(|it| !waits(&it));
        if others.clone().any(is_solid) {
            self.disown(kind, dependent, owner);
        } else if dependent.metadata.deletion_timestamp.is_none() {
            let mut options = options.clone();
            if self.dependents(dependent.uid()).is_empty() {
                options.propagation_policy = None;
            }
            // One that another dependent took with it is gone already.
            let _ = self.delete_checked(kind, dependent.namespace(), dependent.name(), &options);
        }
    }

    fn disown(&self, kind: &Rc<Kind>, dependent: &Manifest, owner: &str) {
        let mut object = dependent.clone();
        object.metadata.owner_references.retain(|known| known.uid != owner);
        // One that is gone meanwhile has no owners either.
        let _ = self.update_by(kind, object, &Writing::default());
    }

    fn take_finalizer(&self, kind: &Rc<Kind>, object: &Manifest, finalizer: &str) {
        let Ok(found) = self.found(kind, object.namespace(), object.name()) else { return };
        let mut object = Manifest::clone(&found);
        object.metadata.finalizers.retain(|known| known != finalizer);
        let _ = self.put_or_remove(kind, object, &found);
    }

    /// Lets go of an owner that is deleted in the foreground, when nothing is left that holds it back.
    fn finish_foreground(&self, kind: &Rc<Kind>, namespace: &str, name: &str) {
        let Ok(owner) = self.found(kind, namespace, name) else { return };
        let blocks = |dependent: &Manifest| {
            let mut owners = dependent.metadata.owner_references.iter();
            owners.any(|known| known.uid == owner.uid() && known.block_owner_deletion == Some(true))
        };
        if waits(&owner) && !self.dependents(owner.uid()).iter().any(|(_, dependent)| blocks(dependent)) {
            self.take_finalizer(kind, &owner, FOREGROUND);
        }
    }

    fn finish_owners(&self, removed: &Manifest) {
        for owner in &removed.metadata.owner_references {
            let Some(kind) = self.kind_of_owner(owner) else { continue };
            let namespace = if kind.namespaced { removed.namespace() } else { "" };
            self.finish_foreground(&kind, namespace, &owner.name);
        }
    }

    /// All objects that name this one as an owner.
    fn dependents(&self, uid: &str) -> Vec<(Rc<Kind>, Arc<Manifest>)> {
        let depends = |object: &Manifest| object.metadata.owner_references.iter().any(|owner| owner.uid == uid);
        self.matching(depends)
    }

    fn matching(&self, wanted: impl Fn(&Manifest) -> bool) -> Vec<(Rc<Kind>, Arc<Manifest>)> {
        let store = self.inner.store.borrow();
        let mut found = Vec::new();
        for kind in self.kinds() {
            let objects = store.objects_from(&kind, "").filter(|(_, object)| wanted(object));
            found.extend(objects.map(|(_, object)| (Rc::clone(&kind), Arc::clone(object))));
        }
        found
    }

    fn kind_of_owner(&self, owner: &OwnerReference) -> Option<Rc<Kind>> {
        let object =
            Manifest { api_version: owner.api_version.clone(), kind: owner.kind.clone(), ..Manifest::default() };
        self.known_kind(&object).ok()
    }

    fn owner(&self, owner: &OwnerReference, namespace: &str) -> Option<Arc<Manifest>> {
        let kind = self.kind_of_owner(owner)?;
        let namespace = if kind.namespaced { namespace } else { "" };
        let found = self.inner.store.borrow().get(&kind, namespace, &owner.name)?;
        (found.uid() == owner.uid).then_some(found)
    }

    /// Whether it is sure that there is no such owner: of a kind that the server does not know it is not.
    fn is_absent(&self, owner: &OwnerReference, namespace: &str) -> bool {
        self.kind_of_owner(owner).is_some() && self.owner(owner, namespace).is_none()
    }

    fn empty_namespace(&self, name: &str) {
        for (kind, object) in self.matching(|object| object.namespace() == name) {
            // What another one's deletion took with it is gone already. No pod outlives its namespace.
            let _ = self.delete_checked(&kind, name, object.name(), &DeleteOptions::default());
        }
        self.finish_namespace(name);
    }

    /// Takes away a namespace that is being deleted and has nothing in it any more.
    fn finish_namespace(&self, name: &str) {
        let Some(kind) = self.kind("namespaces").filter(|_| !name.is_empty()) else { return };
        let Ok(namespace) = self.found(&kind, "", name) else { return };
        let is_marked = namespace.metadata.deletion_timestamp.is_some() && namespace.metadata.finalizers.is_empty();
        if is_marked && self.matching(|object| object.namespace() == name).is_empty() {
            let mut last = Manifest::clone(&namespace);
            if let Some(spec) = last.fields.get_mut("spec").and_then(serde_json::Value::as_object_mut) {
                spec.remove("finalizers");
            }
            let _ = self.remove(&kind, last, false);
        }
    }
}

fn set_terminating_namespace(namespace: &mut Manifest) {
    let status = namespace.fields.entry("status").or_insert_with(|| serde_json::json!({}));
    if let Some(status) = status.as_object_mut() {
        status.insert("phase".into(), "Terminating".into());
    }
}

/// Whether it is deleted in the foreground and waits for its dependents.
fn waits(object: &Manifest) -> bool {
    let metadata = &object.metadata;
    metadata.deletion_timestamp.is_some() && metadata.finalizers.iter().any(|name| name == FOREGROUND)
}

fn check_preconditions(kind: &Kind, found: &Manifest, preconditions: &Preconditions) -> Result<(), Refusal> {
    let Preconditions { uid, resource_version } = preconditions;
    if let Some(uid) = uid.as_ref().filter(|uid| *uid != found.uid()) {
        let differ = format!("the UID in the precondition ({uid}) does not match the UID in record ({})", found.uid());
        let why = format!("{differ}. The object might have been deleted and then recreated");
        return Err(refusal::deletion_conflict(kind, found.name(), &why));
    }
    let Some(asked) = resource_version.as_ref().filter(|asked| *asked != found.resource_version()) else {
        return Ok(());
    };
    let (precondition, record) = (format!("the precondition ({asked})"), found.resource_version());
    let differ =
        format!("the ResourceVersion in {precondition} does not match the ResourceVersion in record ({record})");
    let why = format!("{differ}. The object might have been modified");
    Err(refusal::deletion_conflict(kind, found.name(), &why))
}
