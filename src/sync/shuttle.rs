//! shuttle's atomics: one thread at a time, switched at each access, in random order.

pub(crate) use super::tally::happened;
pub(crate) use shuttle::sync::atomic::{AtomicPtr, AtomicU64, fence};
pub(crate) use shuttle::thread::yield_now;

/// Hooks for the tests.
pub mod hooks {
    pub use crate::sync::event::Event;
    pub use crate::sync::tally::{Tally, tally};
}

/// The constants are those of the shipping build: shuttle samples schedules and does not exhaust them.
pub(crate) const MODEL: bool = false;

pub(crate) const PATIENCE: usize = 0;

/// Cells have a clock.
pub(crate) const PLAIN: bool = false;

pub(crate) fn parallelism() -> usize {
    4
}

/// Every thread of a test has its own number.
pub(crate) const EXCLUSIVE: usize = 64;

pub(crate) fn thread_index() -> usize {
    usize::from(shuttle::thread::current().id())
}
