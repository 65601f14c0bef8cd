//! The tables of a rotating filter, in a circle. All have the same geometry, so a hash has the same
//! class in each.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Deref;

use crate::allocate;
use crate::allocate::Alias;
use crate::error::OutOfMemory;
use crate::fixed::ops::glance;
use crate::fixed::tokens::TokenTable;
use crate::kernel::geometry::{Class, Geometry};
use crate::kernel::layout::{Fingerprint, Layout, Probe};
use crate::kernel::stripes::{Stripe, StripesAlias};
use crate::kernel::table::Pair;
use crate::rotating::state::State;
use crate::sync::AtomicU64;

/// The tables. Their number, their order and their geometries do not change.
#[derive(Debug)]
pub(crate) struct Ring<L> {
    /// At least one.
    tables: Box<[TokenTable<L>]>,
    /// Of the tables from the third on, and on round the circle: so the generations are a slice in
    /// each state.
    views: Box<[View]>,
    geometry: Geometry<L>,
}

/// The class of a hash in each table of the ring that made it.
#[derive(Clone, Copy)]
struct RingClass(Class);

/// Where a lookup finds the words and the stripes of a table. It reads nothing of the table itself.
#[derive(Debug)]
struct View {
    words: Alias<AtomicU64>,
    stripes: StripesAlias,
    /// The number of the table.
    table: u32,
}

impl<L: Layout> Ring<L> {
    /// A ring of these tables, in this order.
    ///
    /// # Errors
    ///
    /// If there is no memory for the views.
    ///
    /// # Panics
    ///
    /// Panics if there are no tables, or if their geometries differ.
    pub(crate) fn new(tables: Vec<TokenTable<L>>) -> Result<Self, OutOfMemory> {
        let geometry = tables[0].geometry();
        // Loads without bounds checks rely on this.
        let is_equal = |table: &TokenTable<L>| table.geometry() == geometry;
        assert!(tables.iter().all(is_equal), "tables of one geometry");
        let mut round = tables.iter().enumerate().cycle().skip(2);
        let views = allocate::slice(Self::views(tables.len()), || {
            let (number, table) = round.next().expect("at least one table");
            View {
                words: table.table.alias(),
                stripes: table.stripes.alias(),
                table: number as u32,
            }
        })?;
        Ok(Self {
            tables: tables.into_boxed_slice(),
            views,
            geometry,
        })
    }

    /// The number of views of this many tables.
    fn views(tables: usize) -> usize {
        // Each table is the young one in turn, and a walk is one shorter than the circle.
        2 * (tables - 1)
    }

    /// The heap bytes of a new ring of this many tables, without those of the tables.
    pub(crate) fn bytes_for(tables: usize) -> usize {
        tables * size_of::<TokenTable<L>>() + Self::views(tables) * size_of::<View>()
    }

    /// The heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let tables = self.tables.iter().map(TokenTable::bytes);
        allocate::bytes(&self.tables) + allocate::bytes(&self.views) + tables.sum::<usize>()
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

    /// The views of the tables that hold a generation, from the oldest to the young one. `None`
    /// never happens; whoever finds it takes the slow path, which is shorter than a panic.
    #[inline]
    fn walk(&self, state: State) -> Option<&[View]> {
        // Begin with the second behind the young table: between them is the spare.
        self.views
            .get(state.young()..)?
            .get(..self.tables.len() - 1)
    }

    /// The words of a class in a table.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are faster for it")]
    fn pair<'a>(&'a self, view: &'a View, RingClass(class): RingClass) -> Pair<'a, L> {
        // SAFETY: the view is of a table of this ring, which is borrowed as long: each function
        // below passes what it has from its own ring. The table has the geometry of the ring, as
        // `new` has seen, and that made the class. Nothing replaces the words of a table.
        let word = |bucket| unsafe { view.words.get(bucket) };
        Pair::new(class, word(class.first), word(class.second))
    }

    /// The stripe of a fingerprint in a table.
    #[inline]
    #[allow(unsafe_code, reason = "as above")]
    fn stripe<'a>(&'a self, view: &'a View, f: Fingerprint) -> Stripe<'a> {
        // SAFETY: as in `pair`. Nothing replaces the stripes of a table.
        unsafe { view.stripes.of(f) }
    }

    /// Whether a table holds a token of the class, if its words tell it at a [glance].
    #[inline]
    fn glance(&self, view: &View, class: RingClass) -> Option<bool> {
        let pair = self.pair(view, class);
        let stripe = self.stripe(view, pair.class().fingerprint);
        glance(stripe, pair).map(Probe::found)
    }

    /// The oldest table that holds a token of the class of a hash, if the words tell it at a
    /// [glance]. Each table answers for a moment of its own, the older ones for earlier moments.
    // A call of it would pass all numbers of the class through memory.
    #[inline(always)]
    fn oldest_holder(&self, state: State, class: RingClass) -> Option<Option<&View>> {
        let mut walk = self.walk(state)?;
        // Look at two tables before a branch on what was found, which would often be mispredicted.
        while let [older, younger, rest @ ..] = walk {
            let first = self.glance(older, class)?;
            let second = self.glance(younger, class)?;
            if first | second {
                return Some(Some(select_unpredictable(first, older, younger)));
            }
            walk = rest;
        }
        match walk {
            [young] if self.glance(young, class)? => Some(Some(young)),
            _ => Some(None),
        }
    }

    /// Whether a live table holds a token of the class of a hash: the answers of the tables, each
    /// for a moment of its own, the older ones for earlier moments. `None` if one gives no answer
    /// at a [glance].
    #[inline]
    pub(crate) fn contains(&self, state: State, hash: u64) -> Option<bool> {
        let class = RingClass(self.class(hash));
        self.oldest_holder(state, class)
            .map(|holder| holder.is_some())
    }

    /// Removes a token of the class of a hash from the oldest live table that holds one. `None` if
    /// a table gives no answer at a [glance], or if the token is gone.
    #[inline]
    pub(crate) fn remove(&self, state: State, hash: u64) -> Option<bool> {
        let class = RingClass(self.class(hash));
        match self.oldest_holder(state, class)? {
            Some(view) => self[view.table as usize]
                .remove_by(hash, |_| self.pair(view, class))
                .then_some(true),
            None => Some(false),
        }
    }

    /// Prefetches the words of a hash in all live tables.
    #[inline]
    pub(crate) fn prefetch(&self, state: State, hash: u64) {
        let class = RingClass(self.class(hash));
        for view in self.walk(state).into_iter().flatten() {
            self.pair(view, class).prefetch();
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
        let _ = Ring::new([8, 8, 16].map(table).into());
    }

    /// In each state, for each number of generations.
    #[test]
    fn a_walk_is_of_the_live_tables_in_their_order() {
        for tables in 3..=16 {
            let ring = Ring::new((0..tables).map(|_| table(8)).collect()).expect("memory");
            let mut state = State::new(0, tables);
            for _ in 0..2 * tables {
                let walk = ring.walk(state).expect("a walk");
                let live = state.live(tables).into_iter().flatten();
                assert!(live.eq(walk.iter().map(|view| view.table as usize)));
                state = state.rotated(tables);
            }
        }
    }

    /// The words and the stripe of a class are those of the table itself.
    #[test]
    fn a_view_is_of_its_table() {
        let ring = Ring::new((0..4).map(|_| table(1 << 10)).collect()).expect("memory");
        for (number, table) in ring.iter().enumerate() {
            table.insert(number as u64 + 1, 0).expect("room");
        }
        for view in &ring.views {
            let TokenTable { table, stripes, .. } = &ring[view.table as usize];
            assert!(stripes.len() > 8, "all bits of the mask matter");
            for hash in 1..=stripes.len() as u64 {
                let class = ring.class(hash);
                let words = ring.pair(view, RingClass(class)).load();
                assert_eq!(words, table.pair(hash).load());
                let stripe = ring.stripe(view, class.fingerprint);
                let before = stripe.version();
                stripes.bump(class.fingerprint);
                assert!(!stripe.unchanged(before), "another stripe");
            }
        }
    }
}
