//! The bucket: four 16-bit fingerprints in one 64-bit value.
//!
//! Slots fill from the top lane (bits 48..64) downward and stay packed: clearing a slot moves the lower lanes
//! up. So an empty bucket is 0, a bucket has room exactly if its lowest lane is 0, and a value with a zero
//! top lane and a non-zero rest is never a bucket. Those 2^48 - 1 values are free for
//! [references](crate::word).
//!
//! Pure functions on a value; no atomics here. No other room knows the layout.

use crate::fingerprint::Fingerprint;

/// One of the four slots of a bucket, by the bit at which its lane begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(u32);

/// Four slots, packed from the top lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bucket(u64);

const LANE_BITS: u32 = 16;
const LOWEST_LANE: u64 = (1 << LANE_BITS) - 1;
const ONE_IN_EACH_LANE: u64 = 0x0001_0001_0001_0001;
const TOP_OF_EACH_LANE: u64 = ONE_IN_EACH_LANE << (LANE_BITS - 1);

impl Slot {
    /// The slot of this lane, 0 for the lowest.
    #[inline]
    pub(crate) fn from_lowest(lane: u32) -> Self {
        Self(lane * LANE_BITS)
    }
}

impl Bucket {
    /// Slots in a bucket.
    pub(crate) const SLOTS: usize = 4;

    pub(crate) const EMPTY: Self = Self(0);

    #[inline]
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// A flag in the top bit of lanes that hold `f`. The lowest flag is exact; above it a borrow may raise
    /// a false one. (Mycroft's zero-byte test, for 16-bit lanes.)
    #[inline]
    fn flags(self, f: Fingerprint) -> u64 {
        let difference = self.0 ^ (u64::from(f.bits()) * ONE_IN_EACH_LANE);
        difference.wrapping_sub(ONE_IN_EACH_LANE) & !difference & TOP_OF_EACH_LANE
    }

    #[inline]
    pub(crate) fn contains(self, f: Fingerprint) -> bool {
        self.flags(f) != 0
    }

    #[inline]
    pub(crate) fn has_room(self) -> bool {
        self.0 & LOWEST_LANE == 0
    }

    /// Number of vacant slots.
    #[inline]
    pub(crate) fn vacancies(self) -> u32 {
        // The lanes below the lowest set bit; 64 / 16 for the empty bucket.
        self.0.trailing_zeros() / LANE_BITS
    }

    /// Number of fingerprints in it.
    pub(crate) fn len(self) -> usize {
        Self::SLOTS - self.vacancies() as usize
    }

    /// This bucket with `f` added, or `None` if it is full.
    #[inline]
    pub(crate) fn with(self, f: Fingerprint) -> Option<Self> {
        let lane = self.vacancies().checked_sub(1)?;
        Some(Self(self.0 | u64::from(f.bits()) << (lane * LANE_BITS)))
    }

    /// This bucket with one `f` cleared, or `None` if it holds none.
    #[inline]
    pub(crate) fn without(self, f: Fingerprint) -> Option<Self> {
        Some(self.cleared(self.slot_of(f)?))
    }

    /// This bucket with one slot cleared.
    #[inline]
    pub(crate) fn cleared(self, slot: Slot) -> Self {
        let below = self.0 & ((1 << slot.0) - 1);
        let above = self.0 & (!LOWEST_LANE << slot.0);
        Self(above | below << LANE_BITS)
    }

    /// This bucket with one `old` replaced by `new`, or `None` if it holds no `old`.
    #[inline]
    pub(crate) fn replacing(self, old: Fingerprint, new: Fingerprint) -> Option<Self> {
        let slot = self.slot_of(old)?;
        Some(Self(self.0 ^ u64::from(old.bits() ^ new.bits()) << slot.0))
    }

    /// The lowest slot that holds `f`.
    #[inline]
    fn slot_of(self, f: Fingerprint) -> Option<Slot> {
        match self.flags(f) {
            0 => None,
            flags => Some(Slot::from_lowest(flags.trailing_zeros() / LANE_BITS)),
        }
    }

    /// A 1 in each lane that holds `f`, exactly.
    #[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
    #[inline]
    pub(crate) fn ones_where(self, f: Fingerprint) -> u64 {
        let difference = self.0 ^ (u64::from(f.bits()) * ONE_IN_EACH_LANE);
        // The sum carries into the top bit of a lane unless the bits below it are 0, and never beyond.
        let zero_but_for_the_top = !((difference & !TOP_OF_EACH_LANE) + !TOP_OF_EACH_LANE);
        (zero_but_for_the_top & !difference & TOP_OF_EACH_LANE) >> (LANE_BITS - 1)
    }

    /// The fingerprint in a slot, counted from the top lane down. `None` if it is vacant.
    #[inline]
    pub(crate) fn occupant(self, slot: usize) -> Option<Fingerprint> {
        let lane = (Self::SLOTS - 1 - slot) as u32;
        Fingerprint::from_bits((self.0 >> (lane * LANE_BITS)) as u16)
    }

    /// How many copies of `f` it holds.
    pub(crate) fn count(self, f: Fingerprint) -> usize {
        self.fingerprints().filter(|&other| other == f).count()
    }

    /// The fingerprints in it, from the top lane down.
    pub(crate) fn fingerprints(self) -> impl Iterator<Item = Fingerprint> {
        (0..Self::SLOTS).map_while(move |slot| self.occupant(slot))
    }
}

impl core::fmt::Debug for Bucket {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.debug_list()
            .entries(self.fingerprints().map(Fingerprint::bits))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fingerprint(bits: u16) -> Fingerprint {
        Fingerprint::from_bits(bits).expect("not 0")
    }

    /// Builds the bucket that a list of fingerprints stands for.
    fn packed(list: &[u16]) -> Bucket {
        list.iter().fold(Bucket::EMPTY, |bucket, &bits| {
            bucket.with(fingerprint(bits)).expect("room")
        })
    }

    fn listed(bucket: Bucket) -> Vec<u16> {
        bucket.fingerprints().map(Fingerprint::bits).collect()
    }

    /// Few values, so that equal lanes and neighbours that differ by a borrow are common.
    fn small() -> impl Strategy<Value = u16> {
        prop_oneof![1u16..4, 0x7ffeu16..0x8003, Just(0xffff), Just(0xfffe)]
    }

    proptest! {
        #[test]
        fn behaves_like_a_list(list in prop::collection::vec(small(), 0..=4), f in small(), g in small()) {
            let bucket = packed(&list);
            prop_assert_eq!(listed(bucket), list.clone());
            prop_assert_eq!(bucket.len(), list.len());
            prop_assert_eq!(bucket.has_room(), list.len() < 4);
            prop_assert_eq!(bucket.contains(fingerprint(f)), list.contains(&f));
            prop_assert_eq!(bucket.count(fingerprint(f)), list.iter().filter(|&&x| x == f).count());
            prop_assert_eq!(bucket.with(fingerprint(f)).is_some(), list.len() < 4);

            let last = list.iter().rposition(|&x| x == f);
            let cleared = last.map(|at| { let mut l = list.clone(); l.remove(at); l });
            prop_assert_eq!(bucket.without(fingerprint(f)).map(listed), cleared);
            let replaced = last.map(|at| { let mut l = list.clone(); l[at] = g; l });
            prop_assert_eq!(bucket.replacing(fingerprint(f), fingerprint(g)).map(listed), replaced);
        }

        #[test]
        fn stays_packed(list in prop::collection::vec(small(), 1..=4), f in small()) {
            let bucket = packed(&list);
            let cleared = bucket.without(fingerprint(f)).unwrap_or(bucket);
            for value in [bucket, cleared] {
                prop_assert!(value == Bucket::EMPTY || value.bits() >> 48 != 0);
            }
        }
    }
}
