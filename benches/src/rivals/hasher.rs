//! The cheapest hasher: what is a hash already stays as it is.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds [`Ready`] hashers.
pub type BuildReady = BuildHasherDefault<Ready>;

/// Gives back a `u64` unchanged, and spreads all else over 64 bits with one multiplication.
///
/// The keys are random `u64`. All else is what cuckoo filters hash on their own, fingerprints, to find the
/// other bucket; unspread, the two buckets of an item would be neighbours, and the filter full too early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ready(u64);

const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Ready {
    #[inline]
    fn mix(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(8) ^ value).wrapping_mul(SPREAD);
    }
}

impl Hasher for Ready {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.mix(byte.into());
        }
    }

    #[inline]
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, Hash};

    use super::*;

    fn hash(item: impl Hash) -> u64 {
        BuildReady::default().hash_one(item)
    }

    #[test]
    fn leaves_hashes_and_spreads_fingerprints() {
        assert_eq!(hash(7u64), 7);
        let ends = |hash: u64| (hash >> 56, hash as u8);
        assert_ne!(ends(hash(1usize)).0, ends(hash(2usize)).0);
        assert_ne!(ends(hash([1u8])).1, ends(hash([2u8])).1);
    }
}
