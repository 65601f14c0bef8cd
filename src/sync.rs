//! Atomics, fences and the identity of a thread: real ones, or the model checker's.
//!
//! This is the only room that knows of the model checker. Everything above is the shipping code in both
//! builds. The checker is chosen by `--cfg loom` together with the feature `loom`, because the cfg alone is
//! global and reaches every dependency of the program that sets it.

#[cfg(not(all(loom, feature = "loom")))]
pub use real::hooks;
#[cfg(not(all(loom, feature = "loom")))]
pub(crate) use real::*;

#[cfg(all(loom, feature = "loom"))]
pub use model::hooks;
#[cfg(all(loom, feature = "loom"))]
pub(crate) use model::*;

pub(crate) use core::sync::atomic::Ordering;

#[cfg(not(all(loom, feature = "loom")))]
mod real {
    pub(crate) use atomic::fence;
    pub(crate) use std::thread::yield_now;

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

    /// Hooks for checks; the model checker's build has some.
    pub mod hooks {}

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
                let number = NEXT.fetch_add(1, super::Ordering::Relaxed) as u32;
                index.set((number & (u32::MAX >> 1)) as usize);
            }
            index.get()
        })
    }
}

#[cfg(all(loom, feature = "loom"))]
mod model {
    pub(crate) use loom::sync::atomic::fence;
    pub(crate) use loom::thread::yield_now;

    use super::Ordering;

    pub(crate) const MODEL: bool = true;

    pub mod hooks {
        //! Death of a thread, for models of crash tolerance.

        use core::cell::Cell;

        loom::thread_local! {
            static FUSE: Cell<Option<usize>> = Cell::new(None);
        }

        std::thread_local! {
            static ONE_ORDER: Cell<bool> = const { Cell::new(false) };
        }

        /// Runs a model in which `SeqCst` accesses have one order for all threads.
        ///
        /// Elsewhere they are weakened to Acquire and Release: what holds then holds, and loom reaches with two
        /// preemptions what would take it more if every load returned the latest store. Here they are given
        /// fences, which are a little stronger than they are: for models of what needs the one order, and for
        /// no others.
        pub fn in_one_order<R>(model: impl FnOnce() -> R) -> R {
            ONE_ORDER.with(|one_order| one_order.set(true));
            let result = model();
            ONE_ORDER.with(|one_order| one_order.set(false));
            result
        }

        /// The orderings of a load, and of a read-modify-write, in the model at hand.
        pub(super) fn weakened(order: super::Ordering) -> (super::Ordering, super::Ordering) {
            match order {
                super::Ordering::SeqCst => (super::Ordering::Acquire, super::Ordering::AcqRel),
                other => (other, other),
            }
        }

        loom::thread_local! {
            static HAS_WRITTEN: Cell<bool> = Cell::new(false);
        }

        /// Notes a write of the calling thread, for its next load in the one order.
        pub(super) fn write(order: super::Ordering) {
            if ONE_ORDER.with(Cell::get) {
                HAS_WRITTEN.with(|has| has.set(order == super::Ordering::SeqCst));
            }
        }

        /// Puts a fence between a `SeqCst` write and a `SeqCst` load: both must be for the one order to bind.
        pub(super) fn fence_before_load(order: super::Ordering) {
            if ONE_ORDER.with(Cell::get)
                && order == super::Ordering::SeqCst
                && HAS_WRITTEN.with(Cell::get)
            {
                loom::sync::atomic::fence(super::Ordering::SeqCst);
            }
        }

        /// What a dead thread's unwinding carries.
        #[derive(Debug)]
        pub struct Died;

        /// Lets the calling thread die at its access number `accesses` from now, counted from 0: it has no
        /// effect on memory any more and unwinds with [`Died`]. Returns what `run` does, or `None` if the
        /// thread died in it.
        pub fn dying_after<R>(accesses: usize, run: impl FnOnce() -> R) -> Option<R> {
            FUSE.with(|fuse| fuse.set(Some(accesses)));
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            FUSE.with(|fuse| fuse.set(None));
            match outcome {
                Ok(value) => Some(value),
                Err(payload) if payload.is::<Died>() => None,
                Err(payload) => std::panic::resume_unwind(payload),
            }
        }

        /// Counts an access down. False: the thread is dead, and this is its unwinding.
        pub(super) fn is_alive() -> bool {
            FUSE.with(|fuse| match fuse.get() {
                None => true,
                Some(0) if std::thread::panicking() => false,
                Some(0) => std::panic::resume_unwind(Box::new(Died)),
                Some(left) => {
                    fuse.set(Some(left - 1));
                    true
                }
            })
        }
    }

    pub(crate) fn parallelism() -> usize {
        4
    }

    pub(crate) fn thread_index() -> usize {
        let name = format!("{:?}", loom::thread::current().id());
        name.trim_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .expect("a model thread has a number")
    }

    /// A 64-bit atomic cell with a twin that is touched before every load.
    ///
    /// loom 0.7 remembers one last access for each atomic, so a thread's own load hides an earlier load by
    /// another thread from the write that follows, and schedules that put the write between the two are
    /// never tried (tokio-rs/loom#166 and #392). A read-modify-write of the twin makes loads conflict with each
    /// other, so the hidden load gets to be the last one in some schedule.
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
            // The one access that a drop makes, and so the one that a dead thread could still reach.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_numbers_of_their_own() {
        let numbers: std::collections::HashSet<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(thread_index)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect()
        });
        assert_eq!(numbers.len(), 8);
        assert_eq!(thread_index(), thread_index());
    }
}
