use std::fmt;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures::channel::mpsc;
use futures::{Stream, StreamExt as _};

use crate::api::{Error, Object, WatchEvent};
use crate::cache::{DeletedObject, Indexer, ListerWatcher, Registration, ResourceEventHandler, SharedInformer};
use crate::runtime::{Runtime, StopSource, Task};

/// An informer that is read as a watch (client-go: `tools/watch/informerwatcher.go`).
///
/// The stream starts with what is there as `Added` events, and goes on over every failure, a resourceVersion that is
/// too old included: what happened meanwhile is summed up by a list. It gives no bookmarks, no `Error` events and no
/// `Err`. Events wait in order, without a limit, until they are read; the store is ahead of them.
///
/// A deletion that was missed is a `Deleted` event with the last known state, which has no deletionTimestamp then.
/// Dropping the stream stops the informer.
pub struct IndexerInformerWatcher {
    events: mpsc::UnboundedReceiver<WatchEvent>,
    informer: SharedInformer,
    _registration: Option<Registration>,
    _running: Task,
    _stop: StopSource,
}

impl IndexerInformerWatcher {
    /// Starts the informer. `description` names the resource in messages: `deployments.apps`.
    #[doc(alias = "NewIndexerInformerWatcher")]
    pub fn new(runtime: &Runtime, lister_watcher: Rc<dyn ListerWatcher>, description: String) -> Self {
        let informer = SharedInformer::new(runtime.clone(), lister_watcher, description);
        let (sender, events) = mpsc::unbounded();
        // Only a stopped informer refuses a handler; this one has not started.
        let registration = informer.add_event_handler(Rc::new(Forward { sender })).ok();
        let stop = StopSource::new();
        let (token, running) = (stop.token(), informer.clone());
        let running = runtime.spawn(async move { running.run(token).await });
        Self { events, informer, _registration: registration, _running: running, _stop: stop }
    }

    /// What the informer holds now, for reading.
    pub fn indexer(&self) -> &Indexer {
        self.informer.indexer()
    }

    /// The whole first list stands in the store.
    pub fn has_synced(&self) -> bool {
        self.informer.has_synced()
    }

    /// Waits for [`has_synced`](Self::has_synced).
    pub async fn synced(&self) {
        self.informer.synced().await;
    }
}

impl Stream for IndexerInformerWatcher {
    type Item = Result<WatchEvent, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_next_unpin(context).map(|event| event.map(Ok))
    }
}

impl fmt::Debug for IndexerInformerWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexerInformerWatcher").field("informer", &self.informer).finish_non_exhaustive()
    }
}

struct Forward {
    sender: mpsc::UnboundedSender<WatchEvent>,
}

impl Forward {
    fn send(&self, event: WatchEvent) {
        // Nobody reads when the stream is being dropped.
        let _ = self.sender.unbounded_send(event);
    }
}

impl ResourceEventHandler for Forward {
    fn on_add(&self, object: &Object, _is_in_initial_list: bool) {
        self.send(WatchEvent::Added(object.clone()));
    }

    fn on_update(&self, _old: &Object, new: &Object) {
        self.send(WatchEvent::Modified(new.clone()));
    }

    fn on_delete(&self, deleted: &DeletedObject) {
        match deleted {
            DeletedObject::Known(object) | DeletedObject::FinalStateUnknown { object: Some(object), .. } => {
                self.send(WatchEvent::Deleted(object.clone()));
            }
            DeletedObject::FinalStateUnknown { key, object: None } => {
                tracing::warn!(key, "a deletion is not told, because nothing is known of the object but its key");
            }
        }
    }
}
