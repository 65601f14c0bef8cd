//! The layouts of the words of the machine. What a word says is the matter of the [`model`];
//! [`conformance`](crate::conformance) compares the words that come out with those of the crate.

use model::{Fingerprint, Layout};

/// Those that programs made by chance have: half the slots are more of the protocol for the same states, and a
/// semi-sorted bucket has its tokens in another order.
pub const EXPLORED: [Layout; 3] = [Layout::DEFAULT, Layout::of(2, 31), Layout::of(4, 17)];

/// Those that such programs have if tokens carry values.
pub const VALUED: [Layout; 2] = [Layout::VALUED[0], Layout::VALUED[2]];

/// What a lookup weighs against the bumps that it saw. At 16 bits two for each slot that holds `f`, first those of the
/// first bucket, from the lowest lane up, then those of the second. Of other layouts only how large it is counts: more
/// than any number of bumps that there could be meanwhile, or too little for two.
pub fn weight(layout: Layout, f: Fingerprint, first: u64, second: u64) -> u64 {
    let slots = |bucket| layout.lanes(bucket).into_iter().take(layout.slots);
    let slots = slots(second).chain(slots(first));
    let slots = slots.map(|token| u64::from(layout.fingerprint_of(token) == f));
    match (layout.slots, layout.token_bits()) {
        (4, 16) => slots.fold(0, |mask, equal| mask << 2 | equal << 1 | equal),
        (8, 8) | (4, 17) | (5, 14) | (6, 12) => slots.fold(0, |mask, equal| mask << 1 | equal) << 2,
        _ => slots.fold(0, |mask, equal| mask | equal << 9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slot_has_its_bits() {
        let weight = |f, first, second| weight(Layout::DEFAULT, f, first, second);
        let bucket = 0x0007_0008_0007_0000;
        assert_eq!(weight(7, 0, bucket), 0b1100_1100 << 8);
        assert_eq!(weight(8, bucket, bucket), 0b0011_0000 << 8 | 0b0011_0000);
        assert_eq!(weight(9, bucket, bucket), 0);
    }

    #[test]
    fn a_hit_weighs_more_than_a_bump_in_every_layout() {
        for layout in Layout::EVERY.into_iter().chain(Layout::VALUED) {
            let bucket = layout.with(0, 7).expect("room");
            assert!(weight(layout, 7, bucket, 0) >= 3 && weight(layout, 7, 0, bucket) >= 3);
            assert_eq!(weight(layout, 8, bucket, bucket), 0);
        }
    }
}
