//! Filters as bytes and back, in pieces: the only room that knows how the commands crate stores a filter.

use std::io::{self, Read, Write};

use cf::{Entry, Error, Filter, WriteError, dump};
use lockfree_cuckoo::ReadError;

/// Bytes of a piece, so that no string of a snapshot is larger.
const PIECE: usize = 1 << 20;

/// No limit of another machine is stored, and none of this one is set: it is asked by [`limits`](crate::limits).
pub(crate) const NO_LIMIT: usize = usize::MAX;

/// Gives the stored form in pieces. Nobody else uses the filter but readers.
pub(crate) fn write(filter: &Filter, each: impl FnMut(&[u8])) -> Result<(), WriteError> {
    let mut pieces = Pieces {
        piece: Vec::with_capacity(PIECE),
        each,
    };
    filter.write(&mut pieces)?;
    pieces.end();
    Ok(())
}

struct Pieces<F> {
    piece: Vec<u8>,
    each: F,
}

impl<F: FnMut(&[u8])> Pieces<F> {
    fn end(&mut self) {
        if !self.piece.is_empty() {
            (self.each)(&self.piece);
            self.piece.clear();
        }
    }
}

impl<F: FnMut(&[u8])> Write for Pieces<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..taken]);
        if self.piece.len() == PIECE {
            self.end();
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The filter of what `write` gave, and of the entry beside it.
pub(crate) fn read(entry: &[u8], pieces: impl Read) -> Result<Filter, ReadFailed> {
    let (entry, sum) = entry.split_first_chunk().ok_or(ReadFailed::Entry)?;
    if *sum != crc32fast::hash(entry).to_le_bytes() {
        return Err(ReadFailed::Entry);
    }
    let entry = Entry::from_bytes(entry).ok_or(ReadFailed::Entry)?;
    let mut pieces = pieces;
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

/// A filter as what `CF.LOADCHUNK` takes, in one piece.
pub(crate) fn dumped(filter: &Filter) -> Result<Vec<u8>, WriteError> {
    dump::write(filter)
}

/// The length of the dump that begins like this.
pub(crate) fn length_of_dump(start: &[u8]) -> Result<usize, Error> {
    dump::length(start)
}

/// The filter of a dump that is whole.
pub(crate) fn of_dump(bytes: &[u8]) -> Result<Filter, Error> {
    dump::read(bytes, NO_LIMIT)
}

/// Another filter with the same content.
pub(crate) fn copy(filter: &Filter) -> Result<Filter, Error> {
    of_dump(&dumped(filter)?)
}
