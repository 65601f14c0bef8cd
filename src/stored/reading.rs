//! From a stored form to a filter. Trusts nothing that it has not checked, and allocates no more than the
//! input has shown to be there.

#[cfg(feature = "std")]
use std::io::{ErrorKind, Read};

use super::writing::CHUNK;
use super::{CHECKSUM, Header, Identity, ReadError, WORD, demand};
use crate::bucket::Bucket;
use crate::descriptor::Pool;
use crate::filter::CuckooFilter;
use crate::table::{Table, TableBuilder};
use crate::tokens::Tokens;

/// Where a stored form comes from.
pub(crate) trait Source {
    /// Takes the next bytes, as many as fit, or fewer if there are no more. Returns how many.
    fn take(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError>;

    /// Whether the source is known to have exactly so many bytes in all. False: not known. An error: it has
    /// fewer, or more.
    fn has_exactly(&self, bytes: u64) -> Result<bool, ReadError>;
}

/// Bytes in memory, which have to end where the filter ends.
#[derive(Debug)]
pub(crate) struct Slice<'a> {
    bytes: &'a [u8],
    taken: usize,
}

/// A reader, of which nobody knows how much it will give.
#[cfg(feature = "std")]
#[derive(Debug)]
pub(crate) struct Stream<R>(pub(crate) R);

impl<'a> Slice<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, taken: 0 }
    }
}

impl Source for Slice<'_> {
    fn take(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let rest = &self.bytes[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }

    fn has_exactly(&self, expected: u64) -> Result<bool, ReadError> {
        let found = self.bytes.len() as u64;
        match found.cmp(&expected) {
            core::cmp::Ordering::Less => Err(ReadError::Truncated { expected, found }),
            core::cmp::Ordering::Equal => Ok(true),
            core::cmp::Ordering::Greater => Err(ReadError::TrailingBytes { expected, found }),
        }
    }
}

#[cfg(feature = "std")]
impl<R: Read> Source for Stream<R> {
    fn take(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let mut taken = 0;
        while taken < buffer.len() {
            match self.0.read(&mut buffer[taken..]) {
                Ok(0) => break,
                // A reader may claim more than it was offered. What it gave is left to the checksums.
                Ok(count) => taken = taken.saturating_add(count).min(buffer.len()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Io(error)),
            }
        }
        Ok(taken)
    }

    fn has_exactly(&self, _: u64) -> Result<bool, ReadError> {
        Ok(false)
    }
}

/// Most bytes of a table that are allocated ahead of a source of unknown length, unless it has given more.
const AHEAD: usize = 1 << 19;

/// Reads one filter. `hasher` makes the hasher that goes with what is stored of it, or finds that it cannot.
pub(crate) fn read<S>(
    source: &mut impl Source,
    hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
) -> Result<CuckooFilter<S>, ReadError> {
    let mut bytes = [0; Header::BYTES];
    let found = source.take(&mut bytes)?;
    let header = Header::decode(&bytes[..found])?;
    let hasher = hasher(&header.identity)?;
    let table = read_table(source, &header)?;
    let geometry = header.geometry;
    let descriptors = Pool::size_for(geometry.buckets());
    let tokens = Tokens::with_table(geometry, table, header.search_budget, descriptors)?;
    Ok(CuckooFilter::from_parts(
        tokens,
        header.items,
        header.capacity,
        hasher,
    )?)
}

/// Reads the words and their checksum.
fn read_table(source: &mut impl Source, header: &Header) -> Result<Table, ReadError> {
    let expected = header.stored_bytes();
    let known = source.has_exactly(expected)?;
    let mut found = Header::BYTES as u64;
    let mut take = |buffer: &mut [u8]| {
        let count = source.take(buffer)?;
        found += count as u64;
        if count < buffer.len() {
            return Err(ReadError::Truncated { expected, found });
        }
        Ok(())
    };

    let buckets = header.geometry.buckets();
    let mut table = TableBuilder::default();
    let mut checksum = header.begin_checksum();
    let mut packed = true;
    let mut items = 0;
    let mut chunk = [[0; WORD]; CHUNK / WORD];
    while table.len() < buckets {
        let left = buckets - table.len();
        let words = chunk.len().min(left);
        if table.room() < words {
            // As much as has come, so that each word is moved a bounded number of times.
            let some = table.len().max(AHEAD / WORD);
            table.reserve(if known { left } else { left.min(some) })?;
        }
        let chunk = &mut chunk[..words];
        take(chunk.as_flattened_mut())?;
        checksum.update(chunk.as_flattened());
        for &word in &*chunk {
            let bucket = Bucket::from_bits(u64::from_le_bytes(word));
            packed &= is_packed(bucket);
            items += bucket.len();
            table.push(bucket);
        }
    }
    let mut stored = [0; CHECKSUM];
    take(&mut stored)?;

    // First the checksum: what it finds is damage, and what only the others find is no work of this crate.
    if u32::from_le_bytes(stored) != checksum.finalize() {
        return Err(ReadError::Checksum);
    }
    demand(packed, "a word is no packed bucket")?;
    demand(
        items == header.items,
        "its items are not as many as the header says",
    )?;
    Ok(table.build())
}

/// Whether no lane is vacant above an occupied one. A reference is not packed: its top lane is vacant.
fn is_packed(bucket: Bucket) -> bool {
    bucket.fingerprints().count() == bucket.len()
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
