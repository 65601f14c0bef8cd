//! Real atomics and threads.

pub(crate) use atomic::fence;
pub(crate) use std::thread::yield_now;

use core::sync::atomic::Ordering;
use std::cell::Cell;
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

/// A small number that stays with the calling thread and is no other thread's, for the first 2^31.
#[inline]
pub(crate) fn thread_index() -> usize {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static INDEX: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    INDEX.with(|index| {
        if index.get() == usize::MAX {
            // Relaxed: only the uniqueness of the number matters. One bit less than a `usize` may have,
            // so that it cannot be the marker above.
            let number = NEXT.fetch_add(1, Ordering::Relaxed) as u32;
            index.set((number & (u32::MAX >> 1)) as usize);
        }
        index.get()
    })
}
