//! Real atomics that ask, before each access, whether the thread may go on.

use super::Ordering;
use super::real;

#[cfg(all(feature = "std", any(test, feature = "_testing")))]
pub use super::real::on_processors;
pub(crate) use super::real::{
    Backoff, EXCLUSIVE, MODEL, OnceBox, PLAIN, YIELDS_BEFORE_FAILING, fence, parallelism,
    thread_index, yield_now,
};
use hooks::Access;
pub(crate) use hooks::trace;

/// Asks before an access to a cell. Returns false if the thread is dead.
fn ask<C>(cell: &C, writes: bool) -> bool {
    let address = core::ptr::from_ref(cell).addr();
    hooks::step(Access { address, writes })
}

/// An atomic cell. Each access is a step, but for the loads of a pointer.
macro_rules! stepped {
    ($name:ident $(<$item:ident>)?, $value:ty) => {
        #[derive(Debug)]
        pub(crate) struct $name $(<$item>)? (real::$name $(<$item>)?);

        impl $(<$item>)? $name $(<$item>)? {
            pub(crate) const fn new(value: $value) -> Self {
                Self(real::$name::new(value))
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                // A drop makes only this access, so it is the only one that a dead thread could
                // still reach.
                if ask(&self.0, true) {
                    self.0.store(value, order);
                }
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                ask(&self.0, true);
                self.0.compare_exchange(current, new, success, failure)
            }
        }
    };
}

stepped!(AtomicU64, u64);
stepped!(AtomicPtr<T>, *mut T);

pub(crate) fn store_among_exchanges(cell: &AtomicU64, value: u64, order: Ordering) {
    cell.store(value, order);
}

pub(crate) fn load_crosswise(cell: &AtomicU64, order: Ordering) -> u64 {
    cell.load(order)
}

impl AtomicU64 {
    fn step(&self, writes: bool) -> &real::AtomicU64 {
        ask(&self.0, writes);
        &self.0
    }

    pub(crate) fn load(&self, order: Ordering) -> u64 {
        self.step(false).load(order)
    }

    pub(crate) fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
        self.step(true).fetch_add(value, order)
    }

    pub(crate) fn fetch_and(&self, value: u64, order: Ordering) -> u64 {
        self.step(true).fetch_and(value, order)
    }

    pub(crate) fn fetch_or(&self, value: u64, order: Ordering) -> u64 {
        self.step(true).fetch_or(value, order)
    }
}

impl<T> AtomicPtr<T> {
    /// Makes no step: a thread can be stopped at the loads of other cells beside it.
    pub(crate) fn load(&self, order: Ordering) -> *mut T {
        self.0.load(order)
    }
}

pub mod hooks {
    //! Hooks for tests with real threads: to stop a thread before any of its accesses, and to count
    //! events.

    use std::cell::{Cell, RefCell};

    pub(crate) use crate::sync::event::trace;
    pub use crate::sync::event::{Event, Tally, tally};

    /// What happens to a thread at a step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Fate {
        /// The thread makes the access.
        Goes,
        /// The thread dies: it has no effect on memory any more, and unwinds to its [`stepping`].
        Dies,
    }

    /// An access that a thread is about to make.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Access {
        /// Of the cell.
        pub address: usize,
        /// Whether the processor takes the cell's line for itself: for a store, and for a
        /// read-modify-write, even of one that changes nothing.
        pub writes: bool,
    }

    /// Gets the number of a step, counted from 0, and decides what happens to the thread. It may
    /// block the thread.
    type OnStep = Box<dyn FnMut(usize) -> Fate>;

    thread_local! {
        static ON_STEP: RefCell<Option<OnStep>> = const { RefCell::new(None) };
        static STEPS: Cell<usize> = const { Cell::new(0) };
        static ACCESS: Cell<Option<Access>> = const { Cell::new(None) };
    }

    /// The payload of a dead thread's unwinding.
    #[derive(Debug)]
    struct Died;

    /// Runs `run` on the calling thread, and calls `on_step` before each of its accesses to the
    /// atomics of a filter. Returns what `run` returns, or `None` if the thread died in it, and the
    /// number of steps.
    pub fn stepping<R>(
        on_step: impl FnMut(usize) -> Fate + 'static,
        run: impl FnOnce() -> R,
    ) -> (Option<R>, usize) {
        STEPS.set(0);
        ON_STEP.set(Some(Box::new(on_step)));
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        ON_STEP.set(None);
        let outcome = match outcome {
            Ok(value) => Some(value),
            Err(payload) if payload.is::<Died>() => None,
            Err(payload) => std::panic::resume_unwind(payload),
        };
        (outcome, STEPS.get())
    }

    /// The access that the thread is about to make, for a hook that is called before it.
    #[must_use]
    pub fn access() -> Option<Access> {
        ACCESS.get()
    }

    /// Asks what happens to the thread. Returns false if it is dead and unwinding.
    pub(super) fn step(access: Access) -> bool {
        // A thread that is about to end has no hook any more.
        let fate = ON_STEP.try_with(|on_step| {
            // Already borrowed: the hook itself uses a filter.
            let mut on_step = on_step.try_borrow_mut().ok()?;
            let on_step = on_step.as_mut()?;
            if std::thread::panicking() {
                return Some(Fate::Dies);
            }
            let number = STEPS.get();
            STEPS.set(number + 1);
            ACCESS.set(Some(access));
            Some(on_step(number))
        });
        match fate {
            Ok(Some(Fate::Dies)) if std::thread::panicking() => false,
            Ok(Some(Fate::Dies)) => std::panic::resume_unwind(Box::new(Died)),
            _ => true,
        }
    }
}
