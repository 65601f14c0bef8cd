//! The stored form of engines whose tables keep their size: the fixed one and the rotating one.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::codec::chunks::{Manifest, Stored, StoredTable, TableWords};
use crate::codec::header::{Entry, HeaderFields, WORD, demand};
use crate::codec::reading::{Restored, UncheckedWords, at_most_slots, geometry};
use crate::error::ReadError;
use crate::fixed::Fixed;
use crate::fixed::tokens::TokenTable;
use crate::kernel::geometry::Geometry;
use crate::kernel::layout::Layout;

/// A table's entry in the list: its number of buckets, and of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedEntry<L> {
    pub(crate) geometry: Geometry<L>,
    items: usize,
}

impl<L: Layout> FixedEntry<L> {
    pub(crate) fn new(capacity: u64, entry: Entry) -> Result<Self, ReadError> {
        let geometry = geometry(entry.shape)?;
        at_most_slots(
            capacity,
            geometry,
            "its capacity is larger than its number of slots",
        )?;
        let items = at_most_slots(entry.items, geometry, "it has more items than slots")?;
        Ok(Self { geometry, items })
    }

    pub(crate) fn build(
        self,
        words: UncheckedWords<L>,
        search_budget: usize,
    ) -> Result<TokenTable<L>, ReadError> {
        let table = words.check(self.items)?;
        Ok(TokenTable::with_table(table, self.items, search_budget)?)
    }
}

pub(crate) fn stored<L: Layout>(table: &TokenTable<L>) -> StoredTable<'_> {
    let buckets = table.geometry().buckets() as u64;
    StoredTable::new(table, buckets)
}

impl<L: Layout> TableWords for TokenTable<L> {
    fn count(&self, buckets: u64) -> usize {
        buckets as usize
    }

    fn announcements(&self) -> u64 {
        TokenTable::announcements(self)
    }

    fn settle(&self, _: u64) -> usize {
        self.settle_each()
    }

    fn copy(&self, _: u64, from: usize, to: &mut [[u8; WORD]]) -> usize {
        let copy = |(bytes, bucket): (&mut [u8; WORD], usize)| {
            let content = self.peek(bucket);
            *bytes = content.bits().to_le_bytes();
            content.len()
        };
        to.iter_mut().zip(from..).map(copy).sum()
    }
}

impl<L: Layout> Stored for Fixed<L> {
    /// The table is the same for as long as the filter is borrowed.
    fn manifest(&self) -> Manifest<'_> {
        Manifest::new(
            [self.capacity as u64, 0],
            self.table.search_budget(),
            [stored(&self.table)],
            (self, 0),
        )
    }
}

impl<L: Layout> Restored for Fixed<L> {
    const TABLES: RangeInclusive<usize> = 1..=1;

    type Table = FixedEntry<L>;

    fn check(numbers: &HeaderFields) -> Result<(), ReadError> {
        let [_, unused] = numbers.own;
        demand(unused == 0, "an unused byte of the header is not 0")
    }

    fn table(
        numbers: &HeaderFields,
        entry: Entry,
        _: Option<FixedEntry<L>>,
    ) -> Result<FixedEntry<L>, ReadError> {
        FixedEntry::new(numbers.own[0], entry)
    }

    fn geometry(table: FixedEntry<L>) -> Geometry<L> {
        table.geometry
    }

    fn assemble(
        numbers: &HeaderFields,
        mut tables: Vec<(FixedEntry<L>, UncheckedWords<L>)>,
        _: usize,
    ) -> Result<Self, ReadError> {
        let (table, words) = tables.pop().expect("one table");
        Ok(Self {
            table: table.build(words, numbers.search_budget)?,
            capacity: numbers.own[0] as usize,
        })
    }
}
