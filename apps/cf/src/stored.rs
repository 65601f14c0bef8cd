//! Filters as bytes: the entry that is kept beside the stored form of the library, dumps, and parts
//! of dumps.
//!
//! An entry is kept beside the stored form of a filter, in snapshots and in dumps:
//!
//! | part | bytes |
//! |---|---|
//! | expansion: 0 for a filter that does not grow | 2 |
//! | maximal iterations | 2 |
//! | capacity | 8 |
//! | deleted items | 8 |
//! | length of the window in nanoseconds: 0 for a filter without a window | 8 |
//! | age of the youngest generation in nanoseconds: 0 for a filter without a window | 8 |
//!
//! A dump is a header with an entry, and the library's stored form. [`lockfree_cuckoo::format`]
//! documents it.
//!
//! The age is that at the time of the entry. A dump does not tell that time: its filter is as old
//! when it is loaded as it was when it was dumped, on any machine. A program that stores a filter
//! and knows the time in between lets it [elapse](Filter::elapse).

use std::io::{self, Read};
use std::time::Duration;

use lockfree_cuckoo::{
    DynFilter, ReadError, SnapshotError,
    filter::{Chunks, Kind, Rotates},
};

use crate::error::Error;
use crate::filter::Filter;
use crate::settings::{Layout, MIN_GENERATIONS, Settings, Window};

/// The settings, counts and age of a filter, in [`BYTES`](Self::BYTES) bytes, without a checksum.
/// The layout is in the stored form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Without the window, whose generations are in the stored form.
    settings: Settings,
    deleted: u64,
    /// The length of the window.
    length: Option<Duration>,
    age: Duration,
}

/// More than any server has deleted, with room to go on counting.
const MOST_DELETED: u64 = 1 << 62;

impl Entry {
    /// The bytes of any entry.
    pub const BYTES: usize = 2 + 2 + 8 + 8 + 8 + 8;

    /// Describes a filter as it is now.
    pub fn of(filter: &Filter) -> Self {
        let settings = filter.settings();
        Self {
            settings: Settings {
                window: None,
                ..settings
            },
            deleted: filter.deleted(),
            length: settings.window.map(|window| window.length()),
            age: filter.age().unwrap_or_default(),
        }
    }

    /// Returns the entry in bytes.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let Settings {
            capacity,
            expansion,
            max_iterations,
            // These are in the stored form.
            layout: _,
            window: _,
        } = self.settings;
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let length = self.length.map_or(0, nanoseconds);
        let mut bytes = [0; Self::BYTES];
        bytes[..2].copy_from_slice(&expansion.to_le_bytes());
        bytes[2..4].copy_from_slice(&max_iterations.to_le_bytes());
        bytes[4..12].copy_from_slice(&(capacity as u64).to_le_bytes());
        bytes[12..20].copy_from_slice(&self.deleted.to_le_bytes());
        bytes[20..28].copy_from_slice(&length.to_le_bytes());
        bytes[28..].copy_from_slice(&nanoseconds(self.age).to_le_bytes());
        bytes
    }

    /// Reads an entry. `None` if no filter can have it.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (expansion, rest) = bytes.split_first_chunk()?;
        let (max_iterations, rest) = rest.split_first_chunk()?;
        let (capacity, rest) = rest.split_first_chunk()?;
        let (deleted, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (age, _) = rest.split_first_chunk()?;
        let expansion = u16::from_le_bytes(*expansion);
        let deleted = u64::from_le_bytes(*deleted);
        let is_possible = expansion == 0 || expansion.is_power_of_two();
        (is_possible && deleted <= MOST_DELETED).then_some(())?;
        let (length, age) = (u64::from_le_bytes(*length), u64::from_le_bytes(*age));
        let length = (length > 0).then(|| Duration::from_nanos(length));
        match length {
            // Check the length alone: the generations are in the stored form.
            Some(length) => Window::new(length, MIN_GENERATIONS)
                .filter(|_| expansion == 0)
                .map(drop)?,
            None => (age == 0).then_some(())?,
        }
        Some(Self {
            settings: Settings {
                capacity: usize::try_from(u64::from_le_bytes(*capacity)).ok()?,
                expansion,
                max_iterations: u16::from_le_bytes(*max_iterations),
                layout: Layout::default(),
                window: None,
            },
            deleted,
            length,
            age: Duration::from_nanos(age),
        })
    }

    /// Reads the filter whose stored form comes next. A growing one may grow to `most` bytes.
    ///
    /// The source is a trait object, so that the code of all layouts is compiled once, and not for
    /// each kind of source.
    ///
    /// # Errors
    ///
    /// If the source fails, or no filter of this kind is stored in it.
    pub fn read(self, source: &mut dyn Read, most: usize) -> Result<Filter, ReadError> {
        let Self {
            settings,
            deleted,
            length,
            age,
        } = self;
        let filter = Filter::read(settings, deleted, length, source, most)?;
        filter.elapse(age);
        Ok(filter)
    }
}

const MAGIC: &[u8; 8] = b"LFCDUMP1";

/// The bytes of magic, length and entry.
const SUMMED: usize = MAGIC.len() + 8 + Entry::BYTES;

/// The bytes with their checksum.
pub(crate) const HEADER: usize = SUMMED + 4;

/// So that the words of the stored form, too, are aligned in a dump.
const _: () = assert!(HEADER.is_multiple_of(8));

/// A dump of a filter, a chunk at a time, while no thread writes. [`Filter::dump`] returns it. It
/// copies nothing.
///
/// Each chunk is one `CF.LOADCHUNK`, to rewrite a log, or to send a filter of any size to another
/// server.
///
/// [`of`](Self::of) makes a dump of a filter that a program has built. [`Filter::of_dump`] reads a
/// dump.
#[derive(Debug)]
pub struct Dump<'a> {
    header: [u8; HEADER],
    stored: Chunks<'a>,
    position: usize,
}

impl<'a> Dump<'a> {
    /// The dump of a filter of the library, to be loaded into a server by `CF.LOADCHUNK`. No thread
    /// may write to the filter until the last chunk: take a [`snapshot`] of a filter in use.
    ///
    /// A server hashes an item by [`hash_bytes`]. So insert the items by `insert_hash` and that
    /// hash, or as slices of bytes.
    ///
    /// A filter that rotates needs a window. Its `age` is that of the youngest generation, as in
    /// [`Filter::age`]. The server goes on from it.
    ///
    /// # Errors
    ///
    /// If the filter rotates and has no window, or one of another number of generations. If it has
    /// a window and does not rotate.
    ///
    /// # Examples
    ///
    /// A filter is built in a program, and sent in commands of 200 bytes. (A megabyte is usual.)
    ///
    /// ```
    /// use lockfree_cuckoo_cf::Dump;
    /// use lockfree_cuckoo::CuckooFilter;
    /// use std::time::Duration;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert_hash(filter.hasher().hash_bytes(b"flow"))?;
    ///
    /// let filter = filter.into();
    /// let mut dump = Dump::of(&filter, None, Duration::ZERO)?;
    /// let mut chunk = [0; 200];
    /// let mut commands = Vec::new();
    /// while let Some((iterator, bytes)) = dump.next_chunk(&mut chunk)? {
    ///     commands.push(("CF.LOADCHUNK", "key", iterator, chunk[..bytes].to_vec()));
    /// }
    /// let (.., end, _) = commands.last().expect("some");
    /// assert_eq!(*end, dump.bytes() as i64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`hash_bytes`]: lockfree_cuckoo::RandomState::hash_bytes
    /// [`snapshot`]: lockfree_cuckoo::Filter::snapshot
    pub fn of(filter: &'a DynFilter, window: Option<Window>, age: Duration) -> Result<Self, Error> {
        let generations = filter.rotating().map(Rotates::generations);
        if generations != window.map(|window| window.generations()) {
            return Err(Error::OtherWindow);
        }
        let settings = Settings::new(filter.capacity(), filter.kind() == Kind::Growing);
        let entry = Entry {
            settings,
            deleted: 0,
            length: window.map(|window| window.length()),
            age: if window.is_some() {
                age
            } else {
                Duration::ZERO
            },
        };
        Ok(Self::new(entry, filter.chunks()))
    }

    fn new(entry: Entry, stored: Chunks<'a>) -> Self {
        let mut header = [0; HEADER];
        let (magic, rest) = header.split_at_mut(MAGIC.len());
        magic.copy_from_slice(MAGIC);
        rest[..8].copy_from_slice(&(HEADER as u64 + stored.total()).to_le_bytes());
        rest[8..][..Entry::BYTES].copy_from_slice(&entry.to_bytes());
        let sum = crc32fast::hash(&header[..SUMMED]);
        header[SUMMED..].copy_from_slice(&sum.to_le_bytes());
        Self {
            header,
            stored,
            position: 0,
        }
    }

    /// Returns the length of the dump in bytes.
    pub fn bytes(&self) -> usize {
        HEADER.saturating_add(usize::try_from(self.stored.total()).unwrap_or(usize::MAX))
    }

    /// Returns the whole dump.
    ///
    /// # Errors
    ///
    /// If there is no memory for it, or another thread wrote meanwhile.
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

    /// Writes the next bytes to `chunk`. Returns their number, and the iterator that goes with
    /// them; `None` at the end. The first chunk has to have room for 64 bytes.
    ///
    /// # Errors
    ///
    /// If another thread wrote meanwhile.
    pub fn next_chunk(&mut self, chunk: &mut [u8]) -> Result<Option<(i64, usize)>, SnapshotError> {
        let start = self.position;
        let header = self.header.get(start..).unwrap_or_default();
        let (head, rest) = chunk.split_at_mut(header.len().min(chunk.len()));
        head.copy_from_slice(&header[..head.len()]);
        self.position += head.len() + self.stored.next_chunk(rest)?;
        let bytes = self.position - start;
        // The cast is exact: a filter has fewer bytes than an iterator can say.
        Ok((bytes > 0).then_some((self.position as i64, bytes)))
    }
}

fn reserve(bytes: &mut Vec<u8>, total: usize) -> Result<(), Error> {
    bytes.try_reserve_exact(total - bytes.len()).map_err(|_| {
        Error::NoMemoryToTransfer(format!("not enough memory: the dump takes {total} bytes"))
    })
}

/// Parses the beginning of a dump. Returns its entry and its length.
fn begin(bytes: &[u8]) -> Result<(Entry, usize), Error> {
    let header = bytes.first_chunk::<HEADER>();
    let header = header.filter(|header| header.starts_with(MAGIC));
    let header = header.ok_or(Error::NoDump)?;
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
    /// Dumps the filter, while no thread writes: see [`lockfree_cuckoo::Filter::chunks`]. It does
    /// not wait for the [mutex](Self::behind_a_mutex), if there is one.
    #[must_use]
    pub fn dump(&self) -> Dump<'_> {
        Dump::new(Entry::of(self), self.chunks())
    }

    /// Dumps the filter as if its youngest generation had age 0, to compare filters whose rotations
    /// were made at different times, on different machines.
    #[must_use]
    pub fn ageless_dump(&self) -> Dump<'_> {
        let entry = Entry {
            age: Duration::ZERO,
            ..Entry::of(self)
        };
        Dump::new(entry, self.chunks())
    }

    /// The filter of a dump that ends with its source: of the chunks of `CF.SCANDUMP`, one behind
    /// the other. A growing one may grow to `most` bytes.
    ///
    /// A program that needs no more than the filter of the library goes on with
    /// [`into_library`](Self::into_library).
    ///
    /// # Errors
    ///
    /// If the source fails, or has no dump.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo_cf::{Filter, Settings};
    /// use lockfree_cuckoo::DynFilter;
    ///
    /// # let server = Filter::new(Settings::new(1_000, false), usize::MAX, usize::MAX)?;
    /// # server.insert(b"flow")?;
    /// # let dump = server.dump().whole()?;
    /// # let mut replies = dump.chunks(200).map(<[u8]>::to_vec).collect::<Vec<_>>();
    /// # replies.reverse();
    /// let mut dump = Vec::new();
    /// while let Some(chunk) = replies.pop() { // to CF.SCANDUMP, until the iterator is 0
    ///     dump.extend(chunk);
    /// }
    /// let filter = Filter::of_dump(&mut dump.as_slice(), usize::MAX)?;
    /// assert!(filter.contains(b"flow"));
    ///
    /// let filter: DynFilter = filter.into_library();
    /// assert!(filter.contains_hash(filter.hasher().hash_bytes(b"flow")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_dump(source: &mut dyn Read, most: usize) -> Result<Self, Error> {
        let mut start = Vec::new();
        let mut header = (&mut *source).take(HEADER as u64);
        header.read_to_end(&mut start).map_err(ReadError::from)?;
        if start.len() < HEADER && MAGIC.starts_with(&start[..start.len().min(MAGIC.len())]) {
            return Err(ReadError::from(io::Error::from(io::ErrorKind::UnexpectedEof)).into());
        }
        let (entry, _) = begin(&start)?;
        let filter = entry.read(source, most)?;
        if source.read(&mut [0]).map_err(ReadError::from)? == 0 {
            Ok(filter)
        } else {
            Err(Error::Chunk("there are bytes after its end"))
        }
    }
}

/// The beginning of a dump that is being loaded: the value of a key from the first `CF.LOADCHUNK`
/// to the last.
///
/// It takes the memory of the chunks that have come, whatever the first one claims, until
/// [`reserve`](Self::reserve) takes all.
#[derive(Debug)]
pub struct Loading {
    bytes: Vec<u8>,
    total: usize,
}

impl Loading {
    /// Begins with the first chunk, or with all the [`bytes`](Self::bytes) of another one.
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

    /// Reserves the memory of the whole dump, so that all chunks have room.
    ///
    /// # Errors
    ///
    /// If there is no such memory.
    pub fn reserve(&mut self) -> Result<(), Error> {
        reserve(&mut self.bytes, self.total)
    }

    /// Returns the bytes that it takes.
    pub fn memory_usage(&self) -> usize {
        self.bytes.capacity()
    }

    /// Takes the next chunk, which ends at `end`. With the last one it returns the filter, as
    /// [`filter`](Self::filter).
    ///
    /// # Errors
    ///
    /// If it is not the next chunk, or longer than the dump, or if all chunks together are not a
    /// filter. Nothing has changed then.
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

    /// Returns the bytes that have come.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the length of the whole dump in bytes.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Returns the filter, if the dump is complete. A growing one may grow to `most` bytes.
    ///
    /// # Errors
    ///
    /// If the dump is not a filter.
    pub fn filter(&self, most: usize) -> Result<Option<Filter>, Error> {
        let is_whole = self.bytes.len() == self.total;
        let filter = is_whole.then(|| Filter::of_dump(&mut self.bytes.as_slice(), most));
        filter.transpose()
    }
}
