//! Stripes: version counters that let a lookup trust a miss.
//!
//! A fingerprint selects one stripe, so both candidates of an item share it. A writer bumps the stripe before it
//! moves a token between its two candidates, and before it clears a token if it has seen an equal one in the other
//! candidate. If a reader saw the token in neither bucket, and the same version before and after, it missed no
//! token.
//!
//! The lowest bit of a stripe is not part of the version. It tells writers that bump the stripe that a scan is
//! under way ([`hints`](super::hints)).

use alloc::boxed::Box;
use core::marker::PhantomData;
use core::ops::Range;

use crate::allocate;
use crate::error::OutOfMemory;
use crate::layout::Fingerprint;
use crate::sync::{self, AtomicU64, Ordering};

/// The version counters of one table; `N` gives their number.
#[derive(Debug)]
pub(super) struct Stripes<N> {
    /// Their number is a power of two.
    versions: Box<[AtomicU64]>,
    number: PhantomData<N>,
}

/// The number of stripes of a table.
pub(super) trait Number {
    /// For a table of this many words. A power of two.
    fn for_words(words: usize) -> usize;
    /// For a table that has `len` stripes. If it is a constant, each lookup saves a load.
    fn given(len: usize) -> usize;
}

/// Fewer for a small table, of a fixed size.
#[derive(Clone, Copy, Debug)]
pub(super) struct BySize;

/// The same for all tables that grow.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub(super) struct OfGrowing;

/// The value of a stripe when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version(u64);

/// Some of the stripes. Of `groups` groups, number `index` has the stripes `index`, `index + groups`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    index: usize,
    groups: usize,
}

/// The bit that is set while a scan is on.
const SCAN: u64 = 1;

/// The increment of a bump.
const BUMP: u64 = SCAN << 1;

/// The maximum number of stripes, 1 KiB. Their number does not change the cost of a bump, the transfer of one cache
/// line. It hardly changes the number of lookups that repeat, because a lookup takes no longer than a relocation.
const MOST: usize = if sync::MODEL { 4 } else { 128 };

/// One cache line.
const FEWEST: usize = if sync::MODEL { 4 } else { 8 };

impl Number for BySize {
    /// They take a 32nd of the bytes of the words, within the bounds.
    fn for_words(words: usize) -> usize {
        let affordable = (words / 32).max(1).ilog2();
        (1 << affordable).clamp(FEWEST, MOST)
    }

    #[inline]
    fn given(len: usize) -> usize {
        len
    }
}

/// One for each two heads. A larger table has no more: lookups would have to load their number.
#[cfg(feature = "std")]
const OF_GROWING: usize = if sync::MODEL { 4 } else { 32 };

#[cfg(feature = "std")]
impl Number for OfGrowing {
    fn for_words(_: usize) -> usize {
        OF_GROWING
    }

    #[inline]
    fn given(_: usize) -> usize {
        OF_GROWING
    }
}

impl Group {
    /// All groups, if there are `groups` of them, a power of two, at most one for each stripe.
    pub(super) fn all(groups: usize) -> impl Iterator<Item = Self> {
        (0..groups).map(move |index| Self { index, groups })
    }

    /// Whether it is the only one.
    pub(super) fn is_all(self) -> bool {
        self.groups == 1
    }

    /// Whether the stripe of `f` is in it.
    pub(super) fn has(self, f: Fingerprint) -> bool {
        // The number of groups divides that of the stripes.
        f.bits() as usize % self.groups == self.index
    }
}

impl<N: Number> Stripes<N> {
    /// The stripes of a table of this many words.
    pub(super) fn new(words: usize) -> Result<Self, OutOfMemory> {
        let number = N::for_words(words);
        assert!(number.is_power_of_two());
        Ok(Self {
            versions: allocate::slice(number, || AtomicU64::new(0))?,
            number: PhantomData,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.versions.len()
    }

    pub(super) fn bytes(&self) -> usize {
        allocate::bytes(&self.versions)
    }

    pub(super) fn place(&self) -> Range<usize> {
        allocate::place(&self.versions)
    }

    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    fn stripe(&self, f: Fingerprint) -> &AtomicU64 {
        let mask = N::given(self.versions.len()) - 1;
        // SAFETY: there are `N::for_words` of them, a power of two, and `given` returns that number. So the mask is
        // less, and the masked number is at most the mask.
        unsafe { self.versions.get_unchecked(f.bits() as usize & mask) }
    }

    /// The version before the reader looks at the words.
    #[inline]
    pub(super) fn version(&self, f: Fingerprint) -> Version {
        // Acquire: pairs with the Release of `bump`. A reader that counts a bump in sees what came before
        // it: both references of a relocation, or the equal token that a remove saw.
        Version(self.stripe(f).load(Ordering::Acquire))
    }

    /// Whether the stripe is still as it was before: no bump, and no scan begun or ended. The caller has loaded
    /// the words with Acquire or stronger in between.
    #[inline]
    pub(super) fn unchanged(&self, f: Fingerprint, before: Version) -> bool {
        // Relaxed: the caller's loads of the words pair with the exchange that cleared or committed; the bump
        // came before that, so a reader that saw the effect cannot read an older version here.
        self.stripe(f).load(Ordering::Relaxed) == before.0
    }

    /// The bumps of all stripes so far, with what came before them. Two readings are equal only if no stripe was bumped
    /// between its own two reads.
    pub(super) fn bumps(&self) -> u64 {
        // Acquire: see `version`.
        let bumps = |stripe: &AtomicU64| stripe.load(Ordering::Acquire) / BUMP;
        self.versions
            .iter()
            .fold(0, |sum, stripe| sum.wrapping_add(bumps(stripe)))
    }

    /// Tells concurrent readers that they may see a token of this stripe in neither bucket. Returns true if a scan
    /// is under way and needs a hint.
    #[inline]
    pub(super) fn bump(&self, f: Fingerprint) -> bool {
        // Release: pairs with the Acquire of `version` and of `announce_scan`. Acquire: pairs with the Release
        // of the latter, so that the hint comes after the log was emptied.
        self.stripe(f).fetch_add(BUMP, Ordering::AcqRel) & SCAN != 0
    }

    /// From here on, a writer that bumps a stripe of the group knows of the scan.
    pub(super) fn announce_scan(&self, group: Group) {
        for stripe in self.versions.iter().skip(group.index).step_by(group.groups) {
            // Acquire: pairs with the Release of `bump`. The scan sees both references of a relocation that
            // bumped before, and the equal token that a remove saw. Release: see `bump`.
            stripe.fetch_or(SCAN, Ordering::AcqRel);
        }
    }

    /// Ends the scan of a dead thread. Requires exclusive access to the tokens.
    pub(super) fn end_all_scans(&self) {
        Group::all(1).for_each(|group| self.end_scan(group));
    }

    pub(super) fn end_scan(&self, group: Group) {
        for stripe in self.versions.iter().skip(group.index).step_by(group.groups) {
            // Relaxed: a writer that bumps later moves a token that the scan has already copied.
            stripe.fetch_and(!SCAN, Ordering::Relaxed);
        }
    }
}
