//! Hashers whose hashes a test can choose.

use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasher, Hasher};

use crate::mix;

/// A hasher that returns a `u64` as its hash, for typed calls with chosen hashes. Other items get
/// useless hashes; the check in the header of the stored form is one of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsGiven;

/// A good hasher that keeps only some bits, so that items collide.
#[derive(Clone, Copy, Debug)]
pub struct Narrow {
    /// The bits that are kept.
    pub mask: u64,
}

/// FNV-1a with a key and a final mix, as a filter needs it. Strings have the same hash on every
/// machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fnv {
    /// The key. Hashers with the same key are the same.
    pub key: u64,
}

/// The hasher of [`AsGiven`].
#[derive(Clone, Debug, Default)]
pub struct AsGivenHasher(u64);

/// The hasher of [`Fnv`].
#[derive(Clone, Debug)]
pub struct FnvHasher(u64);

/// The hasher of [`Narrow`].
#[derive(Clone, Debug)]
pub struct NarrowHasher {
    inner: DefaultHasher,
    mask: u64,
}

impl BuildHasher for AsGiven {
    type Hasher = AsGivenHasher;

    fn build_hasher(&self) -> AsGivenHasher {
        AsGivenHasher::default()
    }
}

impl Hasher for AsGivenHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.len() as u64;
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl BuildHasher for Narrow {
    type Hasher = NarrowHasher;

    fn build_hasher(&self) -> NarrowHasher {
        NarrowHasher {
            inner: DefaultHasher::new(),
            mask: self.mask,
        }
    }
}

impl Hasher for NarrowHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.inner.write(bytes);
    }

    fn finish(&self) -> u64 {
        self.inner.finish() & self.mask
    }
}

impl BuildHasher for Fnv {
    type Hasher = FnvHasher;

    fn build_hasher(&self) -> FnvHasher {
        FnvHasher(0xcbf2_9ce4_8422_2325 ^ self.key)
    }
}

impl Hasher for FnvHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        mix(self.0)
    }
}
