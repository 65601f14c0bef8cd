//! The stored form of engines whose tables keep their size: the fixed one and the rotating one.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::chunks::{Current, Listing, Stored, StoredTable, TableWords};
use super::frame::{Entry, MOST_TABLES, Numbers, WORD, demand};
use super::reading::{Restored, Words, at_most_slots, geometry};
use crate::allocate;
use crate::counted::CountedTable;
use crate::engine::rotating::{MOST_GENERATIONS, MOST_ROTATIONS};
use crate::engine::{Fixed, Operations, Rotates, Rotating};
use crate::error::ReadError;
use crate::layout::Layout;
use crate::table::Geometry;
use crate::tokens::Tokens;

/// A table's entry in the list: its number of buckets, and of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sized<L> {
    geometry: Geometry<L>,
    items: usize,
}

impl<L: Layout> Sized<L> {
    fn new(capacity: u64, entry: Entry) -> Result<Self, ReadError> {
        let geometry = geometry(entry.shape)?;
        at_most_slots(
            capacity,
            geometry,
            "its capacity is larger than its number of slots",
        )?;
        let items = at_most_slots(entry.items, geometry, "it has more items than slots")?;
        Ok(Self { geometry, items })
    }

    fn build(self, words: Words<L>, search_budget: usize) -> Result<CountedTable<L>, ReadError> {
        let table = words.check(self.items)?;
        Ok(CountedTable::with_table(table, self.items, search_budget)?)
    }
}

fn stored<L: Layout>(table: &CountedTable<L>) -> StoredTable<'_> {
    let buckets = table.geometry().buckets() as u64;
    StoredTable::new(table.tokens(), buckets)
}

impl<L: Layout> TableWords for Tokens<L> {
    fn count(&self, buckets: u64) -> usize {
        buckets as usize
    }

    fn announcements(&self) -> u64 {
        Tokens::announcements(self)
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

impl<L: Layout> Current for Fixed<L> {
    /// The table is the same for as long as the filter is borrowed.
    fn is_current(&self, _: u64) -> bool {
        true
    }
}

impl<L: Layout> Stored for Fixed<L> {
    fn listing(&self) -> Listing<'_> {
        Listing::new(
            [self.capacity as u64, 0],
            self.table.tokens().search_budget(),
            [stored(&self.table)],
            (self, 0),
        )
    }
}

impl<L: Layout> Restored for Fixed<L> {
    const TABLES: RangeInclusive<usize> = 1..=1;

    type Table = Sized<L>;

    fn check(numbers: &Numbers) -> Result<(), ReadError> {
        let [_, unused] = numbers.own;
        demand(unused == 0, "an unused byte of the header is not 0")
    }

    fn table(numbers: &Numbers, entry: Entry, _: Option<Sized<L>>) -> Result<Sized<L>, ReadError> {
        Sized::new(numbers.own[0], entry)
    }

    fn geometry(table: Sized<L>) -> Geometry<L> {
        table.geometry
    }

    fn assemble(
        numbers: &Numbers,
        mut tables: Vec<(Sized<L>, Words<L>)>,
        _: usize,
    ) -> Result<Self, ReadError> {
        let (table, words) = tables.pop().expect("one table");
        Ok(Self {
            table: table.build(words, numbers.search_budget)?,
            capacity: numbers.own[0] as usize,
        })
    }
}

impl<L: Layout> Current for Rotating<L> {
    fn is_current(&self, rotations: u64) -> bool {
        self.rotations() == rotations
    }
}

impl<L: Layout> Stored for Rotating<L> {
    fn listing(&self) -> Listing<'_> {
        let (rotations, generations) = self.between_rotations();
        Listing::new(
            [self.capacity() as u64, rotations],
            self.search_budget(),
            generations.map(stored),
            (self, rotations),
        )
    }
}

impl<L: Layout> Restored for Rotating<L> {
    const TABLES: RangeInclusive<usize> = 2..=MOST_GENERATIONS;

    type Table = Sized<L>;

    fn check(numbers: &Numbers) -> Result<(), ReadError> {
        let [_, rotations] = numbers.own;
        demand(
            rotations <= MOST_ROTATIONS,
            "its number of rotations is out of range",
        )
    }

    fn table(
        numbers: &Numbers,
        entry: Entry,
        older: Option<Sized<L>>,
    ) -> Result<Sized<L>, ReadError> {
        let table = Sized::new(numbers.own[0], entry)?;
        demand(
            older.is_none_or(|older| older.geometry == table.geometry),
            "its generations differ in size",
        )?;
        Ok(table)
    }

    fn geometry(table: Sized<L>) -> Geometry<L> {
        table.geometry
    }

    /// Assembles the generations, from the oldest to the young one, with a spare.
    fn assemble(
        numbers: &Numbers,
        generations: Vec<(Sized<L>, Words<L>)>,
        _: usize,
    ) -> Result<Self, ReadError> {
        let [capacity, rotations] = numbers.own;
        let budget = numbers.search_budget;
        let mut tables = Vec::new();
        allocate::grow(&mut tables, generations.len() + 1)?;
        for (table, words) in generations {
            tables.push(table.build(words, budget)?);
        }
        let geometry = tables[0].geometry();
        tables.push(CountedTable::new(geometry, budget, None)?);
        Ok(Self::of_tables(tables, capacity as usize, rotations))
    }
}

// A ring has one table besides its generations.
const _: () = assert!(MOST_GENERATIONS <= MOST_TABLES);
