//! Real atomics and threads.

mod index;

pub(crate) use self::index::{EXCLUSIVE, thread_index};
pub(crate) use atomic::fence;
pub(crate) use std::thread::yield_now;

use std::sync::OnceLock;

/// A 64-bit atomic cell.
pub(crate) type AtomicU64 = atomic::Atomic<u64>;

// Without native 64-bit atomics there is no lock-free filter to offer.
const _: () = assert!(
    AtomicU64::is_lock_free(),
    "lockfree-cuckoo needs native 64-bit atomics with 8-byte alignment"
);

/// Whether this is the model checker's build, where constants shrink.
pub(crate) const MODEL: bool = false;

/// The number of threads the machine runs at once.
pub(crate) fn parallelism() -> usize {
    // Asking the system takes tens of microseconds; the answer is a tuning hint, so once is enough.
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}
