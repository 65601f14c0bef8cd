//! The comparisons with SSE2, which every x86-64 processor has: eight cells in one instruction.

use std::arch::x86_64::{
    __m128i, _mm_cmpeq_epi16, _mm_load_si128, _mm_movemask_epi8, _mm_or_si128, _mm_packs_epi16,
    _mm_set1_epi16, _mm_setzero_si128, _mm_srli_epi16,
};

use super::{Bucket, CELLS, COUNTER_BITS, Cell, SUBTABLES};

/// The four buckets of an item.
pub(in super::super) struct Quartet([__m128i; SUBTABLES]);

#[allow(
    unsafe_code,
    reason = "the standard library has no safe vectors, and the comparison decides how fast the filter is"
)]
impl Quartet {
    #[inline]
    pub(in super::super) fn load(buckets: [&Bucket; SUBTABLES]) -> Self {
        // SAFETY: a bucket has 16 bytes and is aligned to 16. x86-64 has SSE2.
        Self(buckets.map(|bucket| unsafe { _mm_load_si128((&raw const *bucket).cast()) }))
    }

    /// Whether a cell has this remainder.
    #[inline]
    pub(in super::super) fn has(&self, remainder: u16) -> bool {
        let [a, b, c, d] = self.equal(remainder);
        // SAFETY: x86-64 has SSE2.
        unsafe { _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) != 0 }
    }

    /// The cell that has it.
    #[inline]
    pub(in super::super) fn find(&self, remainder: u16) -> Option<Cell> {
        let found = u32::from_le_bytes(bits(self.equal(remainder)));
        let nth = found.trailing_zeros() as usize;
        (found != 0).then_some(Cell {
            bucket: nth / CELLS,
            cell: nth % CELLS,
        })
    }

    /// The empty cells of each bucket, a bit for each.
    #[inline]
    pub(in super::super) fn empty(&self) -> [u8; SUBTABLES] {
        // SAFETY: x86-64 has SSE2.
        bits(
            self.0
                .map(|cells| unsafe { _mm_cmpeq_epi16(cells, _mm_setzero_si128()) }),
        )
    }

    /// All ones in the cells with this remainder, 0 in the others.
    #[inline]
    fn equal(&self, remainder: u16) -> [__m128i; SUBTABLES] {
        // SAFETY: x86-64 has SSE2.
        self.0.map(|cells| unsafe {
            let remainders = _mm_srli_epi16::<{ COUNTER_BITS as i32 }>(cells);
            _mm_cmpeq_epi16(remainders, _mm_set1_epi16(remainder.cast_signed()))
        })
    }
}

/// One bit for each cell.
#[inline]
#[allow(unsafe_code, reason = "as above")]
fn bits([a, b, c, d]: [__m128i; SUBTABLES]) -> [u8; SUBTABLES] {
    // SAFETY: x86-64 has SSE2.
    let pairs = [(a, b), (c, d)]
        .map(|(a, b)| unsafe { _mm_movemask_epi8(_mm_packs_epi16(a, b)).to_le_bytes() });
    let [[a, b, ..], [c, d, ..]] = pairs;
    [a, b, c, d]
}

/// The number of occupied cells.
#[inline]
#[allow(unsafe_code, reason = "as above")]
pub(in super::super) fn occupied(bucket: &Bucket) -> usize {
    // SAFETY: as for the loads of a quartet.
    let empty = unsafe {
        let cells = _mm_load_si128((&raw const *bucket).cast());
        _mm_movemask_epi8(_mm_cmpeq_epi16(cells, _mm_setzero_si128()))
    };
    // A bit for each byte of an empty cell, and one beyond the last cell.
    (empty | 1 << (2 * CELLS)).trailing_zeros() as usize / 2
}
