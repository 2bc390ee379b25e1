//! Takes changes of single objects into the store, and says what handlers must be told. `process_list` takes whole lists.
//!
//! What was handed out together changes the store in one step, and the handlers are told after it: whoever reads the
//! store, a handler or a view, never sees half of a list (kubernetes/kubernetes PR #135462).
//!
//! client-go: `processDeltas` and `processDeltasInBatch` in `tools/cache/controller.go`.

use super::indexer::Indexer;
use super::items::kept;
use super::keys::DeletedObject;
use super::notification::Notification;
use super::queue::{Delta, KeyedDelta};
use super::thread_safe_store::StoreOperation;
use crate::api::Object;

pub(super) fn process_deltas(
    indexer: &Indexer,
    deltas: Vec<KeyedDelta>,
    is_in_initial_list: bool,
) -> Vec<Notification> {
    let mut step = Step::new(indexer, is_in_initial_list, deltas.len());
    for KeyedDelta { key, delta } in deltas {
        match delta {
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                let object = indexer.shared(&key, object);
                let operation = StoreOperation::Upsert { key, object: object.clone() };
                step.push(operation, Change::Upserted(object));
            }
            Delta::Deleted(deleted) => {
                let final_state = deleted.clone().into_final_state();
                step.push(StoreOperation::Delete { key, final_state }, Change::Deleted(deleted));
            }
            Delta::Bookmark { resource_version } => step.bookmark(&resource_version),
            // No changes of single objects.
            Delta::ReplacedAll { .. } | Delta::SyncAll => {}
        }
    }
    step.finish()
}

enum Change {
    Upserted(Object),
    Deleted(DeletedObject),
}

/// Operations that wait to become one transaction, and what follows from those before them.
struct Step<'a> {
    indexer: &'a Indexer,
    is_in_initial_list: bool,
    operations: Vec<StoreOperation>,
    changes: Vec<Change>,
    notifications: Vec<Notification>,
}

impl<'a> Step<'a> {
    fn new(indexer: &'a Indexer, is_in_initial_list: bool, size: usize) -> Self {
        let (operations, changes) = (Vec::with_capacity(size), Vec::with_capacity(size));
        Self { indexer, is_in_initial_list, operations, changes, notifications: Vec::with_capacity(size) }
    }

    fn push(&mut self, operation: StoreOperation, change: Change) {
        self.operations.push(operation);
        self.changes.push(change);
    }

    fn commit(&mut self) {
        if self.operations.is_empty() {
            return;
        }
        let before = self.indexer.transaction(std::mem::take(&mut self.operations));
        for (change, old) in std::mem::take(&mut self.changes).into_iter().zip(before) {
            self.notifications.push(match change {
                Change::Upserted(new) => upserted(old, new, self.is_in_initial_list),
                Change::Deleted(deleted) => Notification::Delete(with_last_state(deleted, old)),
            });
        }
    }

    fn bookmark(&mut self, resource_version: &str) {
        self.commit();
        self.indexer.bookmark(resource_version);
    }

    fn finish(mut self) -> Vec<Notification> {
        self.commit();
        self.notifications
    }
}

/// What the store held decides between an addition and an update, not what the event was called. An object that says
/// what the store held goes no further: handlers that keep what they are told keep no second one.
pub(super) fn upserted(old: Option<Object>, new: Object, is_in_initial_list: bool) -> Notification {
    match old {
        None => Notification::Add { object: new, is_in_initial_list },
        Some(old) => Notification::Update { new: kept(Some(&old), new), old },
    }
}

/// A tombstone without an object gets the one that the store held.
fn with_last_state(deleted: DeletedObject, old: Option<Object>) -> DeletedObject {
    match deleted {
        DeletedObject::FinalStateUnknown { key, object } => {
            DeletedObject::FinalStateUnknown { key, object: object.or(old) }
        }
        known @ DeletedObject::Known(_) => known,
    }
}
