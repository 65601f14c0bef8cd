//! Stripes: version counters that let a lookup trust a miss.
//!
//! A fingerprint selects one stripe, so both candidates of an item share it. A writer bumps the
//! stripe before it moves a token between its two candidates, and before it clears a token if it
//! has seen an equal one in the other candidate. If a reader saw the token in neither bucket, and
//! the same version before and after, it missed no token.
//!
//! The lowest bit of a stripe tells writers that bump it that a scan is under way
//! ([`hints`](super::hints)). A reader that sees this bit change looks again.

use core::ops::Range;

use crate::allocate;
use crate::allocate::{Alias, Part};
use crate::error::OutOfMemory;
use crate::kernel::layout::Fingerprint;
use crate::kernel::word;
use crate::sync;
use crate::sync::{AtomicU64, Ordering};

/// The version counters of one table: `NUMBER` of them, a power of two, two in each cache line. If
/// that is 0, their number follows from that of the words, and a line has eight.
#[derive(Debug)]
pub(crate) struct Stripes<const NUMBER: usize> {
    /// One in [`SPACING`](Self::SPACING) is a stripe. Their number is a power of two.
    versions: Part<AtomicU64>,
    /// The number of stripes less one: lookups apply it straight from memory.
    mask: usize,
}

/// The stripe of one fingerprint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stripe<'a>(&'a AtomicU64);

/// The stripes of a table, for one who keeps the table beside it.
#[derive(Debug)]
pub(crate) struct StripesAlias {
    versions: Alias<AtomicU64>,
    /// As in [`Stripes`]. No fingerprint has more bits than this.
    mask: u32,
}

/// Stripes for each thread that the machine runs: 32 cache lines.
///
/// A line that a bump has changed passes to the threads that read it, to one after the other. With
/// enough lines a thread seldom finds the one that it needs under way to another thread:
/// [`design`](crate::design#what-processors-share) has the figures.
const STRIPES_PER_THREAD: usize = 256;

/// The fewest stripes: one cache line.
const MIN_STRIPES: usize = 8;

/// The lowest bits of a fingerprint that select nothing, if the number of stripes is given.
pub(crate) const UNUSED_BITS: u32 = 2;

/// As many in each model.
pub(crate) const MODEL_STRIPES: usize = 4;

/// The value of a stripe when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version(u64);

/// Some of the stripes. Of `groups` groups, number `index` has the stripes `index`,
/// `index + groups`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    index: usize,
    groups: usize,
    /// The lowest bits of a fingerprint that select nothing.
    unused_bits: u32,
}

/// The bit that is set while a scan is on.
const SCAN: u64 = 1;

/// The increment of a bump.
const BUMP: u64 = SCAN << 1;

impl Group {
    /// Whether it is the only one.
    pub(crate) fn is_all(self) -> bool {
        self.groups == 1
    }

    /// Whether the stripe of `f` is in it.
    pub(crate) fn has(self, f: Fingerprint) -> bool {
        // Take the same low bits as `stripe`. The number of groups divides that of the stripes, so
        // all fingerprints of one stripe are in one group.
        (f.bits() >> self.unused_bits) as usize % self.groups == self.index
    }
}

/// The number of stripes on a machine that runs this many threads.
fn number_on(threads: usize, words: usize, fingerprint_bits: u32) -> usize {
    // Take a power of two, so that a mask selects the stripe.
    let affordable = 1 << (words / 32).max(1).ilog2();
    let needed = threads.saturating_mul(STRIPES_PER_THREAD);
    let needed = needed.checked_next_power_of_two().unwrap_or(affordable);
    // No more than there are fingerprints, which select them.
    let useful = 1usize.checked_shl(fingerprint_bits).unwrap_or(affordable);
    affordable.min(needed).min(useful).max(MIN_STRIPES)
}

impl<const NUMBER: usize> Stripes<NUMBER> {
    /// The most that there can be: one for each fingerprint of 31 bits.
    #[cfg(feature = "shared")]
    pub(crate) const MAX: usize = 1 << 31;

    /// The place of the lowest bit that selects. If the number of stripes is given, the selecting
    /// bits stand where the offset of a cell has them: a lookup shifts nothing.
    const SHIFT: u32 = if NUMBER > 0 { UNUSED_BITS } else { 0 };

    /// Cells for each stripe. All but the first are never used.
    const SPACING: usize = 1 << if sync::MODEL { 0 } else { Self::SHIFT };

    /// The stripes of a table of this many words, with fingerprints of this many bits. If their
    /// number is not given, it is what the machine needs, but they take at most a 32nd of the bytes
    /// of the words.
    pub(crate) fn new(words: usize, fingerprint_bits: u32) -> Result<Self, OutOfMemory> {
        let number = Self::number(words, fingerprint_bits);
        Ok(Self {
            versions: allocate::slice(number * Self::SPACING, || AtomicU64::new(0))?.into(),
            mask: number - 1,
        })
    }

    /// Stripes that are there already: a power of two.
    #[cfg(feature = "shared")]
    pub(crate) fn of_versions(versions: Part<AtomicU64>) -> Self {
        // Loads without bounds checks rely on this.
        assert!(NUMBER == 0 && versions.len().is_power_of_two());
        let mask = versions.len() - 1;
        Self { versions, mask }
    }

    pub(crate) fn number(words: usize, fingerprint_bits: u32) -> usize {
        if NUMBER > 0 {
            return NUMBER;
        }
        if sync::MODEL {
            return MODEL_STRIPES;
        }
        number_on(sync::parallelism(), words, fingerprint_bits)
    }

    pub(crate) fn len(&self) -> usize {
        self.mask + 1
    }

    /// The heap bytes of [`new`](Self::new).
    pub(crate) fn bytes_for(words: usize, fingerprint_bits: u32) -> usize {
        Self::number(words, fingerprint_bits) * Self::SPACING * size_of::<AtomicU64>()
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
        debug_assert_eq!((mask + 1) * Self::SPACING, self.versions.len());
        let number = (f.bits() >> Self::SHIFT) as usize & mask;
        // SAFETY: `new` allocates the cells of one more stripe than the mask, which does not
        // change. So the masked number is less than that.
        unsafe { self.versions.get_unchecked(number * Self::SPACING) }
    }

    /// The stripes in groups. `groups` is a power of two, at most the number of stripes.
    pub(crate) fn groups(&self, groups: usize) -> impl Iterator<Item = Group> + use<NUMBER> {
        (0..groups).map(move |index| Group {
            index,
            groups,
            unused_bits: Self::SHIFT,
        })
    }

    fn all(&self) -> impl Iterator<Item = &AtomicU64> {
        self.versions.iter().step_by(Self::SPACING)
    }

    fn of_group(&self, group: Group) -> impl Iterator<Item = &AtomicU64> {
        self.all().skip(group.index).step_by(group.groups)
    }

    /// Prefetches a stripe that will be bumped.
    #[inline]
    pub(crate) fn prefetch_to_write(&self, f: Fingerprint) {
        word::prefetch_to_write(self.stripe(f));
    }

    /// The stripe of a fingerprint.
    #[inline]
    pub(crate) fn of(&self, f: Fingerprint) -> Stripe<'_> {
        Stripe(self.stripe(f))
    }

    /// [`Stripe::version`] of a fingerprint.
    #[inline]
    pub(crate) fn version(&self, f: Fingerprint) -> Version {
        self.of(f).version()
    }

    /// [`Stripe::unchanged`] of a fingerprint.
    #[inline]
    pub(crate) fn unchanged(&self, f: Fingerprint, before: Version) -> bool {
        self.of(f).unchanged(before)
    }

    /// The bumps of all stripes so far, with what came before them. Two readings are equal only if
    /// no stripe was bumped between its own two reads.
    pub(crate) fn bumps(&self) -> u64 {
        // Add up the bumps, without the bit of a scan. Each stripe only rises, so the sum stays the
        // same only if every stripe does. Acquire: see `version`.
        let bumps = |stripe: &AtomicU64| stripe.load(Ordering::Acquire) / BUMP;
        self.all()
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
        for stripe in self.of_group(group) {
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
        self.groups(1).for_each(|group| self.end_scan(group));
    }

    pub(crate) fn end_scan(&self, group: Group) {
        for stripe in self.of_group(group) {
            // Clear the bit, and keep the version.
            // Relaxed: a writer that bumps later moves a token that the scan has already copied.
            stripe.fetch_and(!SCAN, Ordering::Relaxed);
        }
    }
}

impl Stripe<'_> {
    /// The version before the reader looks at the words.
    #[inline]
    pub(crate) fn version(self) -> Version {
        // Acquire: pairs with the Release of `bump`. A reader whose read includes a bump sees what
        // came before it: both references of a relocation, or the twin that a remove saw.
        Version(self.0.load(Ordering::Acquire))
    }

    /// Whether the stripe is still as it was before: no bump, and no scan begun or ended. The
    /// caller has loaded the words with Acquire or stronger in between.
    #[inline]
    pub(crate) fn unchanged(self, before: Version) -> bool {
        // Load the stripe again, after the words.
        // Relaxed: the caller's loads of the words, or of the control behind a reference, pair with
        // the exchange that cleared or committed; the bump came before that, so a reader that saw
        // the effect cannot read an older version here.
        self.0.load(Ordering::Relaxed) == before.0
    }
}

impl Stripes<0> {
    /// Where the stripes are.
    pub(crate) fn alias(&self) -> StripesAlias {
        StripesAlias {
            versions: self.versions.alias(),
            mask: self.mask as u32,
        }
    }
}

impl StripesAlias {
    /// The stripe of a fingerprint.
    ///
    /// # Safety
    ///
    /// The stripes are there as long as the reference.
    #[inline]
    #[allow(unsafe_code, reason = "see `Stripes::stripe`")]
    pub(crate) unsafe fn of(&self, f: Fingerprint) -> Stripe<'_> {
        // SAFETY: there is one more stripe than the mask. The caller says the rest.
        Stripe(unsafe { self.versions.get((f.bits() & self.mask) as usize) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a machine needs, if the table affords it and fingerprints tell as many apart.
    #[test]
    fn their_number_follows_from_processors_words_and_fingerprints() {
        for (threads, words, bits, number) in [
            (1, 1 << 18, 16, 256),
            (2, 1 << 18, 16, 512),
            (3, 1 << 18, 16, 1_024),
            (16, 1 << 18, 16, 4_096),
            (256, 1 << 18, 16, 8_192),
            (256, 1 << 22, 16, 65_536),
            (256, (1 << 18) - 1, 16, 4_096),
            (16, 1 << 18, 8, 256),
            (16, 64, 16, 8),
            (usize::MAX, 1 << 22, 16, 65_536),
        ] {
            assert_eq!(
                number_on(threads, words, bits),
                number,
                "{threads}, {words}, {bits}"
            );
        }
    }

    fn groups_divide<const NUMBER: usize>(number: usize) {
        let stripes = Stripes::<NUMBER>::new(1 << 11, 16).expect("memory");
        assert_eq!(stripes.len(), number);
        assert_eq!(stripes.bytes(), Stripes::<NUMBER>::bytes_for(1 << 11, 16));
        let all = 1..=number as u32;
        let bits = |number| number << Stripes::<NUMBER>::SHIFT;
        let of = |number| Fingerprint::of_bits_that_are_not_0(bits(number));
        let fingerprints = || all.clone().map(of);
        let mut bumps = 0;
        for groups in [1, 4, number] {
            for group in stripes.groups(groups) {
                stripes.announce_scan(group);
                for f in fingerprints() {
                    assert_eq!(stripes.bump(f), group.has(f), "{f:?} of {group:?}");
                    bumps += 1;
                }
                stripes.end_scan(group);
            }
        }
        assert_eq!(stripes.bumps(), bumps);
        // A stripe of its own for each.
        let version = |f| stripes.version(f);
        let each = Version(bumps / number as u64 * BUMP);
        assert!(fingerprints().map(version).all(|version| version == each));
    }

    /// A scan of a group is known to the stripes of its fingerprints, and to no others.
    #[test]
    fn groups_divide_the_stripes() {
        groups_divide::<0>(64);
        groups_divide::<64>(64);
    }
}
