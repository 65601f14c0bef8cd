//! A value that its owner shares with calls that come later: an `Arc` and its `Weak`s, but with an
//! allocation that may fail. Stable Rust has no `Arc::try_new`.

#![allow(
    clippy::disallowed_types,
    reason = "a deferred call may come after a model; the checkers do not look into an `Arc` either"
)]

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::boxed;
use crate::error::OutOfMemory;

/// The value, as long as there is a `Shared` of it.
#[derive(Debug)]
pub(crate) struct Shared<T>(Pointer<T>);

/// Keeps the memory of the value, but not the value.
#[derive(Debug)]
pub(crate) struct Later<T>(Pointer<T>);

#[derive(Debug)]
struct Inner<T> {
    /// The number of `Shared`s. The value is there until it is 0, and then it stays 0.
    users: AtomicUsize,
    /// The number of all pointers to this.
    pointers: AtomicUsize,
    value: UnsafeCell<MaybeUninit<T>>,
}

/// A pointer that `pointers` counts.
#[derive(Debug)]
struct Pointer<T>(NonNull<Inner<T>>);

#[allow(unsafe_code, reason = "it is what an `Arc` is")]
// SAFETY: whichever thread holds the last one drops the value, and all of them may refer to it: as
// an `Arc`.
unsafe impl<T: Send + Sync> Send for Pointer<T> {}
#[allow(unsafe_code, reason = "as above")]
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Pointer<T> {}

impl<T> Deref for Pointer<T> {
    type Target = Inner<T>;

    fn deref(&self) -> &Inner<T> {
        #[allow(unsafe_code, reason = "it is counted")]
        // SAFETY: it was allocated, and is freed by the last pointer, which this one is not yet.
        unsafe {
            self.0.as_ref()
        }
    }
}

impl<T> Clone for Pointer<T> {
    fn clone(&self) -> Self {
        // Relaxed: this pointer keeps the memory meanwhile.
        self.pointers.fetch_add(1, Ordering::Relaxed);
        Self(self.0)
    }
}

impl<T> Drop for Pointer<T> {
    fn drop(&mut self) {
        // Release and Acquire, as below: all that others did with it comes before it is freed.
        if self.pointers.fetch_sub(1, Ordering::AcqRel) == 1 {
            #[allow(unsafe_code, reason = "it is counted")]
            // SAFETY: it came from a box, and this was the last pointer.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

impl<T> Shared<T> {
    /// The heap bytes.
    pub(crate) const BYTES: usize = size_of::<Inner<T>>();

    pub(crate) fn new(value: T) -> Result<Self, OutOfMemory> {
        let mut inner = boxed(Inner {
            users: AtomicUsize::new(1),
            pointers: AtomicUsize::new(1),
            value: UnsafeCell::new(MaybeUninit::uninit()),
        })?;
        inner.value.get_mut().write(value);
        Ok(Self(Pointer(NonNull::from(Box::leak(inner)))))
    }

    /// For a later call that does not keep the value.
    pub(crate) fn later(&self) -> Later<T> {
        Later(self.0.clone())
    }

    /// The value, if there is no other pointer to it.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        // Acquire: pairs with the Release of each pointer that was dropped. Others come only from
        // those that are there.
        if self.0.pointers.load(Ordering::Acquire) != 1 {
            return None;
        }
        #[allow(unsafe_code, reason = "as `Arc::get_mut`")]
        // SAFETY: the value is there as long as this is, and no other pointer is, nor comes while
        // this is borrowed.
        Some(unsafe { (*self.0.value.get()).assume_init_mut() })
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        #[allow(unsafe_code, reason = "it is counted")]
        // SAFETY: the value is there as long as this is, which is one of its users. A reference
        // that could change it comes from `get_mut` alone, which borrows the only one.
        unsafe {
            (*self.0.value.get()).assume_init_ref()
        }
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if self.0.users.fetch_sub(1, Ordering::AcqRel) == 1 {
            #[allow(unsafe_code, reason = "it is counted")]
            // SAFETY: this was the last user, and none comes after it: the value is dropped once,
            // and nothing refers to it. The memory is there as long as the pointer is.
            unsafe {
                (*self.0.value.get()).assume_init_drop();
            }
        }
    }
}

impl<T> Later<T> {
    /// The value, unless its owner has dropped it.
    pub(crate) fn get(&self) -> Option<Shared<T>> {
        let one_more = |users: usize| (users > 0).then_some(users + 1);
        let users = &self.0.users;
        // Acquire: as that of a `Weak`. The thread that made this pointer already had the value.
        let added = users.fetch_update(Ordering::Acquire, Ordering::Relaxed, one_more);
        added.ok().map(|_| Shared(self.0.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crew::Crew;

    /// Counts how often it is dropped.
    struct Dropped<'a>(&'a AtomicUsize, Box<usize>);

    impl Drop for Dropped<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn it_goes_with_its_owner() {
        let drops = AtomicUsize::new(0);
        let mut shared = Shared::new(Dropped(&drops, Box::new(1))).expect("memory");
        *shared.get_mut().expect("alone").1 += 1;
        let later = shared.later();
        assert!(shared.get_mut().is_none());
        assert_eq!(later.get().map(|value| *value.1), Some(2));
        drop(shared);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
        assert!(later.get().is_none());
        drop(later);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }

    /// Later calls race with the end of the owner: each has the value or not, and the last one
    /// drops it.
    #[test]
    fn it_is_dropped_once_however_many_have_it() {
        for _ in 0..500 {
            let drops = AtomicUsize::new(0);
            let shared = Shared::new(Dropped(&drops, Box::new(7))).expect("memory");
            let laters: [_; 2] = core::array::from_fn(|_| shared.later());
            let owner = std::sync::Mutex::new(Some(shared));
            Crew::workers(3, |crew, thread| {
                crew.meet();
                match laters.get(thread) {
                    Some(later) => {
                        while let Some(value) = later.get() {
                            let Dropped(drops, number) = &*value;
                            assert_eq!((**number, drops.load(Ordering::Relaxed)), (7, 0));
                        }
                    }
                    None => drop(owner.lock().expect("no panic").take()),
                }
            });
            drop(laters);
            assert_eq!(drops.load(Ordering::Relaxed), 1);
        }
    }
}
