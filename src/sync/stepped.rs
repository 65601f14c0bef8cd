//! Real atomics that ask, before each access, whether the thread may go on.

pub mod hooks;

use super::Ordering;
use super::real;

pub(crate) use super::real::{
    EXCLUSIVE, MODEL, PATIENCE, PLAIN, fence, parallelism, thread_index, yield_now,
};
use hooks::Access;
pub(crate) use hooks::happened;

/// Asks before an access to a cell. Returns false if the thread is dead.
fn ask<C>(cell: &C, writes: bool) -> bool {
    let address = core::ptr::from_ref(cell).addr();
    hooks::step(Access { address, writes })
}

/// A 64-bit atomic cell. Each access is a step.
#[derive(Debug)]
pub(crate) struct AtomicU64(real::AtomicU64);

impl AtomicU64 {
    pub(crate) const fn new(value: u64) -> Self {
        Self(real::AtomicU64::new(value))
    }

    fn step(&self, writes: bool) -> &real::AtomicU64 {
        ask(&self.0, writes);
        &self.0
    }

    pub(crate) fn load(&self, order: Ordering) -> u64 {
        self.step(false).load(order)
    }

    pub(crate) fn store(&self, value: u64, order: Ordering) {
        // A drop makes only this access, so it is the only one that a dead thread could still reach.
        if ask(&self.0, true) {
            self.0.store(value, order);
        }
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

    pub(crate) fn compare_exchange(
        &self,
        current: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        self.step(true)
            .compare_exchange(current, new, success, failure)
    }
}

/// An atomic cell for a pointer. Each change of it is a step. A load is none: it is made beside those of other cells, at
/// which a thread can be stopped.
#[derive(Debug)]
pub(crate) struct AtomicPtr<T>(real::AtomicPtr<T>);

impl<T> AtomicPtr<T> {
    pub(crate) const fn new(value: *mut T) -> Self {
        Self(real::AtomicPtr::new(value))
    }

    pub(crate) fn load(&self, order: Ordering) -> *mut T {
        self.0.load(order)
    }

    pub(crate) fn store(&self, value: *mut T, order: Ordering) {
        // As above: a drop stores too.
        if ask(&self.0, true) {
            self.0.store(value, order);
        }
    }

    pub(crate) fn compare_exchange(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        ask(&self.0, true);
        self.0.compare_exchange(current, new, success, failure)
    }
}
