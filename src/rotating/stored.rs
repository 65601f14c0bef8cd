//! The stored form of a rotating filter.

use alloc::vec::Vec;

use crate::allocate;
use crate::codec::header::{MAX_TABLES, demand};
use crate::codec::reading::Input;
use crate::error::ReadError;
use crate::fixed::stored::FixedEntry;
use crate::fixed::tokens::TokenTable;
use crate::kernel::layout::Layout;
use crate::rotating::state::{MAX_GENERATIONS, MAX_ROTATIONS};

/// Reads the tables of a rotating filter: the generations, from the oldest to the young one, and an
/// empty spare. Also the items that each was sized for, and the number of rotations.
pub(crate) fn restore<L: Layout>(
    input: Input<'_>,
) -> Result<(Vec<TokenTable<L>>, usize, u64), ReadError> {
    let numbers = input.numbers(2..=MAX_GENERATIONS)?;
    let [capacity, rotations] = numbers.own;
    demand(
        rotations <= MAX_ROTATIONS,
        "its number of rotations is out of range",
    )?;
    let entry = |entry, older: Option<FixedEntry<L>>| {
        let table = FixedEntry::new(capacity, entry)?;
        demand(
            older.is_none_or(|older| older.geometry == table.geometry),
            "its generations differ in size",
        )?;
        Ok(table)
    };
    let generations = input.tables(&numbers, entry, |table| table.geometry)?;
    let budget = numbers.search_budget;
    let mut tables = Vec::new();
    allocate::grow(&mut tables, generations.len() + 1)?;
    for (table, words) in generations {
        tables.push(table.build(words, budget)?);
    }
    let geometry = tables[0].geometry();
    tables.push(TokenTable::new(geometry, budget, None)?);
    Ok((tables, capacity as usize, rotations))
}

// A ring has one table besides its generations.
const _: () = assert!(MAX_GENERATIONS <= MAX_TABLES);
