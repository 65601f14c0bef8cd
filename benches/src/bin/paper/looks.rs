//! How long the contenders are looked at.

/// The lookups that are done at a time.
#[derive(Clone, Copy)]
pub(crate) struct Looks {
    /// In a turn: some milliseconds, so that most turns of a busy machine are undisturbed.
    pub(crate) turn: usize,
    /// Of absent keys, for the rate of false positives.
    pub(crate) probes: usize,
}

impl Default for Looks {
    fn default() -> Self {
        Self {
            turn: 1 << 16,
            probes: 1 << 24,
        }
    }
}

impl Looks {
    /// Too few to measure anything: for tests.
    pub(crate) const FEW: Self = Self {
        turn: 1 << 9,
        probes: 1 << 18,
    };
}
