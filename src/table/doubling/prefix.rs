//! The prefix: what a token stands for, whatever its level and its side.

use super::class::{Class, level_of, offset};
use crate::layout::prefix::{Depth, Head};

/// The head of a token, and all that it says of the first index string of its item.
///
/// Those of one head are nested or disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    head: Head,
    /// A leading one, then index bits, then zeros.
    bits: u64,
    /// Known index bits.
    len: u32,
}

impl Prefix {
    /// Of the token `lane` in `bucket`.
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

    /// The lane of a token of this prefix at a level, and its bucket on the first side. If the prefix is longer than a lane can
    /// say, the last bits go. It must not be shorter than the number of a bucket, or, at the first level, than a lane says.
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

    pub(crate) fn covers(self, class: Class) -> bool {
        self.head == class.head && known(class.first.0, self.len) == self.bits
    }

    /// Whether one of the two is a prefix of the other.
    pub(crate) fn is_nested_with(self, other: Self) -> bool {
        let len = self.len.min(other.len);
        self.head == other.head && known(self.bits, len) == known(other.bits, len)
    }
}

/// The leading one and so many bits behind it.
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
        /// However often it was split, in which bucket it may be.
        #[test]
        fn it_stays_the_same_when_the_table_doubles(hash: u64, other: u64, level in 1u32..29, splits in 0u32..10) {
            let class = Class::of_hash(hash);
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
                // And back: of a new token at the deep level, all that the lane of a new one at the first level says.
                let new = Prefix::of(class.second.bucket(deep), class.lane(deep, now), now);
                prop_assert_eq!(new.at(level, depth), (class.first.bucket(level), class.lane(level, depth)));
                prop_assert!(prefix.covers(class));
                // Another item of the head, which has some of the bits.
                let shared = other % 64;
                let near = if shared == 0 { 0 } else { u64::MAX << (64 - shared) };
                let near = hash & near | other & !near & !0xfc00 | hash & 0xfc00;
                let near = Class::of_hash(near);
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
