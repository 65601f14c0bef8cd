//! The operations of a layout on a word, as pure functions. Also arrays whose length a layout
//! knows: one value for each slot, or for each node of a path search.

use core::fmt::Debug;

/// The functions of a [`Layout`](super::Layout), on plain integers. [`Bucket`](super::Bucket) and
/// its neighbours give them types.
///
/// A word is a bucket or a reference. The empty bucket is 0. A *lane* is the number of a slot,
/// counted from the lowest bits up; a *token* is what a slot holds, never 0; 0 is a vacant slot.
pub trait Words: Calibrated + Copy + Eq + Debug + Send + Sync + 'static {
    /// One value for each slot.
    type PerSlot<T: Copy + Debug>: Array<T>;

    /// Number of vacant slots.
    fn vacancies(bucket: u64) -> u32;

    /// Whether there is a vacant slot.
    fn has_room(bucket: u64) -> bool;

    /// Whether a token has this fingerprint.
    fn contains(bucket: u64, fingerprint: u32) -> bool;

    /// The lowest lane whose token has this fingerprint.
    fn lane_of(bucket: u64, fingerprint: u32) -> Option<u32>;

    /// The lowest lane that holds this very token.
    fn lane_of_token(bucket: u64, token: u32) -> Option<u32>;

    /// The token in a slot that is counted from the top; 0 if it is vacant.
    fn occupant(bucket: u64, slot: usize) -> u32;

    /// The tokens in all slots, from the top.
    #[inline]
    fn occupants(bucket: u64) -> Self::PerSlot<u32> {
        let mut occupants = Self::PerSlot::filled(0);
        for (slot, occupant) in occupants.as_mut_slice().iter_mut().enumerate() {
            *occupant = Self::occupant(bucket, slot);
        }
        occupants
    }

    /// The bucket with a token added, if there is room.
    fn with(bucket: u64, token: u32) -> Option<u64>;

    /// The bucket with a lane cleared.
    fn cleared(bucket: u64, lane: u32) -> u64;

    /// The bucket with the token of a lane replaced.
    fn replaced(bucket: u64, lane: u32, old: u32, new: u32) -> u64;

    /// Whether the word is a bucket as this crate writes one. No reference is.
    fn is_bucket(word: u64) -> bool;

    /// Whether a token of two buckets has this fingerprint.
    fn either_contains(fingerprint: u32, first: u64, second: u64) -> bool;

    /// Bits of each lane in [`matches`](Self::matches).
    const BITS_PER_MATCH: u32;

    /// All bits of each lane of two buckets whose token has this fingerprint, the lanes of the
    /// first lowest.
    fn matches(fingerprint: u32, first: u64, second: u64) -> u32;

    /// Bits of a reference.
    const REFERENCE_BITS: u32;

    /// The word that a reference is stored as. `bits` is not 0 and has at most
    /// [`REFERENCE_BITS`](Self::REFERENCE_BITS) bits.
    fn reference(bits: u64) -> u64;

    /// The reference that a word is, if it is one.
    fn referenced(word: u64) -> Option<u64>;

    /// Whether both words are surely buckets. May return false for a few buckets. Cheaper than to
    /// ask for each.
    fn surely_buckets(a: u64, b: u64) -> bool;

    /// Whether one comparison gives both answers.
    const FUSED_PROBE: bool = false;

    /// Both answers at once. It is sure exactly if the words [are buckets](Self::surely_buckets).
    #[inline]
    fn probe(fingerprint: u32, first: u64, second: u64) -> Probe {
        one_after_the_other::<Self>(fingerprint, first, second)
    }
}

/// [`probe`](Words::probe) by the two questions.
#[inline]
pub(crate) fn one_after_the_other<W: Words>(fingerprint: u32, first: u64, second: u64) -> Probe {
    if W::surely_buckets(first, second) {
        Probe::certain(W::either_contains(fingerprint, first, second))
    } else {
        Probe::maybe_reference()
    }
}

/// The result of one probe of two words: whether the wanted fingerprint is there, and whether one
/// may be a reference.
///
/// Bits 0 to 7: lane *i*, those of the first word lowest, equals the fingerprint. Bits 8 to 15:
/// lane *i* looks like part of a reference; only bits 11 and 15, the top lanes of the two words,
/// matter. One comparison of vectors yields both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe(u32);

const FOUND: u32 = 0x00ff;

const MAYBE_REFERENCE: u32 = 0x8800;

impl Probe {
    /// From a comparison of vectors.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[inline]
    pub(crate) fn of_mask(mask: u32) -> Self {
        Self(mask)
    }

    /// For words one of which may be no bucket.
    #[inline]
    pub(crate) fn maybe_reference() -> Self {
        Self(MAYBE_REFERENCE)
    }

    /// An answer that was found in another way.
    #[inline]
    pub(crate) fn certain(found: bool) -> Self {
        Self(if found { FOUND } else { 0 })
    }

    /// Whether both are surely buckets. False if one is a reference, and for a few buckets of some
    /// layouts.
    #[inline]
    pub(crate) fn no_reference(self) -> bool {
        self.0 & MAYBE_REFERENCE == 0
    }

    /// Whether one of them has the wanted fingerprint, if it is sure.
    #[inline]
    pub(crate) fn found(self) -> bool {
        self.0 & FOUND != 0
    }
}

/// The loads that tables of a layout reach. Fitted to seeded tables that were filled until the
/// first refusal.
#[derive(Clone, Copy, Debug)]
pub struct LoadLimits {
    /// Highest load factor a filter is sized for.
    pub highest_load: f64,
    /// The load that a table would reach without the margins for its size.
    pub large_table_load: f64,
    /// The load kept in reserve for ranges that fill unevenly, if there are several:
    /// `share_margin / sqrt(slots of a range)`, the slots rounded down to a power of two.
    pub share_margin: f64,
    /// The load kept in reserve within a single range, likewise.
    pub range_margin: f64,
}

/// A layout that tables have been filled with. Those are the layouts that there are.
#[diagnostic::on_unimplemented(
    message = "there is no layout `{Self}`",
    label = "not one of the layouts",
    note = "the slots of a bucket share 64 bits, and only some divisions of them are offered: see the table at `Layout`"
)]
pub trait Calibrated {
    /// One value for each node of a short path search. The length of an array cannot be computed
    /// from a parameter, so each layout says it.
    type ShortSearch<T: Copy + Debug>: Array<T>;

    /// One value for each node of a long one.
    type LongSearch<T: Copy + Debug>: Array<T>;

    /// The loads that they reach.
    const LOAD_LIMITS: LoadLimits;
}

/// An array whose length a layout knows.
pub trait Array<T: Copy>: Copy + Debug {
    /// Its length.
    const LEN: usize;

    /// All elements equal.
    fn filled(value: T) -> Self;

    /// The elements.
    fn as_slice(&self) -> &[T];

    /// The elements, mutable.
    fn as_mut_slice(&mut self) -> &mut [T];
}

impl<T: Copy + Debug, const N: usize> Array<T> for [T; N] {
    const LEN: usize = N;

    #[inline]
    fn filled(value: T) -> Self {
        [value; N]
    }

    #[inline]
    fn as_slice(&self) -> &[T] {
        self
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}
