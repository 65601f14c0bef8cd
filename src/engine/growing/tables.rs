//! The tables of a growing filter, each finer than those before it. All but the last have doubled as often as they can.

use core::ptr;

use once_cell::race::OnceBox;

use crate::counted::GrowingTable;
use crate::table::doubling::DEEPEST;

#[derive(Debug)]
pub(crate) struct Tables {
    /// The coarsest table, with which the filter began.
    home: GrowingTable,
    /// The added tables. A table counts when the one before it says that it is followed.
    ///
    /// Behind a pointer, as everything that changes: without atomics inside, the engine is a constant value, so the
    /// compiler keeps its pointers in registers from one lookup to the next.
    later: Box<[OnceBox<GrowingTable>; LATER]>,
}

/// The maximum number of added tables, up to the deepest level.
pub(crate) const LATER: usize = DEEPEST as usize / 10;

impl Tables {
    /// The heap bytes outside of the tables.
    pub(super) const BESIDES: usize = size_of::<[OnceBox<GrowingTable>; LATER]>();

    /// Makes them of unused tables, from the finest to the coarsest. There must be one.
    pub(crate) fn of(mut finest_first: Vec<GrowingTable>) -> Self {
        let home = finest_first.pop().expect("a table");
        let mut later = finest_first.into_iter().rev().map(Box::new);
        let mut before = &home;
        let later =
            core::array::from_fn(|_| later.next().map_or_else(OnceBox::new, OnceBox::with_value));
        for table in later.iter().filter_map(OnceBox::get) {
            before.tokens().follow();
            before = table;
        }
        Self {
            home,
            later: Box::new(later),
        }
    }

    /// The coarsest table.
    #[inline]
    pub(crate) fn home(&self) -> &GrowingTable {
        &self.home
    }

    /// The number of tables.
    pub(crate) fn count(&self) -> usize {
        let mut count = 1;
        let mut last = Some(&self.home);
        while let Some(table) = last.filter(|table| table.tokens().is_followed()) {
            last = self.later[count - 1].get();
            debug_assert!(last.is_some(), "it says that it is followed: {table:?}");
            count += 1;
        }
        count
    }

    /// The first `count` tables, from the finest to the coarsest.
    pub(crate) fn first(&self, count: usize) -> impl Iterator<Item = &GrowingTable> {
        let later = self.later[..count - 1].iter().rev();
        later.filter_map(OnceBox::get).chain(Some(&self.home))
    }

    /// All tables, from the finest to the coarsest.
    pub(crate) fn all(&self) -> impl Iterator<Item = &GrowingTable> {
        self.first(self.count())
    }

    /// The tables after the first one, including one that does not count yet.
    #[inline]
    pub(super) fn later(&self) -> impl Iterator<Item = &GrowingTable> {
        self.later.iter().map_while(OnceBox::get)
    }

    /// The finest table, which takes the inserts.
    #[inline]
    pub(crate) fn target(&self) -> &GrowingTable {
        if self.home.tokens().root().is_alone() {
            &self.home
        } else {
            self.finest()
        }
    }

    #[inline(never)]
    fn finest(&self) -> &GrowingTable {
        self.all().next().unwrap_or(&self.home)
    }

    /// Whether no table was added after this one.
    pub(super) fn is_target(&self, table: &GrowingTable) -> bool {
        ptr::eq(self.target(), table)
    }

    /// The place of the table after this many, if there can be one.
    pub(super) fn place_after(&self, count: usize) -> Option<&OnceBox<GrowingTable>> {
        self.later.get(count - 1)
    }

    pub(super) fn sum(&self, of: impl Fn(&GrowingTable) -> usize) -> usize {
        self.all().map(of).sum()
    }

    /// The heap bytes in use, including a table that does not count yet.
    pub(super) fn bytes(&self) -> usize {
        let later = self
            .later()
            .map(|table| table.bytes() + size_of::<GrowingTable>());
        self.home.bytes() + later.sum::<usize>() + Self::BESIDES
    }

    /// Replaces all tables but the first `kept` by one.
    pub(super) fn replace_all_but(&mut self, kept: usize, merged: GrowingTable) {
        self.later[kept..]
            .iter_mut()
            .for_each(|place| *place = OnceBox::new());
        match kept.checked_sub(1) {
            None => self.home = merged,
            Some(place) => self.later[place] = OnceBox::with_value(Box::new(merged)),
        }
    }

    /// Frees the old words of the first table, if no thread may still be about to give them back.
    pub(super) fn forget_behind(&mut self) {
        self.home.forget_behind();
    }

    /// Removes all tokens, and all tables but the first.
    pub(super) fn clear(&mut self) {
        *self.later = core::array::from_fn(|_| OnceBox::new());
        self.home.clear();
    }
}
