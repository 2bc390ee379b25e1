use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::backoff::scaled;
use crate::runtime::{Moment, Runtime};

/// A wait for each of many things, twice as long with each failure
/// (client-go: `util/flowcontrol/backoff.go`, `Backoff`).
///
/// The wait starts over when the thing was left in peace for more than twice the longest wait.
#[doc(alias = "NewBackOff")]
pub struct ItemBackoff<K> {
    runtime: Runtime,
    initial: Duration,
    max: Duration,
    max_jitter_factor: f64,
    has_expired: Box<HasExpired>,
    entries: FxHashMap<K, Entry>,
}

/// Of the time of an event, of the entry's last update, and the longest wait.
type HasExpired = dyn Fn(Moment, Moment, Duration) -> bool;

#[derive(Clone, Copy)]
struct Entry {
    backoff: Duration,
    last_update: Moment,
}

impl<K: Clone + Eq + Hash> ItemBackoff<K> {
    /// The first wait and the longest of each thing, without jitter.
    pub fn new(runtime: &Runtime, initial: Duration, max: Duration) -> Self {
        Self {
            runtime: runtime.clone(),
            initial,
            max,
            max_jitter_factor: 0.0,
            has_expired: Box::new(|event, last_update, max| event.since(last_update) > max.saturating_mul(2)),
            entries: FxHashMap::default(),
        }
    }

    /// Adds up to this part of the wait before to each wait, by chance.
    #[doc(alias = "NewBackOffWithJitter")]
    #[must_use]
    pub fn with_jitter(mut self, max_factor: f64) -> Self {
        self.max_jitter_factor = max_factor;
        self
    }

    /// Another rule for when a wait starts over: of an event's time, the time of the last update, the longest wait.
    #[doc(alias = "HasExpiredFunc")]
    #[must_use]
    pub fn with_has_expired(mut self, has_expired: impl Fn(Moment, Moment, Duration) -> bool + 'static) -> Self {
        self.has_expired = Box::new(has_expired);
        self
    }

    /// The current wait; zero for what is not known.
    pub fn get(&self, id: &K) -> Duration {
        self.entries.get(id).map_or(Duration::ZERO, |entry| entry.backoff)
    }

    /// Goes on to the next wait because of an event at this time. The first wait may be longer than the longest.
    pub fn next(&mut self, id: &K, event: Moment) {
        let backoff = match self.live(id, event).map(|entry| entry.backoff) {
            None => self.initial.saturating_add(self.jitter(self.initial)),
            Some(backoff) => backoff.saturating_mul(2).saturating_add(self.jitter(backoff)).min(self.max),
        };
        let entry = Entry { backoff, last_update: self.runtime.now() };
        match self.entries.get_mut(id) {
            Some(known) => *known = entry,
            None => {
                self.entries.insert(id.clone(), entry);
            }
        }
    }

    /// Forgets the thing: its next wait is a first one.
    #[doc(alias = "DeleteEntry")]
    pub fn reset(&mut self, id: &K) {
        self.entries.remove(id);
    }

    /// Whether less than the current wait has passed since the event.
    pub fn is_in_backoff_since(&self, id: &K, event: Moment) -> bool {
        self.live(id, event).is_some_and(|entry| self.runtime.now().since(event) < entry.backoff)
    }

    /// Whether less than the current wait lies between the last update and the event.
    pub fn is_in_backoff_since_update(&self, id: &K, event: Moment) -> bool {
        self.live(id, event).is_some_and(|entry| event.since(entry.last_update) < entry.backoff)
    }

    /// Forgets what was left in peace for long enough. To be called now and then.
    #[doc(alias = "GC")]
    pub fn collect_garbage(&mut self) {
        let (now, max, has_expired) = (self.runtime.now(), self.max, &self.has_expired);
        self.entries.retain(|_, entry| !has_expired(now, entry.last_update, max));
    }

    /// How many things are known.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn live(&self, id: &K, event: Moment) -> Option<&Entry> {
        self.entries.get(id).filter(|entry| !(self.has_expired)(event, entry.last_update, self.max))
    }

    fn jitter(&self, delay: Duration) -> Duration {
        if self.max_jitter_factor <= 0.0 {
            return Duration::ZERO;
        }
        scaled(delay, self.runtime.random.unit() * self.max_jitter_factor)
    }
}

impl<K> fmt::Debug for ItemBackoff<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { initial, max, max_jitter_factor, entries, .. } = self;
        f.debug_struct("ItemBackoff")
            .field("initial", initial)
            .field("max", max)
            .field("max_jitter_factor", max_jitter_factor)
            .field("len", &entries.len())
            .finish_non_exhaustive()
    }
}
