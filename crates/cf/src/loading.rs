//! A filter of which a part is there.

use crate::dump;
use crate::error::Error;
use crate::filter::Filter;

/// The beginning of a dump, on its way to become a filter: what `CF.LOADCHUNK` leaves under a key until the last chunk.
///
/// It takes the memory of what came, whatever the first chunk claims, until it is told to [`reserve`](Self::reserve) all.
#[derive(Debug)]
pub struct Loading {
    bytes: Vec<u8>,
    total: usize,
}

impl Loading {
    /// Begins with the first chunk, or with all [`bytes`](Self::bytes) that another one had.
    ///
    /// # Errors
    ///
    /// If it is not the beginning of a dump, or longer than that.
    pub fn begin(chunk: &[u8]) -> Result<Self, Error> {
        Ok(Self {
            total: dump::length(chunk)?,
            bytes: chunk.to_vec(),
        })
    }

    /// Takes the memory of the whole dump, so that what comes has room. It is there once for all.
    ///
    /// # Errors
    ///
    /// If it cannot be had.
    pub fn reserve(&mut self) -> Result<(), Error> {
        let more = self.total - self.bytes.len();
        self.bytes.try_reserve_exact(more).map_err(|_| {
            let words = format!("not enough memory: the dump takes {} bytes", self.total);
            Error::NoMemoryToTransfer(words)
        })
    }

    /// Bytes that it takes.
    pub fn memory_usage(&self) -> usize {
        self.bytes.capacity()
    }

    /// Forgets all but so many of its first bytes, which are a header at least: the last chunks are to come again.
    pub fn truncate(&mut self, bytes: usize) {
        self.bytes.truncate(bytes.max(dump::HEADER));
    }

    /// Takes the next chunk, which ends at `end`.
    ///
    /// # Errors
    ///
    /// If it is not the next chunk, or longer than the dump. Then nothing is changed.
    pub fn take(&mut self, end: usize, chunk: &[u8]) -> Result<(), Error> {
        if end.checked_sub(chunk.len()) != Some(self.bytes.len()) {
            return Err(Error::Chunk(
                "it is not the next chunk; the first chunk begins anew",
            ));
        }
        if end > self.total {
            return Err(Error::Chunk("it is longer than the dump"));
        }
        self.bytes.extend_from_slice(chunk);
        Ok(())
    }

    /// What is there.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of the whole dump.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Whether all of it is there.
    pub fn is_whole(&self) -> bool {
        self.bytes.len() == self.total
    }

    /// The filter, when all of it is there. One that grows may grow to `most` bytes.
    ///
    /// # Errors
    ///
    /// If it is no filter.
    pub fn filter(&self, most: usize) -> Result<Filter, Error> {
        if !self.is_whole() {
            return Err(Error::Chunk("it is not complete"));
        }
        dump::read(&self.bytes, most)
    }
}
