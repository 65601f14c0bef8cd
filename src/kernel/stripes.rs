//! Stripes: version counters that let a lookup trust a miss.
//!
//! A fingerprint selects one stripe, so both candidates of an item share it. A writer bumps the
//! stripe before it moves a token between its two candidates, and before it clears a token if it
//! has seen an equal one in the other candidate. If a reader saw the token in neither bucket, and
//! the same version before and after, it missed no token.
//!
//! The lowest bit of a stripe tells writers that bump it that a scan is under way
//! ([`hints`](super::hints)). A reader that sees this bit change looks again.

use alloc::boxed::Box;
use core::ops::Range;

use crate::allocate;
use crate::error::OutOfMemory;
use crate::kernel::layout::Fingerprint;
use crate::kernel::word;
use crate::sync;
use crate::sync::{AtomicU64, Ordering};

/// The version counters of one table: `NUMBER` of them, a power of two. If that is 0, their number
/// follows from that of the words.
#[derive(Debug)]
pub(crate) struct Stripes<const NUMBER: usize> {
    /// Their number is a power of two.
    versions: Box<[AtomicU64]>,
    /// One less than that: lookups apply it straight from memory.
    mask: usize,
}

/// The maximum number of stripes, 1 KiB. Bumps of stripes of one cache line wait for each other.
/// Their number does not change the cost of a bump, the transfer of one line. It hardly changes the
/// number of lookups that repeat, because a lookup takes no longer than a relocation.
const MAX_STRIPES: usize = if sync::MODEL { 4 } else { 128 };

/// One cache line.
const MIN_STRIPES: usize = if sync::MODEL { 4 } else { 8 };

/// The value of a stripe when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version(u64);

/// Some of the stripes. Of `groups` groups, number `index` has the stripes `index`,
/// `index + groups`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    index: usize,
    groups: usize,
}

/// The bit that is set while a scan is on.
const SCAN: u64 = 1;

/// The increment of a bump.
const BUMP: u64 = SCAN << 1;

impl Group {
    /// All groups, if there are `groups` of them, a power of two, at most one for each stripe.
    pub(crate) fn all(groups: usize) -> impl Iterator<Item = Self> {
        (0..groups).map(move |index| Self { index, groups })
    }

    /// Whether it is the only one.
    pub(crate) fn is_all(self) -> bool {
        self.groups == 1
    }

    /// Whether the stripe of `f` is in it.
    pub(crate) fn has(self, f: Fingerprint) -> bool {
        // Take the same low bits as `stripe`. The number of groups divides that of the stripes, so
        // all fingerprints of one stripe are in one group.
        f.bits() as usize % self.groups == self.index
    }
}

impl<const NUMBER: usize> Stripes<NUMBER> {
    /// The stripes of a table of this many words. Those of a small table take a 32nd of the bytes
    /// of its words.
    pub(crate) fn new(words: usize) -> Result<Self, OutOfMemory> {
        let number = Self::number(words);
        Ok(Self {
            versions: allocate::slice(number, || AtomicU64::new(0))?,
            mask: number - 1,
        })
    }

    fn number(words: usize) -> usize {
        if NUMBER > 0 {
            return NUMBER;
        }
        // Take a power of two, so that a mask selects the stripe.
        let affordable = 1 << (words / 32).max(1).ilog2();
        affordable.clamp(MIN_STRIPES, MAX_STRIPES)
    }

    pub(crate) fn len(&self) -> usize {
        self.versions.len()
    }

    /// The heap bytes of the stripes of a table of this many words.
    pub(crate) fn bytes_for(words: usize) -> usize {
        Self::number(words) * size_of::<AtomicU64>()
    }

    pub(crate) fn bytes(&self) -> usize {
        allocate::bytes(&self.versions)
    }

    pub(crate) fn place(&self) -> Range<usize> {
        allocate::place(&self.versions)
    }

    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    fn stripe(&self, f: Fingerprint) -> &AtomicU64 {
        // Select by the fingerprint alone. It is the same in both buckets, and so is the stripe.
        let mask = if NUMBER > 0 { NUMBER - 1 } else { self.mask };
        debug_assert_eq!(mask, self.versions.len() - 1);
        // SAFETY: `new` allocates one more than the mask, which does not change. So the masked
        // number is less than that.
        unsafe { self.versions.get_unchecked(f.bits() as usize & mask) }
    }

    /// Prefetches a stripe that will be bumped.
    #[inline]
    pub(crate) fn prefetch_to_write(&self, f: Fingerprint) {
        word::prefetch_to_write(self.stripe(f));
    }

    /// The version before the reader looks at the words.
    #[inline]
    pub(crate) fn version(&self, f: Fingerprint) -> Version {
        // Acquire: pairs with the Release of `bump`. A reader whose read includes a bump sees what
        // came before it: both references of a relocation, or the twin that a remove saw.
        Version(self.stripe(f).load(Ordering::Acquire))
    }

    /// Whether the stripe is still as it was before: no bump, and no scan begun or ended. The
    /// caller has loaded the words with Acquire or stronger in between.
    #[inline]
    pub(crate) fn unchanged(&self, f: Fingerprint, before: Version) -> bool {
        // Load the stripe again, after the words.
        // Relaxed: the caller's loads of the words, or of the control behind a reference, pair with
        // the exchange that cleared or committed; the bump came before that, so a reader that saw
        // the effect cannot read an older version here.
        self.stripe(f).load(Ordering::Relaxed) == before.0
    }

    /// The bumps of all stripes so far, with what came before them. Two readings are equal only if
    /// no stripe was bumped between its own two reads.
    pub(crate) fn bumps(&self) -> u64 {
        // Add up the bumps, without the bit of a scan. Each stripe only rises, so the sum stays the
        // same only if every stripe does. Acquire: see `version`.
        let bumps = |stripe: &AtomicU64| stripe.load(Ordering::Acquire) / BUMP;
        self.versions
            .iter()
            .fold(0, |sum, stripe| sum.wrapping_add(bumps(stripe)))
    }

    /// Tells concurrent readers that they may see a token of this stripe in neither bucket. Returns
    /// true if a scan is under way and needs a hint.
    #[inline]
    pub(crate) fn bump(&self, f: Fingerprint) -> bool {
        // Raise the version, and read the bit of a scan in the same step: a scan that announces
        // itself later sees what came before this bump.
        // Release: pairs with the Acquire of `version` and of `announce_scan`. Acquire: pairs with
        // the Release of the latter, so that the hint comes after the log was emptied, and is not
        // erased with it.
        self.stripe(f).fetch_add(BUMP, Ordering::AcqRel) & SCAN != 0
    }

    /// From here on, a writer that bumps a stripe of the group knows of the scan.
    pub(crate) fn announce_scan(&self, group: Group) {
        for stripe in self.versions.iter().skip(group.index).step_by(group.groups) {
            // Set the bit. A bump is before this, and the scan sees what it announced; or it is
            // after this, and its writer leaves a hint.
            // Acquire: pairs with the Release of `bump`. The scan sees both references of a
            // relocation that bumped before, and the twin that a remove saw. Release: pairs with
            // the Acquire of `bump`; the log is empty.
            stripe.fetch_or(SCAN, Ordering::AcqRel);
        }
    }

    /// Ends the scan of a dead thread. Requires exclusive access to the tokens.
    pub(crate) fn end_all_scans(&self) {
        Group::all(1).for_each(|group| self.end_scan(group));
    }

    pub(crate) fn end_scan(&self, group: Group) {
        for stripe in self.versions.iter().skip(group.index).step_by(group.groups) {
            // Clear the bit, and keep the version.
            // Relaxed: a writer that bumps later moves a token that the scan has already copied.
            stripe.fetch_and(!SCAN, Ordering::Relaxed);
        }
    }
}
