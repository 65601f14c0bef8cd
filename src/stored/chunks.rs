//! The stored form a chunk at a time, of an engine that others may look at.
//!
//! Nothing is copied: the words are read when their chunk is asked for. [`snapshots`](crate::design::snapshots#chunks)
//! says why a form that comes to its end misses nothing.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::source::copy_words;
use super::{CHECKSUM, WORD};
use crate::error::SnapshotError;
use crate::layout::Layout;
use crate::tokens::Tokens;

/// The stored form of a filter that nobody writes to, a chunk at a time: [`Filter::chunks`](crate::Filter::chunks)
/// returns it.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
///
/// let filter = CuckooFilter::with_capacity(100_000);
/// filter.insert("a")?;
///
/// let mut chunks = filter.chunks()?;
/// let (mut stored, mut chunk) = (Vec::new(), [0; 4096]);
/// loop {
///     match chunks.next_chunk(&mut chunk)? {
///         0 => break,
///         bytes => stored.extend_from_slice(&chunk[..bytes]),
///     }
/// }
/// assert_eq!(stored.len() as u64, chunks.bytes());
/// assert!(CuckooFilter::from_bytes(&stored)?.contains("a"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Chunks<'a> {
    /// The header, and the list that is behind it in some forms.
    head: Vec<u8>,
    tables: Vec<StoredTable<'a>>,
    /// Whether these are still the tables of the filter.
    are_current: Box<dyn Fn() -> bool + Send + Sync + 'a>,
    /// Of all that was read.
    checksum: crc32fast::Hasher,
    bytes: usize,
    /// Bytes that were given out.
    position: usize,
    /// The table that is read, and the next of its words.
    table: usize,
    word: usize,
    /// Tokens in the words before that one.
    found: usize,
    /// What was read and is not given out yet, from this byte of it on: a pair that did not fit, or the checksum.
    rest: [u8; PAIR],
    rest_from: usize,
    /// Whether something was read that does not go with the rest.
    is_void: bool,
}

/// Bytes that are read at once. In a table that grows two words belong together.
const PAIR: usize = 2 * WORD;

/// A table, and how it was when the first chunk was yet to come.
pub(super) struct StoredTable<'a> {
    words: Box<dyn Words + 'a>,
    announcements: u64,
    pub(super) items: usize,
}

/// The words of a table of some layout.
pub(super) trait Words: Send + Sync {
    /// How many there are: an even number.
    fn count(&self) -> usize;

    fn announcements(&self) -> u64;

    /// Copies the words from this one on, an even number of them. Returns the tokens in them.
    fn copy(&self, from: usize, to: &mut [[u8; WORD]]) -> usize;
}

impl<L: Layout> Words for &Tokens<L> {
    fn count(&self) -> usize {
        self.geometry().buckets()
    }

    fn announcements(&self) -> u64 {
        Tokens::announcements(self)
    }

    fn copy(&self, from: usize, to: &mut [[u8; WORD]]) -> usize {
        copy_words(self, from, to)
    }
}

impl<'a> StoredTable<'a> {
    /// Of words that held this number of tokens, which were counted after this number of announcements.
    #[cfg(feature = "std")]
    pub(super) fn of_words(words: impl Words + 'a, items: usize, announcements: u64) -> Self {
        Self {
            words: Box::new(words),
            announcements,
            items,
        }
    }

    /// Reads the whole table once, to count what is in it.
    pub(super) fn of<L: Layout>(tokens: &'a Tokens<L>) -> Self {
        let announcements = tokens.announcements();
        // After that, and as a writer does: a move that was announced before must be over before the words are read.
        // And not the counter's sum: a thread that stopped between its exchange and the count left it off.
        let items = tokens.settle_each();
        Self {
            words: Box::new(tokens),
            announcements,
            items,
        }
    }
}

impl<'a> Chunks<'a> {
    /// `head` is what is ahead of the words, and `checksum` the one of that. `are_current` says whether these are still
    /// the tables of the filter.
    pub(super) fn new(
        head: Vec<u8>,
        checksum: crc32fast::Hasher,
        tables: Vec<StoredTable<'a>>,
        are_current: impl Fn() -> bool + Send + Sync + 'a,
    ) -> Self {
        let words: usize = tables.iter().map(|table| table.words.count()).sum();
        Self {
            bytes: head.len() + words * WORD + CHECKSUM,
            head,
            tables,
            are_current: Box::new(are_current),
            checksum,
            position: 0,
            table: 0,
            word: 0,
            found: 0,
            rest: [0; PAIR],
            rest_from: PAIR,
            is_void: false,
        }
    }

    /// The bytes of the whole stored form.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// The bytes of the chunks so far.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position as u64
    }

    /// Puts the next bytes of the stored form into `chunk`, as many as fit, and returns how many. 0 is the end, unless
    /// `chunk` is empty. Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Changed`], if other threads changed the filter so that the chunks do not go together. It stays so:
    /// begin again with [`Filter::chunks`](crate::Filter::chunks).
    pub fn next_chunk(&mut self, chunk: &mut [u8]) -> Result<usize, SnapshotError> {
        let start = self.position;
        // Early. The look ahead of the checksum is the one that counts.
        self.is_void |= start < self.bytes && !self.is_unchanged();
        let mut room = chunk;
        while !self.is_void && !room.is_empty() && self.position < self.bytes {
            let filled = self.fill(room);
            self.position += filled;
            room = &mut room[filled..];
        }
        if self.is_void {
            return Err(SnapshotError::Changed);
        }
        Ok(self.position - start)
    }

    /// Puts some of the next bytes into `out`. None, if a pair or the checksum was read first.
    fn fill(&mut self, out: &mut [u8]) -> usize {
        if self.position < self.head.len() {
            return copy(&self.head[self.position..], out);
        }
        if self.rest_from < PAIR {
            let count = copy(&self.rest[self.rest_from..], out);
            self.rest_from += count;
            return count;
        }
        if self.table == self.tables.len() {
            self.is_void |= !self.is_unchanged();
            self.rest_from = PAIR - CHECKSUM;
            let checksum = self.checksum.clone().finalize();
            self.rest[self.rest_from..].copy_from_slice(&checksum.to_le_bytes());
            return 0;
        }
        let (pairs, _) = out.as_chunks_mut::<PAIR>();
        if pairs.is_empty() {
            let mut pair = [[0; WORD]; 2];
            self.read(&mut pair);
            self.rest.copy_from_slice(pair.as_flattened());
            self.rest_from = 0;
            return 0;
        }
        let (words, _) = pairs.as_flattened_mut().as_chunks_mut();
        self.read(words) * WORD
    }

    /// Reads the next words of a table, as many as there is room for: an even number. Returns how many.
    fn read(&mut self, room: &mut [[u8; WORD]]) -> usize {
        let StoredTable { words, items, .. } = &self.tables[self.table];
        let left = words.count() - self.word;
        let count = room.len().min(left);
        let room = &mut room[..count];
        self.found += words.copy(self.word, room);
        self.word += count;
        self.checksum.update(room.as_flattened());
        if count == left {
            // The header or the list has the number.
            self.is_void |= self.found != *items;
            self.table += 1;
            (self.word, self.found) = (0, 0);
        }
        count
    }

    /// Whether no token has changed places since the beginning, and no table was added or forgotten.
    fn is_unchanged(&self) -> bool {
        let mut tables = self.tables.iter();
        tables.all(|table| table.words.announcements() == table.announcements)
            && (self.are_current)()
    }
}

/// Copies as much as fits.
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let count = from.len().min(to.len());
    to[..count].copy_from_slice(&from[..count]);
    count
}

// They write nothing but their own position, after the bytes that it is about.
impl UnwindSafe for Chunks<'_> {}
impl RefUnwindSafe for Chunks<'_> {}

impl fmt::Debug for Chunks<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Chunks")
            .field("bytes", &self.bytes)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}
