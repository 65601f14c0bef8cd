//! A bucket as a list of fingerprints, and as a word.
//!
//! Semi-sorted, the list is in order, the largest fingerprint first. Otherwise slots fill from the top lane down and stay packed: whoever takes a fingerprint out moves those below it up. So
//! the empty bucket is 0, and a bucket has room if its lowest lane is 0. Of equal fingerprints the lowest is taken.

use crate::layout::{Encoding, Fingerprint, Layout};

/// The lanes of a word from the top lane down, vacant ones too. What is beyond the slots of the layout is 0.
pub type Lanes = [Fingerprint; Layout::MOST_SLOTS];

impl Layout {
    /// A word, taken apart.
    #[inline]
    #[must_use]
    pub fn lanes(self, word: u64) -> Lanes {
        if self.encoding == Encoding::SemiSorted {
            return self.sorted_lanes(word);
        }
        let mut lanes = [0; Self::MOST_SLOTS];
        for (slot, lane) in lanes[..self.slots].iter_mut().enumerate() {
            let shift = (self.slots - 1 - slot) as u32 * self.fingerprint_bits;
            *lane = (word >> shift) as Fingerprint & *self.fingerprints().end();
        }
        lanes
    }

    /// A word, put together.
    #[inline]
    #[must_use]
    pub fn word(self, lanes: Lanes) -> u64 {
        if self.encoding == Encoding::SemiSorted {
            return self.sorted_word(lanes);
        }
        lanes[..self.slots].iter().fold(0, |word, &lane| {
            word << self.fingerprint_bits | u64::from(lane)
        })
    }

    /// The fingerprints of a bucket, from the top lane down.
    #[inline]
    pub fn tokens(self, bucket: u64) -> impl Iterator<Item = Fingerprint> {
        let lanes = self.lanes(bucket).into_iter();
        lanes.take_while(|&lane| lane != 0)
    }

    /// The fingerprint in a slot, counted from the top lane down.
    #[inline]
    #[must_use]
    pub fn occupant(self, bucket: u64, slot: usize) -> Option<Fingerprint> {
        Some(self.lanes(bucket)[slot]).filter(|&f| f != 0)
    }

    /// How many copies of `f` a bucket holds.
    #[inline]
    #[must_use]
    pub fn count(self, bucket: u64, f: Fingerprint) -> usize {
        self.tokens(bucket).filter(|&other| other == f).count()
    }

    /// Whether a bucket holds `f`.
    #[inline]
    #[must_use]
    pub fn contains(self, bucket: u64, f: Fingerprint) -> bool {
        self.tokens(bucket).any(|other| other == f)
    }

    /// Vacant slots of a bucket.
    #[inline]
    #[must_use]
    pub fn vacancies(self, bucket: u64) -> usize {
        self.slots - self.tokens(bucket).count()
    }

    /// Whether a bucket has a vacant slot.
    #[inline]
    #[must_use]
    pub fn has_room(self, bucket: u64) -> bool {
        self.lanes(bucket)[self.slots - 1] == 0
    }

    /// A bucket with `f` added, if there is room.
    #[inline]
    #[must_use]
    pub fn with(self, bucket: u64, f: Fingerprint) -> Option<u64> {
        let mut lanes = self.lanes(bucket);
        let slots = &mut lanes[..self.slots];
        *slots.iter_mut().find(|lane| **lane == 0)? = f;
        Some(self.word(lanes))
    }

    /// A bucket without its lowest copy of `f`, if it has one.
    #[inline]
    #[must_use]
    pub fn without(self, bucket: u64, f: Fingerprint) -> Option<u64> {
        let mut lanes = self.lanes(bucket);
        let slots = &mut lanes[..self.slots];
        let slot = slots.iter().rposition(|&lane| lane == f)?;
        slots.copy_within(slot + 1.., slot);
        slots[self.slots - 1] = 0;
        Some(self.word(lanes))
    }

    /// A bucket with its lowest copy of `old` replaced, if it has one.
    #[inline]
    #[must_use]
    pub fn replacing(self, bucket: u64, old: Fingerprint, new: Fingerprint) -> Option<u64> {
        let mut lanes = self.lanes(bucket);
        let slots = &mut lanes[..self.slots];
        let slot = slots.iter().rposition(|&lane| lane == old)?;
        slots[slot] = new;
        Some(self.word(lanes))
    }

    /// Whether a word is a bucket: no vacant lane above one that is taken, and nothing in the spare bits.
    #[inline]
    #[must_use]
    pub fn is_packed(self, word: u64) -> bool {
        let lanes = self.lanes(word);
        lanes.is_sorted_by_key(|&lane| lane == 0) && self.word(lanes) == word
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix;

    #[test]
    fn a_bucket_fills_from_the_top() {
        let layout = Layout::DEFAULT;
        let three = [7, 8, 7].iter().try_fold(0, |b, &f| layout.with(b, f));
        assert_eq!(three, Some(0x0007_0008_0007_0000));
        let bucket = 0x0007_0008_0007_0000;
        assert_eq!(layout.without(bucket, 7), Some(0x0007_0008_0000_0000));
        assert_eq!(layout.without(bucket, 8), Some(0x0007_0007_0000_0000));
        assert_eq!(layout.replacing(bucket, 7, 9), Some(0x0007_0008_0009_0000));
        assert_eq!((layout.count(bucket, 7), layout.vacancies(bucket)), (2, 1));
    }

    #[test]
    fn lanes_lie_below_the_spare_bits() {
        let eight = Layout::of_lanes(8, 8);
        assert_eq!(eight.with(0, 0xab), Some(0xab << 56));
        let two = Layout::of_lanes(2, 31);
        let (f, g) = (0x7654_3210, 0x7fff_ffff);
        let full = two.with(0, f).and_then(|bucket| two.with(bucket, g));
        assert_eq!(full, Some(0x7654_3210 << 31 | 0x7fff_ffff));
        assert!(two.is_packed(0x7fff_ffff << 31));
    }

    #[test]
    fn what_is_not_packed_is_no_bucket() {
        for layout in Layout::EVERY {
            let top = layout.with(0, 1).expect("room");
            assert!(layout.is_packed(0) && layout.is_packed(top));
            assert!(!layout.is_packed(1), "only the lowest lane is taken");
            for bit in u64::BITS - layout.spare_bits()..u64::BITS {
                assert!(!layout.is_packed(top | 1 << bit), "spare bit {bit}");
            }
        }
    }

    /// Beside a list, over few fingerprints, so that equal ones are common.
    #[test]
    fn a_bucket_behaves_like_a_list() {
        for layout in Layout::EVERY {
            let largest = *layout.fingerprints().end();
            let some = [1, 2, largest / 2, largest - 1, largest];
            let (mut bucket, mut list) = (0, Vec::new());
            for step in 0..5_000 {
                let random = mix(step);
                let [f, g] = [8, 16].map(|at| some[(random >> at) as usize % some.len()]);
                let last = list.iter().rposition(|&other| other == f);
                let changed = match random % 4 {
                    0 | 1 => layout.with(bucket, f),
                    2 => layout.without(bucket, f),
                    _ => layout.replacing(bucket, f, g),
                };
                let possible = match random % 4 {
                    0 | 1 => list.len() < layout.slots,
                    _ => last.is_some(),
                };
                assert_eq!(changed.is_some(), possible, "{layout:?}: {list:?}");
                match (random % 4, last) {
                    (0 | 1, _) if possible => list.push(f),
                    (2, Some(at)) => _ = list.remove(at),
                    (3, Some(at)) => list[at] = g,
                    _ => {}
                }
                if layout.encoding == Encoding::SemiSorted {
                    list.sort_unstable_by(|a, b| b.cmp(a));
                }
                bucket = changed.unwrap_or(bucket);
                assert_eq!(layout.tokens(bucket).collect::<Vec<_>>(), list);
                assert!(layout.is_packed(bucket));
                assert_eq!(layout.has_room(bucket), list.len() < layout.slots);
                assert_eq!(layout.vacancies(bucket), layout.slots - list.len());
                assert_eq!(layout.contains(bucket, f), list.contains(&f));
                let copies = list.iter().filter(|&&other| other == g).count();
                assert_eq!(layout.count(bucket, g), copies);
                for slot in 0..layout.slots {
                    let occupant = layout.occupant(bucket, slot);
                    assert_eq!(occupant, list.get(slot).copied());
                }
            }
        }
    }
}
