//! Stripes: version counters that let a lookup trust a miss.
//!
//! A fingerprint selects one stripe, so both candidates of an item share it. Whoever lets a token hop between
//! its two candidates, or clears a token in one having seen an equal one in the other, bumps the stripe first.
//! A reader that saw the token in neither bucket and the same version before and after missed nothing.

use crate::allocate::{self, OutOfMemory};
use crate::fingerprint::Fingerprint;
use crate::sync::{self, AtomicU64, Ordering};

/// The version counters of one table.
#[derive(Debug)]
pub(crate) struct Stripes {
    versions: Box<[AtomicU64; STRIPES]>,
}

/// What a stripe said when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version(u64);

/// 1 KiB. How many there are does not matter to the cost of a bump, which is one cache line that changes hands,
/// and hardly to the number of lookups that go round again: a lookup takes as long as a relocation or less.
/// As a constant it saves each lookup a mask and a bounds check.
const STRIPES: usize = if sync::MODEL { 4 } else { 128 };

impl Stripes {
    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        let versions = allocate::slice(STRIPES, || AtomicU64::new(0))?;
        match versions.try_into() {
            Ok(versions) => Ok(Self { versions }),
            Err(_) => unreachable!("a slice of STRIPES cells is an array of them"),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        allocate::bytes(&self.versions[..])
    }

    #[inline]
    fn stripe(&self, f: Fingerprint) -> &AtomicU64 {
        &self.versions[usize::from(f.bits()) % STRIPES]
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
        self.bumps_since(f, before) == 0
    }

    /// The bumps since the version was read, under the same condition.
    #[inline]
    pub(crate) fn bumps_since(&self, f: Fingerprint, before: Version) -> u64 {
        // Relaxed: the caller's loads of the words pair with the exchange that cleared or committed; the bump
        // came before that, so a reader that saw the effect cannot read an older version here.
        let now = self.stripe(f).load(Ordering::Relaxed);
        now.wrapping_sub(before.0)
    }

    /// Tells readers under way that a token of this stripe may be seen in neither place.
    #[inline]
    pub(crate) fn bump(&self, f: Fingerprint) {
        // Release: pairs with the Acquire of `version`.
        self.stripe(f).fetch_add(1, Ordering::Release);
    }
}
