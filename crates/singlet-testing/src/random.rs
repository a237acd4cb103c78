//! Seeded randomness.

/// A deterministic random number generator (SplitMix64).
///
/// ```
/// use singlet_testing::random::Random;
///
/// let mut first = Random::new(7);
/// let mut second = Random::new(7);
/// assert_eq!(first.below(1000), second.below(1000));
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator with this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The modulo bias does not matter for tests.
        (self.bits() % (bound.max(1) as u64)) as usize
    }

    /// True with this probability.
    pub fn percent(&mut self, often: usize) -> bool {
        self.below(100) < often
    }

    /// A random element; `None` if there are none.
    pub fn one_of<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.below(choices.len()))
    }

    /// A random range within `0..len`, more often short than long.
    pub fn stretch(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        let bound = if self.below(4) == 0 { len } else { 16 };
        let end = (start + self.below(bound + 1)).min(len);
        start..end
    }
}
