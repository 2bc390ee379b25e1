use std::time::Duration;

use jiff::Timestamp;
use rustc_hash::FxHashMap;

/// Longer than any light on a cell.
const KEPT: Duration = Duration::from_secs(10);

/// So many are kept however old they are.
const FEW: usize = 256;

/// Which cells changed, and when, for the rows that changed lately.
#[derive(Debug, Default)]
pub(super) struct Marks {
    by_slot: FxHashMap<u32, Mark>,
    /// Old ones are looked for when there are more than this.
    limit: usize,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    changed: u32,
    at: Timestamp,
    generation: u32,
}

impl Marks {
    pub(super) fn set(&mut self, slot: u32, changed: u32, now: Timestamp) {
        self.by_slot
            .entry(slot)
            .and_modify(|mark| *mark = Mark { changed, at: now, generation: mark.generation.wrapping_add(1) })
            .or_insert(Mark { changed, at: now, generation: 1 });
        if self.by_slot.len() > self.limit.max(FEW) {
            self.by_slot.retain(|_, mark| mark.at.saturating_add(KEPT).is_ok_and(|until| until > now));
            self.by_slot.shrink_to(2 * self.by_slot.len());
            self.limit = 2 * self.by_slot.len();
        }
    }

    pub(super) fn forget(&mut self, slot: u32) {
        self.by_slot.remove(&slot);
    }

    /// A bit for each cell that the last change changed, when that was, and how many there have been.
    pub(super) fn get(&self, slot: u32) -> (u32, Option<Timestamp>, u32) {
        self.by_slot.get(&slot).map_or((0, None, 0), |mark| (mark.changed, Some(mark.at), mark.generation))
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.by_slot.capacity() * (size_of::<(u32, Mark)>() + 1)
    }
}
