//! The tables of a filter that grows, each finer than those before it. All but the last have doubled as often as they can.

use core::ptr;

use once_cell::race::OnceBox;

use crate::counted::GrowingTable;
use crate::table::doubling::DEEPEST;

#[derive(Debug)]
pub(crate) struct Tables {
    /// The coarsest, with which the filter began.
    home: GrowingTable,
    /// Those that were added. One counts when the table before it says that it is followed.
    ///
    /// Behind a pointer, as all that changes: without atomics inside, the engine is a value that does not change, so the
    /// compiler keeps its pointers in registers from one lookup to the next.
    later: Box<[OnceBox<GrowingTable>; LATER]>,
}

/// As many as there can be up to the deepest level.
pub(crate) const LATER: usize = DEEPEST as usize / 10;

impl Tables {
    /// The heap bytes besides those of the tables.
    pub(super) const BESIDES: usize = size_of::<[OnceBox<GrowingTable>; LATER]>();

    /// Of tables that nobody has used yet, from the finest to the coarsest. There must be one.
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

    /// The coarsest.
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

    /// So many, those that were added first, from the finest to the coarsest.
    pub(crate) fn first(&self, count: usize) -> impl Iterator<Item = &GrowingTable> {
        let later = self.later[..count - 1].iter().rev();
        later.filter_map(OnceBox::get).chain(Some(&self.home))
    }

    /// All, from the finest to the coarsest.
    pub(crate) fn all(&self) -> impl Iterator<Item = &GrowingTable> {
        self.first(self.count())
    }

    /// The tables after the first one, that which is yet to count too.
    #[inline]
    pub(super) fn later(&self) -> impl Iterator<Item = &GrowingTable> {
        self.later.iter().map_while(OnceBox::get)
    }

    /// The finest, which takes the inserts.
    #[inline]
    pub(crate) fn target(&self) -> &GrowingTable {
        if self.home.tokens().hint().is_alone() {
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

    /// The place of the table after so many, if there can be one.
    pub(super) fn place_after(&self, count: usize) -> Option<&OnceBox<GrowingTable>> {
        self.later.get(count - 1)
    }

    pub(super) fn sum(&self, of: impl Fn(&GrowingTable) -> usize) -> usize {
        self.all().map(of).sum()
    }

    /// The heap bytes in use, those of a table that is not followed to yet included.
    pub(super) fn bytes(&self) -> usize {
        let later = self
            .later()
            .map(|table| table.bytes() + size_of::<GrowingTable>());
        self.home.bytes() + later.sum::<usize>() + Self::BESIDES
    }

    /// Puts one table in the place of all but so many, those that were added first.
    pub(super) fn replace_all_but(&mut self, kept: usize, merged: GrowingTable) {
        self.later[kept..]
            .iter_mut()
            .for_each(|place| *place = OnceBox::new());
        match kept.checked_sub(1) {
            None => self.home = merged,
            Some(place) => self.later[place] = OnceBox::with_value(Box::new(merged)),
        }
    }

    /// Frees what the first table has grown out of, if no thread may still be about to give it back.
    pub(super) fn forget_behind(&mut self) {
        self.home.forget_behind();
    }

    /// Removes all tokens, and all tables but the first.
    pub(super) fn clear(&mut self) {
        *self.later = core::array::from_fn(|_| OnceBox::new());
        self.home.clear();
    }
}
