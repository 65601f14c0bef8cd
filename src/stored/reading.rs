//! From a stored form to a filter of one table, and where stored forms come from.

#[cfg(feature = "std")]
use std::io::{ErrorKind, Read};

use super::{Header, Identity, Input, ReadError};
use crate::descriptor::Pool;
use crate::filter::CuckooFilter;
use crate::table::Table;
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
    let mut input = Input::behind(Header::BYTES as u64, header.begin_checksum(), source);
    input.expect(header.stored_bytes())?;
    let words = input.words(header.geometry)?;
    input.checksum()?;
    words.check(header.items)
}
