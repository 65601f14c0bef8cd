//! The tables of a rotating filter, in a circle. All have the same geometry, so a hash has the same
//! class in each.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Deref;

use crate::fixed::tokens::TokenTable;
use crate::kernel::geometry::{Class, Geometry};
use crate::kernel::layout::{Layout, Probe};
use crate::kernel::table::Pair;
use crate::rotating::state::State;

/// The tables. Their number, their order and their geometries do not change.
#[derive(Debug)]
pub(crate) struct Ring<L> {
    /// At least one.
    tables: Box<[TokenTable<L>]>,
    geometry: Geometry<L>,
}

/// The class of a hash in each table of the ring that made it.
#[derive(Clone, Copy)]
struct RingClass(Class);

impl<L: Layout> Ring<L> {
    /// A ring of these tables, in this order.
    ///
    /// # Panics
    ///
    /// Panics if there are no tables, or if their geometries differ.
    pub(crate) fn new(tables: Vec<TokenTable<L>>) -> Self {
        let geometry = tables[0].geometry();
        // Loads without bounds checks rely on this.
        let is_equal = |table: &TokenTable<L>| table.geometry() == geometry;
        assert!(tables.iter().all(is_equal), "tables of one geometry");
        let tables = tables.into_boxed_slice();
        Self { tables, geometry }
    }

    /// Clears all tables.
    pub(crate) fn clear(&mut self) {
        self.tables.iter_mut().for_each(TokenTable::clear);
    }

    /// The class of a hash in each table.
    #[inline]
    pub(crate) fn class(&self, hash: u64) -> Class {
        self.geometry.class(hash)
    }

    /// The words of a class in a table.
    #[inline]
    #[allow(unsafe_code, reason = "lookups take a tenth fewer instructions for it")]
    fn pair(&self, table: usize, RingClass(class): RingClass) -> Pair<'_, L> {
        // SAFETY: `new` has seen that the table has the geometry of the ring, which made the class:
        // each function below that makes one passes it to its own ring.
        unsafe { self.tables[table].table.pair_of(class) }
    }

    /// The number of the oldest table that holds a token of the class of a hash, if the words tell
    /// it at a [glance](TokenTable::glance). Each table answers for a moment of its own, the older
    /// ones for earlier moments.
    // A call of it would pass all numbers of the class through memory.
    #[inline(always)]
    fn oldest_holder(&self, state: State, class: RingClass) -> Option<Option<usize>> {
        let found = |table: usize| {
            let probe = self.tables[table].glance(self.pair(table, class));
            probe.map(Probe::found)
        };
        // Go round the ring, from the table behind the spare to the young one.
        let next = |table| State::next(table, self.tables.len());
        let (mut table, young) = (state.oldest(self.tables.len()), state.young());
        // Look at two tables before a branch on what was found, which would often be mispredicted.
        loop {
            let first = found(table)?;
            if table == young {
                return Some(first.then_some(table));
            }
            let younger = next(table);
            let second = found(younger)?;
            if first | second {
                return Some(Some(select_unpredictable(first, table, younger)));
            }
            if younger == young {
                return Some(None);
            }
            table = next(younger);
        }
    }

    /// Whether a live table holds a token of the class of a hash: the answers of the tables, each
    /// for a moment of its own, the older ones for earlier moments. `None` if one gives no answer
    /// at a [glance](TokenTable::glance).
    #[inline]
    pub(crate) fn contains(&self, state: State, hash: u64) -> Option<bool> {
        let class = RingClass(self.class(hash));
        self.oldest_holder(state, class)
            .map(|holder| holder.is_some())
    }

    /// Removes a token of the class of a hash from the oldest live table that holds one. `None` if
    /// a table gives no answer at a [glance](TokenTable::glance), or if the token is gone.
    #[inline]
    pub(crate) fn remove(&self, state: State, hash: u64) -> Option<bool> {
        let class = RingClass(self.class(hash));
        match self.oldest_holder(state, class)? {
            Some(table) => self.tables[table]
                .remove_by(hash, |_| self.pair(table, class))
                .then_some(true),
            None => Some(false),
        }
    }
}

impl<L> Deref for Ring<L> {
    type Target = [TokenTable<L>];

    #[inline]
    fn deref(&self) -> &[TokenTable<L>] {
        &self.tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::Lanes;

    fn table(buckets: usize) -> TokenTable<Lanes<4, 16>> {
        let geometry = Geometry::with_buckets(buckets).expect("a geometry");
        TokenTable::new(geometry, 100, None).expect("memory")
    }

    #[test]
    #[should_panic = "tables of one geometry"]
    fn its_tables_are_alike() {
        Ring::new([8, 8, 16].map(table).into());
    }
}
