//! Threads as the standard library knows them.

mod index;

pub(crate) use self::index::{EXCLUSIVE, thread_index};
pub(crate) use std::thread::yield_now;

use std::sync::OnceLock;

/// The number of threads that the machine runs at once.
pub(crate) fn parallelism() -> usize {
    // The system takes tens of microseconds to answer. The number is only a tuning hint, so ask once.
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}
