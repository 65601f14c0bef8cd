//! Filters as bytes: what is kept beside the stored form of the library, dumps, and dumps of which a part is there.
//!
//! An entry is what is kept of a filter beside its stored form, in snapshots and in dumps:
//!
//! | part | bytes |
//! |---|---|
//! | expansion: 0 for a filter that does not grow | 2 |
//! | maximal iterations | 2 |
//! | capacity | 8 |
//! | deleted items | 8 |
//!
//! A dump is `LFCDUMP2`, the length of all of it in 8 bytes, an entry, the CRC-32 of all that, and the library's stored
//! form, which has a checksum of its own. All numbers are little-endian.

use std::io::Read;

use lockfree_cuckoo::{Chunks, ReadError, SnapshotError};

use crate::error::Error;
use crate::filter::Filter;
use crate::settings::{Layout, Settings};

/// What is kept of a filter beside its stored form, in [`BYTES`](Self::BYTES) bytes. No checksum is part of it. The layout
/// is in the stored form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    settings: Settings,
    deleted: u64,
}

/// More than any server has deleted; less leaves room to go on counting.
const MOST_DELETED: u64 = 1 << 62;

impl Entry {
    /// The bytes of any entry.
    pub const BYTES: usize = 2 + 2 + 8 + 8;

    /// Of a filter as it is.
    pub fn of(filter: &Filter) -> Self {
        Self {
            settings: filter.settings(),
            deleted: filter.deleted(),
        }
    }

    /// The entry in bytes.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let Settings {
            capacity,
            expansion,
            max_iterations,
            // It is in the stored form.
            layout: _,
        } = self.settings;
        let mut bytes = [0; Self::BYTES];
        bytes[..2].copy_from_slice(&expansion.to_le_bytes());
        bytes[2..4].copy_from_slice(&max_iterations.to_le_bytes());
        bytes[4..12].copy_from_slice(&(capacity as u64).to_le_bytes());
        bytes[12..].copy_from_slice(&self.deleted.to_le_bytes());
        bytes
    }

    /// Nothing if no filter has such an entry.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (expansion, rest) = bytes.split_first_chunk()?;
        let (max_iterations, rest) = rest.split_first_chunk()?;
        let (capacity, rest) = rest.split_first_chunk()?;
        let (deleted, _) = rest.split_first_chunk()?;
        let expansion = u16::from_le_bytes(*expansion);
        let deleted = u64::from_le_bytes(*deleted);
        let is_possible = expansion == 0 || expansion.is_power_of_two();
        (is_possible && deleted <= MOST_DELETED).then_some(())?;
        Some(Self {
            settings: Settings {
                capacity: usize::try_from(u64::from_le_bytes(*capacity)).ok()?,
                expansion,
                max_iterations: u16::from_le_bytes(*max_iterations),
                layout: Layout::default(),
            },
            deleted,
        })
    }

    /// The filter whose stored form comes next. A growing one may grow to `most` bytes.
    ///
    /// Of any source by one function: the code of all layouts is compiled here, and not once more for each kind of source.
    ///
    /// # Errors
    ///
    /// If the source fails, or no filter of this kind is stored in it.
    pub fn read(self, source: &mut dyn Read, most: usize) -> Result<Filter, ReadError> {
        Filter::read(self.settings, self.deleted, source, most)
    }
}

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

impl Dump<'_> {
    /// Its bytes.
    pub fn bytes(&self) -> usize {
        HEADER.saturating_add(usize::try_from(self.stored.total()).unwrap_or(usize::MAX))
    }

    /// All of it.
    ///
    /// # Errors
    ///
    /// If there is no memory for it, or somebody wrote meanwhile.
    pub fn whole(mut self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let total = self.bytes();
        reserve(&mut bytes, total)?;
        bytes.resize(total, 0);
        let mut taken = 0;
        while let Some((_, more)) = self.next_chunk(&mut bytes[taken..])? {
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

fn reserve(bytes: &mut Vec<u8>, total: usize) -> Result<(), Error> {
    bytes.try_reserve_exact(total - bytes.len()).map_err(|_| {
        Error::NoMemoryToTransfer(format!("not enough memory: the dump takes {total} bytes"))
    })
}

/// The entry of the dump that begins like this, and the length of all of it.
fn begin(bytes: &[u8]) -> Result<(Entry, usize), Error> {
    let header = bytes.first_chunk::<HEADER>();
    let header = header.filter(|header| header.starts_with(MAGIC));
    let header = header.ok_or(Error::Chunk("it does not begin like a dump of this server"))?;
    let (summed, sum) = header.split_at(SUMMED);
    if sum != crc32fast::hash(summed).to_le_bytes() {
        return Err(Error::Chunk("the checksum of its start does not match"));
    }
    let length = summed[MAGIC.len()..].first_chunk().copied();
    let total = length.and_then(|length| usize::try_from(u64::from_le_bytes(length)).ok());
    let total = total.filter(|&total| total >= HEADER && bytes.len() <= total);
    let entry = summed.last_chunk().and_then(Entry::from_bytes);
    Ok((
        entry.ok_or(Error::Chunk("the description of the filter is not valid"))?,
        total.ok_or(Error::Chunk("its length is wrong"))?,
    ))
}

impl Filter {
    /// A dump, for a caller who knows that nobody writes meanwhile: see [`lockfree_cuckoo::Filter::chunks`]. It does not
    /// wait for the [mutex](Self::behind_a_mutex), if there is one.
    #[must_use]
    pub fn dump(&self) -> Dump<'_> {
        let stored = self.chunks();
        let mut header = [0; HEADER];
        let (magic, rest) = header.split_at_mut(MAGIC.len());
        magic.copy_from_slice(MAGIC);
        rest[..8].copy_from_slice(&(HEADER as u64 + stored.total()).to_le_bytes());
        rest[8..][..Entry::BYTES].copy_from_slice(&Entry::of(self).to_bytes());
        let sum = crc32fast::hash(&header[..SUMMED]);
        header[SUMMED..].copy_from_slice(&sum.to_le_bytes());
        Dump {
            header,
            stored,
            position: 0,
        }
    }

    /// The filter of a dump that ends with its source. A growing one may grow to `most` bytes.
    ///
    /// # Errors
    ///
    /// If the source fails, or is no dump.
    pub fn of_dump(source: &mut dyn Read, most: usize) -> Result<Self, Error> {
        let mut header = [0; HEADER];
        source.read_exact(&mut header).map_err(ReadError::from)?;
        let (entry, _) = begin(&header)?;
        let filter = entry.read(source, most)?;
        if source.read(&mut [0]).map_err(ReadError::from)? == 0 {
            Ok(filter)
        } else {
            Err(Error::Chunk("there are bytes after its end"))
        }
    }
}

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
            total: begin(chunk)?.1,
            bytes: chunk.to_vec(),
        })
    }

    /// Takes the memory of the whole dump, so that what comes has room. It is there once for all.
    ///
    /// # Errors
    ///
    /// If it cannot be had.
    pub fn reserve(&mut self) -> Result<(), Error> {
        reserve(&mut self.bytes, self.total)
    }

    /// Bytes that it takes.
    pub fn memory_usage(&self) -> usize {
        self.bytes.capacity()
    }

    /// Takes the next chunk, which ends at `end`. With the last one it returns the filter, as [`filter`](Self::filter).
    ///
    /// # Errors
    ///
    /// If it is not the next chunk, or longer than the dump, or all of them are no filter. Then it is as before.
    pub fn take(&mut self, end: usize, chunk: &[u8], most: usize) -> Result<Option<Filter>, Error> {
        let before = self.bytes.len();
        if end.checked_sub(chunk.len()) != Some(before) {
            return Err(Error::Chunk(
                "it is not the next chunk; the first chunk begins anew",
            ));
        }
        if end > self.total {
            return Err(Error::Chunk("it is longer than the dump"));
        }
        self.bytes.extend_from_slice(chunk);
        let filter = self.filter(most);
        if filter.is_err() {
            self.bytes.truncate(before);
        }
        filter
    }

    /// What is there.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of the whole dump.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The filter, if all of it is there. One that grows may grow to `most` bytes.
    ///
    /// # Errors
    ///
    /// If it is no filter.
    pub fn filter(&self, most: usize) -> Result<Option<Filter>, Error> {
        let is_whole = self.bytes.len() == self.total;
        let filter = is_whole.then(|| Filter::of_dump(&mut self.bytes.as_slice(), most));
        filter.transpose()
    }
}
