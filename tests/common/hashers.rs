//! Hashers that a test can steer.

use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasher, Hasher};

/// The hash of a `u64` is the `u64`: typed calls with hashes built to order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AsGiven;

/// A good hash of which only some bits are left, so that items collide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Narrow {
    pub(crate) mask: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct AsGivenHasher(u64);

#[derive(Clone, Debug)]
pub(crate) struct NarrowHasher {
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
    fn write(&mut self, _: &[u8]) {
        unreachable!("only for items of type u64");
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
