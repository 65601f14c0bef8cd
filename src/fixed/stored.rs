//! The stored form of engines whose tables keep their size: the fixed one and the rotating one.

use crate::codec::header::{Entry, WORD, demand};
use crate::codec::manifest::{StoredTable, TableWords};
use crate::codec::reading::{Input, UncheckedWords, at_most_slots, geometry};
use crate::error::ReadError;
use crate::fixed::tokens::TokenTable;
use crate::kernel::geometry::Geometry;
use crate::kernel::layout::Layout;

/// A table's entry in the list: its number of buckets, and of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FixedEntry<L> {
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

pub(crate) fn stored_table<L: Layout>(table: &TokenTable<L>) -> StoredTable<'_> {
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

/// Reads the table of a fixed filter, and the items that it was sized for.
pub(crate) fn restore<L: Layout>(input: Input<'_>) -> Result<(TokenTable<L>, usize), ReadError> {
    let numbers = input.numbers(1..=1)?;
    let [capacity, unused] = numbers.own;
    demand(unused == 0, "an unused byte of the header is not 0")?;
    let mut tables = input.tables(
        &numbers,
        |entry, _| FixedEntry::new(capacity, entry),
        |table| table.geometry,
    )?;
    let (table, words) = tables.pop().expect("one table");
    let table = table.build(words, numbers.search_budget)?;
    Ok((table, capacity as usize))
}
