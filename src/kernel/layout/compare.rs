//! Lanes compared all at once: those of one word by arithmetic ("SIMD within a register"), those of
//! two by vector instructions.

/// Lanes side by side from bit 0 of a word up, of which the lowest bits are compared. The other
/// bits of lanes must be 0; what is above the lanes does not matter.
///
/// Made to be a constant: then each call is a few instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swar {
    lanes: u32,
    width: u32,
    /// Bits of a lane that are compared.
    bits: u32,
    one_in_each: u64,
    /// Brings the flags together.
    gather: u64,
    /// Bits of each lane in a mask.
    each: u32,
}

/// `bits` ones, at least one.
pub(crate) const fn ones(bits: u32) -> u64 {
    u64::MAX >> (u64::BITS - bits)
}

impl Swar {
    /// Lanes of `width` bits, of which `bits` are compared, and masks with `each` bits for each
    /// lane.
    pub(crate) const fn new(lanes: usize, width: u32, bits: u32, each: u32) -> Self {
        let lanes = lanes as u32;
        let places = lanes * each;
        assert!(places <= width, "else lanes would meet in the places");
        // Lane `i` times the term of lane `j` lies `(i - j) * width` bits from the place of `j`:
        // beyond the word if `i` is more, below the places if it is less. No two meet anywhere, so
        // there is no carry.
        let lowest_place = u64::BITS - places;
        let (mut one_in_each, mut gather, mut lane) = (0, 0, 0);
        while lane < lanes {
            one_in_each |= 1 << (lane * width);
            gather |= 1 << (lowest_place + lane * each - lane * width);
            lane += 1;
        }
        Self {
            lanes,
            width,
            bits,
            one_in_each,
            gather,
            each,
        }
    }

    /// The bits that are compared.
    pub(crate) const fn compared(self) -> u64 {
        self.one_in_each * ones(self.bits)
    }

    #[inline]
    const fn top_of_each(self) -> u64 {
        self.one_in_each << (self.bits - 1)
    }

    #[inline]
    fn difference(self, word: u64, wanted: u32) -> u64 {
        word ^ (u64::from(wanted) * self.one_in_each)
    }

    /// A flag in the top bit that is compared, for lanes that hold `wanted`. The lowest flag is
    /// exact; above it a borrow may raise a false one. (Mycroft's zero-byte test, for lanes of any
    /// width.)
    #[inline]
    pub(crate) fn flags(self, word: u64, wanted: u32) -> u64 {
        let difference = self.difference(word, wanted);
        difference.wrapping_sub(self.one_in_each) & !difference & self.top_of_each()
    }

    /// The lowest lane that holds `wanted`.
    #[inline]
    pub(crate) fn lowest(self, word: u64, wanted: u32) -> Option<u32> {
        match self.flags(word, wanted) {
            0 => None,
            flags => Some(flags.trailing_zeros() / self.width),
        }
    }

    /// Ones for each lane that holds `wanted`, exactly, side by side from bit 0 up.
    #[inline]
    pub(crate) fn mask(self, word: u64, wanted: u32) -> u32 {
        let (difference, tops) = (self.difference(word, wanted), self.top_of_each());
        let below_the_tops = self.compared() & !tops;
        // The sum carries into the top bit unless the bits below it are 0, and never beyond.
        let zero_but_for_the_top = !((difference & below_the_tops) + below_the_tops);
        let exact = (zero_but_for_the_top & !difference & tops) >> (self.bits - 1);
        let places = self.lanes * self.each;
        (exact.wrapping_mul(self.gather) >> (u64::BITS - places)) as u32 * ones(self.each) as u32
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod simd {
    //! SIMD: two words as one vector of lanes.
    //!
    //! Half as many instructions as arithmetic on words takes, and no constants in general
    //! registers: the lookups that a processor keeps under way while memory answers are as many as
    //! fit its window.

    #![allow(unsafe_code, reason = "the intrinsics are unsafe to call")]

    use core::arch::x86_64 as x86;

    pub(crate) use x86::__m128i as Vector;

    #[inline]
    pub(crate) fn pair(first: u64, second: u64) -> Vector {
        // SAFETY: the instructions are SSE2, which the code is compiled for, and touch no memory.
        unsafe { x86::_mm_set_epi64x(second as i64, first as i64) }
    }

    /// The bits that both have.
    #[inline]
    pub(crate) fn both(a: Vector, b: Vector) -> Vector {
        // SAFETY: as above.
        unsafe { x86::_mm_and_si128(a, b) }
    }

    /// All ones in each lane that is `wanted`.
    #[inline]
    pub(crate) fn equal_lanes_16(lanes: Vector, wanted: u16) -> Vector {
        // SAFETY: as above.
        unsafe { x86::_mm_cmpeq_epi16(lanes, x86::_mm_set1_epi16(wanted as i16)) }
    }

    #[inline]
    pub(crate) fn equal_lanes_8(lanes: Vector, wanted: u8) -> Vector {
        // SAFETY: as above.
        unsafe { x86::_mm_cmpeq_epi8(lanes, x86::_mm_set1_epi8(wanted as i8)) }
    }

    /// Packs lanes of 16 bits into lanes of 8, `low` lowest. Saturated: nonzero stays nonzero, and
    /// all ones stay.
    #[inline]
    pub(crate) fn packed(low: Vector, high: Vector) -> Vector {
        // SAFETY: as above.
        unsafe { x86::_mm_packs_epi16(low, high) }
    }

    /// The top bits of all bytes.
    #[inline]
    pub(crate) fn mask(bytes: Vector) -> u32 {
        // SAFETY: as above.
        unsafe { x86::_mm_movemask_epi8(bytes) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Of the lanes that processors with vectors compare in another way.
        #[test]
        fn a_mask_has_every_lane_that_is_equal_and_no_other(
            // Few values, so that equal lanes and neighbours that differ by a borrow are common.
            lanes in prop::array::uniform8(prop_oneof![0u64..3, u64::MAX - 1..=u64::MAX, any::<u64>()]),
            of in 0usize..8,
        ) {
            for swar in [Swar::new(8, 8, 8, 1), Swar::new(4, 16, 16, 2), Swar::new(4, 16, 12, 2)] {
                let lane = |at: u32| lanes[at as usize] & ones(swar.bits);
                let word = (0..swar.lanes).fold(0, |word, at| word | lane(at) << (at * swar.width));
                let wanted = lanes[of] & ones(swar.bits);
                let equal = (0..swar.lanes).filter(|&at| lane(at) == wanted);
                let mask = equal.fold(0, |mask, at| mask | (ones(swar.each) as u32) << (at * swar.each));
                prop_assert_eq!(swar.mask(word, wanted as u32), mask, "{:?}", swar);
            }
        }
    }
}
