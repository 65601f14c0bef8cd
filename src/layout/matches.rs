//! Which slots of two buckets hold a fingerprint: all comparisons at once.

use core::marker::PhantomData;

use super::{Bucket, Fingerprint, Layout, Slot};

/// Some bits for each slot that holds the fingerprint, from the lowest lane up; those of the first bucket come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matches<L> {
    mask: u32,
    layout: PhantomData<L>,
}

impl<L: Layout> Matches<L> {
    const ONE_SLOT: u32 = (1 << L::BITS_PER_MATCH) - 1;
    const FIRST_BUCKET: u32 = (1 << (L::BITS_PER_MATCH * L::SLOTS as u32)) - 1;

    #[inline]
    pub(crate) fn of(f: Fingerprint, first: Bucket<L>, second: Bucket<L>) -> Self {
        Self {
            mask: L::matches(f.bits(), first.bits(), second.bits()),
            layout: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn any(self) -> bool {
        self.mask != 0
    }

    /// 0 if there is none, else at least 3: more than a bump of a version with the scan bit.
    #[inline]
    pub(crate) fn weight(self) -> u64 {
        const { assert!(L::BITS_PER_MATCH >= 2, "a hit must weigh more than a bump") };
        u64::from(self.mask)
    }

    /// Whether exactly one slot matches.
    #[inline]
    pub(crate) fn is_single(self) -> bool {
        // Shifted by 0 if there is none.
        self.mask >> (self.mask.trailing_zeros() % u32::BITS) == Self::ONE_SLOT
    }

    #[inline]
    pub(crate) fn in_first(self) -> bool {
        self.mask & Self::FIRST_BUCKET != 0
    }

    /// A slot that matches, in the first bucket if there is one; any if there is none.
    #[inline]
    pub(crate) fn slot(self) -> Slot {
        Slot::of_lane(self.mask.trailing_zeros() / L::BITS_PER_MATCH % L::SLOTS as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Lanes, Token};
    use proptest::prelude::*;

    fn bucket(list: &[u32]) -> Bucket<Lanes<4, 16>> {
        list.iter().fold(Bucket::EMPTY, |bucket, &bits| {
            let token = Token::from_bits(bits).expect("not 0");
            bucket.with(token).expect("room")
        })
    }

    /// Few values, so that equal lanes and neighbours that differ by a borrow are common.
    fn small() -> impl Strategy<Value = u32> {
        prop_oneof![1u32..4, 0x7ffeu32..0x8003, Just(0xffff), Just(0xfffe)]
    }

    proptest! {
        #[test]
        fn finds_every_copy_and_nothing_else(
            first in prop::collection::vec(small(), 0..=4),
            second in prop::collection::vec(small(), 0..=4),
            bits in small(),
        ) {
            let f = Fingerprint::from_bits(bits).expect("not 0");
            let (a, b) = (bucket(&first), bucket(&second));
            let matches = Matches::of(f, a, b);
            prop_assert_eq!(matches.any(), a.contains(f) || b.contains(f));
            prop_assert_eq!(matches.is_single(), a.count(f) + b.count(f) == 1);
            prop_assert_eq!(matches.in_first(), a.contains(f));
            if matches.any() {
                let found = if matches.in_first() { a } else { b };
                prop_assert_eq!(Some(found.cleared(matches.slot())), found.without(f));
            }
        }
    }
}
