//! The stored form of an engine that others may read, a chunk at a time.
//!
//! Nothing is copied: the words are read when their chunk is requested.
//! [`snapshots`](crate::design::snapshots#chunks) says why a complete form misses nothing.

use alloc::vec::Vec;
use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

use crate::allocate;
use crate::codec::header::{CHECKSUM, ENTRY, Header, Identity, MAX_TABLES, PADDING, WORD};
use crate::codec::manifest::{Manifest, StoredTable};
use crate::engine::operations::RawFilter;
use crate::error::SnapshotError;

/// Serializes a filter chunk by chunk, without copying it. Fails with
/// [`Changed`](SnapshotError::Changed) if another thread writes meanwhile. Returned by
/// [`Filter::chunks`](crate::Filter::chunks).
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
///
/// let filter = CuckooFilter::with_capacity(100_000);
/// filter.insert("a")?;
///
/// let mut chunks = filter.chunks();
/// let (mut stored, mut chunk) = (Vec::new(), [0; 4096]);
/// loop {
///     match chunks.next_chunk(&mut chunk)? {
///         0 => break,
///         bytes => stored.extend_from_slice(&chunk[..bytes]),
///     }
/// }
/// assert_eq!(stored.len() as u64, chunks.total());
/// assert!(CuckooFilter::from_bytes(&stored)?.contains("a"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Chunks<'a> {
    /// The header, the list and its checksum.
    head: [u8; HEAD],
    head_bytes: usize,
    tables: [Option<StoredTable<'a>>; MAX_TABLES],
    engine: &'a dyn RawFilter,
    /// The version of its list of tables at the start.
    list: u64,
    /// Covers everything read.
    checksum: crc32fast::Hasher,
    bytes: usize,
    /// Number of bytes returned.
    position: usize,
    /// The current table, and the next of its words.
    table: usize,
    word: usize,
    /// Tokens in the words before that one.
    found: usize,
    /// Bytes that were read but not returned yet, and the start of the rest: a pair that did not
    /// fit, or the checksum.
    rest: [u8; PAIR],
    rest_from: usize,
    /// Whether a word was read that does not match the rest.
    is_void: bool,
}

/// Bytes read at once. In a growing table two words belong together.
const PAIR: usize = 2 * WORD;

/// Maximum number of bytes before the words.
const HEAD: usize = Header::BYTES + MAX_TABLES * ENTRY + PADDING + CHECKSUM;

impl<'a> Chunks<'a> {
    /// The stored form of an engine, with this hasher.
    pub(crate) fn of(engine: &'a dyn RawFilter, identity: &Identity) -> Self {
        let Manifest {
            numbers,
            tables,
            list,
        } = engine.manifest();
        let header = Header::new(engine.kind(), engine.shape(), identity, &numbers);
        let mut checksum = header.begin_checksum();
        let (mut head, mut head_bytes) = ([0; HEAD], 0);
        let mut push = |piece: &[u8]| {
            head[head_bytes..][..piece.len()].copy_from_slice(piece);
            head_bytes += piece.len();
        };
        push(&header.encode());
        for StoredTable { entry, .. } in tables.iter().flatten() {
            let entry = [entry.shape, entry.items].map(u64::to_le_bytes);
            checksum.update(entry.as_flattened());
            push(entry.as_flattened());
        }
        checksum.update(&[0; PADDING]);
        push(&[0; PADDING]);
        push(&checksum.clone().finalize().to_le_bytes());
        let words: usize = tables.iter().flatten().map(StoredTable::count).sum();
        Self {
            bytes: head_bytes + words * WORD + CHECKSUM,
            head,
            head_bytes,
            tables,
            engine,
            list,
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

    /// The number of bytes of the whole stored form.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.bytes as u64
    }

    /// The number of bytes of the chunks so far.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position as u64
    }

    /// Writes the next bytes of the stored form into `chunk`, as many as fit, and returns their
    /// number. 0 is the end, unless `chunk` is empty. Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::Changed`], if other threads changed the filter so that the chunks do not
    /// match. Later calls fail too: begin again with [`Filter::chunks`](crate::Filter::chunks).
    pub fn next_chunk(&mut self, chunk: &mut [u8]) -> Result<usize, SnapshotError> {
        let start = self.position;
        // Look early, to fail early. The check before the checksum decides.
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

    /// Writes some of the next bytes into `out`, or none if it first read a pair or the checksum.
    fn fill(&mut self, out: &mut [u8]) -> usize {
        if self.position < self.head_bytes {
            return copy(&self.head[self.position..self.head_bytes], out);
        }
        if self.rest_from < PAIR {
            let count = copy(&self.rest[self.rest_from..], out);
            self.rest_from += count;
            return count;
        }
        let Some(table) = self.tables.get(self.table).and_then(Option::as_ref) else {
            // Decide: all words are read.
            self.is_void |= !self.is_unchanged();
            self.rest_from = PAIR - CHECKSUM;
            let checksum = self.checksum.clone().finalize();
            self.rest[self.rest_from..].copy_from_slice(&checksum.to_le_bytes());
            return 0;
        };
        let left = table.count() - self.word;
        let (pairs, _) = out.as_chunks_mut::<PAIR>();
        let mut pair = [[0; WORD]; 2];
        let (words, _) = pairs.as_flattened_mut().as_chunks_mut();
        let has_room = !words.is_empty();
        let words = if has_room { words } else { &mut pair };
        let count = words.len().min(left);
        let words = &mut words[..count];
        self.found += table.words.copy(table.entry.shape, self.word, words);
        self.checksum.update(words.as_flattened());
        self.word += count;
        if count == left {
            self.is_void |= self.found as u64 != table.entry.items;
            self.table += 1;
            (self.word, self.found) = (0, 0);
        }
        if has_room {
            return count * WORD;
        }
        self.rest.copy_from_slice(pair.as_flattened());
        self.rest_from = 0;
        0
    }

    /// Whether no token has changed places since the beginning, and no table was added or
    /// forgotten.
    fn is_unchanged(&self) -> bool {
        let mut tables = self.tables.iter().flatten();
        tables.all(StoredTable::is_unchanged) && self.engine.list_version() == self.list
    }
}

/// Copies as much as fits.
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let count = from.len().min(to.len());
    to[..count].copy_from_slice(&from[..count]);
    count
}

// They write only their own position, after the bytes that it describes.
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

/// Number of bytes stored between two checks for changes of the engine.
const PIECE: usize = 1 << 14;

/// The stored form as bytes. Fails if the engine changes meanwhile, or if there is no memory for
/// the bytes.
pub(crate) fn to_vec(
    engine: &dyn RawFilter,
    identity: &Identity,
) -> Result<Vec<u8>, SnapshotError> {
    let mut chunks = Chunks::of(engine, identity);
    let all = usize::try_from(chunks.total()).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    allocate::grow(&mut bytes, all)?;
    bytes.resize(all, 0);
    // Store in pieces, so that an early change ends it early.
    for piece in bytes.chunks_mut(PIECE) {
        chunks.next_chunk(piece)?;
    }
    Ok(bytes)
}
