//! Filters as bytes and back, in pieces.

use std::io::Read;

use cf::{Entry, Error, Filter, Loading};
use lockfree_cuckoo::{ReadError, SnapshotError};

/// Bytes of a piece, so that no string of a snapshot is larger.
const PIECE: usize = 1 << 20;

/// No limit of another machine is stored, and none of this one is set: it is asked by [`limits`](crate::limits).
pub(crate) const NO_LIMIT: usize = usize::MAX;

/// Gives the stored form in pieces, without a copy. Commands are done one after another, so nobody writes meanwhile.
pub(crate) fn write(filter: &Filter, mut each: impl FnMut(&[u8])) -> Result<(), SnapshotError> {
    let mut chunks = filter.chunks();
    let bytes = usize::try_from(chunks.bytes()).unwrap_or(PIECE);
    let mut piece = vec![0; bytes.min(PIECE)];
    loop {
        match chunks.next_chunk(&mut piece)? {
            0 => return Ok(()),
            length => each(&piece[..length]),
        }
    }
}

/// Gives the dump that `CF.LOADCHUNK` takes, in chunks of at most so many bytes, each with its iterator.
pub(crate) fn dump(
    filter: &Filter,
    bytes: usize,
    mut each: impl FnMut(i64, &[u8]),
) -> Result<(), SnapshotError> {
    let mut dump = filter.dump();
    // A small filter needs no more than it has, and what goes before it.
    let mut chunk = vec![0; bytes.min(filter.memory_usage() + PIECE)];
    while let Some((iterator, length)) = dump.next_chunk(&mut chunk)? {
        each(iterator, &chunk[..length]);
    }
    Ok(())
}

/// Another filter with the same content.
pub(crate) fn copy(filter: &Filter) -> Result<Filter, Error> {
    let mut bytes = Vec::new();
    let dumped = dump(filter, PIECE, |_, chunk| bytes.extend_from_slice(chunk));
    dumped.map_err(cf::WriteError::from)?;
    Loading::begin(&bytes)?.filter(NO_LIMIT)
}

/// The filter of what `write` gave, and of the entry beside it.
pub(crate) fn read(entry: &[u8], mut pieces: impl Read) -> Result<Filter, ReadFailed> {
    let (entry, sum) = entry.split_first_chunk().ok_or(ReadFailed::Entry)?;
    if *sum != crc32fast::hash(entry).to_le_bytes() {
        return Err(ReadFailed::Entry);
    }
    let entry = Entry::from_bytes(entry).ok_or(ReadFailed::Entry)?;
    let filter = entry.read(&mut pieces, NO_LIMIT)?;
    if pieces.read(&mut [0]).map_err(ReadError::from)? == 0 {
        Ok(filter)
    } else {
        Err(ReadFailed::Longer)
    }
}

/// Why bytes are no filter.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadFailed {
    #[error("the description of the filter is not valid")]
    Entry,
    #[error("there are bytes after the end of the filter")]
    Longer,
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// The settings and counts of a filter, and their checksum.
pub(crate) fn entry(filter: &Filter) -> Vec<u8> {
    let mut entry = Entry::of(filter).to_bytes().to_vec();
    let sum = crc32fast::hash(&entry).to_le_bytes();
    entry.extend(sum);
    entry
}
