//! Threads as the standard library knows them.

mod index;

pub(crate) use self::index::{EXCLUSIVE, thread_index};
pub(crate) use std::thread::yield_now;

use std::sync::OnceLock;

/// The number of threads the machine runs at once.
pub(crate) fn parallelism() -> usize {
    // Asking the system takes tens of microseconds; the answer is a tuning hint, so once is enough.
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}
