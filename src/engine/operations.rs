//! The operations that an engine must provide, and the calls for many hashes built on them.

use alloc::boxed::Box;
use core::fmt;
use core::time::Duration;

use crate::codec::manifest::Manifest;
use crate::engine::clock::RotationClock;
#[cfg(any(test, feature = "_testing"))]
use crate::engine::internals::Internals;
use crate::engine::kind::Kind;
use crate::engine::values::Values;
use crate::error::{
    InsertError, InsertManyError, OutOfMemory, RotateError, SnapshotError, ValueError,
};
use crate::kernel::layout::Shape;
use crate::kernel::prefetch::prefetching;

/// The operations of an engine, by hash. An engine that is chosen at run time has them too.
pub trait RawFilter: fmt::Debug + Send + Sync + 'static {
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
    fn set_memory_allowance(&self, _bytes: usize) {}
    /// Sets the limit on its bytes, if it grows, and frees the memory that it has kept.
    fn set_max_memory_usage(&mut self, _bytes: usize) {}
    /// What to store of it, while others use it.
    fn manifest(&self) -> Manifest<'_>;
    /// A number that changes when its list of tables does.
    fn list_version(&self) -> u64 {
        0
    }
    /// An empty engine like this one, in a box.
    fn boxed_empty_like(&self) -> Result<Box<dyn RawFilter>, OutOfMemory>;
    /// A copy that holds every token that is stored from the call to the return, in a box.
    fn boxed_snapshot(&self) -> Result<Box<dyn RawFilter>, SnapshotError>;
    /// Takes back what dead processes held, if others share it. Returns the number of calls in which
    /// they died and held something.
    #[cfg(feature = "shared")]
    fn recover(&self) -> usize {
        0
    }
    /// The operations that only a rotating engine has.
    fn rotating(&self) -> Option<&dyn Rotates> {
        None
    }
    /// The operations that only a fixed engine has, whose layout has values.
    fn valued(&self) -> Option<&dyn StoresValues> {
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

    /// What only tests call.
    #[cfg(any(test, feature = "_testing"))]
    fn internals(&self) -> &dyn Internals;

    /// Whether the second-level cache of a core is likely to hold all tables: then a prefetch costs
    /// more than it saves.
    fn is_near(&self) -> bool;

    /// Looks up many hashes. The slices have equal lengths.
    #[inline]
    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        let hashes = prefetching(hashes, self.is_near(), |hash| self.prefetch(hash));
        for (found, hash) in found.iter_mut().zip(hashes) {
            *found = self.contains(hash);
        }
    }

    /// Inserts many hashes, up to the first that is refused.
    #[inline]
    fn insert_many(&self, hashes: &[u64]) -> Result<(), InsertManyError> {
        insert_each(
            self,
            prefetching(hashes, self.is_near(), |hash| self.prefetch_insert(hash)),
        )
    }

    /// Adds the absent hashes, up to the first that is refused. The slices have equal lengths, and
    /// `added` is false.
    #[inline]
    fn insert_unique_many(
        &self,
        hashes: &[u64],
        added: &mut [bool],
    ) -> Result<(), InsertManyError> {
        // Most hashes are looked up in all tables.
        let hashes = prefetching(hashes, self.is_near(), |hash| self.prefetch(hash));
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
        let hashes = prefetching(hashes, self.is_near(), |hash| self.prefetch(hash));
        hashes.filter(|&hash| self.remove(hash)).count()
    }
}

/// Inserts hashes, up to the first that is refused.
#[inline]
pub(crate) fn insert_each<E: RawFilter + ?Sized>(
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

/// Seals the two traits below: only engines implement it.
pub trait Object: Send + Sync {}

impl<E: RawFilter> Object for E {}

/// Prints the numbers of rotations and of generations.
impl fmt::Debug for dyn Rotates + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Rotates")
            .field("rotations", &self.rotations())
            .field("generations", &self.generations())
            .finish_non_exhaustive()
    }
}

/// Prints the largest value.
impl fmt::Debug for dyn StoresValues + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("StoresValues")
            .field("max_value", &self.max_value())
            .finish_non_exhaustive()
    }
}

/// The methods of rotating filters, for a filter whose kind is chosen at run time:
/// [`DynFilter::rotating`](crate::DynFilter#method.rotating) returns it.
///
/// Each is the method of the same name of [`RotatingCuckooFilter`](crate::RotatingCuckooFilter).
/// Sealed. As a bound it gives a filter no methods: a function that rotates any layout takes a
/// `&Filter<Rotating<L>, S>`.
pub trait Rotates: Object {
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

    /// As [`turn_if`](crate::RotatingCuckooFilter#method.turn_if).
    ///
    /// # Errors
    ///
    /// As [`turn_if`](crate::RotatingCuckooFilter#method.turn_if).
    fn turn_if(&self, rotations: u64) -> Result<bool, RotateError>;

    /// As [`clean_spare`](crate::RotatingCuckooFilter#method.clean_spare).
    ///
    /// # Errors
    ///
    /// As [`clean_spare`](crate::RotatingCuckooFilter#method.clean_spare).
    fn clean_spare(&self) -> Result<(), RotateError>;

    /// As [`rotate_if_due`](crate::RotatingCuckooFilter#method.rotate_if_due), with a reference to
    /// the closure: `&mut || start.elapsed()`.
    ///
    /// # Errors
    ///
    /// As [`rotate_if_due`](crate::RotatingCuckooFilter#method.rotate_if_due).
    fn rotate_if_due(
        &self,
        clock: &mut RotationClock,
        now: &mut dyn FnMut() -> Duration,
    ) -> Result<bool, RotateError> {
        // Read the time after the number: the rotation with this number was made before it.
        let rotations = self.rotations();
        let time = now();
        clock.observe(rotations, time);
        if !clock.is_due(time) {
            return Ok(false);
        }
        // Rotate, unless another thread does so first.
        let has_rotated = self.turn_if(rotations)?;
        // Read both again, in the same order: this thread may have stood still since.
        let rotations = self.rotations();
        clock.observe(rotations, now());
        if has_rotated {
            // Leave it to the next rotation, if others interfere.
            let _ = self.clean_spare();
        }
        Ok(has_rotated)
    }

    /// As [`catch_up`](crate::RotatingCuckooFilter#method.catch_up).
    ///
    /// # Errors
    ///
    /// As [`catch_up`](crate::RotatingCuckooFilter#method.catch_up).
    fn catch_up(&self, clock: &mut RotationClock, now: Duration) -> Result<usize, RotateError> {
        let mut made = 0;
        // Stop after as many rotations as there are generations: then nothing is left.
        while made < self.generations() && clock.is_due(now) {
            self.turn_if(self.rotations())?;
            clock.end_period(self.rotations());
            made += 1;
        }
        clock.follow(self.rotations());
        clock.periods(now);
        Ok(made)
    }

    /// As [`age_hash`](crate::RotatingCuckooFilter#method.age_hash).
    fn age_hash(&self, hash: u64) -> Option<usize>;

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

/// The methods of filters with values, for a filter whose layout is chosen at run time:
/// [`DynFilter::valued`](crate::DynFilter#method.valued) returns it.
///
/// Each is the method of the same name of a [`Filter<Fixed<L>>`](crate::Filter) whose layout [has
/// values](crate::layout::WithValues). Sealed. As a bound it gives a filter no methods: a function
/// for any layout with values takes a `&Filter<Fixed<L>, S>`.
pub trait StoresValues: Object {
    /// The largest value.
    fn max_value(&self) -> u16;

    /// As [`insert_value_hash`](crate::Filter#method.insert_value_hash).
    ///
    /// # Errors
    ///
    /// As [`insert_value`](crate::Filter#method.insert_value).
    fn insert_value_hash(&self, hash: u64, value: u16) -> Result<(), InsertError>;

    /// As [`insert_unique_value_hash`](crate::Filter#method.insert_unique_value_hash).
    ///
    /// # Errors
    ///
    /// As [`insert_unique_value`](crate::Filter#method.insert_unique_value).
    fn insert_unique_value_hash(&self, hash: u64, value: u16) -> Result<Option<u16>, InsertError>;

    /// As [`value_hash`](crate::Filter#method.value_hash).
    fn value_hash(&self, hash: u64) -> Option<u16>;

    /// As [`values_hash`](crate::Filter#method.values_hash).
    fn values_hash(&self, hash: u64) -> Values;

    /// As [`replace_value_hash`](crate::Filter#method.replace_value_hash).
    ///
    /// # Errors
    ///
    /// As [`replace_value`](crate::Filter#method.replace_value).
    fn replace_value_hash(&self, hash: u64, old: u16, new: u16) -> Result<bool, ValueError>;

    /// As [`remove_value_hash`](crate::Filter#method.remove_value_hash).
    fn remove_value_hash(&self, hash: u64, value: u16) -> bool;

    /// As [`value_many_hash`](crate::Filter#method.value_many_hash).
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn value_many_hash(&self, hashes: &[u64], values: &mut [Option<u16>]);
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
