//! Expansion: where the tokens of a full bucket could go.
//!
//! All alternates are loaded together and judged together, so that the processor waits for memory once,
//! and for one branch.

use super::relocation::Hop;
use super::terrain::Terrain;
use crate::layout::{Array, Bucket, Layout, Token};
use crate::table::sizing::pair_slots;

/// The tokens of a full bucket, their alternate buckets, and what those hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expansion<L: Layout> {
    source: usize,
    content: Bucket<L>,
    pub(super) buckets: L::PerSlot<usize>,
    pub(super) contents: L::PerSlot<Bucket<L>>,
    /// One bit for each slot whose alternate has been examined.
    examined: u32,
}

impl<L: Layout> Expansion<L> {
    /// Expands a bucket that holds `content`. Skips the given alternates.
    #[inline]
    pub(super) fn of(
        terrain: &impl Terrain<L>,
        source: usize,
        content: Bucket<L>,
        mut skip: impl FnMut(usize) -> bool,
    ) -> Self {
        let mut buckets = L::PerSlot::filled(0);
        let mut contents = L::PerSlot::filled(Bucket::EMPTY);
        let mut examined = 0;
        for (slot, token) in content.tokens().enumerate() {
            let bucket = terrain.other(source, token);
            buckets.as_mut_slice()[slot] = bucket;
            if !skip(bucket) {
                contents.as_mut_slice()[slot] = terrain.look(bucket);
                examined |= 1 << slot;
            }
        }
        Self {
            source,
            content,
            buckets,
            contents,
            examined,
        }
    }

    /// The slots whose alternates have been examined.
    #[inline]
    pub(super) fn examined(&self) -> impl Iterator<Item = usize> {
        (0..L::SLOTS).filter(|slot| self.examined >> slot & 1 != 0)
    }

    /// A slot whose token could go where there is room.
    #[inline]
    pub(super) fn movable(&self) -> Option<usize> {
        match self.rooms() {
            0 => None,
            rooms => Some(rooms.trailing_zeros() as usize),
        }
    }

    /// One bit for each slot whose token could go where there is room.
    #[inline]
    fn rooms(&self) -> u32 {
        let bit = |(slot, content): (usize, &Bucket<L>)| u32::from(content.has_room()) << slot;
        let rooms: u32 = self.contents.as_slice().iter().enumerate().map(bit).sum();
        rooms & self.examined
    }

    #[inline]
    fn moved(&self, slot: usize) -> Option<Token<L>> {
        self.content.occupant(slot)
    }
}

/// Buckets that are examined to find out whether one hop is enough: both candidates and their alternates.
pub(super) const fn near<L: Layout>() -> usize {
    2 + pair_slots::<L>()
}

/// One hop that opens a slot in one of two full candidates, if one is enough. Most paths are that short.
#[inline]
pub(super) fn near_hop<L: Layout>(a: &Expansion<L>, b: &Expansion<L>) -> Option<Hop<L>> {
    let rooms = a.rooms() | b.rooms() << L::SLOTS;
    if rooms == 0 {
        return None;
    }
    let slot = rooms.trailing_zeros() as usize;
    let (expansion, slot) = ([a, b][slot / L::SLOTS], slot % L::SLOTS);
    Some(Hop {
        moved: expansion.moved(slot)?,
        source: expansion.source,
        destination: expansion.buckets.as_slice()[slot],
        last: true,
    })
}
