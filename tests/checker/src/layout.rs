//! The layout of the words of the machine. What a word says is the matter of the [`model`];
//! [`conformance`](crate::conformance) compares the words that come out with those of the crate.

use model::{Fingerprint, Layout};

/// That of the crate.
pub const LAYOUT: Layout = Layout::DEFAULT;

/// Slots of a bucket.
pub const SLOTS: usize = LAYOUT.slots;

/// What a lookup weighs against the bumps that it saw: two bits for each slot that holds `f`, first those of the
/// first bucket, from the lowest lane up, then those of the second.
pub fn weight(f: Fingerprint, first: u64, second: u64) -> u64 {
    let slots = |bucket| LAYOUT.lanes(bucket).into_iter().take(SLOTS);
    slots(second)
        .chain(slots(first))
        .fold(0, |mask, lane| mask << 2 | if lane == f { 0b11 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slot_has_its_bits() {
        let bucket = 0x0007_0008_0007_0000;
        assert_eq!(weight(7, 0, bucket), 0b1100_1100 << 8);
        assert_eq!(weight(8, bucket, bucket), 0b0011_0000 << 8 | 0b0011_0000);
        assert_eq!(weight(9, bucket, bucket), 0);
    }
}
