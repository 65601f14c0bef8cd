//! References: the words that are no bucket, and name a use of a descriptor.
//!
//! Their values are those that the buckets of a layout leave free:
//!
//! ```text
//! lanes that fill the word   | top lane 0    | index + 1 : 10 | sequence |     not 0
//! lanes with spare bits      | 1 | index + 1 : 10 | sequence             |     the tag is the top bit
//! semi-sorted                | the first word whose number no list has, and more by | index + 1 : 10 | sequence |
//! ```
//!
//! | layout | bits of a reference | of its sequence |
//! |---|---|---|
//! | 8 x 8 | 56 | 46 |
//! | 4 x 16 | 48 | 38 |
//! | 6 x 10, 5 x 12, 3 x 21, 2 x 31 | 63 | 53 |
//! | 4 x 17, 5 x 14 semi-sorted | 59 | 49 |
//! | 6 x 12 semi-sorted | 61 | 51 |
//!
//! A full word is a bucket, or a reference if its top lane is 0. With spare bits there are words
//! that are neither, and in semi-sorted layouts too: lists that are not in order.

use crate::layout::{Encoding, Layout};

/// The bits for the number of a descriptor, which is stored with 1 added.
const INDEX_BITS: u32 = 10;

const TAG: u64 = 1 << (u64::BITS - 1);

impl Layout {
    /// Returns the number that is added to the bits of each reference, the lowest reference but
    /// one.
    const fn base(self) -> u64 {
        match self.encoding {
            Encoding::SemiSorted => self.first_without_list(),
            Encoding::Plain if self.spare_bits() > 0 => TAG,
            Encoding::Plain => 0,
        }
    }

    /// Returns the number of bits of a word in which references differ.
    #[must_use]
    pub const fn reference_bits(self) -> u32 {
        match self.base() {
            0 => u64::BITS - self.token_bits(),
            base => base.wrapping_neg().ilog2(),
        }
    }

    /// Returns the number of bits of the number of a use in a reference.
    #[must_use]
    pub const fn sequence_bits(self) -> u32 {
        self.reference_bits() - INDEX_BITS
    }

    /// Whether a word names a descriptor.
    #[inline]
    #[must_use]
    pub const fn is_reference(self, word: u64) -> bool {
        match self.base() {
            0 => word != 0 && word >> self.reference_bits() == 0,
            base => word >= base,
        }
    }

    /// Whether both words are surely buckets: the quick test of the fast paths. If lanes fill the
    /// word, it rejects one bucket, that with a 1 in its top lane and no other token.
    #[inline]
    #[must_use]
    pub fn surely_buckets(self, a: u64, b: u64) -> bool {
        match self.base() {
            0 => a.wrapping_sub(1).min(b.wrapping_sub(1)) >> self.reference_bits() != 0,
            base => a < base && b < base,
        }
    }

    /// Returns the reference to a use of a descriptor.
    #[inline]
    #[must_use]
    pub const fn reference(self, descriptor: usize, uses: u64) -> u64 {
        let sequence = uses & ((1 << self.sequence_bits()) - 1);
        self.base() + ((descriptor as u64 + 1) << self.sequence_bits() | sequence)
    }

    /// Returns the descriptor and the use that a reference names.
    #[inline]
    #[must_use]
    pub const fn named(self, reference: u64) -> (usize, u64) {
        let bits = reference - self.base();
        let sequence = bits & ((1 << self.sequence_bits()) - 1);
        ((bits >> self.sequence_bits()) as usize - 1, sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mix;

    /// The last descriptor that the bits can name.
    const LAST: usize = (1 << INDEX_BITS) - 2;

    fn some_references(layout: Layout) -> impl Iterator<Item = u64> {
        let last = (1 << layout.sequence_bits()) - 1;
        [0, 1, LAST].into_iter().flat_map(move |descriptor| {
            [0, 1, last - 1, last].map(|uses| layout.reference(descriptor, uses))
        })
    }

    /// Returns buckets of one fingerprint and of several, with small ones and large ones at the
    /// top.
    fn some_buckets(layout: Layout) -> impl Iterator<Item = u64> {
        let largest = *layout.fingerprints().end();
        let mixed = (0..1_000).map(move |salt| {
            let lengths = 0..mix(salt) as usize % (layout.slots + 1);
            lengths.fold(0, |bucket, at| {
                let f = layout.fingerprint(mix(salt << 8 | at as u64));
                layout.with(bucket, f).expect("room")
            })
        });
        let ones = [1, 2, largest].into_iter();
        let piles = ones.flat_map(move |f| {
            let mut bucket = 0;
            (0..layout.slots).map(move |_| {
                bucket = layout.with(bucket, f).expect("room");
                bucket
            })
        });
        mixed.chain(piles)
    }

    #[test]
    fn the_numbers_match_the_documented_table() {
        let bits = Layout::EVERY.map(|layout| (layout.reference_bits(), layout.sequence_bits()));
        let tagged = (63, 53);
        let plain = [(48, 38), (56, 46), tagged, tagged, tagged, tagged];
        assert_eq!(bits[..6], plain);
        assert_eq!(bits[6..], [(59, 49), (59, 49), (61, 51)]);
        let layout = Layout::DEFAULT;
        assert_eq!(layout.reference(0, 0), 1 << 38);
        assert_eq!(layout.reference(LAST, (1 << 38) - 1), (1 << 48) - 1);
    }

    #[test]
    fn a_reference_names_its_descriptor_and_use() {
        for layout in Layout::EVERY {
            let past = 1 << layout.sequence_bits();
            for descriptor in [0, 1, 517, LAST] {
                for uses in [0, 1, past - 1] {
                    let reference = layout.reference(descriptor, uses);
                    assert_eq!(layout.named(reference), (descriptor, uses), "{layout:?}");
                }
                // The sequence wraps.
                let (_, uses) = layout.named(layout.reference(descriptor, past + 7));
                assert_eq!(uses, 7, "{layout:?}");
            }
        }
    }

    /// No reference is a bucket and no bucket a reference. The quick test rejects one bucket of
    /// those that fill the word.
    #[test]
    fn references_are_no_buckets() {
        for layout in Layout::EVERY {
            let doubtful = (layout.base() == 0).then(|| 1 << layout.reference_bits());
            for word in some_references(layout) {
                assert!(layout.is_reference(word), "{layout:?}: {word:x}");
                assert!(!layout.is_packed(word), "{layout:?}: {word:x}");
            }
            for bucket in some_buckets(layout).chain([0]) {
                assert!(layout.is_packed(bucket), "{layout:?}: {bucket:x}");
                assert!(!layout.is_reference(bucket), "{layout:?}: {bucket:x}");
                let trusted = Some(bucket) != doubtful;
                for (word, surely_buckets) in some_references(layout)
                    .map(|word| (word, false))
                    .chain([(0, trusted)])
                {
                    let both = [
                        layout.surely_buckets(bucket, word),
                        layout.surely_buckets(word, bucket),
                    ];
                    assert_eq!(both, [surely_buckets; 2], "{layout:?}: {bucket:x} {word:x}");
                }
            }
        }
    }

    /// Full words have no spare bits: a word with an empty top lane and a non-zero rest is a
    /// reference.
    #[test]
    fn empty_top_lane_of_full_word() {
        let full = |layout: &Layout| layout.base() == 0;
        for layout in Layout::EVERY.into_iter().filter(full) {
            for word in (0..1_000).map(|salt| mix(salt) >> layout.fingerprint_bits) {
                assert!(layout.is_reference(word) && !layout.is_packed(word));
            }
        }
    }
}
