//! The bucket: the tokens of one word, as a pure value.

use core::fmt;
use core::marker::PhantomData;

use super::{Fingerprint, Layout, Token};

/// The slots of one word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bucket<L> {
    bits: u64,
    layout: PhantomData<L>,
}

/// One of the slots of a bucket, by its lane: 0 for the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(u32);

impl Slot {
    #[inline]
    pub(super) fn of_lane(lane: u32) -> Self {
        Self(lane)
    }
}

impl<L: Layout> Bucket<L> {
    /// Slots in a bucket.
    pub(crate) const SLOTS: usize = L::SLOTS;

    pub(crate) const EMPTY: Self = Self {
        bits: 0,
        layout: PhantomData,
    };

    #[inline]
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self {
            bits,
            layout: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.bits
    }

    /// Whether a token of this fingerprint is in it.
    #[inline]
    pub(crate) fn contains(self, f: Fingerprint) -> bool {
        L::contains(self.bits, f.bits())
    }

    #[inline]
    pub(crate) fn has_room(self) -> bool {
        L::has_room(self.bits)
    }

    /// Number of vacant slots.
    #[inline]
    pub(crate) fn vacancies(self) -> u32 {
        L::vacancies(self.bits)
    }

    /// Number of tokens in it.
    pub(crate) fn len(self) -> usize {
        Self::SLOTS - self.vacancies() as usize
    }

    /// This bucket with `token` added, or `None` if it is full.
    #[inline]
    pub(crate) fn with(self, token: Token<L>) -> Option<Self> {
        L::with(self.bits, token.bits()).map(Self::from_bits)
    }

    /// This bucket with one token of this fingerprint cleared, or `None` if it holds none.
    #[inline]
    pub(crate) fn without(self, f: Fingerprint) -> Option<Self> {
        let lane = L::lane_of(self.bits, f.bits())?;
        Some(self.cleared(Slot(lane)))
    }

    /// This bucket with one slot cleared.
    #[inline]
    pub(crate) fn cleared(self, slot: Slot) -> Self {
        Self::from_bits(L::cleared(self.bits, slot.0))
    }

    /// This bucket with one `old` cleared, or `None` if it holds none.
    #[inline]
    pub(crate) fn without_token(self, old: Token<L>) -> Option<Self> {
        let slot = self.slot_of(old)?;
        Some(self.cleared(slot))
    }

    /// This bucket with one `old` replaced by `new`, or `None` if it holds no `old`.
    #[inline]
    pub(crate) fn replacing(self, old: Token<L>, new: Token<L>) -> Option<Self> {
        let Slot(lane) = self.slot_of(old)?;
        let bits = L::replaced(self.bits, lane, old.bits(), new.bits());
        Some(Self::from_bits(bits))
    }

    /// A slot that holds this very token.
    #[inline]
    fn slot_of(self, token: Token<L>) -> Option<Slot> {
        const {
            assert!(
                L::VALUE_BITS == 0,
                "then the fingerprint alone does not find a token"
            )
        };
        L::lane_of(self.bits, token.bits()).map(Slot)
    }

    /// The token in a slot, counted from the top down. `None` if it is vacant.
    #[inline]
    pub(crate) fn occupant(self, slot: usize) -> Option<Token<L>> {
        Token::from_bits(L::occupant(self.bits, slot))
    }

    /// How many tokens of this fingerprint it holds.
    pub(crate) fn count(self, f: Fingerprint) -> usize {
        self.tokens().filter(|t| t.fingerprint() == f).count()
    }

    /// The tokens in it, from the top down.
    pub(crate) fn tokens(self) -> impl Iterator<Item = Token<L>> {
        (0..Self::SLOTS).map_while(move |slot| self.occupant(slot))
    }

    /// Whether the word is a bucket as this crate writes one: no vacant slot above an occupied one. No reference is.
    pub(crate) fn is_packed(self) -> bool {
        self.tokens().count() == self.len()
    }
}

impl<L: Layout> fmt::Debug for Bucket<L> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list()
            .entries(self.tokens().map(Token::bits))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Lanes;
    use proptest::prelude::*;

    type Bucket = super::Bucket<Lanes<4, 16>>;

    fn fingerprint(bits: u32) -> Fingerprint {
        Fingerprint::from_bits(bits).expect("not 0")
    }

    fn token(bits: u32) -> Token<Lanes<4, 16>> {
        Token::from_bits(bits).expect("not 0")
    }

    /// Builds the bucket that a list of tokens stands for.
    fn packed(list: &[u32]) -> Bucket {
        list.iter().fold(Bucket::EMPTY, |bucket, &bits| {
            bucket.with(token(bits)).expect("room")
        })
    }

    fn listed(bucket: Bucket) -> Vec<u32> {
        bucket.tokens().map(Token::bits).collect()
    }

    /// Few values, so that equal lanes and neighbours that differ by a borrow are common.
    fn small() -> impl Strategy<Value = u32> {
        prop_oneof![1u32..4, 0x7ffeu32..0x8003, Just(0xffff), Just(0xfffe)]
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
            prop_assert_eq!(bucket.with(token(f)).is_some(), list.len() < 4);

            let last = list.iter().rposition(|&x| x == f);
            let cleared = last.map(|at| { let mut l = list.clone(); l.remove(at); l });
            prop_assert_eq!(bucket.without(fingerprint(f)).map(listed), cleared.clone());
            prop_assert_eq!(bucket.without_token(token(f)).map(listed), cleared);
            let replaced = last.map(|at| { let mut l = list.clone(); l[at] = g; l });
            prop_assert_eq!(bucket.replacing(token(f), token(g)).map(listed), replaced);
        }

        #[test]
        fn stays_packed(list in prop::collection::vec(small(), 1..=4), f in small()) {
            let bucket = packed(&list);
            let cleared = bucket.without(fingerprint(f)).unwrap_or(bucket);
            for value in [bucket, cleared] {
                prop_assert!(value.is_packed());
                prop_assert!(value == Bucket::EMPTY || value.bits() >> 48 != 0);
            }
        }
    }

    #[test]
    fn packed_is_occupied_from_the_top_and_nothing_else() {
        // Each lane vacant, or occupied by the least or the largest fingerprint.
        for lanes in 0..3u32.pow(4) {
            let lane = |slot: u32| [0, 1, 0xffff][(lanes / 3u32.pow(slot) % 3) as usize];
            let occupied: Vec<bool> = (0..4).map(|slot| lane(slot) != 0).collect();
            let bits = (0..4).fold(0, |bits, slot| bits << 16 | lane(slot));
            // From the top down: true to false at most once, and never back.
            let packed = occupied.is_sorted_by(|above, below| above >= below);
            assert_eq!(Bucket::from_bits(bits).is_packed(), packed, "{bits:#018x}");
        }
    }
}
