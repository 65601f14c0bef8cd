//! What chance explains, and what it does not.

/// Whether `seen` false positives are too many where `expected` are.
///
/// The spread of such a count is the square root of what is expected. Six times
/// that and ten more do not happen by chance, however small the expectation.
pub(crate) fn too_many(seen: u64, expected: f64) -> bool {
    seen as f64 > expected + 6.0 * expected.sqrt() + 10.0
}

/// How often a filter with so many of its slots in use is wrong about a key
/// that it does not hold: any of eight tokens may be the key's by chance.
pub(crate) fn rate(used: u64, slots: usize) -> f64 {
    8.0 * used as f64 / slots as f64 / 65535.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_more_than_chance_gives_is_too_many() {
        for (seen, expected) in [
            (0, 0.0),
            (10, 0.0),
            (0, 17.0),
            (17, 17.0),
            (30, 17.0),
            (51, 17.0),
            (170, 100.0),
        ] {
            assert!(!too_many(seen, expected), "{seen} of {expected}");
        }
        for (seen, expected) in [
            (11, 0.0),
            (500, 0.004),
            (52, 17.0),
            (171, 100.0),
            (1_000_000, 17.0),
        ] {
            assert!(too_many(seen, expected), "{seen} of {expected}");
        }
    }
}
