//! What sets of one thread are put in: locks, shards, and nothing.

use std::array;
use std::cell::UnsafeCell;

use crossbeam_utils::CachePadded;
use parking_lot::{Mutex, RwLock};

use crate::contender::Contender;

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
    /// Empties it, which was made for so many items.
    fn clear(&mut self, items: usize) {
        *self = Self::with_capacity(items);
    }
}

/// What lets one thread at a time change a set, or each of some sets that share the hashes.
pub trait Lock: Sync {
    /// What is locked.
    type Set: Single;

    /// Whether more than the thread that made it can use it.
    const SHARED: bool = true;

    /// For so many items.
    fn new(items: usize) -> Self;

    /// Has the set of a hash looked at.
    fn read<R>(&self, hash: u64, call: impl FnOnce(&Self::Set) -> R) -> R;

    /// Has the set of a hash changed.
    fn write<R>(&self, hash: u64, call: impl FnOnce(&mut Self::Set) -> R) -> R;

    /// Has each of the sets changed.
    fn all<R>(&self, call: impl Fn(&mut Self::Set) -> R) -> Vec<R> {
        vec![self.write(0, call)]
    }
}

/// A set in a lock.
#[derive(Debug)]
pub struct Locked<L>(L);

/// In one lock that lookups share.
pub type ReadWrite<T> = Locked<RwLock<T>>;

/// In one lock that nothing shares, and that costs lookups less if there is one thread.
pub type Exclusive<T> = Locked<Shards<T, 1>>;

/// 64 of these, each for its part of the hashes, as sharded caches have it. Two threads rarely meet, so sharing among
/// readers would not pay.
pub type Sharded<T> = Locked<Shards<T, 64>>;

/// As its users have it who need no second thread: behind `&mut`.
pub type Alone<T> = Locked<OneThread<T>>;

impl<L: Lock> Contender for Locked<L> {
    const EXACT: bool = L::Set::EXACT;
    const REMOVES: bool = L::Set::REMOVES;
    const SHARED: bool = L::SHARED;

    fn with_capacity(items: usize) -> Self {
        Self(L::new(items))
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        let (slots, bytes): (Vec<_>, Vec<_>) = self.0.all(|set| set.size()).into_iter().unzip();
        (slots.into_iter().sum(), bytes.into_iter().sum())
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.write(hash, |set| set.insert(hash))
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.read(hash, |set| set.contains(hash))
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.write(hash, |set| set.remove(hash))
    }

    fn clear(&mut self, items: usize) {
        let sets = self.0.all(|_| ()).len();
        self.0.all(|set| set.clear(items.div_ceil(sets)));
    }
}

impl<T: Single + Sync> Lock for RwLock<T> {
    type Set = T;

    fn new(items: usize) -> Self {
        Self::new(T::with_capacity(items))
    }

    #[inline]
    fn read<R>(&self, _hash: u64, call: impl FnOnce(&T) -> R) -> R {
        call(&self.read())
    }

    #[inline]
    fn write<R>(&self, _hash: u64, call: impl FnOnce(&mut T) -> R) -> R {
        call(&mut self.write())
    }
}

/// Sets in locks of their own.
pub type Shards<T, const SHARDS: usize> = [CachePadded<Mutex<T>>; SHARDS];

/// The middle of the hash chooses, because filters take their indices and fingerprints from its ends.
#[inline]
fn shard<const SHARDS: usize>(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}

impl<T: Single, const SHARDS: usize> Lock for Shards<T, SHARDS> {
    type Set = T;

    fn new(items: usize) -> Self {
        array::from_fn(|_| Mutex::new(T::with_capacity(items.div_ceil(SHARDS))).into())
    }

    #[inline]
    fn read<R>(&self, hash: u64, call: impl FnOnce(&T) -> R) -> R {
        call(&self[shard::<SHARDS>(hash)].lock())
    }

    #[inline]
    fn write<R>(&self, hash: u64, call: impl FnOnce(&mut T) -> R) -> R {
        call(&mut self[shard::<SHARDS>(hash)].lock())
    }

    fn all<R>(&self, call: impl Fn(&mut T) -> R) -> Vec<R> {
        self.iter().map(|shard| call(&mut shard.lock())).collect()
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
    fn read<R>(&self, hash: u64, call: impl FnOnce(&T) -> R) -> R {
        self.write(hash, |set| call(set))
    }

    #[inline]
    #[allow(unsafe_code, reason = "a lock is what is left out")]
    fn write<R>(&self, _hash: u64, call: impl FnOnce(&mut T) -> R) -> R {
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
}
