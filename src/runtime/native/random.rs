use jiff::Timestamp;

use crate::runtime::SeededRandom;

pub(super) fn seeded_from_time() -> SeededRandom {
    // Truncation keeps the quickly changing bits, which are what a seed needs.
    SeededRandom::new(Timestamp::now().as_nanosecond() as u64)
}
