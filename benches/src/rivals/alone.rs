//! Sets of one thread, without a lock.

use core::cell::UnsafeCell;

use super::locked::Single;
use super::one_thread::OneThread;
use crate::contender::Contender;

/// A set as its users have it who need no second thread: behind `&mut`.
pub struct Alone<T>(OneThread<UnsafeCell<T>>);

impl<T: Single> Alone<T> {
    #[inline]
    #[allow(unsafe_code, reason = "a lock is what is left out")]
    fn with<R>(&self, call: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: only one thread gets here, and no call of `Single` comes back here.
        call(unsafe { &mut *self.0.get().get() })
    }
}

impl<T: Single> Contender for Alone<T> {
    const NAME: &'static str = T::NAMES.alone;
    const EXACT: bool = T::EXACT;
    const IS_SET: bool = T::IS_SET;
    const MOST_THREADS: usize = 1;

    fn with_capacity(items: usize) -> Self {
        Self(OneThread::new(UnsafeCell::new(T::with_capacity(items))))
    }

    fn slots(&self) -> usize {
        self.with(|set| set.slots())
    }

    fn bytes(&self) -> Option<usize> {
        self.with(|set| set.bytes())
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.with(|set| set.insert(hash))
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.with(|set| set.contains(hash))
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.with(|set| set.remove(hash))
    }

    fn clear(&mut self) {
        self.0.get_mut().get_mut().clear();
    }
}
