use std::sync::Arc;

use super::delta_fifo::{DeltaFifo, Deltas};
use super::indexer::Indexer;
use super::keys::DeletedObject;
use super::queue::Delta;
use super::shared_processor::{Notification, SharedProcessor};
use super::thread_safe_store::StoreOperation;
use crate::api::Object;

/// Takes changes from the queue into the store, and tells the handlers (client-go: `tools/cache/controller.go`).
///
/// A batch changes the store in one step, and the handlers are told after it: whoever reads the store, a handler
/// or a view, never sees half of a list.
pub(super) async fn process_loop(
    queue: &DeltaFifo,
    indexer: &Indexer,
    processor: &SharedProcessor,
    on_synced: &dyn Fn(),
) {
    let mut synced = false;
    while let Some(batch) = queue.pop_all().await {
        let count = batch.len();
        for notification in process_deltas(batch, indexer) {
            processor.distribute(&notification);
        }
        queue.processed(count);
        if queue.has_synced() && !std::mem::replace(&mut synced, true) {
            processor.upstream_has_synced();
            on_synced();
        }
    }
}

struct Change {
    delta: Delta,
    is_in_initial_list: bool,
}

fn process_deltas(batch: Vec<Deltas>, indexer: &Indexer) -> Vec<Notification> {
    let (mut operations, mut changes) = (Vec::new(), Vec::new());
    for Deltas { key, deltas, is_in_initial_list } in batch {
        for delta in deltas {
            operations.push(match &delta {
                Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                    StoreOperation::Upsert { key: key.clone(), object: Arc::clone(object) }
                }
                Delta::Deleted(deleted) => {
                    StoreOperation::Delete { key: key.clone(), final_state: deleted.clone().into_final_state() }
                }
                Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => continue,
            });
            changes.push(Change { delta, is_in_initial_list });
        }
    }
    let before = indexer.transaction(operations);
    changes.into_iter().zip(before).filter_map(|(change, old)| notification(change, old)).collect()
}

/// What the store held decides between an addition and an update, not what the event was called.
fn notification(Change { delta, is_in_initial_list }: Change, old: Option<Arc<Object>>) -> Option<Notification> {
    let new = match delta {
        Delta::Deleted(deleted) => return Some(Notification::Delete(newest(deleted, old))),
        Delta::Added(new) | Delta::Updated(new) | Delta::Replaced(new) | Delta::Sync(new) => new,
        Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => return None,
    };
    match old {
        None => Some(Notification::Add { object: new, is_in_initial_list }),
        Some(old) => is_a_change(&old, &new).then_some(Notification::Update { old, new }),
    }
}

/// A list that replaces another brings mostly what is known; telling handlers of it is a storm of work for nothing
/// (kubernetes/kubernetes PR #87957). Objects without a version are told of always.
fn is_a_change(old: &Object, new: &Object) -> bool {
    old.resource_version() != new.resource_version() || new.resource_version().is_empty()
}

/// A tombstone without an object gets the one that the store held.
fn newest(deleted: DeletedObject, old: Option<Arc<Object>>) -> DeletedObject {
    match deleted {
        DeletedObject::FinalStateUnknown { key, object } => {
            DeletedObject::FinalStateUnknown { key, object: object.or(old) }
        }
        known @ DeletedObject::Known(_) => known,
    }
}
