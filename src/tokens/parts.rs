//! The parts of the shared object.

use core::ops::Range;

use super::descriptor::{Pool, Resolved};
use super::hints::{Hint, Hints};
use super::stripes::Stripes;
use crate::error::OutOfMemory;
use crate::layout::{Bucket, Fingerprint, Layout};
use crate::sync::{self, Event};
use crate::table::{Content, Geometry, Table};

/// A multiset of tokens, spread over the words of a table.
///
/// A token is one stored copy of an item. All tokens of a fingerprint in the two candidates of an item belong to
/// one class.
#[derive(Debug)]
pub(crate) struct Tokens<L> {
    pub(super) table: Table<L>,
    pub(super) stripes: Stripes<false>,
    pub(super) pool: Pool<L>,
    pub(super) hints: Hints<L>,
    /// Maximum number of buckets that one path search examines, up to [`LONG_BUDGET`](crate::layout::LONG_BUDGET).
    search_budget: u32,
    /// Whether a pending admission is committed by its owner alone, who looks [elsewhere](super::OtherTables) too.
    /// Other threads abort it. Otherwise every thread may: what it needs to know is in the two words of the class.
    pub(super) owners_decide: bool,
}

impl<L: Layout> Tokens<L> {
    /// The tokens of this table, with the number of descriptors that it needs unless given.
    pub(crate) fn with_table(
        table: Table<L>,
        search_budget: usize,
        descriptors: Option<usize>,
    ) -> Result<Self, OutOfMemory> {
        let descriptors = descriptors.unwrap_or_else(|| Pool::<L>::size_for(table.len()));
        Ok(Self {
            stripes: Stripes::new(table.len())?,
            table,
            pool: Pool::new(descriptors)?,
            hints: Hints::new()?,
            search_budget: search_budget as u32,
            owners_decide: false,
        })
    }

    /// Returns the heap bytes that a new table of tokens would take. To find out, it builds everything except the
    /// table.
    pub(crate) fn bytes_for(
        geometry: Geometry<L>,
        descriptors: Option<usize>,
    ) -> Result<usize, OutOfMemory> {
        let descriptors = descriptors.unwrap_or_else(|| Pool::<L>::size_for(geometry.buckets()));
        let rest = Stripes::<false>::new(geometry.buckets())?.bytes()
            + Pool::<L>::new(descriptors)?.bytes()
            + Hints::<L>::new()?.bytes();
        Ok(geometry.buckets() * size_of::<u64>() + rest)
    }

    /// An empty object like this one.
    pub(crate) fn empty_like(&self) -> Result<Self, OutOfMemory> {
        let table = Table::new(self.table.geometry())?;
        let mut fresh = Self::with_table(table, self.search_budget(), Some(self.pool.len()))?;
        fresh.owners_decide = self.owners_decide;
        Ok(fresh)
    }

    /// The heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes() + self.stripes.bytes() + self.pool.bytes() + self.hints.bytes()
    }

    /// Where its parts are in memory.
    pub(crate) fn places(&self) -> [(&'static str, Range<usize>); 4] {
        [
            ("table", self.table.place()),
            ("stripes", self.stripes.place()),
            ("descriptors", self.pool.place()),
            ("hints", self.hints.place()),
        ]
    }

    pub(crate) fn geometry(&self) -> Geometry<L> {
        self.table.geometry()
    }

    pub(crate) fn search_budget(&self) -> usize {
        self.search_budget as usize
    }

    /// From now on only its owner commits an admission.
    pub(crate) fn leave_admissions_to_their_owners(&mut self) {
        self.owners_decide = true;
    }

    /// Tells lookups and a running scan that tokens of a class are about to change places.
    #[inline]
    pub(super) fn announce(&self, bucket: usize, fingerprint: Fingerprint) {
        if self.stripes.bump(fingerprint) {
            sync::happened(Event::Hint);
            self.hints.note(Hint {
                bucket,
                fingerprint,
            });
        }
    }

    /// A read that disturbs no other thread: the logical content of a word at some moment during the call.
    #[inline]
    pub(crate) fn peek(&self, bucket: usize) -> Bucket<L> {
        match self.table.load(bucket).content() {
            Content::Bucket(content) => content,
            Content::Reference(_) => self.peek_frozen(bucket),
        }
    }

    #[cold]
    #[inline(never)]
    fn peek_frozen(&self, bucket: usize) -> Bucket<L> {
        loop {
            match self.table.load(bucket).content() {
                Content::Bucket(content) => return content,
                Content::Reference(reference) => match self.pool.resolve(bucket, reference) {
                    Resolved::Stale => {}
                    Resolved::Settled(content) => return content,
                    Resolved::Pending(pending) => return pending.old,
                },
            }
        }
    }

    /// Empties the table, and takes back the descriptors and the right to scan that dead threads held.
    pub(crate) fn clear(&mut self) {
        for bucket in 0..self.table.len() {
            self.table.set(bucket, Bucket::EMPTY);
        }
        self.pool.reclaim();
        self.stripes.end_all_scans();
        self.hints.end_scan();
    }

    /// The number of taken slots. Exact if no thread writes.
    pub(crate) fn taken(&self) -> usize {
        (0..self.table.len())
            .map(|bucket| self.peek(bucket).len())
            .sum()
    }
}
