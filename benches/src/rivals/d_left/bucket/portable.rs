//! The comparisons without vectors of the processor's own.

use super::{Bucket, CELLS, COUNTER_BITS, Cell, SUBTABLES};

/// The four buckets of an item.
pub(in super::super) struct Quartet([[u16; CELLS]; SUBTABLES]);

impl Quartet {
    #[inline]
    pub(in super::super) fn load(buckets: [&Bucket; SUBTABLES]) -> Self {
        Self(buckets.map(|bucket| bucket.0))
    }

    /// Whether a cell has this remainder.
    #[inline]
    pub(in super::super) fn has(&self, remainder: u16) -> bool {
        self.find(remainder).is_some()
    }

    /// The cell that has it.
    #[inline]
    pub(in super::super) fn find(&self, remainder: u16) -> Option<Cell> {
        let mut cells = self.0.as_flattened().iter();
        let nth = cells.position(|&cell| cell >> COUNTER_BITS == remainder)?;
        Some(Cell {
            bucket: nth / CELLS,
            cell: nth % CELLS,
        })
    }

    /// The empty cells of each bucket, a bit for each.
    #[inline]
    pub(in super::super) fn empty(&self) -> [u8; SUBTABLES] {
        self.0.map(|cells| {
            let bits = (0..CELLS).map(|nth| u8::from(cells[nth] == 0) << nth);
            bits.fold(0, |all, bit| all | bit)
        })
    }
}

/// The number of occupied cells.
#[inline]
pub(in super::super) fn occupied(bucket: &Bucket) -> usize {
    bucket.0.iter().map(|&cell| usize::from(cell != 0)).sum()
}
