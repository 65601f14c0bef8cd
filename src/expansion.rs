//! Expansion: where the tokens of a full bucket could go.
//!
//! The four alternates are loaded together and judged together, so that the processor waits for memory once,
//! and for one branch.

use crate::bucket::Bucket;
use crate::fingerprint::Fingerprint;
use crate::hop::Hop;
use crate::tokens::Tokens;

/// The tokens of a full bucket, their alternate buckets, and what those hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expansion {
    source: usize,
    content: Bucket,
    pub(crate) buckets: [usize; Bucket::SLOTS],
    pub(crate) contents: [Bucket; Bucket::SLOTS],
    /// One bit for each slot whose alternate has been examined.
    examined: u32,
}

impl Expansion {
    /// Expands a bucket that holds `content`, but for the alternates that are to be skipped.
    #[inline]
    pub(crate) fn of(
        tokens: &Tokens,
        source: usize,
        content: Bucket,
        mut skip: impl FnMut(usize) -> bool,
    ) -> Self {
        let mut expansion = Self {
            source,
            content,
            buckets: [0; Bucket::SLOTS],
            contents: [Bucket::EMPTY; Bucket::SLOTS],
            examined: 0,
        };
        for slot in 0..Bucket::SLOTS {
            let Some(token) = content.occupant(slot) else {
                break;
            };
            let bucket = tokens.geometry.alternate(source, token);
            expansion.buckets[slot] = bucket;
            if !skip(bucket) {
                expansion.contents[slot] = tokens.peek(bucket);
                expansion.examined |= 1 << slot;
            }
        }
        expansion
    }

    /// The slots whose alternates have been examined, and their tokens.
    #[inline]
    pub(crate) fn examined(&self) -> impl Iterator<Item = (usize, Fingerprint)> {
        (0..Bucket::SLOTS)
            .filter(|slot| self.examined >> slot & 1 != 0)
            .filter_map(|slot| Some((slot, self.content.occupant(slot)?)))
    }

    /// A slot whose token could go where there is room, and the token.
    #[inline]
    pub(crate) fn movable(&self) -> Option<(usize, Fingerprint)> {
        let rooms = self.rooms();
        if rooms == 0 {
            return None;
        }
        let slot = rooms.trailing_zeros() as usize;
        Some((slot, self.content.occupant(slot)?))
    }

    /// One bit for each slot whose token could go where there is room.
    #[inline]
    fn rooms(&self) -> u32 {
        let bit = |(slot, content): (usize, &Bucket)| u32::from(content.has_room()) << slot;
        let rooms: u32 = self.contents.iter().enumerate().map(bit).sum();
        rooms & self.examined
    }
}

/// Buckets that are examined to find out whether one hop is enough: both candidates and their alternates.
pub(crate) const NEAR: usize = 2 + 2 * Bucket::SLOTS;

/// One hop that opens a slot in one of two full candidates, if one is enough. Most paths are that short.
#[inline]
pub(crate) fn near_hop(a: &Expansion, b: &Expansion) -> Option<Hop> {
    let rooms = a.rooms() | b.rooms() << Bucket::SLOTS;
    if rooms == 0 {
        return None;
    }
    let slot = rooms.trailing_zeros() as usize;
    let (expansion, slot) = ([a, b][slot / Bucket::SLOTS], slot % Bucket::SLOTS);
    Some(Hop {
        moved: expansion.content.occupant(slot)?,
        source: expansion.source,
        destination: expansion.buckets[slot],
        last: true,
    })
}
