//! What stays until nobody else can be about: values that any thread adds, and that none takes out.

use core::ptr;

use crate::sync::{AtomicPtr, Ordering};

/// A list of values. Their addresses stay as they are until [`retain`](Self::retain), or until it is dropped.
#[derive(Debug)]
pub(super) struct Kept<T> {
    /// The cell that was added last.
    first: AtomicPtr<Cell<T>>,
}

#[derive(Debug)]
struct Cell<T> {
    value: T,
    /// The cell that was added before.
    next: *mut Cell<T>,
}

/// A value that is yet to be added, at the address that it will have.
#[derive(Debug)]
pub(super) struct Fresh<T> {
    cell: *mut Cell<T>,
}

#[allow(unsafe_code, reason = "a list that is shared while it becomes longer")]
impl<T: Send + Sync> Kept<T> {
    pub(super) fn new() -> Self {
        Self {
            first: AtomicPtr::new(ptr::null_mut()),
        }
    }

    pub(super) fn add(&self, fresh: Fresh<T>) -> &T {
        let cell = fresh.into_cell();
        // Relaxed: the exchange tells whether it is still the same, and nothing is read through it.
        let mut first = self.first.load(Ordering::Relaxed);
        loop {
            // SAFETY: the cell is not in the list, so no other thread looks at this field. What others look at, if it
            // has been published, is the value.
            unsafe { (*cell).next = first };
            // Release: pairs with the load in `iter`.
            let exchange =
                self.first
                    .compare_exchange(first, cell, Ordering::Release, Ordering::Relaxed);
            match exchange {
                // SAFETY: what is in the list stays while it is borrowed.
                Ok(_) => return unsafe { &(*cell).value },
                Err(now) => first = now,
            }
        }
    }

    /// From the last to the first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        // Acquire: pairs with the Release in `add`; those before the last belong to the same release sequence.
        let mut cell = self.first.load(Ordering::Acquire);
        core::iter::from_fn(move || {
            // SAFETY: what is in the list stays while it is borrowed, and does not change.
            let Cell { value, next } = unsafe { cell.as_ref()? };
            cell = *next;
            Some(value)
        })
    }

    /// Drops the others.
    pub(super) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        let all = core::mem::replace(self, Self::new());
        // Relaxed, here and in `drop`: `&mut` says that no other thread is about.
        let mut cell = all.first.load(Ordering::Relaxed);
        all.first.store(ptr::null_mut(), Ordering::Relaxed);
        while !cell.is_null() {
            let fresh = Fresh { cell };
            // SAFETY: it was in the list, which is empty now.
            cell = unsafe { (*cell).next };
            if keep(fresh.get()) {
                self.add(fresh);
            }
        }
    }
}

#[allow(unsafe_code, reason = "nobody else is about")]
impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        let mut cell = self.first.load(Ordering::Relaxed);
        while !cell.is_null() {
            let last = Fresh { cell };
            // SAFETY: `&mut` says that nobody looks at the list, and each cell is in it once.
            cell = unsafe { (*cell).next };
            drop(last);
        }
    }
}

#[allow(unsafe_code, reason = "a box whose content others may look at already")]
impl<T> Fresh<T> {
    pub(super) fn new(value: T) -> Self {
        let cell = Cell {
            value,
            next: ptr::null_mut(),
        };
        Self {
            cell: Box::into_raw(Box::new(cell)),
        }
    }

    pub(super) fn get(&self) -> &T {
        // SAFETY: it is this one's until it is added or dropped.
        unsafe { &(*self.cell).value }
    }

    fn into_cell(self) -> *mut Cell<T> {
        core::mem::ManuallyDrop::new(self).cell
    }
}

#[allow(unsafe_code, reason = "it has been made of a box")]
impl<T> Drop for Fresh<T> {
    fn drop(&mut self) {
        // SAFETY: it was not added, so this is its only owner.
        drop(unsafe { Box::from_raw(self.cell) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn keeps_what_any_thread_adds_and_drops_it_once() {
        let counted = Arc::new(());
        let mut kept = Kept::new();
        thread::scope(|scope| {
            for thread in 0..4 {
                let (kept, counted) = (&kept, &counted);
                scope.spawn(move || {
                    for number in 0..100 {
                        let added = kept.add(Fresh::new((thread, number, Arc::clone(counted))));
                        assert_eq!((added.0, added.1), (thread, number));
                        assert!(kept.iter().any(|value| ptr::eq(value, added)));
                    }
                });
            }
        });
        assert_eq!(kept.iter().count(), 400);
        drop(Fresh::new((0, 0, Arc::clone(&counted))));
        assert_eq!(Arc::strong_count(&counted), 401);
        let addresses = |kept: &Kept<(i32, i32, Arc<()>)>| -> Vec<_> {
            let last = kept.iter().filter(|value| value.1 == 99);
            let mut addresses: Vec<_> = last.map(ptr::from_ref).collect();
            addresses.sort_unstable();
            addresses
        };
        let before = addresses(&kept);
        kept.retain(|value| value.1 == 99);
        assert_eq!(kept.iter().count(), 4);
        assert_eq!(addresses(&kept), before, "a value has moved");
        assert_eq!(Arc::strong_count(&counted), 5);
        drop(kept);
        assert_eq!(Arc::strong_count(&counted), 1);
    }
}
