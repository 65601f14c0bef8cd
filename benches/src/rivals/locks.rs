//! Locks for sets of one thread: one lock, one lock for each of many shards, and none.

use std::array;
use std::cell::UnsafeCell;
use std::ops::Range;

use model::geometry::SPREAD;
use parking_lot::RwLock;

use crate::contender::{Calls, Contender, Shared};
use crate::keys::Keys;
use crate::mixed::{Operations, mix};
use crate::tally::{Faults, count};

/// A set that takes `&mut self`. Its items correspond to those of [`Contender`].
pub trait Single: Send + Sized {
    /// Corresponds to [`Contender::EXACT`].
    const EXACT: bool = true;
    /// Corresponds to [`Contender::REMOVES`].
    const REMOVES: bool = true;
    /// Corresponds to [`Contender::CALLS`].
    const CALLS: Calls;

    /// Makes an empty set for this many items.
    fn with_capacity(items: usize) -> Self;
    /// Returns the slots for items and the bytes.
    fn size(&self) -> (Option<usize>, Option<usize>) {
        (None, None)
    }
    /// Adds a key.
    fn insert(&mut self, hash: u64) -> bool;
    /// Adds a key that is absent.
    fn insert_unique(&mut self, hash: u64) -> bool;
    /// Returns whether a key is stored.
    fn contains(&self, hash: u64) -> bool;
    /// Removes a key.
    fn remove(&mut self, _hash: u64) -> bool {
        false
    }
    /// Adds the keys. Returns the number of accepted keys.
    fn insert_each(&mut self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.insert(hash)).count()
    }
    /// Adds the absent ones of some keys. Returns the number of keys that were added.
    fn insert_unique_each(&mut self, hashes: &[u64]) -> usize {
        hashes
            .iter()
            .filter(|&&hash| self.insert_unique(hash))
            .count()
    }
    /// Returns the number of keys that are stored.
    fn contains_each(&self, hashes: &[u64]) -> usize {
        count(hashes, |&hash| self.contains(hash))
    }
    /// Removes the keys. Returns the number of keys that were removed.
    fn remove_each(&mut self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.remove(hash)).count()
    }
    /// Removes all items from a set that was made for this many.
    fn clear(&mut self, items: usize) {
        *self = Self::with_capacity(items);
    }
}

/// A lock, which lets one thread at a time change a set.
pub trait Lock: Sync {
    /// The set in the lock.
    type Set: Single;

    /// Whether threads other than the one that made it can use it.
    const SHARED: bool = true;

    /// Makes a set for this many items.
    fn new(items: usize) -> Self;

    /// Makes a call that reads the set.
    fn read<R>(&self, call: impl FnOnce(&Self::Set) -> R) -> R;

    /// Makes a call that may change the set.
    fn write<R>(&self, call: impl FnOnce(&mut Self::Set) -> R) -> R;
}

/// A set in a lock, or a set in each of several locks, whose number is a power of two. The hash
/// selects the lock.
#[derive(Debug)]
pub struct Locked<L, const SHARDS: usize = 1>([Line<L>; SHARDS]);

/// A lock that shares no cache line with another one.
#[derive(Debug)]
#[repr(align(128))]
struct Line<L>(L);

/// A set in one lock that lookups share.
pub type ReadWrite<T> = Locked<RwLock<T>>;

/// A set in 64 locks, so that threads seldom meet.
pub type Sharded<T> = Locked<RwLock<T>, 64>;

/// A set behind `&mut`, for users who need no second thread.
pub type Alone<T> = Locked<OneThread<T>>;

impl<L: Lock, const SHARDS: usize> Locked<L, SHARDS> {
    /// Returns the lock of a key. It depends on all bits of the hash, so that the hashes of a shard
    /// have no bits in common.
    #[inline]
    fn lock(&self, hash: u64) -> &L {
        let shard = (u128::from(hash.wrapping_mul(SPREAD)) * SHARDS as u128) >> 64;
        &self.0[shard as usize].0
    }

    /// Returns the most items of a shard: five standard deviations above the mean.
    fn share(items: usize) -> usize {
        let mean = items / SHARDS;
        let more = if SHARDS == 1 { 0.0 } else { 5.0 };
        mean + (more * (mean as f64).sqrt()) as usize
    }
}

impl<L: Lock, const SHARDS: usize> Contender for Locked<L, SHARDS> {
    const EXACT: bool = L::Set::EXACT;
    const REMOVES: bool = L::Set::REMOVES;
    const SHARED: bool = L::SHARED;
    const CALLS: Calls = L::Set::CALLS;

    fn with_capacity(items: usize) -> Self {
        Self(array::from_fn(|_| Line(L::new(Self::share(items)))))
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        let sizes = self.0.iter().map(|Line(lock)| lock.read(L::Set::size));
        let add = |one: Option<usize>, other: Option<usize>| Some(one? + other?);
        let sum = sizes.reduce(|one, other| (add(one.0, other.0), add(one.1, other.1)));
        sum.unwrap_or_default()
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.lock(hash).write(|set| set.insert(hash))
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> bool {
        self.lock(hash).write(|set| set.insert_unique(hash))
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.lock(hash).read(|set| set.contains(hash))
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.lock(hash).write(|set| set.remove(hash))
    }

    fn insert_each(&self, hashes: &[u64]) -> usize {
        match L::SHARED {
            true => count(hashes, |&hash| self.insert(hash)),
            // No other thread comes between the calls.
            false => self.lock(0).write(|set| set.insert_each(hashes)),
        }
    }

    fn insert_unique_each(&self, hashes: &[u64]) -> usize {
        match L::SHARED {
            true => count(hashes, |&hash| self.insert_unique(hash)),
            false => self.lock(0).write(|set| set.insert_unique_each(hashes)),
        }
    }

    fn contains_each(&self, hashes: &[u64]) -> usize {
        match L::SHARED {
            true => count(hashes, |&hash| self.contains(hash)),
            false => self.lock(0).read(|set| set.contains_each(hashes)),
        }
    }

    fn remove_each(&self, hashes: &[u64]) -> usize {
        match L::SHARED {
            true => count(hashes, |&hash| self.remove(hash)),
            false => self.lock(0).write(|set| set.remove_each(hashes)),
        }
    }

    fn mix(&self, keys: &Keys, blocks: Range<usize>) -> Faults {
        match L::SHARED {
            true => mix(&mut Shared(self), keys, blocks),
            false => self.lock(0).write(|set| mix(&mut Own(set), keys, blocks)),
        }
    }

    fn clear(&mut self, items: usize) {
        for Line(lock) in &self.0 {
            lock.write(|set| set.clear(Self::share(items)));
        }
    }
}

/// A set that its only thread borrows.
struct Own<'a, T>(&'a mut T);

impl<T: Single> Operations for Own<'_, T> {
    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        self.0.insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains(hash)
    }

    #[inline]
    fn remove(&mut self, hash: u64) -> bool {
        self.0.remove(hash)
    }
}

impl<T: Single + Sync> Lock for RwLock<T> {
    type Set = T;

    fn new(items: usize) -> Self {
        Self::new(T::with_capacity(items))
    }

    #[inline]
    fn read<R>(&self, call: impl FnOnce(&T) -> R) -> R {
        call(&self.read())
    }

    #[inline]
    fn write<R>(&self, call: impl FnOnce(&mut T) -> R) -> R {
        call(&mut self.write())
    }
}

/// A set without a lock. Only the thread that made it gets the set, and any other panics. Loops
/// check this once.
pub struct OneThread<T> {
    set: UnsafeCell<T>,
    owner: usize,
}

// SAFETY: `write` is the only way from `&OneThread` to the set, and it lets through none but the
// thread in whose storage `owner` is. If that thread has ended and another has got its storage, the
// set has in effect been sent there, which `T: Send` allows; no other thread has a reference to it.
#[allow(unsafe_code, reason = "the check is made at run time")]
unsafe impl<T: Send> Sync for OneThread<T> {}

/// Returns an address that belongs to the calling thread, which is faster than its identifier.
#[inline]
fn this_thread() -> usize {
    thread_local! {
        static PLACE: u8 = const { 0 };
    }
    PLACE.with(|place| &raw const *place as usize)
}

impl<T: Single> Lock for OneThread<T> {
    type Set = T;

    const SHARED: bool = false;

    fn new(items: usize) -> Self {
        Self {
            set: UnsafeCell::new(T::with_capacity(items)),
            owner: this_thread(),
        }
    }

    #[inline]
    fn read<R>(&self, call: impl FnOnce(&T) -> R) -> R {
        self.write(|set| call(set))
    }

    #[inline]
    #[allow(unsafe_code, reason = "a lock is what is left out")]
    fn write<R>(&self, call: impl FnOnce(&mut T) -> R) -> R {
        assert!(self.owner == this_thread(), "not the thread that made it");
        // SAFETY: only one thread gets here, and no call of `Single`, nor of `Locked`, comes back
        // here.
        call(unsafe { &mut *self.set.get() })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::rivals::sets::Hashbrown;

    #[test]
    fn a_set_without_a_lock_refuses_other_threads() {
        let set = Alone::<Hashbrown>::with_capacity(1);
        assert!(set.insert(1));
        let other = thread::scope(|scope| scope.spawn(|| set.contains(1)).join());
        assert!(other.is_err());
        assert!(set.contains(1));
    }

    #[test]
    fn keys_are_spread_over_the_shards() {
        let set = Sharded::<Hashbrown>::with_capacity(64_000);
        let keys: Vec<u64> = (0..64_000).map(model::mix).collect();
        assert_eq!(set.insert_each(&keys), keys.len());
        let share = Sharded::<Hashbrown>::share(keys.len());
        for Line(lock) in &set.0 {
            let held = lock.read().len();
            assert!((800..=share).contains(&held), "{held} of {share}");
        }
    }
}
