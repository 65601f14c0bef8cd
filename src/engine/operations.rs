//! The operations that an engine must provide, and the calls for many hashes built on them. Also the simplest engine:
//! one table of a fixed size.

use core::fmt;

use super::{Filling, Plan};
use crate::counted::CountedTable;
use crate::error::{
    BuildError, InsertError, InsertManyError, OutOfMemory, RotateError, SnapshotError,
};
use crate::layout::{Kind, LONG_BUDGET, Lanes, Layout, Shape};
use crate::table::sizing::{any_of, compared};
use crate::tokens::{ahead, is_near};

/// The operations of an engine, by hash. An engine that is chosen at run time has them too.
pub trait Operations: fmt::Debug + Send + Sync + 'static {
    /// What it does when it is full, and with time.
    fn kind(&self) -> Kind;
    /// The layout of its buckets.
    fn shape(&self) -> Shape;

    /// Removes all tokens.
    fn clear(&mut self);
    /// Makes it as small as its tokens allow, if it grows.
    fn shrink_to_fit(&mut self) {}
    /// Completes a doubling in progress. Returns false if it cannot.
    fn finish_doubling(&self) -> bool {
        true
    }
    /// Sets a temporary limit on its bytes, if it grows, while others use it.
    fn limit_memory_usage(&self, _bytes: usize) {}
    /// Sets the limit on its bytes, if it grows, and frees the memory that it has kept.
    fn set_max_memory_usage(&mut self, _bytes: usize) {}
    /// The operations that only a rotating engine has.
    fn rotating(&self) -> Option<&dyn Rotates> {
        None
    }

    /// The number of tokens.
    fn len(&self) -> usize;
    /// The number of items that it is sized for.
    fn capacity(&self) -> usize;
    /// Whether it holds the number of items that it is sized for.
    fn is_full(&self) -> bool {
        self.len() >= self.capacity()
    }
    /// The number of slots.
    fn slots(&self) -> usize;
    /// The number of tables that hold items.
    fn tables(&self) -> usize;
    /// The heap bytes in use.
    fn heap_bytes(&self) -> usize;
    /// The expected rate of false positives.
    fn false_positive_rate(&self) -> f64;

    /// Whether a token of the class is stored.
    fn contains(&self, hash: u64) -> bool;
    /// Adds a token.
    fn insert(&self, hash: u64) -> Result<(), InsertError>;
    /// Adds a token if none of its class is stored.
    fn insert_unique(&self, hash: u64) -> Result<bool, InsertError>;
    /// Removes a token.
    fn remove(&self, hash: u64) -> bool;
    /// The number of tokens of the class.
    fn count(&self, hash: u64) -> usize;
    /// Prefetches what a lookup or a remove reads first.
    fn prefetch(&self, hash: u64);
    /// Prefetches what an insert reads first.
    fn prefetch_insert(&self, hash: u64) {
        self.prefetch(hash);
    }

    /// Whether the second-level cache of a core is likely to hold all tables: then a prefetch costs more than it saves.
    fn is_near(&self) -> bool;

    /// Moves one token of this class from its first candidate to its second. For checks that want it at will.
    fn relocate_one(&self, hash: u64) -> bool;
    /// The slots that are taken, where they can be counted apart from the tokens. For tests.
    fn taken(&self) -> usize {
        self.len()
    }
    /// Begins to double the finest table. For checks that want it at will.
    fn begin_to_double(&self) -> bool {
        false
    }
    /// Adds a table, if the finest cannot double any more. For checks that want it at will.
    fn add_table(&self) -> bool {
        false
    }
    /// The share of the finest table's buckets that were split, while it doubles. For checks.
    fn doubled(&self) -> Option<f64> {
        None
    }

    /// Looks up many hashes. The slices have equal lengths.
    #[inline]
    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        let hashes = ahead(hashes, self.is_near(), |hash| self.prefetch(hash));
        for (found, hash) in found.iter_mut().zip(hashes) {
            *found = self.contains(hash);
        }
    }

    /// Inserts many hashes, up to the first that is refused.
    #[inline]
    fn insert_many(&self, hashes: &[u64]) -> Result<(), InsertManyError> {
        insert_each(
            self,
            ahead(hashes, self.is_near(), |hash| self.prefetch_insert(hash)),
        )
    }

    /// Adds the absent hashes, up to the first that is refused. The slices have equal lengths, and `added` is false.
    #[inline]
    fn insert_unique_many(
        &self,
        hashes: &[u64],
        added: &mut [bool],
    ) -> Result<(), InsertManyError> {
        let hashes = ahead(hashes, self.is_near(), |hash| self.prefetch_insert(hash));
        for (turn, (added, hash)) in added.iter_mut().zip(hashes).enumerate() {
            *added = self
                .insert_unique(hash)
                .map_err(|error| InsertManyError::new(turn, error))?;
        }
        Ok(())
    }

    /// Removes one token for each hash. Returns the number of hashes that had one.
    #[inline]
    fn remove_many(&self, hashes: &[u64]) -> usize {
        let hashes = ahead(hashes, self.is_near(), |hash| self.prefetch(hash));
        hashes.filter(|&hash| self.remove(hash)).count()
    }
}

/// Inserts hashes, up to the first that is refused.
#[inline]
fn insert_each<E: Operations + ?Sized>(
    engine: &E,
    hashes: impl Iterator<Item = u64>,
) -> Result<(), InsertManyError> {
    for (turn, hash) in hashes.enumerate() {
        engine
            .insert(hash)
            .map_err(|error| InsertManyError::new(turn, error))?;
    }
    Ok(())
}

/// An engine that is built from a plan.
pub trait Build: Operations + Sized {
    /// What it does when it is full, and with time.
    const KIND: Kind;
    /// The layout of its buckets.
    type Layout: Layout;

    /// The content of a filter with this plan for which its rate of false positives is judged.
    fn filling(plan: &Plan) -> Filling;
    /// Builds an empty engine of a filter that has so many bytes outside of the engine's heap.
    fn build(plan: &Plan, outside: usize) -> Result<Self, BuildError>;
    /// Builds an empty engine like this one.
    fn empty_like(&self) -> Result<Self, OutOfMemory>;
    /// A copy that holds every token that is stored from the call to the return.
    fn snapshot(&self) -> Result<Self, SnapshotError>;
}

/// The methods of rotating filters, for a filter whose kind is chosen at run time:
/// [`DynFilter::rotating`](crate::DynFilter#method.rotating) returns it.
///
/// Each is the method of the same name of [`RotatingCuckooFilter`](crate::RotatingCuckooFilter). Sealed. As a bound it
/// gives a filter no methods: a function that rotates any layout takes a `&Filter<Rotating<L>, S>`.
pub trait Rotates: Operations {
    /// As [`rotate`](crate::RotatingCuckooFilter#method.rotate).
    ///
    /// # Errors
    ///
    /// As [`rotate`](crate::RotatingCuckooFilter#method.rotate).
    fn rotate(&self) -> Result<(), RotateError>;

    /// As [`rotate_if`](crate::RotatingCuckooFilter#method.rotate_if).
    ///
    /// # Errors
    ///
    /// As [`rotate_if`](crate::RotatingCuckooFilter#method.rotate_if).
    fn rotate_if(&self, rotations: u64) -> Result<bool, RotateError>;

    /// As [`rotations`](crate::RotatingCuckooFilter#method.rotations).
    fn rotations(&self) -> u64;

    /// As [`generations`](crate::RotatingCuckooFilter#method.generations).
    fn generations(&self) -> usize;

    /// As [`refresh_hash`](crate::RotatingCuckooFilter#method.refresh_hash).
    ///
    /// # Errors
    ///
    /// As [`refresh_hash`](crate::RotatingCuckooFilter#method.refresh_hash).
    fn refresh_hash(&self, hash: u64) -> Result<bool, InsertError>;

    /// As [`refresh_many_hash`](crate::RotatingCuckooFilter#method.refresh_many_hash).
    ///
    /// # Errors
    ///
    /// As [`refresh_many_hash`](crate::RotatingCuckooFilter#method.refresh_many_hash).
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn refresh_many_hash(&self, hashes: &[u64], new: &mut [bool]) -> Result<(), InsertManyError>;
}

/// The engine of a [`CuckooFilter`](crate::CuckooFilter): one table of a fixed size, with buckets of the layout `L`.
#[derive(Debug)]
pub struct Fixed<L: Layout = Lanes<4, 16>> {
    pub(crate) table: CountedTable<L>,
    /// The items that it was sized for.
    pub(crate) capacity: usize,
}

/// With it, large filters reach a load of 0.96 to 0.975. Searches of this length are rare below 0.95.
const DEFAULT_BUDGET: usize = LONG_BUDGET;

impl<L: Layout> Build for Fixed<L> {
    const KIND: Kind = Kind::Fixed;
    type Layout = L;

    fn filling(_: &Plan) -> Filling {
        Filling::Sized { tables: 1 }
    }

    fn build(plan: &Plan, outside: usize) -> Result<Self, BuildError> {
        let (geometry, capacity) = plan.size.geometry()?;
        plan.check_rate(geometry, capacity, Self::filling(plan))?;
        let budget = plan.search_budget(DEFAULT_BUDGET)?;
        plan.check_memory(outside, || {
            CountedTable::bytes_for(geometry, plan.descriptors)
        })?;
        let table = CountedTable::new(geometry, budget, plan.descriptors)?;
        Ok(Self { table, capacity })
    }

    fn empty_like(&self) -> Result<Self, OutOfMemory> {
        Ok(Self {
            table: self.table.empty_like()?,
            capacity: self.capacity,
        })
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        Ok(Self {
            table: self.table.snapshot()?,
            capacity: self.capacity,
        })
    }
}

impl<L: Layout> Operations for Fixed<L> {
    fn kind(&self) -> Kind {
        Self::KIND
    }

    fn shape(&self) -> Shape {
        Shape::of::<L>()
    }

    fn clear(&mut self) {
        self.table.clear();
    }

    fn len(&self) -> usize {
        self.table.len()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn slots(&self) -> usize {
        self.table.slots()
    }

    fn tables(&self) -> usize {
        1
    }

    fn heap_bytes(&self) -> usize {
        self.table.bytes()
    }

    fn false_positive_rate(&self) -> f64 {
        any_of::<L>(compared(self.len(), self.table.geometry()))
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.table.tokens().contains(hash)
    }

    #[inline]
    fn insert(&self, hash: u64) -> Result<(), InsertError> {
        match self.table.insert(hash, 0) {
            Ok(()) => Ok(()),
            Err(refusal) => Err(self.table.refused(refusal)),
        }
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> Result<bool, InsertError> {
        match self.table.insert_unique(hash) {
            Ok(inserted) => Ok(inserted),
            Err(refusal) => Err(self.table.refused(refusal)),
        }
    }

    // See `Filter::remove_hash`.
    #[inline(always)]
    fn remove(&self, hash: u64) -> bool {
        self.table.remove(hash)
    }

    fn count(&self, hash: u64) -> usize {
        self.table.tokens().count(hash)
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        self.table.tokens().prefetch(hash);
    }

    #[inline]
    fn is_near(&self) -> bool {
        is_near(self.table.tokens().buckets())
    }

    #[inline]
    fn insert_many(&self, hashes: &[u64]) -> Result<(), InsertManyError> {
        if self.is_near() {
            insert_each(self, hashes.iter().copied())
        } else {
            insert_each(self, self.table.tokens().ahead_of_inserts(hashes))
        }
    }

    fn relocate_one(&self, hash: u64) -> bool {
        self.table.tokens().relocate_one(hash)
    }

    fn taken(&self) -> usize {
        self.table.tokens().taken()
    }
}

#[track_caller]
pub(crate) fn check_lengths<T, A>(items: &[T], answers: &[A]) {
    assert!(
        items.len() == answers.len(),
        "{} items, but room for {} answers",
        items.len(),
        answers.len()
    );
}
