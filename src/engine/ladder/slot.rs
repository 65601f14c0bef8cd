//! A place for one boxed value, which can be handed on to another place while other threads look at it.

use core::ptr;

use crossbeam_epoch::Guard;

use crate::sync::{AtomicPtr, Ordering};

/// It does not drop its value: its owner knows whether that was handed on.
#[derive(Debug)]
pub(super) struct Slot<T>(AtomicPtr<T>);

#[allow(
    unsafe_code,
    reason = "a value that is shared while it goes from one place to another"
)]
impl<T> Slot<T> {
    pub(super) fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// The address of the value; null if there is none.
    fn address(&self) -> *mut T {
        // SeqCst, here and below: that a generation was sealed, and which one comes after it, take the one order that words
        // and gates take.
        self.0.load(Ordering::SeqCst)
    }

    pub(super) fn is_vacant(&self) -> bool {
        self.address().is_null()
    }

    /// Puts a value there, unless there is one.
    pub(super) fn put(&self, value: Box<T>) {
        let new = Box::into_raw(value);
        if !self.exchange(ptr::null_mut(), new) {
            // SAFETY: it was a box, and nobody else has seen it.
            drop(unsafe { Box::from_raw(new) });
        }
    }

    fn exchange(&self, old: *mut T, new: *mut T) -> bool {
        self.0
            .compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    /// The value, if there is one.
    ///
    /// # Safety
    ///
    /// It must not be freed before the guard ends.
    pub(super) unsafe fn load<'g>(&self, _: &'g Guard) -> Option<&'g T> {
        // SAFETY: a value is there until it is freed.
        unsafe { self.address().as_ref() }
    }

    /// Puts the value of this place, which must have one, into another, where `old` is: none, or the value itself. Returns
    /// false if `old` is no longer there. Else the value belongs to the other place, and `old` to nobody.
    pub(super) fn hand_to(&self, other: &Self, old: Option<&T>) -> bool {
        let old = old.map_or(ptr::null_mut(), |old| ptr::from_ref(old).cast_mut());
        other.exchange(old, self.address())
    }

    /// Takes the value out.
    pub(super) fn take(&mut self) -> Option<Box<T>> {
        let value = self.address();
        self.0.store(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: it was a box, and `&mut` says that nobody else looks at the place. Who did before is pinned, or gone: see
        // `load`.
        (!value.is_null()).then(|| unsafe { Box::from_raw(value) })
    }
}
