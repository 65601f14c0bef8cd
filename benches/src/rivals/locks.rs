//! What sets of one thread are put in: a lock, and nothing.

use std::cell::UnsafeCell;

use parking_lot::RwLock;

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

/// A set in a lock.
#[derive(Debug)]
pub struct Locked<L>(L);

/// In one lock that lookups share.
pub type ReadWrite<T> = Locked<RwLock<T>>;

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
        self.0.read(L::Set::size)
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.write(|set| set.insert(hash))
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.read(|set| set.contains(hash))
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.write(|set| set.remove(hash))
    }

    fn clear(&mut self, items: usize) {
        self.0.write(|set| set.clear(items));
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
}
