//! loom's atomics.

pub mod hooks;

pub(crate) use loom::sync::atomic::fence;
pub(crate) use loom::thread::yield_now;

use super::{Event, Ordering};

pub(crate) const MODEL: bool = true;

pub(crate) const PATIENCE: usize = 0;

/// Cells are numbers of loom's objects.
pub(crate) const PLAIN: bool = false;

/// Models check themselves which events happened.
pub(crate) fn happened(_: Event) {}

pub(crate) fn parallelism() -> usize {
    4
}

/// Every thread of a model has its own number.
pub(crate) const EXCLUSIVE: usize = 16;

pub(crate) fn thread_index() -> usize {
    let name = format!("{:?}", loom::thread::current().id());
    name.trim_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .expect("a model thread has a number")
}

/// A 64-bit atomic cell with a twin that is touched before every load.
///
/// loom 0.7 remembers only the last access to each atomic. So a thread's own load hides an earlier load by
/// another thread from the write that follows, and loom never tries schedules that put the write between the two
/// (tokio-rs/loom#166 and #392). A read-modify-write of the twin makes loads conflict with each other, so in some
/// schedule the hidden load is the last one.
#[derive(Debug)]
pub(crate) struct AtomicU64 {
    twin: loom::sync::atomic::AtomicUsize,
    value: loom::sync::atomic::AtomicU64,
}

impl AtomicU64 {
    pub(crate) fn new(value: u64) -> Self {
        Self {
            twin: loom::sync::atomic::AtomicUsize::new(0),
            value: loom::sync::atomic::AtomicU64::new(value),
        }
    }

    fn value(&self) -> &loom::sync::atomic::AtomicU64 {
        hooks::is_alive();
        &self.value
    }

    pub(crate) fn load(&self, order: Ordering) -> u64 {
        let value = self.value();
        // Relaxed: the twin must order nothing, it only makes the loads conflict.
        self.twin.fetch_add(1, Ordering::Relaxed);
        hooks::fence_before_load(order);
        value.load(hooks::weakened(order).0)
    }

    pub(crate) fn store(&self, value: u64, order: Ordering) {
        // A drop makes only this access, so it is the only one that a dead thread could still reach.
        if hooks::is_alive() {
            self.value.store(value, order);
        }
    }

    pub(crate) fn fetch_add(&self, value: u64, order: Ordering) -> u64 {
        self.value().fetch_add(value, order)
    }

    pub(crate) fn fetch_or(&self, value: u64, order: Ordering) -> u64 {
        let old = self.value().fetch_or(value, hooks::weakened(order).1);
        hooks::write(order);
        old
    }

    pub(crate) fn fetch_and(&self, value: u64, order: Ordering) -> u64 {
        self.value().fetch_and(value, order)
    }

    pub(crate) fn compare_exchange(
        &self,
        current: u64,
        new: u64,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u64, u64> {
        let outcome = self.value().compare_exchange(
            current,
            new,
            hooks::weakened(success).1,
            hooks::weakened(failure).0,
        );
        hooks::write(success);
        outcome
    }
}

/// An atomic cell for a pointer, with a twin as well.
#[derive(Debug)]
pub(crate) struct AtomicPtr<T> {
    twin: loom::sync::atomic::AtomicUsize,
    value: loom::sync::atomic::AtomicPtr<T>,
}

impl<T> AtomicPtr<T> {
    pub(crate) fn new(value: *mut T) -> Self {
        Self {
            twin: loom::sync::atomic::AtomicUsize::new(0),
            value: loom::sync::atomic::AtomicPtr::new(value),
        }
    }

    pub(crate) fn load(&self, order: Ordering) -> *mut T {
        hooks::is_alive();
        self.twin.fetch_add(1, Ordering::Relaxed);
        hooks::fence_before_load(order);
        self.value.load(hooks::weakened(order).0)
    }

    pub(crate) fn store(&self, value: *mut T, order: Ordering) {
        if hooks::is_alive() {
            self.value.store(value, order);
        }
    }

    pub(crate) fn compare_exchange(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        hooks::is_alive();
        let outcome = self.value.compare_exchange(
            current,
            new,
            hooks::weakened(success).1,
            hooks::weakened(failure).0,
        );
        hooks::write(success);
        outcome
    }
}
