//! Semi-sorted buckets (Fan et al. 2014, section 5.2): a sorted list needs fewer bits.
//!
//! ```text
//! | number of the list of nibbles | low part of the largest | .. | low part of the smallest |
//! ```
//!
//! The nibble of a fingerprint is its highest four bits, the low part is the rest. The ordered
//! lists of nibbles are numbered from 0 up in lexicographic order, the largest nibble first. A
//! vacant slot is 0, the smallest. A word with a larger number than any list is a reference.

use std::sync::LazyLock;

use crate::bucket::Lanes;
use crate::layout::{Encoding, Fingerprint, Layout};

/// The bits of a nibble.
const NIBBLE: u32 = 4;

/// The ordered lists of zero to six nibbles. The smallest nibble is in the lowest bits, so that the
/// order is that of the integers.
static LISTS: LazyLock<[Vec<u32>; 7]> = LazyLock::new(|| {
    let mut lists: [Vec<u32>; 7] = Default::default();
    lists[0] = vec![0];
    for length in 1..lists.len() {
        let place = NIBBLE * (length as u32 - 1);
        let below = NIBBLE * (length as u32).saturating_sub(2);
        for largest in 0..1 << NIBBLE {
            let shorter = lists[length - 1].clone();
            let fits = shorter.into_iter().filter(|list| list >> below <= largest);
            lists[length].extend(fits.map(|list| largest << place | list));
        }
    }
    lists
});

impl Layout {
    /// Returns a layout of sorted fingerprints whose nibbles are stored together.
    ///
    /// # Panics
    ///
    /// If they do not fill a word.
    #[must_use]
    pub const fn semi_sorted(slots: usize, fingerprint_bits: u32) -> Self {
        let layout = Self {
            slots,
            fingerprint_bits,
            value_bits: 0,
            encoding: Encoding::SemiSorted,
        };
        assert!(
            layout.number_of_lists().ilog2() + 1 + layout.low_bits() * slots as u32 == u64::BITS,
            "the number and the low parts fill a word"
        );
        layout
    }

    /// Returns the documented number of lists.
    const fn number_of_lists(self) -> u64 {
        match self.slots {
            4 => 3_876,
            5 => 15_504,
            6 => 54_264,
            _ => panic!("semi-sorted buckets have four to six slots"),
        }
    }

    const fn low_bits(self) -> u32 {
        self.fingerprint_bits - NIBBLE
    }

    /// Returns the first word whose number is no list.
    pub(crate) const fn first_without_list(self) -> u64 {
        self.number_of_lists() << (self.slots as u32 * self.low_bits())
    }

    /// Returns the fingerprints of a word, the largest first, as if it were in order. A word
    /// without a list has none.
    pub(crate) fn sorted_lanes(self, word: u64) -> Lanes {
        let mut lanes = [0; Self::MOST_SLOTS];
        let low = self.low_bits();
        let number = (word >> (self.slots as u32 * low)) as usize;
        let Some(list) = LISTS[self.slots].get(number) else {
            return lanes;
        };
        for (slot, lane) in lanes[..self.slots].iter_mut().enumerate() {
            let from_below = (self.slots - 1 - slot) as u32;
            let nibble = list >> (from_below * NIBBLE) & 15;
            let rest = (word >> (from_below * low)) as Fingerprint & ((1 << low) - 1);
            *lane = nibble << low | rest;
        }
        lanes
    }

    /// Returns the word of these fingerprints, which may be in any order.
    pub(crate) fn sorted_word(self, mut lanes: Lanes) -> u64 {
        let low = self.low_bits();
        let lanes = &mut lanes[..self.slots];
        lanes.sort_unstable_by(|a, b| b.cmp(a));
        let list = lanes.iter().fold(0, |list, f| list << NIBBLE | f >> low);
        let number = LISTS[self.slots].binary_search(&list);
        let number = number.expect("a sorted list") as u64;
        lanes.iter().fold(number, |word, f| {
            word << low | u64::from(f & ((1 << low) - 1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_lists_as_documented() {
        let counted = [4, 5, 6].map(|slots| LISTS[slots].len());
        assert_eq!(counted, [3_876, 15_504, 54_264]);
        assert!(LISTS.iter().all(|lists| lists.is_sorted()));
    }

    /// Computed by hand: the list 0, 0, 0, n has the number C(n + 3, 4), and 0x12345 is the nibble
    /// 9 and 0x345.
    #[test]
    fn words_by_hand() {
        let layout = Layout::of(4, 17);
        assert_eq!(layout.with(0, 0x1_2345), Some(495 << 52 | 0x345 << 39));
        let two = layout.with(0, 7).and_then(|bucket| layout.with(bucket, 9));
        assert_eq!(two, Some(9 << 39 | 7 << 26));
        let full = [0x1_ffff; 4].iter().try_fold(0, |b, &f| layout.with(b, f));
        assert_eq!(full, Some(layout.first_without_list() - 1));
    }

    #[test]
    fn a_list_out_of_order_is_no_bucket() {
        for layout in [Layout::of(4, 17), Layout::of(5, 14), Layout::of(6, 12)] {
            let low = layout.low_bits();
            let (up, down) = (1 << low | 2, 2 << low | 1);
            assert!(
                !layout.is_packed(up) && !layout.is_packed(down),
                "vacant slots come last"
            );
            let top = low * (layout.slots as u32 - 2);
            assert!(
                !layout.is_packed(up << top),
                "equal nibbles are in the order of their low parts"
            );
            assert!(layout.is_packed(down << top));
            assert!(!layout.is_packed(layout.first_without_list()));
        }
    }
}
