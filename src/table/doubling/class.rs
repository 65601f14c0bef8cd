//! Where an item may live: from a hash to two strings of index bits, whatever the level.
//!
//! ```text
//! hash     | index bits, endless from bit 63 down ..... | head : bits 15..10 |
//! first    1 | 0 | hash >> 2                   a leading one, side 0, then index bits
//! second   the first, with the offset of the head exclusive-ored: side 1, and other index bits
//! ```
//!
//! The first `level + 1` bits are the number of the bucket. Tokens are stored with the bits of the first string, in both
//! buckets: so a token is the same lane in both.

use crate::layout::prefix::{Depth, Head};

/// What is known about an item: the head, and its two strings of index bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) head: Head,
    pub(crate) first: Index,
    pub(crate) second: Index,
}

/// A string of index bits behind a leading one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Index(pub(super) u64);

const LEADING: u64 = 1 << 63;
const SIDE: u64 = 1 << 62;

/// 2^64 over the golden ratio, odd: spreads heads evenly over the top bits (Knuth, TAOCP 3, 6.4).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The bits by which the two strings of a head differ. The first of them tells the sides apart.
#[inline]
pub(super) const fn offset(head: Head) -> u64 {
    (head.bits() as u64).wrapping_mul(SPREAD) >> 1 | SIDE
}

impl Class {
    #[inline]
    pub(crate) fn of_hash(hash: u64) -> Self {
        let head = Head::of_hash(hash);
        let first = hash >> 2 | LEADING;
        Self {
            head,
            first: Index(first),
            second: Index(first ^ offset(head)),
        }
    }

    /// The lane of a new token in a bucket of this level.
    #[inline]
    pub(crate) fn lane(self, level: u32, depth: Depth) -> u16 {
        depth.lane(self.head, self.first.behind(level))
    }
}

impl Index {
    /// The number of the bucket.
    #[inline]
    pub(crate) fn bucket(self, level: u32) -> usize {
        (self.0 >> (63 - level)) as usize
    }

    /// The ten bits behind it, and others above them.
    #[inline]
    pub(crate) fn behind(self, level: u32) -> u16 {
        (self.0 >> (53 - level)) as u16
    }
}

/// The level of the bucket with this number.
#[inline]
pub(crate) fn level_of(bucket: usize) -> u32 {
    bucket.ilog2()
}

/// The other bucket of a token that is in `bucket`.
#[inline]
pub(crate) fn alternate(bucket: usize, head: Head) -> usize {
    alternate_at(level_of(bucket), bucket, head)
}

/// The same for a caller who knows the level.
#[inline]
pub(crate) fn alternate_at(level: u32, bucket: usize, head: Head) -> usize {
    bucket ^ (offset(head) >> (63 - level)) as usize
}

/// The child of `bucket` to which a token goes whose tail begins with `bit`.
#[inline]
pub(crate) fn child(bucket: usize, head: Head, bit: bool) -> usize {
    let level = level_of(bucket);
    let on_second_side = bucket >> (level - 1) & 1 == 1;
    let flip = on_second_side && offset(head) >> (62 - level) & 1 == 1;
    bucket << 1 | usize::from(bit ^ flip)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_two_buckets_are_each_other_s_alternate(hash: u64, level in 1u32..40) {
            let class = Class::of_hash(hash);
            let (a, b) = (class.first.bucket(level), class.second.bucket(level));
            prop_assert_eq!((level_of(a), level_of(b)), (level, level));
            prop_assert_eq!(a >> (level - 1), 0b10, "side 0");
            prop_assert_eq!(b >> (level - 1), 0b11, "side 1");
            prop_assert_eq!(alternate(a, class.head), b);
            prop_assert_eq!(alternate(b, class.head), a);
        }

        /// On both sides, from the level where it is new down to the last bit of its tail.
        #[test]
        fn a_token_goes_where_its_item_goes(hash: u64, first in 1u32..29) {
            let class = Class::of_hash(hash);
            for (index, new_in) in [class.first, class.second].into_iter().zip([first, first + 1].into_iter().cycle()) {
                let mut depth = if new_in == first { Depth::First } else { Depth::Deeper };
                let mut lane = class.lane(new_in, depth);
                for level in new_in..new_in + depth.full_tail() {
                    let (bit, rest) = depth.split(lane);
                    prop_assert_eq!(child(index.bucket(level), class.head, bit), index.bucket(level + 1));
                    (lane, depth) = (rest, Depth::Deeper);
                }
                prop_assert_eq!(depth.tail(lane), 0);
            }
        }
    }
}
