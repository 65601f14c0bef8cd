//! SIMD: two words as one vector of lanes.
//!
//! Half as many instructions as arithmetic on words takes, and no constants in general registers: the lookups that a
//! processor keeps under way while memory answers are as many as fit its window.

#![allow(unsafe_code, reason = "the intrinsics are unsafe to call")]

use core::arch::x86_64 as x86;

pub(super) use x86::__m128i as Vector;

#[inline]
pub(super) fn pair(first: u64, second: u64) -> Vector {
    // SAFETY: the instructions are SSE2, which the code is compiled for, and touch no memory.
    unsafe { x86::_mm_set_epi64x(second as i64, first as i64) }
}

/// The bits that both have.
#[inline]
pub(super) fn both(a: Vector, b: Vector) -> Vector {
    // SAFETY: as above.
    unsafe { x86::_mm_and_si128(a, b) }
}

/// All ones in each lane that is `wanted`.
#[inline]
pub(super) fn equal_lanes_16(lanes: Vector, wanted: u16) -> Vector {
    // SAFETY: as above.
    unsafe { x86::_mm_cmpeq_epi16(lanes, x86::_mm_set1_epi16(wanted as i16)) }
}

#[inline]
pub(super) fn equal_lanes_8(lanes: Vector, wanted: u8) -> Vector {
    // SAFETY: as above.
    unsafe { x86::_mm_cmpeq_epi8(lanes, x86::_mm_set1_epi8(wanted as i8)) }
}

/// Lanes of 16 bits as lanes of 8, those of `low` lowest: saturated, so that what is not 0 stays so, and all ones do too.
#[inline]
pub(super) fn packed(low: Vector, high: Vector) -> Vector {
    // SAFETY: as above.
    unsafe { x86::_mm_packs_epi16(low, high) }
}

/// The top bits of all bytes.
#[inline]
pub(super) fn mask(bytes: Vector) -> u32 {
    // SAFETY: as above.
    unsafe { x86::_mm_movemask_epi8(bytes) as u32 }
}
