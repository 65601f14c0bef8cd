//! The bucket: the tokens of one word, as a pure value.

use core::fmt;
use core::marker::PhantomData;

use crate::kernel::layout::Layout;
use crate::kernel::layout::token::{Fingerprint, Token};
use crate::kernel::layout::words::Array;

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
    pub(crate) fn of_lane(lane: u32) -> Self {
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
    pub(crate) const fn bits(self) -> u64 {
        self.bits
    }

    /// Whether a token of this fingerprint is in it.
    #[inline]
    pub(crate) fn contains(self, f: Fingerprint) -> bool {
        L::contains(self.bits, f.bits())
    }

    /// Whether a token of this fingerprint is in it or in another.
    #[inline]
    pub(crate) fn either_contains(self, other: Self, f: Fingerprint) -> bool {
        L::either_contains(f.bits(), self.bits, other.bits)
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
        L::lane_of_token(self.bits, token.bits()).map(Slot)
    }

    /// A token of this fingerprint, if there is one.
    #[inline]
    pub(crate) fn find(self, f: Fingerprint) -> Option<Token<L>> {
        let lane = L::lane_of(self.bits, f.bits())?;
        self.token_at(Slot(lane))
    }

    /// The token in a slot. `None` if it is vacant.
    #[inline]
    pub(crate) fn token_at(self, slot: Slot) -> Option<Token<L>> {
        self.occupant(L::SLOTS - 1 - slot.0 as usize)
    }

    /// The token in a slot, counted from the top down. `None` if it is vacant.
    #[inline]
    pub(crate) fn occupant(self, slot: usize) -> Option<Token<L>> {
        Token::from_bits(L::occupant(self.bits, slot))
    }

    /// Whether a slot below this one, counted from the top down, holds a token of the same
    /// fingerprint.
    #[inline]
    pub(crate) fn has_equal_below(self, slot: usize) -> bool {
        let fingerprint = self.occupant(slot).map(Token::fingerprint);
        let lowest = fingerprint.and_then(|f| L::lane_of(self.bits, f.bits()));
        lowest.is_some_and(|lane| (lane as usize) < L::SLOTS - 1 - slot)
    }

    /// How many tokens of this fingerprint it holds.
    pub(crate) fn count(self, f: Fingerprint) -> usize {
        self.tokens().filter(|t| t.fingerprint() == f).count()
    }

    /// The tokens in it, from the top down.
    pub(crate) fn tokens(self) -> impl Iterator<Item = Token<L>> {
        let occupants = L::occupants(self.bits);
        (0..Self::SLOTS).map_while(move |slot| Token::from_bits(occupants.as_slice()[slot]))
    }

    /// Whether the word is a bucket as this crate writes one. No reference is.
    pub(crate) fn is_packed(self) -> bool {
        L::is_bucket(self.bits)
    }
}

impl<L: Layout> fmt::Debug for Bucket<L> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list()
            .entries(self.tokens().map(Token::bits))
            .finish()
    }
}

/// Which slots of two buckets hold a fingerprint: all comparisons at once.
///
/// Some bits for each slot that holds the fingerprint, from the lowest lane up; those of the first
/// bucket come first.
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
