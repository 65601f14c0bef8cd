//! What sets of one thread are put in: a lock, a lock for each of many shards, and nothing.

use std::array;
use std::cell::UnsafeCell;

use model::geometry::SPREAD;
use parking_lot::RwLock;

use crate::contender::Contender;
use crate::work::count;

/// A set that takes `&mut self`. The items mean what those of [`Contender`] mean.
pub trait Single: Send + Sized {
    /// As [`Contender::EXACT`].
    const EXACT: bool = true;
    /// As [`Contender::REMOVES`].
    const REMOVES: bool = true;

    /// An empty one for this many items.
    fn with_capacity(items: usize) -> Self;
    /// The slots for items and the bytes.
    fn size(&self) -> (Option<usize>, Option<usize>) {
        (None, None)
    }
    /// Adds a key.
    fn insert(&mut self, hash: u64) -> bool;
    /// Whether a key is in.
    fn contains(&self, hash: u64) -> bool;
    /// Removes a key.
    fn remove(&mut self, _hash: u64) -> bool {
        false
    }
    /// Adds the keys. The number that was not refused.
    fn insert_each(&mut self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.insert(hash)).count()
    }
    /// The number of keys that are in.
    fn contains_each(&self, hashes: &[u64]) -> usize {
        count(hashes, |&hash| self.contains(hash))
    }
    /// Removes the keys. The number that was there.
    fn remove_each(&mut self, hashes: &[u64]) -> usize {
        hashes.iter().filter(|&&hash| self.remove(hash)).count()
    }
    /// Empties it, which was made for so many items.
    fn clear(&mut self, items: usize) {
        *self = Self::with_capacity(items);
    }
}

/// What lets one thread at a time change a set.
pub trait Lock: Sync {
    /// What is locked.
    type Set: Single;

    /// Whether more than the thread that made it can use it.
    const SHARED: bool = true;

    /// For so many items.
    fn new(items: usize) -> Self;

    /// Has the set looked at.
    fn read<R>(&self, call: impl FnOnce(&Self::Set) -> R) -> R;

    /// Has the set changed.
    fn write<R>(&self, call: impl FnOnce(&mut Self::Set) -> R) -> R;
}

/// A set in a lock, or a set in each of several locks, a power of two. The hash decides which.
#[derive(Debug)]
pub struct Locked<L, const SHARDS: usize = 1>([Line<L>; SHARDS]);

/// No lock shares a cache line with another one.
#[derive(Debug)]
#[repr(align(128))]
struct Line<L>(L);

/// In one lock that lookups share.
pub type ReadWrite<T> = Locked<RwLock<T>>;

/// In 64 locks, so that threads seldom meet.
pub type Sharded<T> = Locked<RwLock<T>, 64>;

/// As its users have it who need no second thread: behind `&mut`.
pub type Alone<T> = Locked<OneThread<T>>;

impl<L: Lock, const SHARDS: usize> Locked<L, SHARDS> {
    /// The lock of a key. All bits of the hash have a say, so that a shard has no bit in common with what its set takes from
    /// the hash.
    #[inline]
    fn lock(&self, hash: u64) -> &L {
        let shard = (u128::from(hash.wrapping_mul(SPREAD)) * SHARDS as u128) >> 64;
        &self.0[shard as usize].0
    }

    /// The items of the fullest shard: five standard deviations above the mean.
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
            // Nobody comes between its calls.
            false => self.lock(0).write(|set| set.insert_each(hashes)),
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

    fn clear(&mut self, items: usize) {
        for Line(lock) in &self.0 {
            lock.write(|set| set.clear(Self::share(items)));
        }
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

/// No lock: shared in name only. The thread that made it gets the set, any other panics. The check costs less than the
/// cheapest lock, so it does not decide a comparison.
pub struct OneThread<T> {
    set: UnsafeCell<T>,
    owner: usize,
}

// SAFETY: `write` is the only way from `&OneThread` to the set, and it lets through none but the thread in
// whose storage `owner` is. If that thread has ended and another has got its storage, the set has in effect
// been sent there, which `T: Send` allows; nobody else has a reference to it.
#[allow(unsafe_code, reason = "the check is made at run time")]
unsafe impl<T: Send> Sync for OneThread<T> {}

/// An address that belongs to the calling thread, which is quicker to have than its identifier.
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
        // SAFETY: only one thread gets here, and no call of `Single`, nor of `Locked`, comes back here.
        call(unsafe { &mut *self.set.get() })
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::rivals::sets::Hashbrown;

    #[test]
    fn what_has_no_lock_lets_no_other_thread_in() {
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
