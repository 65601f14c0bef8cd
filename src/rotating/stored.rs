//! The stored form of a rotating filter.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::allocate;
use crate::codec::chunks::{Manifest, Stored};
use crate::codec::header::{Entry, HeaderFields, MAX_TABLES, demand};
use crate::codec::reading::{Restored, UncheckedWords};
use crate::engine::operations::{RawFilter, Rotates};
use crate::error::ReadError;
use crate::fixed::stored::{FixedEntry, stored};
use crate::fixed::tokens::TokenTable;
use crate::kernel::geometry::Geometry;
use crate::kernel::layout::Layout;
use crate::rotating::Rotating;
use crate::rotating::state::{MAX_GENERATIONS, MAX_ROTATIONS};

impl<L: Layout> Stored for Rotating<L> {
    fn manifest(&self) -> Manifest<'_> {
        let (rotations, generations) = self.between_rotations();
        Manifest::new(
            [self.capacity() as u64, rotations],
            self.search_budget(),
            generations.map(stored),
            (self, rotations),
        )
    }

    fn is_current(&self, rotations: u64) -> bool {
        self.rotations() == rotations
    }
}

impl<L: Layout> Restored for Rotating<L> {
    const TABLES: RangeInclusive<usize> = 2..=MAX_GENERATIONS;

    type Table = FixedEntry<L>;

    fn check(numbers: &HeaderFields) -> Result<(), ReadError> {
        let [_, rotations] = numbers.own;
        demand(
            rotations <= MAX_ROTATIONS,
            "its number of rotations is out of range",
        )
    }

    fn table(
        numbers: &HeaderFields,
        entry: Entry,
        older: Option<FixedEntry<L>>,
    ) -> Result<FixedEntry<L>, ReadError> {
        let table = FixedEntry::new(numbers.own[0], entry)?;
        demand(
            older.is_none_or(|older| older.geometry == table.geometry),
            "its generations differ in size",
        )?;
        Ok(table)
    }

    fn geometry(table: FixedEntry<L>) -> Geometry<L> {
        table.geometry
    }

    /// Assembles the generations, from the oldest to the young one, with a spare.
    fn assemble(
        numbers: &HeaderFields,
        generations: Vec<(FixedEntry<L>, UncheckedWords<L>)>,
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
        tables.push(TokenTable::new(geometry, budget, None)?);
        Ok(Self::of_tables(tables, capacity as usize, rotations))
    }
}

// A ring has one table besides its generations.
const _: () = assert!(MAX_GENERATIONS <= MAX_TABLES);
