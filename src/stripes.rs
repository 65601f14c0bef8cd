//! Stripes: version counters that let a lookup trust a miss.
//!
//! A fingerprint selects one stripe, so both candidates of an item share it. Whoever lets a token hop between
//! its two candidates, or clears a token in one having seen an equal one in the other, bumps the stripe first.
//! A reader that saw the token in neither bucket and the same version before and after missed nothing.

use crate::allocate::{self, OutOfMemory};
use crate::fingerprint::Fingerprint;
use crate::sync::{AtomicU64, Ordering};

/// A power of two of version counters.
#[derive(Debug)]
pub(crate) struct Stripes {
    versions: Box<[AtomicU64]>,
}

/// What a stripe said when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version(u64);

/// 8 KiB: they stay in the first-level cache beside the reader's other data.
const MAX_STRIPES: usize = 1024;

/// Few tokens hop in a table that small.
const MIN_STRIPES: usize = 4;

impl Stripes {
    /// As many stripes as suit a table of this size.
    pub(crate) fn new(buckets: usize) -> Result<Self, OutOfMemory> {
        let stripes = (buckets / 8)
            .next_power_of_two()
            .clamp(MIN_STRIPES, MAX_STRIPES);
        let versions = allocate::slice(stripes, || AtomicU64::new(0))?;
        Ok(Self { versions })
    }

    pub(crate) fn bytes(&self) -> usize {
        allocate::bytes(&self.versions)
    }

    #[inline]
    fn stripe(&self, f: Fingerprint) -> &AtomicU64 {
        &self.versions[usize::from(f.bits()) & (self.versions.len() - 1)]
    }

    /// The version before the reader looks at the words.
    #[inline]
    pub(crate) fn version(&self, f: Fingerprint) -> Version {
        // Acquire: pairs with the Release of `bump`. A reader that counts a bump in sees what came before
        // it: both references of a relocation, or the equal token that a remove saw.
        Version(self.stripe(f).load(Ordering::Acquire))
    }

    /// Whether the version is still the one read before. The caller has loaded the words with Acquire or
    /// stronger in between.
    #[inline]
    pub(crate) fn unchanged(&self, f: Fingerprint, before: Version) -> bool {
        // Relaxed: the caller's loads of the words pair with the exchange that cleared or committed; the bump
        // came before that, so a reader that saw the effect cannot read an older version here.
        self.stripe(f).load(Ordering::Relaxed) == before.0
    }

    /// Tells readers under way that a token of this stripe may be seen in neither place.
    #[inline]
    pub(crate) fn bump(&self, f: Fingerprint) {
        // Release: pairs with the Acquire of `version`.
        self.stripe(f).fetch_add(1, Ordering::Release);
    }
}
