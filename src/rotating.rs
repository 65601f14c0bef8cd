//! An engine that rotates: several generations in equal tables. Each rotation forgets the oldest.

mod empty;
mod ops;
mod ring;
pub(crate) mod state;
mod stored;

use crate::rotating::ring::Ring;
use crate::rotating::state::{AtomicState, MAX_GENERATIONS, State};

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::allocate;
use crate::codec::manifest::Manifest;
use crate::codec::reading::Input;
use crate::engine::buildable::Buildable;
#[cfg(any(test, feature = "_testing"))]
use crate::engine::internals::Internals;
use crate::engine::kind::Kind;
use crate::engine::measures::Measures;
use crate::engine::operations::{RawFilter, Rotates, check_lengths};
use crate::engine::plan::{Plan, RatedLoad};
use crate::error::{
    BuildError, InsertError, InsertManyError, OutOfMemory, ReadError, RotateError, SnapshotError,
};
use crate::fixed::stored::stored_table;
use crate::fixed::tokens::TokenTable;
use crate::kernel::layout::{Lanes, Layout, Shape};
use crate::kernel::prefetch::{is_near, prefetching};
use crate::kernel::search::sizes::LONG_BUDGET;
use crate::kernel::sizing::{any_of, compared};

/// The engine of a [`RotatingCuckooFilter`](crate::RotatingCuckooFilter): a ring of tables, with
/// buckets of the layout `L`.
#[derive(Debug)]
pub struct Rotating<L: Layout = Lanes<4, 16>> {
    state: AtomicState,
    /// One more than the number of generations.
    tables: Ring<L>,
    /// The items that each generation was sized for.
    capacity: usize,
}

/// As for a filter of a fixed size.
pub(crate) const DEFAULT_BUDGET: usize = LONG_BUDGET;

/// The number of walks after which a snapshot gives up.
const WALKS: usize = 8;

impl<L: Layout> Rotating<L> {
    /// Makes an engine of unshared tables: the generations from the oldest to the young one, and
    /// the spare, which is empty.
    pub(crate) fn of_tables(
        tables: Vec<TokenTable<L>>,
        capacity: usize,
        rotations: u64,
    ) -> Result<Self, OutOfMemory> {
        let state = AtomicState::new(State::new(rotations, tables.len()));
        Self::of_state(state, tables, capacity)
    }

    /// Makes an engine of tables that have the parts that the state says.
    pub(crate) fn of_state(
        state: AtomicState,
        mut tables: Vec<TokenTable<L>>,
        capacity: usize,
    ) -> Result<Self, OutOfMemory> {
        for table in &mut tables {
            // Only the owner of an admission knows the other generations.
            table.require_owner_commit();
        }
        Ok(Self {
            state,
            tables: Ring::new(tables)?,
            capacity,
        })
    }

    /// A copy of the generations, from the oldest to the young one, after this number of rotations.
    fn copied<E: From<OutOfMemory>>(
        &self,
        state: State,
        rotations: u64,
        copy: impl Fn(&TokenTable<L>) -> Result<TokenTable<L>, E>,
    ) -> Result<Self, E> {
        let mut tables = Vec::new();
        allocate::grow(&mut tables, self.tables.len())?;
        for table in self.live(state) {
            tables.push(copy(table)?);
        }
        tables.push(self.tables[state.spare(self.tables.len())].empty_like()?);
        Ok(Self::of_tables(tables, self.capacity, rotations)?)
    }

    /// Copies the generations between two rotations.
    ///
    /// A token never changes its table. So for each class the copy of a table has the answer of a
    /// lookup at some moment. The moments are in the order of a lookup, and a rotation voids the
    /// whole copy, as it voids a lookup.
    fn copied_between_rotations(
        &self,
        copy: impl Fn(&TokenTable<L>) -> Result<TokenTable<L>, SnapshotError>,
    ) -> Result<Self, SnapshotError> {
        for _ in 0..WALKS {
            let state = self.state.load();
            let copied = self.copied(state, state.rotations(), &copy)?;
            if self.is_current(state) {
                return Ok(copied);
            }
        }
        Err(SnapshotError::Disturbed)
    }

    fn sum(&self, of: impl Fn(&TokenTable<L>) -> usize) -> usize {
        self.live(self.state.load()).map(of).sum()
    }
}

/// With one generation, an item could leave as soon as it is stored.
const MIN_GENERATIONS: usize = 2;

/// The number of generations, if it is in range.
pub(crate) fn generations(plan: &Plan) -> Result<usize, BuildError> {
    check_generations(plan.generations.unwrap_or(MIN_GENERATIONS))
}

/// This number of generations, if it is in range.
pub(crate) fn check_generations(requested: usize) -> Result<usize, BuildError> {
    let nearest = requested.clamp(MIN_GENERATIONS, MAX_GENERATIONS);
    if requested != nearest {
        return Err(BuildError::Generations { requested, nearest });
    }
    Ok(requested)
}

impl<L: Layout> Buildable for Rotating<L> {
    type With<M: Layout> = Rotating<M>;
    const KIND: Kind = Kind::Rotating;
    type Layout = L;

    fn rated_load(plan: &Plan) -> RatedLoad {
        let tables = plan.generations.unwrap_or(MIN_GENERATIONS);
        RatedLoad::Sized { tables }
    }

    fn measures(plan: &Plan, outside: usize) -> Result<Measures, BuildError> {
        let tables = generations(plan)? + 1;
        let (geometry, capacity) = plan.size()?.geometry::<L>()?;
        plan.search_budget(DEFAULT_BUDGET)?;
        let table = TokenTable::bytes_for(geometry, plan.descriptors);
        let bytes = (tables.saturating_mul(table))
            .saturating_add(Ring::<L>::bytes_for(tables))
            .saturating_add(outside);
        let rated_load = Self::rated_load(plan);
        plan.measures(Self::KIND, rated_load, (geometry, capacity), bytes)
    }

    fn build(plan: &Plan, outside: usize) -> Result<Self, BuildError> {
        // Refuses before anything is allocated.
        Self::measures(plan, outside)?;
        let tables = generations(plan)? + 1;
        let (geometry, capacity) = plan.size()?.geometry()?;
        let budget = plan.search_budget(DEFAULT_BUDGET)?;
        let mut built = Vec::new();
        allocate::grow(&mut built, tables)?;
        for _ in 0..tables {
            built.push(TokenTable::new(geometry, budget, plan.descriptors)?);
        }
        Ok(Self::of_tables(built, capacity, 0)?)
    }

    fn empty_like(&self) -> Result<Self, OutOfMemory> {
        self.copied(self.state.load(), 0, TokenTable::empty_like)
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        self.copied_between_rotations(TokenTable::snapshot)
    }

    fn restore(input: Input<'_>, _: usize) -> Result<Self, ReadError> {
        let (tables, capacity, rotations) = stored::restore(input)?;
        Ok(Self::of_tables(tables, capacity, rotations)?)
    }
}

impl<L: Layout> RawFilter for Rotating<L> {
    fn kind(&self) -> Kind {
        Self::KIND
    }

    fn shape(&self) -> Shape {
        Shape::of::<L>()
    }

    fn clear(&mut self) {
        self.tables.clear();
        let state = self.state.load();
        self.state.set(state.cleaned());
    }

    /// The generations, from the oldest to the young one. A rotation changes their list.
    fn manifest(&self) -> Manifest<'_> {
        let state = self.state.load();
        let rotations = state.rotations();
        Manifest::new(
            [self.capacity as u64, rotations],
            self.tables[0].search_budget(),
            self.live(state).map(stored_table),
            rotations,
        )
    }

    fn list_version(&self) -> u64 {
        self.rotations()
    }

    fn boxed_empty_like(&self) -> Result<Box<dyn RawFilter>, OutOfMemory> {
        Ok(allocate::boxed(self.empty_like()?)?)
    }

    fn boxed_snapshot(&self) -> Result<Box<dyn RawFilter>, SnapshotError> {
        Ok(allocate::boxed(self.snapshot()?)?)
    }

    #[cfg(feature = "shared")]
    fn recover(&self) -> usize {
        self.tables.iter().map(TokenTable::recover).sum()
    }

    fn rotating(&self) -> Option<&dyn Rotates> {
        Some(self)
    }

    fn len(&self) -> usize {
        self.sum(TokenTable::len)
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether the young generation is full.
    fn is_full(&self) -> bool {
        self.young(self.state.load()).len() >= self.capacity
    }

    fn slots(&self) -> usize {
        self.sum(TokenTable::slots)
    }

    fn tables(&self) -> usize {
        self.generations()
    }

    fn heap_bytes(&self) -> usize {
        self.tables.bytes()
    }

    fn false_positive_rate(&self) -> f64 {
        let live = self.live(self.state.load());
        any_of::<L>(
            live.map(|table| compared(table.len(), table.geometry()))
                .sum(),
        )
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        // Load the state first: it says which tables are live, and in which order.
        let state = self.state.load();
        match self.tables.contains(state, hash) {
            // Trust a miss only without a rotation meanwhile: after one, the item may have been
            // refreshed in a generation that is younger than all of these. Trust a hit likewise: it
            // may be of a late insert, in the spare.
            Some(found) if self.is_current(state) => found,
            _ => self.contains_slowly(hash),
        }
    }

    /// Linearization point: that of the table's insert, or see [late
    /// inserts](crate::design::rotation#late-inserts).
    #[inline]
    fn insert(&self, hash: u64) -> Result<(), InsertError> {
        loop {
            let state = self.state.load();
            let failure = match self.young(state).insert(hash, 0) {
                Ok(()) if self.is_current(state) => return Ok(()),
                // See after a rotation that the token does not stay in the spare. The insert has
                // taken place, so it is not made again.
                Ok(()) => {
                    self.arrive_late(state.young());
                    return Ok(());
                }
                Err(failure) => failure,
            };
            // Try the new young table, if there was a rotation: only the young one may refuse.
            if let Some(refusal) = self.refusal(state, failure) {
                return Err(refusal);
            }
        }
    }

    /// Adds a token if there is none in any generation.
    fn insert_unique(&self, hash: u64) -> Result<bool, InsertError> {
        // Look first: an item that is present needs no admission.
        if self.contains(hash) {
            return Ok(false);
        }
        self.add_to_young(hash, None)
    }

    /// Oldest first: the token that stays lives at least as long as the item that stays should.
    #[inline]
    fn remove(&self, hash: u64) -> bool {
        let state = self.state.load();
        match self.tables.remove(state, hash) {
            // The exchange was the removal, even if the table is live no more.
            Some(true) => true,
            // Trust a miss only without a rotation meanwhile, as a lookup does.
            Some(false) if self.is_current(state) => false,
            _ => self.remove_slowly(hash),
        }
    }

    fn count(&self, hash: u64) -> usize {
        // Count again after a rotation: a table that was counted may be forgotten by now.
        self.until_current(|state| {
            let counts = self.live(state);
            counts.map(|table| table.count(hash)).sum()
        })
        .unwrap_or(0)
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        self.tables.prefetch(self.state.load(), hash);
    }

    #[inline]
    fn prefetch_insert(&self, hash: u64) {
        self.young(self.state.load()).prefetch(hash);
    }

    #[inline]
    fn is_near(&self) -> bool {
        is_near(self.tables.len() * self.tables[0].buckets())
    }

    #[cfg(any(test, feature = "_testing"))]
    fn internals(&self) -> &dyn Internals {
        self
    }
}

#[cfg(any(test, feature = "_testing"))]
impl<L: Layout> Internals for Rotating<L> {
    fn relocate_hash(&self, hash: u64) -> bool {
        let mut live = self.live(self.state.load());
        live.any(|table| table.relocate_one(hash))
    }

    fn taken(&self) -> usize {
        self.live(self.state.load()).map(TokenTable::taken).sum()
    }

    #[cfg(feature = "shared")]
    fn claimed(&self) -> usize {
        let tables = self.tables.iter();
        tables.map(|table| table.pool.claimed().count()).sum()
    }
}

impl<L: Layout> Rotates for Rotating<L> {
    fn rotate(&self) -> Result<(), RotateError> {
        self.rotate_at(None).map(|_| ())
    }

    fn rotate_if(&self, rotations: u64) -> Result<bool, RotateError> {
        self.rotate_at(Some(rotations))
    }

    fn turn_if(&self, rotations: u64) -> Result<bool, RotateError> {
        self.turn_at(Some(rotations))
    }

    fn clean_spare(&self) -> Result<(), RotateError> {
        self.clean(self.state.load())
    }

    fn age_hash(&self, hash: u64) -> Option<usize> {
        // Walk again after a rotation, whatever was found: by then the tables have other ages.
        self.until_current(|state| {
            // Ask the oldest first, as a lookup, so that a refresh meanwhile hides no item.
            let ages = (0..self.tables.len() - 1).rev();
            let holds = |table: &TokenTable<L>| table.contains(hash);
            let held = self.live(state).zip(ages).filter(|(table, _)| holds(table));
            // Keep the last table that has it: the walk goes from old to young.
            held.last().map(|(_, age)| age)
        })
        .flatten()
    }

    fn rotations(&self) -> u64 {
        self.state.load().rotations()
    }

    fn generations(&self) -> usize {
        self.tables.len() - 1
    }

    #[inline]
    fn refresh_hash(&self, hash: u64) -> Result<bool, InsertError> {
        // Look first: if the token is there, no admission is needed.
        let state = self.state.load();
        if self.young(state).contains(hash) && self.is_current(state) {
            return Ok(false);
        }
        self.refresh_absent(hash)
    }

    #[track_caller]
    fn refresh_many_hash(&self, hashes: &[u64], new: &mut [bool]) -> Result<(), InsertManyError> {
        check_lengths(hashes, new);
        new.fill(false);
        let hashes = prefetching(hashes, self.is_near(), |hash| self.prefetch(hash));
        for (turn, (new, hash)) in new.iter_mut().zip(hashes).enumerate() {
            let refreshed = self.refresh_hash(hash);
            *new = refreshed.map_err(|error| InsertManyError::new(turn, error))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    //! Copies, with rotations and writes during them, and what a rotation leaves behind.

    use core::cell::Cell;

    use super::*;

    const HASH: u64 = 0x1234_5678_9abc_def1;

    fn engine() -> Rotating {
        Rotating::build(&Plan::new(), 0).expect("memory")
    }

    fn rotate(engine: &Rotating) {
        assert_eq!(engine.rotate(), Ok(()));
    }

    /// Refreshes the item in the next generation, during the first copy.
    #[test]
    fn a_snapshot_is_void_if_there_was_a_rotation() {
        let engine = engine();
        engine.insert(HASH).expect("room");
        let copies = Cell::new(0);
        let copy = engine.copied_between_rotations(|table| {
            copies.set(copies.get() + 1);
            if copies.get() == 1 {
                rotate(&engine);
                engine.insert(HASH).expect("room");
                assert!(engine.remove(HASH), "it was in");
            }
            table.snapshot()
        });
        let copy = copy.expect("one rotation is not too much");
        assert!(copy.contains(HASH), "a refreshed item was not copied");
        assert_eq!((copies.get(), copy.rotations(), copy.len()), (4, 1, 1));
    }

    #[test]
    fn a_snapshot_ends_however_often_there_are_rotations() {
        let engine = engine();
        let copy = engine.copied_between_rotations(|table| {
            rotate(&engine);
            table.snapshot()
        });
        assert_eq!(copy.map(|_| ()), Err(SnapshotError::Disturbed));
        assert_eq!(engine.rotations(), 2 * WALKS as u64);
    }

    /// Refreshes the item during the copy: the new token goes to the young generation.
    #[test]
    fn a_snapshot_copies_the_young_generation_last() {
        let engine = engine();
        engine.insert(HASH).expect("room");
        rotate(&engine);
        let copies = Cell::new(0);
        let copy = engine.copied_between_rotations(|table| {
            copies.set(copies.get() + 1);
            if copies.get() == 2 {
                engine.insert(HASH).expect("room");
                assert!(engine.remove(HASH), "it was in");
            }
            table.snapshot()
        });
        let copy = copy.expect("there was no rotation");
        assert!(copy.contains(HASH), "a refreshed item was not copied");
    }

    #[test]
    fn a_turn_leaves_the_spare_to_who_cleans_it() {
        let engine = engine();
        for turn in 0..4 {
            engine.insert(HASH).expect("room");
            assert_eq!(engine.turn_if(turn), Ok(true));
            let spare = |state: State| &engine.tables[state.spare(engine.tables.len())];
            let taken = |state| spare(state).taken();
            let state = engine.state.load();
            // Before the second turn nothing was forgotten.
            assert_eq!(
                (state.is_clean(), taken(state)),
                (false, usize::from(turn > 0))
            );
            assert_eq!(engine.clean_spare(), Ok(()));
            let state = engine.state.load();
            assert_eq!((state.is_clean(), taken(state)), (true, 0));
        }
    }

    /// The next rotation then takes no longer than an exchange.
    #[test]
    fn a_rotation_leaves_a_clean_spare() {
        let engine = engine();
        for _ in 0..4 {
            engine.insert(HASH).expect("room");
            rotate(&engine);
            let state = engine.state.load();
            assert!(state.is_clean(), "the next rotation has to empty it");
            let spare = &engine.tables[state.spare(engine.tables.len())];
            assert_eq!(spare.taken(), 0, "it is not empty");
        }
    }
}
