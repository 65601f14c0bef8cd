//! Threads as the standard library knows them, and a small number for each, given back when the
//! thread ends.
//!
//! Each of the first [`EXCLUSIVE`] live threads has a number that no other live thread has. So a
//! cell selected by this number has one writer at a time, and needs no read-modify-write. All
//! further threads share the numbers above.

pub(crate) use std::thread::yield_now;

use std::cell::Cell;
use std::hint::black_box;
use std::sync::OnceLock;

use crate::sync::Ordering;
use crate::sync::real::AtomicU64;

/// The number of threads that the machine runs at once.
pub(crate) fn parallelism() -> usize {
    // Ask the system once: it takes tens of microseconds to answer, and the number is only a tuning
    // hint.
    static THREADS: OnceLock<usize> = OnceLock::new();
    if let Some(number) = set_by_test() {
        return number;
    }
    if THREADS.get().is_none() && !has_room() {
        return 1;
    }
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The number of processors that a test has set, for a call or for the process, so that filters
/// take the memory that they take on another machine.
#[cfg(any(test, feature = "_testing"))]
fn set_by_test() -> Option<usize> {
    static OF_PROCESS: OnceLock<Option<usize>> = OnceLock::new();
    let variable = || std::env::var("LOCKFREE_CUCKOO_PROCESSORS").ok();
    let number = |text: String| text.parse().expect("a number of processors");
    OF_CALL
        .get()
        .or_else(|| *OF_PROCESS.get_or_init(|| variable().map(number)))
}

#[cfg(any(test, feature = "_testing"))]
thread_local! {
    static OF_CALL: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Makes a call as on a machine with this number of processors.
#[cfg(any(test, feature = "_testing"))]
#[allow(dead_code, unreachable_pub, reason = "`testing` shows it")]
pub fn on_processors<R>(processors: usize, call: impl FnOnce() -> R) -> R {
    let before = OF_CALL.replace(Some(processors));
    let result = call();
    OF_CALL.set(before);
    result
}

#[cfg(not(any(test, feature = "_testing")))]
fn set_by_test() -> Option<usize> {
    None
}

/// Whether there is memory for the files in which the system has the answer. The standard library
/// ends the process if it gets none.
fn has_room() -> bool {
    let mut room = Vec::<u8>::new();
    let result = room.try_reserve_exact(1 << 14);
    // Use it, or the compiler removes the allocation.
    black_box(&mut room);
    result.is_ok()
}

/// At most one thread at a time holds a number below this one.
pub(crate) const EXCLUSIVE: usize = u64::BITS as usize;

/// The exclusive numbers that are in use, one bit each.
static HELD: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The number, once it is known. It has no destructor, so reading it is one load, and it can be
    /// read until the very end of the thread.
    static INDEX: Cell<usize> = const { Cell::new(UNKNOWN) };

    static LEASE: Lease = Lease::take();
}

const UNKNOWN: usize = usize::MAX;

/// The number of the calling thread.
#[inline]
pub(crate) fn thread_index() -> usize {
    match INDEX.get() {
        UNKNOWN => look_up_index(),
        index => index,
    }
}

#[cold]
fn look_up_index() -> usize {
    // Take a shared number if the thread is about to end: then its lease has ended.
    let index = LEASE.try_with(|lease| lease.0).unwrap_or_else(|_| shared());
    INDEX.set(index);
    index
}

/// Returns the next of the shared numbers.
fn shared() -> usize {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    // Relaxed: the number only spreads threads over cells.
    EXCLUSIVE + NEXT.fetch_add(1, Ordering::Relaxed) as usize % EXCLUSIVE
}

/// The right to a number until the thread ends.
struct Lease(usize);

impl Lease {
    fn take() -> Self {
        loop {
            let free = !HELD.load(Ordering::Relaxed);
            if free == 0 {
                return Self(shared());
            }
            let bit = free & free.wrapping_neg();
            // Acquire: pairs with the Release of the last holder, so that its plain writes are
            // seen.
            if HELD.fetch_or(bit, Ordering::Acquire) & bit == 0 {
                return Self(bit.trailing_zeros() as usize);
            }
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Use a shared number from now on, in the destructors of other thread-locals.
        INDEX.set(shared());
        if self.0 < EXCLUSIVE {
            // Release: pairs with the Acquire of the next holder.
            HELD.fetch_and(!(1 << self.0), Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crew::Crew;
    use std::thread;

    /// Threads take the same numbers all the time, and keep each long enough that two threads with
    /// one number are noticed.
    #[test]
    fn no_two_leases_are_for_one_number() {
        const LEASES: usize = 8;
        const THREADS: usize = 4;
        let held = AtomicU64::new(0);
        Crew::workers(THREADS, |crew, _| {
            crew.meet();
            for _ in 0..400_000 {
                let leases: [Lease; LEASES] = std::array::from_fn(|_| {
                    let lease = Lease::take();
                    let others = held.fetch_or(bit(&lease), Ordering::Relaxed);
                    assert_eq!(others & bit(&lease), 0, "two threads have one number");
                    lease
                });
                for lease in leases {
                    held.fetch_and(!bit(&lease), Ordering::Relaxed);
                }
            }
        });
        assert!(Lease::take().0 < EXCLUSIVE, "they were not given back");
    }

    /// 0 for a number that is not exclusive.
    fn bit(lease: &Lease) -> u64 {
        1u64.checked_shl(lease.0 as u32).unwrap_or(0)
    }

    #[test]
    fn a_thread_that_ends_has_a_shared_number() {
        struct AtTheEnd;
        impl Drop for AtTheEnd {
            fn drop(&mut self) {
                SEEN.store(thread_index() as u64 + 1, Ordering::Relaxed);
            }
        }
        static SEEN: AtomicU64 = AtomicU64::new(0);
        thread_local!(static LAST: AtTheEnd = const { AtTheEnd });
        thread::spawn(|| {
            // Register it first, so that it is destroyed last.
            LAST.with(|_| ());
            thread_index();
        })
        .join()
        .expect("no panic");
        let number = SEEN.load(Ordering::Relaxed) as usize - 1;
        assert!(number >= EXCLUSIVE, "it keeps number {number}");
    }
}
