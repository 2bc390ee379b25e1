use std::collections::VecDeque;
use std::time::Duration;

use jiff::Timestamp;
use rustc_hash::FxHashMap;

/// How long a changed cell is lit, at least.
const LIT: Duration = Duration::from_millis(600);

/// Lights go out together: each time costs a redraw.
const STEP_MS: i64 = 100;

/// So many are kept room for.
const FEW: usize = 256;

/// Which cells are lit because they changed lately.
#[derive(Debug, Default)]
pub(super) struct Marks {
    by_slot: FxHashMap<u32, Mark>,
    /// When lights go out, in this order; those of rows that changed again or are gone do not.
    ends: VecDeque<(Timestamp, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    changed: u32,
    until: Timestamp,
}

impl Marks {
    pub(super) fn set(&mut self, slot: u32, changed: u32, now: Timestamp) {
        let until = now.saturating_add(LIT).unwrap_or(now).as_millisecond();
        let until = Timestamp::from_millisecond(until + (STEP_MS - until % STEP_MS) % STEP_MS).unwrap_or(now);
        let mark = self.by_slot.entry(slot).or_insert(Mark { changed, until });
        *mark = Mark { changed: mark.changed | changed, until };
        self.ends.push_back((until, slot));
    }

    /// Puts out the lights whose time has come, and gives their rows.
    pub(super) fn expire(&mut self, now: Timestamp) -> Vec<u32> {
        let mut expired = Vec::new();
        while let Some((_, slot)) = self.ends.pop_front_if(|(until, _)| *until <= now) {
            if self.by_slot.get(&slot).is_some_and(|mark| mark.until <= now) {
                self.by_slot.remove(&slot);
                expired.push(slot);
            }
        }
        if self.ends.is_empty() {
            self.ends.shrink_to(FEW);
            self.by_slot.shrink_to(FEW);
        }
        expired
    }

    /// When the next lights go out.
    pub(super) fn next_expiry(&self) -> Option<Timestamp> {
        self.ends.front().map(|(until, _)| *until)
    }

    pub(super) fn forget(&mut self, slot: u32) {
        self.by_slot.remove(&slot);
    }

    /// A bit for each cell that is lit.
    pub(super) fn get(&self, slot: u32) -> u32 {
        self.by_slot.get(&slot).map_or(0, |mark| mark.changed)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let ends = self.ends.capacity() * size_of::<(Timestamp, u32)>();
        self.by_slot.capacity() * (size_of::<(u32, Mark)>() + 1) + ends
    }
}
