use std::cell::Cell;

/// A source of chance, for jitter; not for secrets.
pub trait Random {
    /// Uniform in `[0, 1)`.
    fn unit(&self) -> f64;
}

/// The same sequence for the same seed (SplitMix64, <https://prng.di.unimi.it/splitmix64.c>).
#[derive(Debug)]
pub struct SeededRandom {
    state: Cell<u64>,
}

impl SeededRandom {
    pub fn new(seed: u64) -> Self {
        Self { state: Cell::new(seed) }
    }

    /// Uniform in `0..bound`; 0 when the bound is 0.
    pub fn below(&self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }
}

impl Random for SeededRandom {
    fn unit(&self) -> f64 {
        let state = self.state.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.state.set(state);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        // 53 bits fill a double's fraction.
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_in_the_unit_interval() {
        let (first, second) = (SeededRandom::new(7), SeededRandom::new(7));
        for _ in 0..1000 {
            let number = first.unit();
            assert!((0.0..1.0).contains(&number));
            assert_eq!(number.to_bits(), second.unit().to_bits());
        }
    }
}
