//! From a filter that grows to its stored form.

use core::hash::BuildHasher;

use super::{Chain, Entry, Header, Limits, Segment};
use crate::allocate::OutOfMemory;
use crate::geometry::Geometry;
use crate::stored::{self, Identity};

/// Segments that nobody writes to, and the header that describes them.
#[derive(Debug)]
pub(crate) struct Storable<'a> {
    header: Header,
    chain: &'a Chain,
}

impl<'a> Storable<'a> {
    /// Of a chain that nobody else can reach.
    pub(crate) fn new<S: BuildHasher + 'static>(
        chain: &'a Chain,
        start: Geometry,
        limits: Limits,
        hasher: &S,
    ) -> Self {
        let header = Header {
            identity: Identity::of(hasher),
            start,
            limits,
            segments: chain.segments().len(),
            target: chain.target_index(),
        };
        Self { header, chain }
    }

    /// Hands the stored form to `put`, a piece at a time, until it fails.
    pub(crate) fn put<E>(&self, mut put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let frame = self.header.frame();
        put(&frame.encode())?;
        let mut checksum = frame.begin_checksum();
        for segment in self.chain.segments() {
            let entry = Entry::of(segment).encode();
            checksum.update(&entry);
            put(&entry)?;
            put(&checksum.clone().finalize().to_le_bytes())?;
        }
        for segment in self.chain.segments() {
            segment.tokens.put_words(&mut checksum, &mut put)?;
        }
        put(&checksum.finalize().to_le_bytes())
    }

    pub(crate) fn to_vec(&self) -> Result<Vec<u8>, OutOfMemory> {
        let geometries = self.chain.segments().iter().map(|s| s.geometry());
        stored::collect(self.header.stored_bytes(geometries), |put| self.put(put))
    }
}

impl Entry {
    /// Leaves no word of the segment frozen.
    fn of(segment: &Segment) -> Self {
        let buckets = 0..segment.geometry().buckets();
        Self {
            geometry: segment.geometry(),
            // Not the counter's sum: a thread that stopped between its exchange and the count left it off.
            items: buckets
                .map(|bucket| segment.tokens.settle(bucket).len())
                .sum(),
            search_budget: segment.tokens.search_budget,
        }
    }
}
