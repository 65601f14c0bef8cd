//! An item as strings of bits, and what a token says of it: from a hash to the head and two strings
//! of index bits, and from a token to a *prefix* of the first string.
//!
//! ```text
//! hash     | index bits, endless from bit 63 down ..... | head : bits 15..10 |
//! first    1 | 0 | hash >> 2                   a leading one, side 0, then index bits
//! second   the first, with the offset of the head exclusive-ored: side 1, and other index bits
//! ```
//!
//! The first `level + 1` bits are the number of the bucket. In both buckets, a token stands for a
//! [prefix](crate::design::doubling#prefixes) of the first string: the bits of the bucket's number,
//! and then its tail. Each doubling takes the first bit of the tail. A
//! [lane](crate::growing::lane) holds the head and the tail.

use crate::growing::lane::{Depth, HEADS, Head, TAIL_BITS};
use crate::kernel::geometry::{SPREAD, address_bits};
use crate::kernel::layout::Fingerprint;

/// The deepest level. Down to it, the index bits of a bucket and of its tokens are other bits of
/// the hash than their heads.
pub(crate) const MAX_LEVEL: u32 = address_bits(usize::BITS, 39);

/// An item as a table that doubles knows it: the head, and two strings of index bits. Tokens of
/// different prefixes may cover it, and each of them may cover other items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GrowingClass {
    pub(crate) head: Head,
    pub(crate) first: Index,
    pub(crate) second: Index,
}

/// A string of index bits after a leading one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Index(pub(crate) u64);

const LEADING: u64 = 1 << 63;
const SIDE: u64 = 1 << 62;

/// The bits by which the two strings of a head differ. The first of them is that of the side.
#[inline]
pub(crate) const fn offset(head: Head) -> u64 {
    (head.bits() as u64).wrapping_mul(SPREAD) >> 1 | SIDE
}

impl GrowingClass {
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

    /// The ten bits after it, with others above them.
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

/// [`alternate`] for a caller who knows the level.
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

/// A hash shifted right by this many bits, less one for each level, is the place of the first
/// bucket and the ten bits after it. (The place begins with the side, 0.)
pub(crate) const SHIFT_OF_LEVEL_0: u32 = u64::BITS + 1 - TAIL_BITS;

/// Precomputed for each head, because lookups need it often. Separate fields load faster than they
/// unpack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfHead {
    /// The bits by which the places of the two buckets of an item differ, in the order of the hash.
    offset: u64,
    head: Head,
    fingerprint: Fingerprint,
}

/// By the number of the head.
const ALL: [OfHead; HEADS] = {
    let mut number = 0;
    let head = Head::of_hash(0);
    let mut all = [OfHead {
        offset: 0,
        head,
        fingerprint: head.fingerprint(),
    }; HEADS];
    while number < HEADS {
        let head = Head::of_hash((number as u64) << TAIL_BITS);
        all[number] = OfHead {
            offset: offset(head) >> (63 - SHIFT_OF_LEVEL_0),
            head,
            fingerprint: head.fingerprint(),
        };
        number += 1;
    }
    all
};

impl OfHead {
    #[inline]
    pub(crate) fn of_hash(hash: u64) -> &'static Self {
        &ALL[(hash >> TAIL_BITS) as usize % HEADS]
    }

    /// The bits by which the places of the two buckets of an item differ, at the level whose places
    /// are in front of this many bits of the hash, and ten. Only the last six bits of `shift`
    /// count.
    #[inline]
    pub(crate) fn offset(&self, shift: u32) -> u64 {
        self.offset.wrapping_shr(shift)
    }

    /// As [`Head::lane`].
    #[inline]
    pub(crate) fn lane(&self, next: u16) -> u16 {
        self.head.lane(next)
    }

    /// Selects the stripe of the item.
    #[inline]
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

/// The head of a token, and all that it says of the first index string of its item.
///
/// Prefixes of one head are nested or disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    head: Head,
    /// A leading one, then index bits, then zeros.
    bits: u64,
    /// Known index bits.
    len: u32,
}

impl Prefix {
    /// The prefix of the token `lane` in `bucket`.
    pub(crate) fn of(bucket: usize, lane: u16, depth: Depth) -> Self {
        let (level, head, tail) = (level_of(bucket), Head::of_lane(lane), depth.tail(lane));
        let number = (bucket as u64) << (63 - level);
        let on_second_side = bucket >> (level - 1) & 1 == 1;
        let number = if on_second_side {
            number ^ offset(head)
        } else {
            number
        };
        let len = level + tail;
        let tail = u64::from(lane & 0x3ff) << (53 - level);
        let bits = (known(number, level) | tail) & mask(len);
        Self { head, bits, len }
    }

    /// The lane of a token of this prefix at a level, and its bucket on the first side. If the
    /// prefix is longer than a lane can say, the last bits go. It must not be shorter than the
    /// number of a bucket, or, at the first level, than a lane says.
    pub(crate) fn at(self, level: u32, depth: Depth) -> (usize, u16) {
        let bucket = (self.bits >> (63 - level)) as usize;
        let next = (self.bits >> (53 - level)) as u16;
        let tail = (self.len - level).min(depth.full_tail());
        (bucket, depth.lane_of(self.head, next, tail))
    }

    /// Known index bits.
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    pub(crate) fn covers(self, class: GrowingClass) -> bool {
        self.head == class.head && known(class.first.0, self.len) == self.bits
    }

    /// Whether one of the two is a prefix of the other.
    pub(crate) fn is_nested_with(self, other: Self) -> bool {
        let len = self.len.min(other.len);
        self.head == other.head && known(self.bits, len) == known(other.bits, len)
    }
}

/// The leading one and `len` bits after it.
fn mask(len: u32) -> u64 {
    !(u64::MAX >> 1 >> len)
}

fn known(bits: u64, len: u32) -> u64 {
    bits & mask(len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// On both sides, from the level where it is new down to the last bit of its tail.
        #[test]
        fn a_token_goes_where_its_item_goes(hash: u64, first in 1u32..29) {
            let class = GrowingClass::of_hash(hash);
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

        /// However often it was split, in which bucket it may be.
        #[test]
        fn it_stays_the_same_when_the_table_doubles(hash: u64, other: u64, level in 1u32..29, splits in 0u32..10) {
            let class = GrowingClass::of_hash(hash);
            for depth in [Depth::First, Depth::Deeper] {
                let mut lane = class.lane(level, depth);
                let prefix = Prefix::of(class.first.bucket(level), lane, depth);
                prop_assert_eq!(prefix.len(), level + depth.full_tail());
                let mut now = depth;
                for _ in 0..splits.min(depth.full_tail()) {
                    lane = now.split(lane).1;
                    now = Depth::Deeper;
                }
                let deep = level + splits.min(depth.full_tail());
                for index in [class.first, class.second] {
                    prop_assert_eq!(Prefix::of(index.bucket(deep), lane, now), prefix);
                }
                prop_assert_eq!(prefix.at(deep, now), (class.first.bucket(deep), lane));
                // And back: of a new token at the deep level, all that the lane of a new one at the
                // first level says.
                let new = Prefix::of(class.second.bucket(deep), class.lane(deep, now), now);
                prop_assert_eq!(new.at(level, depth), (class.first.bucket(level), class.lane(level, depth)));
                prop_assert!(prefix.covers(class));
                // Another item of the head, which has some of the bits.
                let shared = other % 64;
                let near = if shared == 0 { 0 } else { u64::MAX << (64 - shared) };
                let near = hash & near | other & !near & !0xfc00 | hash & 0xfc00;
                let near = GrowingClass::of_hash(near);
                let agree = (near.first.0 ^ class.first.0).leading_zeros();
                prop_assert_eq!(prefix.covers(near), agree > prefix.len());
                let longer = Prefix::of(near.second.bucket(level + 1), near.lane(level + 1, Depth::Deeper), Depth::Deeper);
                let len = longer.len().min(prefix.len());
                prop_assert_eq!(prefix.is_nested_with(longer), agree > len);
                prop_assert_eq!(longer.is_nested_with(prefix), agree > len);
            }
        }
    }
}
