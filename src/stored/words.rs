//! The words of stored tables: read and written. Reading trusts nothing that it has not checked, and allocates no
//! more than the input has shown to be there.

use super::reading::Source;
use super::{Input, ReadError, WORD, demand};
use crate::bucket::Bucket;
use crate::geometry::Geometry;
use crate::table::{Table, TableBuilder};
use crate::tokens::Tokens;

/// Words as they were read, of which a sound checksum is yet to tell whether they were written.
#[derive(Debug)]
pub(crate) struct Words {
    table: TableBuilder,
    items: usize,
    packed: bool,
}

/// Bytes that are read or written at once. On the stack, so that a filter can be saved when memory is short.
const CHUNK: usize = 1 << 14;

/// Most bytes of a table that are allocated ahead of a source of unknown length, unless it has given more.
const AHEAD: usize = 1 << 19;

impl<T: Source> Input<'_, T> {
    /// The words of one table.
    pub(crate) fn words(&mut self, geometry: Geometry) -> Result<Words, ReadError> {
        let buckets = geometry.buckets();
        let mut words = Words {
            table: TableBuilder::default(),
            items: 0,
            packed: true,
        };
        let mut chunk = [[0; WORD]; CHUNK / WORD];
        while words.table.len() < buckets {
            let left = buckets - words.table.len();
            let count = chunk.len().min(left);
            if words.table.room() < count {
                // As much as has come, so that each word is moved a bounded number of times.
                let some = words.table.len().max(AHEAD / WORD);
                words.table.reserve(if self.is_known() {
                    left
                } else {
                    left.min(some)
                })?;
            }
            let chunk = &mut chunk[..count];
            self.covered(chunk.as_flattened_mut())?;
            for &word in &*chunk {
                words.push(Bucket::from_bits(u64::from_le_bytes(word)));
            }
        }
        Ok(words)
    }
}

impl Words {
    fn push(&mut self, bucket: Bucket) {
        self.packed &= is_packed(bucket);
        self.items += bucket.len();
        self.table.push(bucket);
    }

    /// The table, if it is one that holds so many items. For after the checksum: what that finds is damage, and
    /// what only this finds is no work of this crate.
    pub(crate) fn check(self, items: usize) -> Result<Table, ReadError> {
        demand(self.packed, "a bucket is not filled from the top")?;
        demand(
            self.items == items,
            "its number of items differs from the stored number",
        )?;
        Ok(self.table.build())
    }
}

/// Whether no lane is vacant above an occupied one. A reference is not packed: its top lane is vacant.
fn is_packed(bucket: Bucket) -> bool {
    bucket.fingerprints().count() == bucket.len()
}

impl Tokens {
    /// Hands the words to `put`, a piece at a time, until it fails. None must be frozen.
    pub(crate) fn put_words<E>(
        &self,
        checksum: &mut crc32fast::Hasher,
        mut put: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut chunk = [[0; WORD]; CHUNK / WORD];
        let buckets = self.table.len();
        for start in (0..buckets).step_by(chunk.len()) {
            let end = buckets.min(start + chunk.len());
            for (bytes, bucket) in chunk.iter_mut().zip(start..end) {
                *bytes = self.peek(bucket).bits().to_le_bytes();
            }
            let written = chunk[..end - start].as_flattened();
            checksum.update(written);
            put(written)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_is_occupied_from_the_top_and_nothing_else() {
        // Each lane vacant, or occupied by the least or the largest fingerprint.
        for lanes in 0..3u32.pow(4) {
            let lane = |slot: u32| [0, 1, 0xffff][(lanes / 3u32.pow(slot) % 3) as usize];
            let occupied: Vec<bool> = (0..4).map(|slot| lane(slot) != 0).collect();
            let bits = (0..4).fold(0, |bits, slot| bits << 16 | lane(slot));
            // From the top down: true to false at most once, and never back.
            let packed = occupied.is_sorted_by(|above, below| above >= below);
            assert_eq!(is_packed(Bucket::from_bits(bits)), packed, "{bits:#018x}");
        }
    }
}
