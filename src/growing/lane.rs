//! A lane: the 16 bits of a token in a word, and the comparison of all lanes of two words at once.
//!
//! ```text
//! where the table began   | head : 6 | tail : 10             |
//! deeper                  | head : 6 | tail : t <= 9 | 1 | 0 .. |
//! ```
//!
//! The *mark* is the lowest 1: the tail ends before it. A lane of a table that has not doubled
//! needs none, because its tail is full. Heads are not 0, so neither is a lane.

use crate::kernel::layout::{Fingerprint, Probe};
use crate::kernel::stripes::UNUSED_BITS;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use vector::{covering, probe, probe_each};
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
use words::{covering, probe, probe_each};

/// Whether a bucket is as deep as the table began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    First = 0,
    Deeper = 1,
}

/// The part of a token that never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head(u16);

pub(crate) const HEAD_BITS: u32 = u16::BITS - TAIL_BITS;

/// Heads, and 0, which is none.
pub(crate) const HEADS: usize = 1 << HEAD_BITS;

/// How much more often a token of a growing table matches another than a fingerprint of the same
/// size does. One of 64 heads stands for two values, so two heads agree with a probability of
/// 66/64², and not of 1/64.
pub(crate) const HEADS_AGREE: f64 = 66.0 / 64.0;

/// Bits of a tail at the level where the table began, and so the number of possible doublings.
pub(crate) const TAIL_BITS: u32 = 10;

/// The head in a fingerprint is above the bits that select no stripe.
const BEHIND_FINGERPRINT: u32 = TAIL_BITS - UNUSED_BITS;

const TAIL: u16 = (1 << TAIL_BITS) - 1;
const MARK: u16 = 1;

impl Head {
    /// Bits 15 to 10 of a hash, with 1 standing in for 0.
    #[inline]
    pub(crate) const fn of_hash(hash: u64) -> Self {
        let bits = hash as u16 & !TAIL;
        Self(bits | ((bits == 0) as u16) << TAIL_BITS)
    }

    #[inline]
    pub(crate) fn of_lane(lane: u16) -> Self {
        Self(lane & !TAIL)
    }

    /// In the place where lanes have it.
    #[inline]
    pub(crate) const fn bits(self) -> u16 {
        self.0
    }

    /// The lane of an item with this head and these next ten index bits, without the mark. At the
    /// first level it is the lane of a new token. At deeper levels the mark takes the last bit,
    /// which a search for tokens that cover the item does not need.
    #[inline]
    pub(crate) fn lane(self, next: u16) -> u16 {
        self.0 | next & TAIL
    }

    /// Selects the stripe of all tokens that have this head.
    #[inline]
    pub(crate) const fn fingerprint(self) -> Fingerprint {
        Fingerprint::of_bits_that_are_not_0((self.0 >> BEHIND_FINGERPRINT) as u32)
    }

    /// The head that a fingerprint stands for.
    pub(crate) fn of_fingerprint(f: Fingerprint) -> Self {
        Self((f.bits() as u16) << BEHIND_FINGERPRINT)
    }
}

impl Depth {
    /// The lane of a new token, of which the next ten index bits are these.
    #[inline]
    pub(crate) fn lane(self, head: Head, next: u16) -> u16 {
        head.lane(next) | self.mark()
    }

    /// The lane of a token with a tail of this many bits. Where the table began all tails are full.
    pub(crate) fn lane_of(self, head: Head, next: u16, tail: u32) -> u16 {
        // What is behind the tail: nothing, or the mark and zeros.
        let behind: u16 = match self {
            Self::First => 1,
            Self::Deeper => 1 << (TAIL_BITS - tail),
        };
        head.bits() | next & TAIL & behind.wrapping_neg() | behind >> 1
    }

    /// Without a branch, because lookups and removes have none to spare.
    #[inline]
    fn mark(self) -> u16 {
        self as u16 * MARK
    }

    /// Bits of the tail of a new token.
    #[inline]
    pub(crate) const fn full_tail(self) -> u32 {
        match self {
            Self::First => TAIL_BITS,
            Self::Deeper => TAIL_BITS - 1,
        }
    }

    /// Bits of the tail of a lane that is not 0.
    #[inline]
    pub(crate) fn tail(self, lane: u16) -> u32 {
        match self {
            Self::First => TAIL_BITS,
            Self::Deeper => (TAIL_BITS - 1).saturating_sub(lane.trailing_zeros()),
        }
    }

    /// The first bit of the tail, and the lane without it. The tail must have a bit.
    #[inline]
    pub(crate) fn split(self, lane: u16) -> (bool, u16) {
        let mark = match self {
            Self::First => MARK,
            Self::Deeper => 0,
        };
        let bit = lane >> (TAIL_BITS - 1) & 1 == 1;
        (bit, lane & !TAIL | lane << 1 & TAIL | mark)
    }

    /// Two bits for each of the eight lanes of two words that covers the item whose full lane is
    /// `wanted`, those of the first lowest.
    #[inline]
    pub(crate) fn covering(self, wanted: u16, first: u64, second: u64) -> u32 {
        Marks::of(self).covering(wanted, first, second)
    }
}

/// The mark of a depth in each of eight lanes, or nothing. In memory, because the instructions that
/// spread a lane are scarce.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(crate) struct Marks([u16; 8]);

impl Marks {
    #[inline]
    pub(crate) const fn of(depth: Depth) -> Self {
        Self([depth as u16 * MARK; 8])
    }

    /// The lane of a new token, if this is that [without the mark](Head::lane).
    #[inline]
    pub(crate) fn full(&self, lane: u16) -> u16 {
        lane | self.0[0]
    }

    /// Whether a lane has as long a tail as a new one.
    #[inline]
    pub(crate) fn is_full(&self, lane: u16) -> bool {
        lane & self.0[0] == self.0[0]
    }

    /// As [`Depth::covering`]; of the wanted lane, the mark need not be there.
    #[inline]
    pub(crate) fn covering(&self, wanted: u16, first: u64, second: u64) -> u32 {
        covering(self, wanted, 0, first, second)
    }

    /// Probes two words of this depth for an item, of which this is the lane there, [with the
    /// mark](Self::full) or without.
    #[inline]
    pub(crate) fn probe(&self, wanted: u16, first: u64, second: u64) -> Probe {
        probe(self, wanted, first, second)
    }

    /// Probes words that are not of one depth, with the lane of the item in each.
    #[inline]
    pub(crate) fn probe_each(wanted: [(&Self, u16); 2], words: [u64; 2]) -> Probe {
        probe_each(wanted, words)
    }

    /// Two bits for each lane of a word that covers what `lane` covers, or of which `lane` covers
    /// what it covers. The word is a bucket of this depth, and the lane is in one that has the same
    /// number, or is the other one of an item.
    #[inline]
    pub(crate) fn nested(&self, lane: u16, word: u64) -> u32 {
        let ignored = lane ^ lane.wrapping_sub(self.0[0]);
        covering(self, lane, ignored, word, 0)
    }
}

/// A token `t` covers an item with the lane `x` if they agree above the lowest 1 of `t`, the mark.
/// Bits of `x` that are unknown agree with all.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[allow(unsafe_code, reason = "the intrinsics are unsafe to call")]
mod vector {
    use core::arch::x86_64 as x86;

    use crate::growing::lane::Marks;
    use crate::kernel::layout::Probe;
    use crate::kernel::layout::compare::simd::{
        Vector, equal_lanes_8, equal_lanes_16, mask, packed, pair,
    };

    #[inline]
    fn all(lane: u16) -> Vector {
        // SAFETY: the instructions are SSE2, which the code is compiled for, and touch no memory.
        unsafe { x86::_mm_set1_epi16(lane as i16) }
    }

    #[inline]
    fn marks(marks: &Marks) -> Vector {
        // SAFETY: as above, but for the load: of all 16 bytes of an array that is aligned to them,
        // as its type says.
        unsafe { x86::_mm_load_si128(marks.0.as_ptr().cast()) }
    }

    /// 0 in each lane that covers the wanted one.
    #[inline]
    fn different(tokens: Vector, marks: Vector, wanted: Vector) -> Vector {
        // SAFETY: as above.
        unsafe {
            // Saturated, so that a vacant lane ignores nothing, and covers nothing. Where there are
            // no marks, no lane ignores anything.
            let ignored = x86::_mm_xor_si128(tokens, x86::_mm_subs_epu16(tokens, marks));
            x86::_mm_andnot_si128(ignored, x86::_mm_xor_si128(tokens, wanted))
        }
    }

    #[inline]
    pub(crate) fn covering(of: &Marks, wanted: u16, unknown: u16, first: u64, second: u64) -> u32 {
        let different = different(pair(first, second), marks(of), all(wanted));
        // SAFETY: as above.
        let different = unsafe { x86::_mm_andnot_si128(all(unknown), different) };
        mask(equal_lanes_16(different, 0))
    }

    #[inline]
    pub(crate) fn probe(of: &Marks, wanted: u16, first: u64, second: u64) -> Probe {
        let tokens = pair(first, second);
        as_probe(different(tokens, marks(of), all(wanted)), tokens)
    }

    #[inline]
    pub(crate) fn probe_each(wanted: [(&Marks, u16); 2], words: [u64; 2]) -> Probe {
        let [(marks_a, a), (marks_b, b)] = wanted;
        let tokens = pair(words[0], words[1]);
        // SAFETY: as above, but for the loads: of the first 8 bytes of arrays of 16.
        let (marks, wanted) = unsafe {
            let spread =
                |lane: u16| x86::_mm_shufflelo_epi16::<0>(x86::_mm_cvtsi32_si128(lane.into()));
            let marks = |marks: &Marks| x86::_mm_loadl_epi64(marks.0.as_ptr().cast());
            (
                x86::_mm_unpacklo_epi64(marks(marks_a), marks(marks_b)),
                x86::_mm_unpacklo_epi64(spread(a), spread(b)),
            )
        };
        as_probe(different(tokens, marks, wanted), tokens)
    }

    /// A lane covers the item if it is not different, and a word is a bucket if its top lane is not
    /// 0.
    #[inline]
    fn as_probe(different: Vector, tokens: Vector) -> Probe {
        Probe::of_mask(mask(equal_lanes_8(packed(different, tokens), 0)))
    }
}

/// The comparisons without vectors.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
mod words {
    use crate::growing::lane::Marks;
    use crate::kernel::layout::Probe;

    const ONE: u64 = 0x0001_0001_0001_0001;
    const TOP: u64 = ONE << 15;

    pub(crate) fn covering(
        marks: &Marks,
        wanted: u16,
        unknown: u16,
        first: u64,
        second: u64,
    ) -> u32 {
        let wanted = u64::from(wanted) * ONE;
        let unknown = u64::from(unknown) * ONE;
        let marks = u64::from(marks.0[0]) * ONE;
        let of = |word: u64| {
            // Each lane less its mark. The top bits keep the borrow within the lane.
            let below = ((word | TOP) - marks) ^ (!word & TOP);
            let different = (word ^ wanted) & !(word ^ below) & !unknown;
            zero_lanes(different) & !zero_lanes(word)
        };
        mask(of(first)) | mask(of(second)) << 8
    }

    pub(crate) fn probe(marks: &Marks, wanted: u16, first: u64, second: u64) -> Probe {
        probe_each([(marks, wanted); 2], [first, second])
    }

    pub(crate) fn probe_each(wanted: [(&Marks, u16); 2], words: [u64; 2]) -> Probe {
        // An unsure answer need not be compared.
        if words[0].min(words[1]) < 1 << 48 {
            return Probe::maybe_reference();
        }
        let [(marks_a, a), (marks_b, b)] = wanted;
        Probe::certain(
            covering(marks_a, a, 0, words[0], 0) | covering(marks_b, b, 0, 0, words[1]) != 0,
        )
    }

    /// The top bit of each lane that is 0, exactly.
    fn zero_lanes(word: u64) -> u64 {
        !(((word & !TOP) + !TOP) | word) & TOP
    }

    /// Two ones for each lane that has its top bit set, side by side.
    fn mask(tops: u64) -> u32 {
        // The four bits, 16 apart, come to be 2 apart in the top byte.
        const GATHER: u64 = 1 << 41 | 1 << 27 | 1 << 13;
        let lanes = (tops >> 15).wrapping_mul(1 << 55 | GATHER) >> 55 & 0x55;
        lanes as u32 * 3
    }
}

#[cfg(test)]
mod tests {
    //! Lanes beside the bit strings that they stand for.

    use super::*;
    use crate::kernel::stripes::Stripes;
    use proptest::prelude::*;

    /// So a hop voids the misses of no other head.
    #[test]
    fn each_head_has_a_stripe_of_its_own() {
        let stripes = Stripes::<HEADS>::new(1, HEAD_BITS).expect("memory");
        let heads = || (1..HEADS as u16).map(|number| Head(number << TAIL_BITS));
        for bumped in heads() {
            let version = |head: Head| (head, stripes.version(head.fingerprint()));
            let versions: Vec<_> = heads().map(version).collect();
            stripes.bump(bumped.fingerprint());
            for (head, version) in versions {
                let is_unchanged = stripes.unchanged(head.fingerprint(), version);
                assert_eq!(is_unchanged, head != bumped, "{head:?}, {bumped:?}");
            }
            assert_eq!(Head::of_fingerprint(bumped.fingerprint()), bumped);
        }
    }

    /// A token as what it means: a head, and the bits of its tail.
    #[derive(Clone, Debug, PartialEq, Eq)]
    struct Token {
        head: u16,
        tail: Vec<bool>,
    }

    /// `0b101` with three bits is true, false, true.
    fn bits(number: u16, count: u32) -> Vec<bool> {
        (0..count).rev().map(|bit| number >> bit & 1 == 1).collect()
    }

    fn decoded(lane: u16, depth: Depth) -> Token {
        let (head, low) = (lane >> 10, bits(lane & 0x3ff, 10));
        let tail = match depth {
            Depth::First => low,
            Depth::Deeper => {
                let mark = low.iter().rposition(|&bit| bit).expect("a mark");
                low[..mark].to_vec()
            }
        };
        Token { head, tail }
    }

    fn head() -> impl Strategy<Value = u16> {
        prop_oneof![1u16..3, 1u16..64]
    }

    /// A lane that a table may hold.
    fn lane(depth: Depth) -> impl Strategy<Value = u16> {
        let low = match depth {
            Depth::First => (0u16..1024).boxed(),
            Depth::Deeper => prop_oneof![1u16..1024, (0u32..10).prop_map(|bit| 1 << bit)].boxed(),
        };
        (head(), low).prop_map(|(head, low)| head << 10 | low)
    }

    fn depth() -> impl Strategy<Value = Depth> {
        prop_oneof![Just(Depth::First), Just(Depth::Deeper)]
    }

    fn word(lanes: [u16; 4]) -> u64 {
        let place = |(at, &lane): (usize, &u16)| u64::from(lane) << (16 * at);
        lanes.iter().enumerate().map(place).sum()
    }

    /// Whether a probe of two words tells that both are buckets, and then, whether a lane covers
    /// the item.
    fn tells(probe: Probe, words: [u64; 2], covering: u32) -> bool {
        let sure = words.into_iter().all(|word| word >> 48 != 0);
        probe.no_reference() == sure && (!sure || probe.found() == (covering != 0))
    }

    proptest! {
        /// The rest of the tail stays.
        #[test]
        fn a_split_takes_the_first_bit(
            (depth, lane) in depth().prop_flat_map(|depth| (Just(depth), lane(depth))),
        ) {
            let before = decoded(lane, depth);
            prop_assert_eq!(depth.tail(lane) as usize, before.tail.len());
            if let Some((&first, rest)) = before.tail.split_first() {
                let (bit, after) = depth.split(lane);
                prop_assert_eq!(bit, first);
                let rest = Token { head: before.head, tail: rest.to_vec() };
                prop_assert_eq!(decoded(after, Depth::Deeper), rest);
            }
        }

        #[test]
        fn lanes_are_nested_if_one_begins_the_other(
            (depth, a, b) in depth().prop_flat_map(|depth| (Just(depth), lane(depth), lane(depth))),
            like: bool,
            cut in 0u32..10,
        ) {
            // Often the beginning of the other one.
            let b = match depth {
                Depth::Deeper if like => a & !((1 << cut) - 1) | 1 << cut,
                Depth::First if like => a,
                _ => b,
            };
            let (one, other) = (decoded(a, depth), decoded(b, depth));
            let begins = one.tail.starts_with(&other.tail) || other.tail.starts_with(&one.tail);
            let nested = one.head == other.head && begins;
            let marks = Marks::of(depth);
            for at in 0..4 {
                let mut lanes = [0; 4];
                lanes[at] = b;
                prop_assert_eq!(marks.nested(a, word(lanes)), (u32::from(nested) * 3) << (2 * at));
                prop_assert_eq!(Marks::of(depth).is_full(a), depth.tail(a) == depth.full_tail());
            }
        }

        #[test]
        fn a_lane_covers_what_begins_with_it(
            (depth, mut lanes) in depth()
                .prop_flat_map(|depth| (Just(depth), prop::array::uniform8(lane(depth)))),
            vacant in prop::array::uniform8(any::<bool>()),
            like in 0usize..8,
            others: u16,
            hash: u64,
        ) {
            // An item that one of the tokens covers, or another one.
            let near = lanes[like];
            let item = if hash & 1 == 0 {
                let unknown = 10 - depth.tail(near);
                depth.lane(Head::of_lane(near), near & !((1 << unknown) - 1) | others & ((1 << unknown) - 1))
            } else {
                depth.lane(Head::of_hash(hash), others)
            };
            let wanted = decoded(item, depth);
            lanes.iter_mut().zip(vacant).filter(|(_, vacant)| *vacant).for_each(|(lane, _)| *lane = 0);
            let expected: u32 = (0..8)
                .filter(|&at| lanes[at] != 0)
                .filter(|&at| {
                    let token = decoded(lanes[at], depth);
                    token.head == wanted.head && wanted.tail.starts_with(&token.tail)
                })
                .map(|at| 3 << (2 * at))
                .sum();
            let [first, second] = [0, 4].map(|at| word(core::array::from_fn(|lane| lanes[at + lane])));
            prop_assert_eq!(depth.covering(item, first, second), expected);
            let without_vectors = words::covering(&Marks::of(depth), item, 0, first, second);
            prop_assert_eq!(without_vectors, expected);
            // Together, and each beside a word of the other depth that has nothing to cover.
            let [marks, other] = match depth {
                Depth::First => [Depth::First, Depth::Deeper],
                Depth::Deeper => [Depth::Deeper, Depth::First],
            }.map(Marks::of);
            let alone = [marks.probe(item, first, second), words::probe(&marks, item, first, second)];
            for probe in alone {
                prop_assert!(tells(probe, [first, second], expected));
            }
            for (wanted, of, expected) in [
                ([(&marks, item), (&marks, item)], [first, second], expected),
                ([(&other, 0xffff), (&marks, item)], [1 << 48, second], expected & 0xff00),
                ([(&marks, item), (&other, 0xffff)], [first, 1 << 48], expected & 0xff),
            ] {
                for probe in [Marks::probe_each(wanted, of), words::probe_each(wanted, of)] {
                    prop_assert!(tells(probe, of, expected));
                }
            }
        }
    }
}
