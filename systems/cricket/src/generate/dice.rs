//! Random numbers that are the same for a seed, on every platform.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub(super) fn below(&mut self, bound: u32) -> u32 {
        let product = u64::from(self.0.next_u32()) * u64::from(bound);
        u32::try_from(product >> 32).unwrap_or(0)
    }

    /// Whether something with this chance in a thousand happens.
    pub(super) fn chance(&mut self, in_thousand: u32) -> bool {
        self.below(1000) < in_thousand
    }

    pub(super) fn pick(&mut self, weights: &[u32]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                return index;
            }
            left -= weight;
        }
        0
    }
}
