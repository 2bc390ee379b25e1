//! What all queues share: the door, the waiting, the end, the first list, the measuring.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use event_listener::Event;

use super::initial_sync::{InitialEntries, InitialSync};
use super::keys::{DeletedObject, KeyFunc};
use super::queue::{Delta, KeyedDelta, Popped};
use super::store::{StoreError, TransformFunc, transform};
use crate::api::Object;
use crate::runtime::{Clock, Moment};

/// Who is told how a queue fares (client-go: `tools/cache/informer_metrics.go`, `fifoMetrics`).
///
/// With it a queue also logs when ten or more others wait and its consumer takes long.
#[derive(Clone)]
pub struct QueueMetrics {
    /// By which the consumer's time is told.
    pub clock: Rc<dyn Clock>,
    /// How many entries wait, after each change.
    pub queued_items: Rc<dyn Fn(usize)>,
    /// How long the consumer held what it was handed out.
    pub processing_latency: Rc<dyn Fn(Duration)>,
}

impl fmt::Debug for QueueMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueMetrics").finish_non_exhaustive()
    }
}

pub(super) struct QueueCore {
    key_func: KeyFunc,
    transformer: Option<TransformFunc>,
    metrics: Option<QueueMetrics>,
    initial: Rc<InitialSync>,
    /// Something was queued or popped, or the queue was closed.
    changed: Event,
    closed: Cell<bool>,
}

impl QueueCore {
    pub(super) fn new(key_func: KeyFunc, transformer: Option<TransformFunc>, metrics: Option<QueueMetrics>) -> Self {
        let initial = Rc::new(InitialSync::default());
        Self { key_func, transformer, metrics, initial, changed: Event::new(), closed: Cell::new(false) }
    }

    pub(super) fn initial(&self) -> &Rc<InitialSync> {
        &self.initial
    }

    pub(super) fn transformer(&self) -> Option<TransformFunc> {
        self.transformer.clone()
    }

    pub(super) fn key_of(&self, object: &Object) -> Result<String, StoreError> {
        Ok((self.key_func)(object)?)
    }

    pub(super) fn key_of_deleted(&self, deleted: &DeletedObject) -> Result<String, StoreError> {
        match deleted {
            DeletedObject::Known(object) => self.key_of(object),
            DeletedObject::FinalStateUnknown { key, .. } => Ok(key.clone()),
        }
    }

    /// Each object enters here once: it is transformed and gets its key. In this order, because the store knows
    /// objects only as they were transformed, and a transformation may change names.
    pub(super) fn admit(&self, object: Object) -> Result<(String, Object), StoreError> {
        let object = self.transformed(object)?;
        Ok((self.key_of(&object)?, object))
    }

    pub(super) fn admit_all(&self, list: Vec<Object>) -> Result<Vec<(String, Object)>, StoreError> {
        list.into_iter().map(|object| self.admit(object)).collect()
    }

    /// The object of a tombstone has entered before.
    pub(super) fn admit_deleted(&self, deleted: DeletedObject) -> Result<(String, DeletedObject), StoreError> {
        let deleted = match deleted {
            DeletedObject::Known(object) => DeletedObject::Known(self.transformed(object)?),
            tombstone @ DeletedObject::FinalStateUnknown { .. } => tombstone,
        };
        Ok((self.key_of_deleted(&deleted)?, deleted))
    }

    pub(super) fn transformed(&self, mut object: Object) -> Result<Object, StoreError> {
        transform(self.transformer.as_ref(), &mut object)?;
        Ok(object)
    }

    /// Queues an addition or an update; `push` says how many entries are queued then.
    pub(super) fn queue_event(
        &self,
        object: Object,
        delta: fn(Object) -> Delta,
        push: impl FnOnce(String, Delta) -> usize,
    ) -> Result<(), StoreError> {
        let (key, object) = self.admit(object)?;
        let len = push(key, delta(object));
        self.event_queued(len);
        Ok(())
    }

    /// A single change has come, and so many entries are queued after it.
    pub(super) fn event_queued(&self, len: usize) {
        self.initial.populated(0);
        self.changed(len);
    }

    /// A whole list has come, and so many entries are queued after it.
    pub(super) fn list_queued(&self, len: usize) {
        self.initial.populated(len);
        self.changed(len);
    }

    /// The queue holds so many entries now: whoever waits looks again.
    pub(super) fn changed(&self, len: usize) {
        if let Some(metrics) = &self.metrics {
            (metrics.queued_items)(len);
        }
        self.changed.notify(usize::MAX);
    }

    pub(super) fn hand_out(&self, deltas: Vec<KeyedDelta>, entries: usize, left: usize) -> Popped {
        self.changed(left);
        let is_in_initial_list = self.initial.is_next();
        let first = deltas.first().map_or("", |first| &first.key);
        let processing = self.processing(first, entries, left);
        Popped { deltas, is_in_initial_list, processing }
    }

    /// `key` is the first of the entries that are handed out, `left` how many stay.
    pub(super) fn processing(&self, key: &str, entries: usize, left: usize) -> Processing {
        let measured = self.metrics.as_ref().map(|metrics| Measured {
            metrics: metrics.clone(),
            since: metrics.clock.now(),
            key: key.to_owned(),
            entries,
            left,
        });
        Processing { _measured: measured, _initial: self.initial.hand_out(entries) }
    }

    /// What `take` finds, once it finds something; none when the queue is closed and it finds nothing.
    pub(super) async fn next<T>(&self, take: impl Fn() -> Option<T>) -> Option<T> {
        loop {
            match take() {
                None if !self.closed.get() => self.changed.listen().await,
                taken => return taken,
            }
        }
    }

    /// Waits while the condition holds and the queue is open.
    pub(super) async fn wait_while(&self, condition: impl Fn() -> bool) {
        while condition() && !self.closed.get() {
            self.changed.listen().await;
        }
    }

    pub(super) fn close(&self) {
        self.closed.set(true);
        self.changed.notify(usize::MAX);
    }

    pub(super) fn debug(&self, name: &str, len: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (synced, closed) = (self.initial.is_done(), self.closed.get());
        f.debug_struct(name)
            .field("len", &len)
            .field("synced", &synced)
            .field("closed", &closed)
            .finish_non_exhaustive()
    }
}

/// What was handed out and is not processed yet. Dropping it says that it is.
#[derive(Debug)]
pub(super) struct Processing {
    // Dropped in this order: measured before anybody learns that the queue is synced.
    _measured: Option<Measured>,
    _initial: InitialEntries,
}

#[derive(Debug)]
struct Measured {
    metrics: QueueMetrics,
    since: Moment,
    key: String,
    entries: usize,
    left: usize,
}

impl Drop for Measured {
    fn drop(&mut self) {
        let Self { metrics, since, key, entries, left } = self;
        let latency = metrics.clock.now().since(*since);
        (metrics.processing_latency)(latency);
        if is_slow(latency, *entries, *left) {
            tracing::info!(key, depth = left, entries, ?latency, "slow event handlers are blocking the queue");
        }
    }
}

/// kubernetes/kubernetes#103789: a few that wait, or a short time, say nothing.
fn is_slow(latency: Duration, entries: usize, left: usize) -> bool {
    const FEW: usize = 10;
    const FOR_ONE: Duration = Duration::from_millis(100);
    const FOR_MANY: Duration = Duration::from_secs(1);
    let entries = u32::try_from(entries).unwrap_or(u32::MAX);
    left > FEW && latency > FOR_ONE.saturating_mul(entries).min(FOR_MANY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processing_is_slow_when_many_wait_and_it_takes_longer_than_its_size_allows() {
        for (ms, entries, left, slow) in [
            (101, 1, 11, true),
            (100, 1, 11, false),
            (101, 1, 10, false),
            (300, 3, 11, false),
            (301, 3, 11, true),
            (1000, 1000, 11, false),
            (1001, 1000, 11, true),
        ] {
            assert_eq!(is_slow(Duration::from_millis(ms), entries, left), slow, "{ms} ms, {entries} of {left}");
        }
    }
}
