//! The number of a sorted list of nibbles: one for each multiset, without gaps.
//!
//! The list `n0 <= n1 <= ..` has the number `C(n0, 1) + C(n1 + 1, 2) + C(n2 + 2, 3) + ..`, the
//! combinatorial number system of the strictly rising list `n0, n1 + 1, n2 + 2, ..` (Knuth, TAOCP
//! 4A, 7.2.1.3). So four nibbles take 3,876 numbers, five 15,504, six 54,264.
//!
//! Lists are packed, `n0` in the lowest bits.

/// Bits of a nibble.
pub(crate) const NIBBLE: u32 = 4;

const VALUES: usize = 1 << NIBBLE;

/// The most nibbles in a list.
const MAX_NIBBLES: usize = 6;

/// The number of lists of `length` nibbles.
pub(crate) const fn count(length: usize) -> u32 {
    choose(VALUES + length - 1, length)
}

/// The number of ways to choose `k` of `n`.
const fn choose(n: usize, k: usize) -> u32 {
    let (mut ways, mut i) = (1, 0);
    while i < k {
        if n < k {
            return 0;
        }
        ways = ways * (n - i) as u32 / (i as u32 + 1);
        i += 1;
    }
    ways
}

/// The contribution of the nibble at each place to the number: a row for each place.
const TERMS: [[u16; VALUES]; MAX_NIBBLES] = {
    let mut terms = [[0; VALUES]; MAX_NIBBLES];
    let mut place = 0;
    while place < MAX_NIBBLES {
        let mut nibble = 0;
        while nibble < VALUES {
            terms[place][nibble] = choose(nibble + place, place + 1) as u16;
            nibble += 1;
        }
        place += 1;
    }
    terms
};

/// Lists of four nibbles by their numbers.
static FOURS: [u16; count(4) as usize] = {
    let mut fours = [0; count(4) as usize];
    let mut list = 0;
    while list <= u16::MAX as u32 {
        let (a, b, c, d) = (list & 15, list >> 4 & 15, list >> 8 & 15, list >> 12);
        if a <= b && b <= c && c <= d {
            fours[encode::<4>(list) as usize] = list as u16;
        }
        list += 1;
    }
    fours
};

/// The number of a sorted list.
#[inline]
pub(crate) const fn encode<const LENGTH: usize>(list: u32) -> u32 {
    let (mut number, mut place) = (0, 0);
    while place < LENGTH {
        let nibble = list >> (place as u32 * NIBBLE) & (VALUES as u32 - 1);
        number += TERMS[place][nibble as usize] as u32;
        place += 1;
    }
    number
}

/// The sorted list with this number, which must be less than [`count`]; a sorted list if it is not.
#[inline]
pub(crate) fn decode<const LENGTH: usize>(number: u32) -> u32 {
    let (mut list, mut rest, mut place) = (0, number, LENGTH);
    // The largest nibbles by comparison with their row: a table of whole lists would be too large
    // for the cache.
    while place > 4 {
        place -= 1;
        let nibble = at_most(&TERMS[place], rest) - 1;
        rest -= u32::from(TERMS[place][nibble as usize]);
        list |= nibble << (place as u32 * NIBBLE);
    }
    list | u32::from(FOURS[(rest as usize).min(FOURS.len() - 1)])
}

/// How many terms of a row, which rises, are at most `number`, which has 16 bits.
#[inline]
fn at_most(row: &[u16; VALUES], number: u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    return vector::at_most(row, number);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    row.iter()
        .map(|&term| u32::from(u32::from(term) <= number))
        .sum()
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[allow(unsafe_code, reason = "the intrinsics are unsafe to call")]
mod vector {
    use core::arch::x86_64 as x86;

    use crate::kernel::layout::multiset::VALUES;

    #[inline]
    pub(crate) fn at_most(row: &[u16; VALUES], number: u32) -> u32 {
        // SAFETY: the instructions are SSE2, which the code is compiled for. The two loads, of 16
        // bytes at any alignment, are the halves of a row, of 32.
        let mask = unsafe {
            let halves = row.as_ptr().cast::<x86::__m128i>();
            let number = x86::_mm_set1_epi16(number as i16);
            // A term is at most the number if nothing is left without it.
            let at_most = |half: *const x86::__m128i| {
                let left = x86::_mm_subs_epu16(x86::_mm_loadu_si128(half), number);
                x86::_mm_cmpeq_epi16(left, x86::_mm_setzero_si128())
            };
            let both = x86::_mm_packs_epi16(at_most(halves), at_most(halves.add(1)));
            x86::_mm_movemask_epi8(both)
        };
        mask.trailing_ones()
    }
}
