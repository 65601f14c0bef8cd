//! The fingerprint: the 16 bits of an item that are stored.

/// Sixteen bits of an item's hash, never 0: 0 is a vacant slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(u16);

impl Fingerprint {
    /// Number of values a fingerprint takes.
    pub(crate) const VALUES: u32 = u16::MAX as u32;

    /// The fingerprint of an item: the low 16 bits of its hash, with 1 standing in for 0.
    ///
    /// The bucket index comes from the high bits of the same hash, so the two are independent.
    #[inline]
    pub(crate) fn of_hash(hash: u64) -> Self {
        // An add with carry, where the maximum of the two would need a constant and a move.
        let one_for_zero = u64::from(hash as u16 == 0);
        Self((hash + one_for_zero) as u16)
    }

    /// The fingerprint with these bits, or `None` for a vacant slot.
    #[inline]
    pub(crate) fn from_bits(bits: u16) -> Option<Self> {
        (bits != 0).then_some(Self(bits))
    }

    #[inline]
    pub(crate) fn bits(self) -> u16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_never_a_fingerprint() {
        assert_eq!(Fingerprint::from_bits(0), None);
        assert_eq!(Fingerprint::of_hash(0xabcd_0000).bits(), 1);
        assert_eq!(Fingerprint::of_hash(0xabcd_ffff).bits(), 0xffff);
    }
}
