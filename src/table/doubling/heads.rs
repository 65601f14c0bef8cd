//! What lookups would compute again and again for each head.

use super::class::offset;
use crate::layout::Fingerprint;
use crate::layout::prefix::{HEADS, Head, TAIL_BITS};

/// A hash without so many bits at the end, less one for each level, begins with the place of a bucket, and the ten bits
/// behind it: two bits of 0 are in front.
pub(super) const SHIFT_OF_LEVEL_0: u32 = u64::BITS + 1 - TAIL_BITS;

/// Of one head. In fields of their own, because each is loaded in less time than it is taken out of another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfHead {
    /// The bits by which the places of the two buckets of an item differ, in the order of the hash.
    offset: u64,
    head: Head,
    fingerprint: Fingerprint,
}

/// By the number of the head.
const ALL: [OfHead; HEADS] = {
    let mut number = 0;
    let head = Head::of_hash(0);
    let mut all = [OfHead {
        offset: 0,
        head,
        fingerprint: head.fingerprint(),
    }; HEADS];
    while number < HEADS {
        let head = Head::of_hash((number as u64) << TAIL_BITS);
        all[number] = OfHead {
            offset: offset(head) >> (63 - SHIFT_OF_LEVEL_0),
            head,
            fingerprint: head.fingerprint(),
        };
        number += 1;
    }
    all
};

impl OfHead {
    #[inline]
    pub(super) fn of_hash(hash: u64) -> &'static Self {
        &ALL[(hash >> TAIL_BITS) as usize % HEADS]
    }

    /// The bits by which the places of the two buckets of an item differ, at the level whose places are in front of so many
    /// bits of the hash, and ten. Only the last six bits of `shift` count.
    #[inline]
    pub(super) fn offset(&self, shift: u32) -> u64 {
        self.offset.wrapping_shr(shift)
    }

    /// As [`Head::lane`].
    #[inline]
    pub(super) fn lane(&self, next: u16) -> u16 {
        self.head.lane(next)
    }

    /// What names the stripe of the item.
    #[inline]
    pub(super) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::doubling::Class;
    use crate::table::doubling::DEEPEST;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_what_the_class_says(hash: u64, level in 1..=DEEPEST) {
            let (of_head, class) = (OfHead::of_hash(hash), Class::of_hash(hash));
            let difference = class.first.bucket(level) ^ class.second.bucket(level);
            for unused in [0, 7 << 6] {
                let shift = unused | (SHIFT_OF_LEVEL_0 - level);
                prop_assert_eq!(of_head.offset(shift), difference as u64);
            }
            let next = class.first.behind(level);
            prop_assert_eq!(of_head.lane(next), class.head.lane(next));
            prop_assert_eq!(of_head.fingerprint(), class.head.fingerprint());
        }
    }
}
