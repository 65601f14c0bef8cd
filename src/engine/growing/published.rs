//! A value that readers see complete while other threads replace it.
//!
//! The thread that replaces it retires the old value through the epoch (Fraser, "Practical lock-freedom", 2004):
//! the value is dropped when all threads that were pinned at the replacement have been unpinned. So readers never
//! wait, and a reader that stays pinned delays only this.

use core::ptr;
use core::sync::atomic::Ordering;

use crossbeam_epoch::{Atomic, Owned};
pub(crate) use crossbeam_epoch::{Guard, pin};

#[derive(Debug)]
pub(crate) struct Published<T> {
    /// Never null.
    value: Atomic<T>,
}

impl<T: Send + Sync + 'static> Published<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value: Atomic::new(value),
        }
    }

    /// The value at this moment.
    #[inline]
    #[allow(unsafe_code, reason = "the epoch keeps the value alive")]
    pub(crate) fn load<'g>(&self, guard: &'g Guard) -> &'g T {
        // Acquire: pairs with the Release in `replace`, which publishes what the value consists of.
        let shared = self.value.load(Ordering::Acquire, guard);
        // SAFETY: it is never null, and while the guard is held nothing is dropped that could be loaded.
        unsafe { shared.deref() }
    }

    /// Returns whether `value`, which was loaded under this guard, is still the current one.
    #[inline]
    pub(crate) fn is(&self, value: &T, guard: &Guard) -> bool {
        // Relaxed: it is acquired already if it is the same. A caller who has acquired, by way of a word, what came
        // after a replacement sees that too. The guard keeps the address from being used again.
        ptr::eq(self.value.load(Ordering::Relaxed, guard).as_raw(), value)
    }

    /// Puts `new` in the place of `current`, which was loaded under this guard. Returns false if it had been
    /// replaced before; then `new` is dropped.
    #[allow(unsafe_code, reason = "only here can the old value be retired, once")]
    pub(crate) fn replace(&self, current: &T, new: T, guard: &Guard) -> bool {
        // Relaxed: the exchange tells whether it is still the same. Loaded again, because a reference may not be
        // dropped through.
        let shared = self.value.load(Ordering::Relaxed, guard);
        if !ptr::eq(shared.as_raw(), current) {
            return false;
        }
        // Release: publishes the new value; pairs with `load` and `is`. Acquire: a thread that sees the new value
        // also sees what the previous replacer did.
        let new = Owned::new(new);
        let replaced =
            self.value
                .compare_exchange(shared, new, Ordering::AcqRel, Ordering::Relaxed, guard);
        if replaced.is_err() {
            return false;
        }
        // SAFETY: nobody can load it any more, and nobody else has replaced it, so it is retired once.
        unsafe { guard.defer_destroy(shared) };
        true
    }

    #[allow(unsafe_code, reason = "nobody else is about")]
    pub(crate) fn get_mut(&mut self) -> &mut T {
        // SAFETY: `&mut` says that no other thread looks at it; it is never null. Relaxed: for the same reason.
        unsafe {
            let guard = crossbeam_epoch::unprotected();
            self.value.load(Ordering::Relaxed, guard).deref_mut()
        }
    }
}

impl<T> Drop for Published<T> {
    #[allow(unsafe_code, reason = "nobody else is about")]
    fn drop(&mut self) {
        // SAFETY: as in `get_mut`; nobody uses it after this.
        unsafe {
            let guard = crossbeam_epoch::unprotected();
            drop(self.value.load(Ordering::Relaxed, guard).into_owned());
        }
    }
}
