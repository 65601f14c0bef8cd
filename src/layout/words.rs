//! What a layout must be able to do with a word, as pure functions.

use core::fmt::Debug;

/// The functions of a [`Layout`](super::Layout), on plain integers. [`Bucket`](super::Bucket) and its neighbours give
/// them types.
///
/// A word is a bucket or a reference. The empty bucket is 0. A *lane* is the number of a slot, counted from the lowest
/// bits up; a *token* is what a slot holds, never 0; 0 is a vacant slot.
pub trait Words: Copy + Eq + Debug + Send + Sync + 'static {
    /// One value for each slot.
    type PerSlot<T: Copy + Debug>: Array<T>;
    /// One value for each node of a short path search, and of a long one.
    type ShortArena<T: Copy + Debug>: Array<T>;
    /// See [`ShortArena`](Self::ShortArena).
    type LongArena<T: Copy + Debug>: Array<T>;

    /// How full tables get.
    const FIT: Fit;

    /// Number of vacant slots.
    fn vacancies(bucket: u64) -> u32;

    /// Whether there is a vacant slot.
    fn has_room(bucket: u64) -> bool;

    /// Whether a token has this fingerprint.
    fn contains(bucket: u64, fingerprint: u32) -> bool;

    /// The lowest lane whose token has this fingerprint.
    fn lane_of(bucket: u64, fingerprint: u32) -> Option<u32>;

    /// The token in a slot that is counted from the top; 0 if it is vacant.
    fn occupant(bucket: u64, slot: usize) -> u32;

    /// The bucket with a token added, if there is room.
    fn with(bucket: u64, token: u32) -> Option<u64>;

    /// The bucket with a lane cleared.
    fn cleared(bucket: u64, lane: u32) -> u64;

    /// The bucket with the token of a lane replaced.
    fn replaced(bucket: u64, lane: u32, old: u32, new: u32) -> u64;

    /// Bits of each lane in [`matches`](Self::matches).
    const BITS_PER_MATCH: u32;

    /// All bits of each lane of two buckets whose token has this fingerprint, the lanes of the first lowest.
    fn matches(fingerprint: u32, first: u64, second: u64) -> u32;

    /// Bits of a reference.
    const REFERENCE_BITS: u32;

    /// The word that a reference is stored as. Not 0, and fewer bits than [`REFERENCE_BITS`](Self::REFERENCE_BITS).
    fn reference(bits: u64) -> u64;

    /// The reference that a word is, if it is one.
    fn referenced(word: u64) -> Option<u64>;

    /// Whether both words are surely buckets. May return false for a few buckets. Cheaper than to ask for each.
    fn are_plain(a: u64, b: u64) -> bool;
}

/// How full tables of a layout get. Fitted to seeded tables that were filled until the first refusal.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Highest load factor a filter is sized for.
    pub highest_load: f64,
    /// The load that a table would reach without the margins for its size.
    pub large_table_load: f64,
    /// Standard deviations of a range's share that are kept free when there are several ranges.
    pub share_margin: f64,
    /// The same for the unevenness within a single range.
    pub range_margin: f64,
}

/// An array whose length a layout knows.
pub trait Array<T: Copy>: Copy + Debug {
    /// Its length.
    const LEN: usize;

    /// All elements equal.
    fn filled(value: T) -> Self;

    /// The elements.
    fn as_slice(&self) -> &[T];

    /// The elements, to change them.
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
