//! Order: hands on the pieces of the batches in the order of the capture, in whatever order the
//! workers finish.

use std::collections::BTreeMap;

/// The pieces and bytes that may wait for an earlier batch. If a worker stands still for longer,
/// its batch comes late, and the memory stays bounded.
const WAITING: usize = 1 << 14;
const WAITING_BYTES: usize = 64 << 20;

#[derive(Default)]
pub(super) struct Ordered<P> {
    /// The number of the next batch.
    next: u64,
    /// The waiting pieces, and their bytes.
    waiting: BTreeMap<u64, (P, usize)>,
    bytes: usize,
}

impl<P> Ordered<P> {
    /// Takes the piece of a batch, which has this many bytes, and returns all pieces whose turn it
    /// is. Batches are numbered from 0.
    pub(super) fn put(&mut self, number: u64, piece: P, bytes: usize) -> Vec<P> {
        self.bytes += bytes;
        self.waiting.insert(number, (piece, bytes));
        if (self.waiting.len() > WAITING || self.bytes > WAITING_BYTES)
            && let Some((&first, _)) = self.waiting.first_key_value()
        {
            // Wait no longer for the batches before the first that is there.
            self.next = self.next.max(first);
        }
        let mut ready = Vec::new();
        while let Some(entry) = self.waiting.first_entry()
            && *entry.key() <= self.next
        {
            let (number, (piece, bytes)) = entry.remove_entry();
            self.bytes -= bytes;
            self.next = self.next.max(number + 1);
            ready.push(piece);
        }
        ready
    }

    /// Returns the pieces that wait for batches that will not come.
    pub(super) fn rest(&mut self) -> Vec<P> {
        let rest = std::mem::take(&mut self.waiting);
        rest.into_values().map(|(piece, _)| piece).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pieces that come before the end, and at it, of batches with these numbers and
    /// this many bytes each.
    fn given(numbers: impl IntoIterator<Item = u64>, bytes: usize) -> [Vec<u64>; 2] {
        let mut ordered = Ordered::default();
        let numbers = numbers.into_iter();
        let before = numbers
            .flat_map(|number| ordered.put(number, number, bytes))
            .collect();
        [before, ordered.rest()]
    }

    #[test]
    fn pieces_come_in_order_as_soon_as_possible() {
        let [before, rest] = given([1, 2, 0, 4, 3, 6, 9, 8], 1);
        assert_eq!(before, [0, 1, 2, 3, 4]);
        assert_eq!(rest, [6, 8, 9]);
    }

    /// A missing batch does not block the others.
    #[test]
    fn a_missing_batch_blocks_no_other() {
        let most = WAITING as u64;
        assert!(given(1..most, 0)[0].is_empty());
        // Too many pieces, and too many bytes.
        for (waiting, bytes) in [(most + 2, 0), (3, WAITING_BYTES / 2)] {
            let [before, rest] = given((1..=waiting).chain([0]), bytes);
            assert_eq!(before[..2], [1, 2]);
            assert_eq!(before.last(), Some(&0), "the late one comes late");
            assert!(rest.is_empty());
        }
    }
}
