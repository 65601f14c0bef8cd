//! The form of a dump: `LFCDUMP2`, the length of all of it in 8 bytes, what [`entry`](crate::entry) says of a filter,
//! the CRC-32 of all that, and the library's stored form, which has a checksum of its own.

use lockfree_cuckoo::{Chunks, SnapshotError};

use crate::entry::Entry;
use crate::error::Error;
use crate::filter::{Filter, WriteError};

const MAGIC: &[u8; 8] = b"LFCDUMP2";

/// Magic, length, entry.
const SUMMED: usize = MAGIC.len() + 8 + Entry::BYTES;

/// And their checksum.
pub(crate) const HEADER: usize = SUMMED + 4;

/// A dump of a filter that nobody writes to, a chunk at a time: [`Filter::dump`] returns it. Nothing is copied.
///
/// Each chunk is one `CF.LOADCHUNK`: it is how a log is rewritten, and how a filter of any size is sent to another server.
#[derive(Debug)]
pub struct Dump<'a> {
    header: [u8; HEADER],
    stored: Chunks<'a>,
    position: usize,
}

impl Filter {
    /// A dump, for a caller who knows that nobody writes meanwhile: see [`chunks`](Self::chunks).
    #[must_use]
    pub fn dump(&self) -> Dump<'_> {
        let stored = self.chunks();
        Dump {
            header: header(Entry::of(self), stored.bytes()),
            stored,
            position: 0,
        }
    }
}

impl Dump<'_> {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> usize {
        HEADER.saturating_add(usize::try_from(self.stored.bytes()).unwrap_or(usize::MAX))
    }

    /// All of it.
    pub(crate) fn whole(mut self) -> Result<Vec<u8>, Error> {
        let (mut bytes, total) = (Vec::new(), self.bytes());
        bytes.try_reserve_exact(total).map_err(|_| {
            let words = format!("not enough memory: the dump takes {total} bytes");
            Error::NoMemoryToTransfer(words)
        })?;
        bytes.resize(total, 0);
        let mut taken = 0;
        while let Some((_, more)) = self
            .next_chunk(&mut bytes[taken..])
            .map_err(WriteError::from)?
        {
            taken += more;
        }
        Ok(bytes)
    }

    /// Puts the next bytes into `chunk`, and returns how many, and the iterator that goes with them. Nothing at the end.
    /// The first chunk has to have room for 64 bytes.
    ///
    /// # Errors
    ///
    /// If somebody wrote meanwhile.
    pub fn next_chunk(&mut self, chunk: &mut [u8]) -> Result<Option<(i64, usize)>, SnapshotError> {
        let start = self.position;
        let header = self.header.get(start..).unwrap_or_default();
        let (head, rest) = chunk.split_at_mut(header.len().min(chunk.len()));
        head.copy_from_slice(&header[..head.len()]);
        self.position += head.len() + self.stored.next_chunk(rest)?;
        let bytes = self.position - start;
        // A filter has fewer bytes than an iterator can say.
        Ok((bytes > 0).then_some((self.position as i64, bytes)))
    }
}

fn header(entry: Entry, stored: u64) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    let (magic, rest) = bytes.split_at_mut(MAGIC.len());
    magic.copy_from_slice(MAGIC);
    rest[..8].copy_from_slice(&(HEADER as u64 + stored).to_le_bytes());
    rest[8..][..Entry::BYTES].copy_from_slice(&entry.to_bytes());
    let sum = crc32fast::hash(&bytes[..SUMMED]);
    bytes[SUMMED..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// The whole dump of a filter that others may write to.
pub(crate) fn write(filter: &Filter) -> Result<Vec<u8>, WriteError> {
    let copy = filter.copy()?;
    let (entry, mut bytes) = (copy.entry(), vec![0; HEADER]);
    copy.write(&mut bytes)?;
    let header = header(entry, (bytes.len() - HEADER) as u64);
    bytes[..HEADER].copy_from_slice(&header);
    Ok(bytes)
}

/// The length of all of the dump that begins like this.
pub(crate) fn length(bytes: &[u8]) -> Result<usize, Error> {
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
pub(crate) fn read(bytes: &[u8], most: usize) -> Result<Filter, Error> {
    let entry = bytes.get(MAGIC.len() + 8..).and_then(<[u8]>::first_chunk);
    let entry = entry.and_then(Entry::from_bytes);
    let entry = entry.ok_or(Error::Chunk("the description of the filter is not valid"))?;
    let stored = &mut &bytes[HEADER..];
    let filter = entry.read(stored, most)?;
    if stored.is_empty() {
        Ok(filter)
    } else {
        Err(Error::Chunk("there are bytes after its end"))
    }
}
