//! A filter that comes in chunks, while it is not whole.

use cf::{Error, Filter};

use crate::limits;
use crate::stored;

/// What has come so far of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loading {
    bytes: Vec<u8>,
    total: usize,
}

impl Loading {
    /// With the first chunk of a dump. If that is all of it, there is the filter too.
    ///
    /// # Errors
    ///
    /// If it is no such chunk, or all of it takes more memory than is allowed.
    pub(crate) fn begin(end: usize, chunk: &[u8]) -> Result<(Self, Option<Filter>), Error> {
        if end != chunk.len() {
            return Err(Error::Chunk("the first chunk is missing"));
        }
        let total = stored::length_of_dump(chunk)?;
        let left = limits::left(0);
        if total > left {
            let words = format!(
                "not enough memory: the filter takes about {total} bytes, and at most {left} are allowed (cf.max-filter-bytes, maxmemory)"
            );
            return Err(Error::Other(words));
        }
        let mut loading = Self {
            bytes: Vec::new(),
            total,
        };
        let next = loading.take(end, chunk)?;
        Ok((loading, next))
    }

    /// What was stored of one.
    pub(crate) fn of_stored(total: usize, bytes: Vec<u8>) -> Option<Self> {
        let is_part = bytes.len() < total
            && stored::length_of_dump(&bytes).is_ok_and(|length| length == total);
        is_part.then_some(Self { bytes, total })
    }

    /// Takes the chunk that ends at `end` in the dump. With the last one it returns the filter. After an error it is as
    /// before.
    ///
    /// # Errors
    ///
    /// If it is not the next one or, with the last one, what came is no filter.
    pub(crate) fn take(&mut self, end: usize, chunk: &[u8]) -> Result<Option<Filter>, Error> {
        let before = self.bytes.len();
        if end.checked_sub(chunk.len()) != Some(before) {
            return Err(Error::Chunk("it is not the next chunk"));
        }
        if end > self.total {
            return Err(Error::Chunk("it is longer than the dump"));
        }
        self.bytes.extend_from_slice(chunk);
        if end < self.total {
            return Ok(None);
        }
        let whole = stored::of_dump(&self.bytes);
        if whole.is_err() {
            self.bytes.truncate(before);
        }
        whole.map(Some)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn total(&self) -> usize {
        self.total
    }

    pub(crate) fn memory_usage(&self) -> usize {
        self.bytes.capacity()
    }
}
