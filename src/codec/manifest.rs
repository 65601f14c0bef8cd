//! What an engine hands over to be stored: its numbers, and its tables while others use them.

use core::array;

use crate::codec::header::{Entry, HeaderFields, MAX_TABLES, WORD};

/// The parts of an engine to store.
pub struct Manifest<'a> {
    pub(crate) numbers: HeaderFields,
    pub(crate) tables: [Option<StoredTable<'a>>; MAX_TABLES],
    /// The version of the list of tables: they are all while the engine has this one.
    pub(crate) list: u64,
}

impl<'a> Manifest<'a> {
    pub(crate) fn new(
        own: [u64; 2],
        search_budget: usize,
        tables: impl IntoIterator<Item = StoredTable<'a>>,
        list: u64,
    ) -> Self {
        let mut tables = tables.into_iter();
        let tables = array::from_fn(|_| tables.next());
        Self {
            numbers: HeaderFields {
                own,
                search_budget,
                tables: tables.iter().flatten().count(),
            },
            tables,
            list,
        }
    }
}

/// The words of a table with a shape, the part of its list entry before the number of items.
pub(crate) trait TableWords: Send + Sync {
    /// The number of words: an even number.
    fn count(&self, shape: u64) -> usize;

    /// The number of announcements so far that tokens change places.
    fn announcements(&self) -> u64;

    /// Settles each word. Returns the tokens in them.
    fn settle(&self, shape: u64) -> usize;

    /// Copies the words from this one on, an even number of them. Returns the tokens in them.
    fn copy(&self, shape: u64, from: usize, to: &mut [[u8; WORD]]) -> usize;

    /// Whether it still has this shape.
    fn is_current(&self, _shape: u64) -> bool {
        true
    }
}

/// A table, and its condition before the first chunk.
pub(crate) struct StoredTable<'a> {
    pub(crate) words: &'a dyn TableWords,
    announcements: u64,
    pub(crate) entry: Entry,
}

impl<'a> StoredTable<'a> {
    /// Reads the whole table once, to count its tokens.
    pub(crate) fn new(words: &'a dyn TableWords, shape: u64) -> Self {
        let announcements = words.announcements();
        // Settle after the announcements were read, as a writer does: a move that was announced
        // before must be over before the words are read. Count the tokens in the words, not by the
        // counter: a thread that stopped between its exchange and the count left it off.
        let items = words.settle(shape) as u64;
        Self {
            words,
            announcements,
            entry: Entry { shape, items },
        }
    }

    /// The number of its words.
    pub(crate) fn count(&self) -> usize {
        self.words.count(self.entry.shape)
    }

    /// Copies its words from this one on.
    #[cfg(feature = "shared")]
    pub(crate) fn copy(&self, from: usize, to: &mut [[u8; WORD]]) {
        self.words.copy(self.entry.shape, from, to);
    }

    /// Whether no token has changed places since, and its shape is the same.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.words.announcements() == self.announcements && self.words.is_current(self.entry.shape)
    }
}
