use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::{Either, select};

use super::delta_fifo::DeltaFifo;
use super::indexer::Indexer;
use super::keys::DeletedObject;
use super::queue::{Delta, KeyedDelta, Popped, Queue as _};
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
    let mut synced = Some(queue.synced());
    loop {
        let popped = match synced.take() {
            None => queue.pop().await,
            Some(waiting) => match select(queue.pop(), waiting).await {
                Either::Left((popped, waiting)) => {
                    synced = Some(waiting);
                    popped
                }
                Either::Right(((), _)) => {
                    processor.upstream_has_synced();
                    on_synced();
                    continue;
                }
            },
        };
        let Some(popped) = popped else { return };
        let mut batch = vec![popped];
        while let Some(Some(popped)) = queue.pop().now_or_never() {
            batch.push(popped);
        }
        process_batch(batch, indexer, processor);
    }
}

struct Change {
    delta: Delta,
    is_in_initial_list: bool,
}

fn process_batch(batch: Vec<Popped>, indexer: &Indexer, processor: &SharedProcessor) {
    let (mut operations, mut changes, mut processing) = (Vec::new(), Vec::new(), Vec::new());
    for popped in batch {
        let is_in_initial_list = popped.is_in_initial_list;
        let (deltas, guard) = popped.into_parts();
        processing.push(guard);
        for KeyedDelta { key, delta } in deltas {
            operations.push(match &delta {
                Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                    StoreOperation::Upsert { key, object: Arc::clone(object) }
                }
                Delta::Deleted(_) => StoreOperation::Delete { key },
                Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => continue,
            });
            changes.push(Change { delta, is_in_initial_list });
        }
    }
    let before = indexer.transaction(operations);
    for notification in changes.into_iter().zip(before).filter_map(|(change, old)| notification(change, old)) {
        processor.distribute(&notification);
    }
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
