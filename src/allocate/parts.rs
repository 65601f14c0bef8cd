//! Parts of a slice of cells, each of which the system takes back in a short time.

use crate::sync::AtomicU64;

/// A slice of cells, taken apart where pages of this size begin: no huge page is broken up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    cells: &'a [AtomicU64],
    /// The cells of the first part.
    first: usize,
}

/// The bytes of a part. Giving it back takes the system some 0.1 ms.
const PART: usize = 2 << 20;

const CELLS: usize = PART / size_of::<u64>();

impl<'a> Parts<'a> {
    pub(crate) fn of(cells: &'a [AtomicU64]) -> Self {
        let past = cells.as_ptr().addr() % PART / size_of::<u64>();
        Self {
            cells,
            first: CELLS - past.min(CELLS - 1),
        }
    }

    /// How many there are; at least one.
    pub(crate) fn len(self) -> usize {
        1 + self.cells.len().saturating_sub(self.first).div_ceil(CELLS)
    }

    /// The part of a number; behind the last, an empty one.
    pub(crate) fn part(self, number: usize) -> &'a [AtomicU64] {
        let bound = |number: usize| match number.checked_sub(1) {
            None => 0,
            Some(others) => CELLS
                .saturating_mul(others)
                .saturating_add(self.first)
                .min(self.cells.len()),
        };
        &self.cells[bound(number)..bound(number.saturating_add(1))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocate;

    #[test]
    fn parts_make_up_the_whole_and_end_where_huge_pages_do() {
        for len in [1, 100, CELLS - 1, CELLS, CELLS + 1, 5 * CELLS + 77] {
            let cells = allocate::slice(len, || AtomicU64::new(0)).expect("memory");
            for skipped in [0, 1, 50, len / 2] {
                let cells = &cells[skipped.min(len - 1)..];
                let parts = Parts::of(cells);
                let all = (0..parts.len()).map(|number| parts.part(number));
                assert_eq!(all.clone().map(<[_]>::len).sum::<usize>(), cells.len());
                let mut end = cells.as_ptr();
                for part in all {
                    assert_eq!(part.as_ptr(), end, "a gap");
                    assert!(part.len() <= CELLS && !part.is_empty());
                    end = part.as_ptr_range().end;
                    let is_last = end == cells.as_ptr_range().end;
                    assert!(is_last || end.addr() % PART == 0, "a part ends at {end:?}");
                }
                assert!(parts.part(parts.len()).is_empty());
                assert!(parts.part(usize::MAX).is_empty());
            }
        }
    }
}
