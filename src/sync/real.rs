//! Real atomics, and threads with the standard library or without it.

#[cfg(feature = "std")]
mod hosted;
#[cfg(all(feature = "std", any(test, feature = "_testing")))]
#[allow(unreachable_pub, unused_imports, reason = "`testing` shows it")]
pub use self::hosted::on_processors;
#[cfg(feature = "std")]
pub(crate) use self::hosted::*;

#[cfg(not(feature = "std"))]
pub(crate) use self::bare::*;

pub(crate) use atomic::fence;
/// A value that is set once. Reads are Acquire, and setting it is a Release.
pub(crate) use once_cell::race::OnceBox;

/// A 64-bit atomic cell.
pub(crate) type AtomicU64 = atomic::Atomic<u64>;

/// A load by a thread that has written another cell: of two threads that do so crosswise, at least
/// one sees the other's write, or a later one, if all four accesses are SeqCst.
#[cfg(not(lockfree_cuckoo_steps))]
#[inline(always)]
pub(crate) fn load_crosswise(cell: &AtomicU64, order: super::Ordering) -> u64 {
    cell.load(order)
}

/// A store to a cell whose value other threads exchange: each exchange comes before it, or fails,
/// or finds the new value.
#[cfg(not(lockfree_cuckoo_steps))]
#[inline(always)]
pub(crate) fn store_among_exchanges(cell: &AtomicU64, value: u64, order: super::Ordering) {
    cell.store(value, order);
}

/// An atomic cell for a pointer.
#[cfg(feature = "growing")]
pub(crate) use core::sync::atomic::AtomicPtr;

/// Whether a cell is its value and nothing else, so that memory of zeros is cells of 0.
#[cfg(any(feature = "growing", feature = "shared"))]
pub(crate) const PLAIN: bool = true;

// Without native 64-bit atomics the filter could not be lock-free.
#[cfg(not(target_has_atomic = "64"))]
compile_error!(
    "lockfree-cuckoo needs a target with native 64-bit atomics (`target_has_atomic = \"64\"`): \
     a bucket is one 64-bit word, and every operation exchanges whole words"
);
#[cfg(target_has_atomic = "64")]
const _: () = assert!(
    AtomicU64::is_lock_free(),
    "lockfree-cuckoo needs a target that aligns 64-bit integers to 8 bytes, as 64-bit atomics are"
);

/// Hooks for checks; this build has none.
#[cfg(not(lockfree_cuckoo_steps))]
#[allow(unreachable_pub, reason = "`testing` shows it")]
pub mod hooks {}

/// Counts nothing in this build.
#[cfg(not(lockfree_cuckoo_steps))]
#[inline(always)]
pub(crate) fn trace(_: super::Event) {}

/// A pause before an attempt that follows a failed one, longer after each.
#[derive(Debug, Default)]
pub(crate) struct Backoff(#[cfg(not(lockfree_cuckoo_steps))] crossbeam_utils::Backoff);

impl Backoff {
    /// Pauses. Not where each access is a step: there a checker decides which thread goes on.
    pub(crate) fn pause(&self) {
        #[cfg(not(lockfree_cuckoo_steps))]
        self.0.snooze();
    }
}

/// Whether this is the model checker's build, which has smaller constants.
pub(crate) const MODEL: bool = false;

/// Yields before a call gives up waiting. None where each access is a step: there a checker decides
/// which thread goes on.
pub(crate) const YIELDS_BEFORE_FAILING: usize = if cfg!(lockfree_cuckoo_steps) { 0 } else { 64 };

#[cfg(not(feature = "std"))]
mod bare {
    //! Threads without the standard library: the crate knows only where their stacks are.

    pub(crate) use core::hint::spin_loop as yield_now;

    /// No number belongs to one thread alone.
    pub(crate) const EXCLUSIVE: usize = 0;

    /// A number below 2^16 from the address of a local variable. It is mostly the same within a
    /// thread, and mostly different between threads. It only spreads load: nothing may depend on
    /// it.
    #[inline]
    pub(crate) fn thread_index() -> usize {
        /// About the size of the smallest stacks. Calls of different depth in one stack give few
        /// different numbers.
        const STACK_BITS: u32 = 12;
        /// 2^64 divided by the golden ratio: neighbouring stacks get numbers that are far apart.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let local = 0u8;
        let stack = (&raw const local).addr() as u64 >> STACK_BITS;
        (stack.wrapping_mul(SPREAD) >> 48) as usize
    }

    /// A guess at the number of threads that the machine runs at once.
    pub(crate) fn parallelism() -> usize {
        16
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::collections::HashSet;

        use crew::Crew;

        #[test]
        fn threads_spread_over_many_numbers() {
            const THREADS: usize = 64;
            let numbers = Crew::workers(THREADS, |crew, _| {
                let number = thread_index();
                assert!(number < 1 << 16);
                // Wait for the others: a thread might get the stack of one that has ended.
                crew.meet();
                number
            });
            let numbers: HashSet<usize> = numbers.into_iter().collect();
            assert!(numbers.len() > THREADS / 2, "{} numbers", numbers.len());
        }
    }
}
