//! Filters as bytes that say all of them.
//!
//! The form of a dump: `LFCDUMP2`, the length of all of it in 8 bytes, what [`Entry`] says of a filter,
//! the CRC-32 of all that, and the library's stored form, which has a checksum of its own.

use std::io;

use crate::entry::Entry;
use crate::error::Error;
use crate::filter::{Filter, WriteError};

const MAGIC: &[u8; 8] = b"LFCDUMP2";

/// Magic, length, entry.
const SUMMED: usize = MAGIC.len() + 8 + Entry::BYTES;

/// And their checksum.
pub(crate) const HEADER: usize = SUMMED + 4;

/// A filter as a dump.
///
/// # Errors
///
/// If no copy of it can be made.
pub fn write(filter: &Filter) -> Result<Vec<u8>, WriteError> {
    let mut bytes = vec![0; HEADER];
    filter.write(&mut bytes)?;
    let length = u64::try_from(bytes.len()).map_err(io::Error::other)?;
    let (magic, rest) = bytes.split_at_mut(MAGIC.len());
    magic.copy_from_slice(MAGIC);
    rest[..8].copy_from_slice(&length.to_le_bytes());
    rest[8..][..Entry::BYTES].copy_from_slice(&Entry::of(filter).to_bytes());
    let sum = crc32fast::hash(&bytes[..SUMMED]);
    bytes[SUMMED..HEADER].copy_from_slice(&sum.to_le_bytes());
    Ok(bytes)
}

/// The length of all of the dump that begins like this.
///
/// # Errors
///
/// If no dump does.
pub fn length(bytes: &[u8]) -> Result<usize, Error> {
    let length = bytes
        .strip_prefix(MAGIC)
        .and_then(|rest| rest.first_chunk());
    let length = length.filter(|_| bytes.len() >= HEADER);
    let length = length.ok_or(Error::Chunk("it does not begin like a dump of this server"))?;
    if bytes[SUMMED..HEADER] != crc32fast::hash(&bytes[..SUMMED]).to_le_bytes() {
        return Err(Error::Chunk("the checksum of its start does not match"));
    }
    usize::try_from(u64::from_le_bytes(*length))
        .ok()
        .filter(|&total| total >= HEADER && bytes.len() <= total)
        .ok_or(Error::Chunk("its length is wrong"))
}

/// The filter of a dump that is there whole. A growing one may grow to `most` bytes.
///
/// # Errors
///
/// If it is no dump of a filter.
pub fn read(bytes: &[u8], most: usize) -> Result<Filter, Error> {
    let entry = bytes.get(MAGIC.len() + 8..).and_then(<[u8]>::first_chunk);
    let entry = entry.and_then(Entry::from_bytes);
    let entry = entry.ok_or(Error::Chunk("the description of the filter is not valid"))?;
    let stored = &mut &bytes[HEADER..];
    let filter = entry.read(&mut *stored, most)?;
    if stored.is_empty() {
        Ok(filter)
    } else {
        Err(Error::Chunk("there are bytes after its end"))
    }
}
