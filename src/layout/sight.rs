//! What one look at two words tells: whether what was looked for is there, and whether that can be relied on.

/// A bit for each of eight lanes that is looked for, those of the first word lowest, and above them one for each lane that
/// is as that of a word which may be no bucket: the top lanes count. So one comparison of vectors gives both answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight(u32);

const FOUND: u32 = 0x00ff;

const UNSURE: u32 = 0x8800;

impl Sight {
    /// As a comparison of vectors gives it.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[inline]
    pub(super) fn of_mask(mask: u32) -> Self {
        Self(mask)
    }

    /// Of words of which one may be no bucket.
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

    /// Whether one of them has what was looked for, if it is sure.
    #[inline]
    pub(crate) fn found(self) -> bool {
        self.0 & FOUND != 0
    }
}
