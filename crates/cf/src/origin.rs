//! What a filter begins with that no command of RedisBloom says.

use lockfree_cuckoo::RandomState;

/// Filters with one origin and one [`Settings`](crate::Settings) are the same, bit for bit, if the same is done to them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// The seed of its hasher.
    pub seed: u64,
    /// The rate of false positives at which its growth ends. It has no effect where the layout is chosen by a rate, which is
    /// that end then.
    pub growth_rate: Option<f64>,
}

impl Origin {
    /// With a seed of its own, and growth without such an end.
    pub fn random() -> Self {
        Self {
            seed: RandomState::new().seed(),
            growth_rate: None,
        }
    }
}
