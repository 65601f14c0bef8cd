//! A table that is being read in: the first buckets are there.

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::{Geometry, Table};
use crate::allocate;
use crate::error::OutOfMemory;
use crate::layout::{Bucket, Layout};
use crate::sync::AtomicU64;

#[derive(Debug)]
pub(crate) struct Partial<L> {
    words: Vec<AtomicU64>,
    layout: PhantomData<L>,
}

impl<L: Layout> Partial<L> {
    pub(crate) fn new() -> Self {
        Self {
            words: Vec::new(),
            layout: PhantomData,
        }
    }

    /// The number of buckets.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// The buckets that there is memory for besides.
    pub(crate) fn room(&self) -> usize {
        self.words.capacity() - self.words.len()
    }

    /// Allocates memory for `more` buckets, and for hardly any beyond those.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        allocate::grow(&mut self.words, more)
    }

    #[inline]
    pub(crate) fn push(&mut self, content: Bucket<L>) {
        self.words.push(AtomicU64::new(content.bits()));
    }

    /// The table of this geometry, which all buckets are there for.
    pub(crate) fn build(self, geometry: Geometry<L>) -> Table<L> {
        // Loads without bounds checks rest on it.
        assert_eq!(self.words.len(), geometry.buckets(), "a whole table");
        Table {
            geometry,
            words: self.words.into_boxed_slice(),
        }
    }
}
