//! The header of a block: what lookups at a level would compute again and again, and how far its growth is.

use super::class::offset;
use super::sweep::Sweep;
use crate::layout::prefix::{Depth, HEADS, Head, Marks, TAIL_BITS};

/// In front of the words of a level.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Header {
    /// All that ever changes.
    pub(super) sweep: Sweep,
    /// For each number of a head: the bits by which the places of the two buckets of an item differ, and 16 bits of its
    /// lane, all but the tail.
    heads: [u64; HEADS],
    pub(super) marks: Marks,
}

impl Header {
    pub(super) fn new(level: u32, depth: Depth) -> Self {
        let of_number = |number: usize| {
            let head = Head::of_hash((number as u64) << TAIL_BITS);
            offset(head) >> (63 - level) << u16::BITS | u64::from(depth.lane(head, 0))
        };
        Self {
            sweep: Sweep::new(),
            heads: core::array::from_fn(of_number),
            marks: Marks::of(depth),
        }
    }

    /// What it says of the head of this item.
    #[inline]
    pub(super) fn of_hash(&self, hash: u64) -> OfHead {
        OfHead(self.heads[(hash >> TAIL_BITS) as usize % HEADS])
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct OfHead(u64);

impl OfHead {
    /// The bits by which the places of the two buckets of an item differ.
    #[inline]
    pub(super) fn offset(self) -> u64 {
        self.0 >> u16::BITS
    }

    /// The full lane of an item that has these index bits, and others above them.
    #[inline]
    pub(super) fn lane(self, next: u16) -> u16 {
        self.0 as u16 | next & ((1 << TAIL_BITS) - 1)
    }
}
