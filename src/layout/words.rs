//! The operations of a layout on a word, as pure functions. Also arrays whose length a layout knows: one value for each
//! slot, or for each node of a path search.

use core::fmt::Debug;

use crate::sync;

/// The functions of a [`Layout`](super::Layout), on plain integers. [`Bucket`](super::Bucket) and its neighbours give
/// them types.
///
/// A word is a bucket or a reference. The empty bucket is 0. A *lane* is the number of a slot, counted from the lowest
/// bits up; a *token* is what a slot holds, never 0; 0 is a vacant slot.
pub trait Words: Fitted + Copy + Eq + Debug + Send + Sync + 'static {
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

    /// All bits of each lane of two buckets whose token has this fingerprint, the lanes of the first lowest.
    fn matches(fingerprint: u32, first: u64, second: u64) -> u32;

    /// Bits of a reference.
    const REFERENCE_BITS: u32;

    /// The word that a reference is stored as. `bits` is not 0 and has at most
    /// [`REFERENCE_BITS`](Self::REFERENCE_BITS) bits.
    fn reference(bits: u64) -> u64;

    /// The reference that a word is, if it is one.
    fn referenced(word: u64) -> Option<u64>;

    /// Whether both words are surely buckets. May return false for a few buckets. Cheaper than to ask for each.
    fn are_plain(a: u64, b: u64) -> bool;

    /// Whether one comparison gives both answers.
    const AT_ONE_LOOK: bool = false;

    /// Both answers at once. It is sure exactly if the words [are plain](Self::are_plain).
    #[inline]
    fn look(fingerprint: u32, first: u64, second: u64) -> Sight {
        one_after_the_other::<Self>(fingerprint, first, second)
    }
}

/// [`look`](Words::look) by the two questions.
#[inline]
pub(super) fn one_after_the_other<W: Words>(fingerprint: u32, first: u64, second: u64) -> Sight {
    if W::are_plain(first, second) {
        Sight::certain(W::either_contains(fingerprint, first, second))
    } else {
        Sight::unsure()
    }
}

/// The answer of one look at two words: whether the wanted fingerprint is there, and whether the answer is reliable.
///
/// A bit for each of eight lanes that is looked for, those of the first word lowest, and above them one for each lane
/// that is as that of a word which may be no bucket: the top lanes count. So one comparison of vectors gives both
/// answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight(u32);

const FOUND: u32 = 0x00ff;

const UNSURE: u32 = 0x8800;

impl Sight {
    /// From a comparison of vectors.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[inline]
    pub(super) fn of_mask(mask: u32) -> Self {
        Self(mask)
    }

    /// For words one of which may be no bucket.
    #[inline]
    pub(super) fn unsure() -> Self {
        Self(UNSURE)
    }

    /// An answer that was found in another way.
    #[inline]
    pub(crate) fn certain(found: bool) -> Self {
        Self(if found { FOUND } else { 0 })
    }

    /// Whether both are surely buckets. False if one is a reference, and for a few buckets of some layouts.
    #[inline]
    pub(crate) fn is_sure(self) -> bool {
        self.0 & UNSURE == 0
    }

    /// Whether one of them has the wanted fingerprint, if it is sure.
    #[inline]
    pub(crate) fn found(self) -> bool {
        self.0 & FOUND != 0
    }
}

/// The loads that tables of a layout reach. Fitted to seeded tables that were filled until the first refusal.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Highest load factor a filter is sized for.
    pub highest_load: f64,
    /// The load that a table would reach without the margins for its size.
    pub large_table_load: f64,
    /// What is kept free when there are several ranges, because their shares differ: so many parts of a range's slots
    /// by their root, or by that of the power of two below.
    pub share_margin: f64,
    /// The same for the unevenness within a single range.
    pub range_margin: f64,
}

/// A layout that tables have been filled with. Those are the layouts that there are.
#[diagnostic::on_unimplemented(
    message = "there is no layout `{Self}`",
    label = "not one of the layouts",
    note = "the slots of a bucket share 64 bits, and only some divisions of them are offered: see the table at `Layout`"
)]
pub trait Fitted {
    /// The room for path searches.
    type Arenas: Arenas;

    /// The loads that they reach.
    const FIT: Fit;
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

/// The two candidates themselves. A filter with this budget relocates nothing.
pub(crate) const MIN_BUDGET: usize = 2;

/// Maximum number of buckets that a short search examines. Nearly all searches end within it; a small frame is cheap.
pub(crate) const SHORT_BUDGET: usize = if sync::MODEL { 12 } else { 128 };

/// Number of full buckets whose tokens of one slot a search follows together: as many cache lines as a processor waits
/// for at a time, at least.
pub(crate) const TOGETHER: usize = 8;

/// Maximum number of buckets that any search examines.
pub(crate) const LONG_BUDGET: usize = if sync::MODEL { 32 } else { 4096 };

/// In a table of up to this many buckets a search remembers where it was, so that with the largest budget it finds a
/// path if there is one. In larger ones it seldom comes to a bucket twice.
pub(crate) const REMEMBERED: usize = 1024;

/// Arrays for buckets of some number of slots. A trait, because the length of an array cannot be computed from a
/// parameter.
pub trait Arenas {
    /// One value for each node of a short path search.
    type Short<T: Copy + Debug>: Array<T>;
    /// One value for each node of a long one.
    type Long<T: Copy + Debug>: Array<T>;
}

/// Buckets with this many slots.
#[derive(Debug)]
pub struct Slots<const SLOTS: usize>;

/// Room for the nodes of a search within `budget`. A node that is expanded has `slots - 1` or `slots` buckets examined,
/// seldom fewer: so many fewer nodes than buckets use up the budget. The alternates of both candidates are nodes
/// always, and those examined last have places that are not kept.
const fn nodes(slots: usize, budget: usize) -> usize {
    let (expanded, near) = (budget.div_ceil(slots - 1), 2 * slots);
    2 + if expanded > near { expanded } else { near } + TOGETHER
}

/// The same for a long search, which comes to all buckets that it remembers.
const fn long_nodes(slots: usize) -> usize {
    let (nodes, all) = (nodes(slots, LONG_BUDGET), REMEMBERED + TOGETHER);
    if sync::MODEL || nodes > all {
        nodes
    } else {
        all
    }
}

macro_rules! arenas {
    ($($slots:literal)*) => {$(
        impl Arenas for Slots<$slots> {
            type Short<T: Copy + Debug> = [T; nodes($slots, SHORT_BUDGET)];
            type Long<T: Copy + Debug> = [T; long_nodes($slots)];
        }
    )*};
}

arenas!(2 3 4 5 6 8);
