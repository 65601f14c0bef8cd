//! Which slots of two buckets hold a fingerprint: eight comparisons at once.

use crate::bucket::{Bucket, Slot};
use crate::fingerprint::Fingerprint;

/// Two bits for each slot that holds the fingerprint. Those of the first bucket are bits 0 to 7, from the
/// lowest lane up, those of the second bits 8 to 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Matches(u32);

const BITS_PER_SLOT: u32 = 2;
const BITS_PER_BUCKET: u32 = BITS_PER_SLOT * Bucket::SLOTS as u32;
const ONE_SLOT: u32 = (1 << BITS_PER_SLOT) - 1;

impl Matches {
    #[inline]
    pub(crate) fn of(f: Fingerprint, first: Bucket, second: Bucket) -> Self {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        return Self::by_vector(f, first, second);
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        return Self::by_words(f, first, second);
    }

    /// Ten instructions, and no constants in registers, where arithmetic on words takes twenty: the
    /// lookups that a processor keeps under way while memory answers are as many as fit its window.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[allow(unsafe_code, reason = "the intrinsics are unsafe to call")]
    #[inline]
    fn by_vector(f: Fingerprint, first: Bucket, second: Bucket) -> Self {
        use core::arch::x86_64 as x86;
        // SAFETY: the instructions are SSE2, which the code is compiled for, and touch no memory.
        let mask = unsafe {
            let slots = x86::_mm_set_epi64x(second.bits() as i64, first.bits() as i64);
            let wanted = x86::_mm_set1_epi16(f.bits() as i16);
            x86::_mm_movemask_epi8(x86::_mm_cmpeq_epi16(slots, wanted))
        };
        Self(mask as u32)
    }

    #[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
    #[inline]
    fn by_words(f: Fingerprint, first: Bucket, second: Bucket) -> Self {
        // Brings the bits 0, 16, 32 and 48 together at 48, 50, 52 and 54; no other two bits meet there.
        const GATHER: u64 = 1 << 48 | 1 << 34 | 1 << 20 | 1 << 6;
        let mask = |bucket: Bucket| {
            let gathered = bucket.ones_where(f).wrapping_mul(GATHER) >> 48;
            gathered as u32 * ONE_SLOT
        };
        Self(mask(first) | mask(second) << BITS_PER_BUCKET)
    }

    #[inline]
    pub(crate) fn any(self) -> bool {
        self.0 != 0
    }

    /// 0 if there is none, else at least 3.
    #[inline]
    pub(crate) fn weight(self) -> u64 {
        u64::from(self.0)
    }

    /// Whether exactly one slot matches.
    #[inline]
    pub(crate) fn is_single(self) -> bool {
        // Shifted by 0 if there is none.
        self.0 >> (self.0.trailing_zeros() % u32::BITS) == ONE_SLOT
    }

    #[inline]
    pub(crate) fn in_first(self) -> bool {
        self.0 & ((1 << BITS_PER_BUCKET) - 1) != 0
    }

    /// A slot that matches, in the first bucket if there is one; any if there is none.
    #[inline]
    pub(crate) fn slot(self) -> Slot {
        Slot::from_lowest(self.0.trailing_zeros() / BITS_PER_SLOT % Bucket::SLOTS as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bucket(list: &[u16]) -> Bucket {
        list.iter().fold(Bucket::EMPTY, |bucket, &bits| {
            let f = Fingerprint::from_bits(bits).expect("not 0");
            bucket.with(f).expect("room")
        })
    }

    /// Few values, so that equal lanes and neighbours that differ by a borrow are common.
    fn small() -> impl Strategy<Value = u16> {
        prop_oneof![1u16..4, 0x7ffeu16..0x8003, Just(0xffff), Just(0xfffe)]
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
            prop_assert_eq!(matches, Matches::by_words(f, a, b));
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
