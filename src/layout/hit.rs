//! Whether one of two buckets holds a fingerprint: what a lookup asks.

use super::{Bucket, Fingerprint, Layout};

/// Whether one of two buckets holds a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit(u64);

impl Hit {
    #[inline]
    pub(crate) fn of<L: Layout>(f: Fingerprint, first: Bucket<L>, second: Bucket<L>) -> Self {
        Self(L::weight(f.bits(), first.bits(), second.bits()))
    }

    #[inline]
    pub(crate) fn is_one(self) -> bool {
        self.0 != 0
    }

    /// 0 if it is none, else at least 3: more than a bump of a version with the scan bit.
    #[inline]
    pub(crate) fn weight(self) -> u64 {
        self.0
    }
}
