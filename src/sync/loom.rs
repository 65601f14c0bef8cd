//! loom's atomics.

use loom::sync::atomic;

pub(crate) use loom::sync::atomic::fence;
pub(crate) use loom::thread::yield_now;

use super::{Event, Ordering};

pub(crate) const MODEL: bool = true;

pub(crate) const YIELDS_BEFORE_FAILING: usize = 0;

/// No pause: a model tries every order anyway.
#[derive(Debug, Default)]
pub(crate) struct Backoff(());

impl Backoff {
    #[allow(clippy::unused_self, reason = "the others pause")]
    pub(crate) fn pause(&self) {}
}

/// A cell is not its value: it is the number of one of loom's objects.
pub(crate) const PLAIN: bool = false;

/// Counts nothing: each model checks what happened.
pub(crate) fn trace(_: Event) {}

pub(crate) fn parallelism() -> usize {
    4
}

/// Only makes the call: in a model the number of processors does not change.
#[cfg(any(test, feature = "_testing"))]
pub fn on_processors<R>(_: usize, call: impl FnOnce() -> R) -> R {
    call()
}

/// Every thread of a model has its own number.
pub(crate) const EXCLUSIVE: usize = 16;

pub(crate) fn thread_index() -> usize {
    let name = format!("{:?}", loom::thread::current().id());
    name.trim_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .expect("a model thread has a number")
}

/// An atomic cell with a twin that is touched before every load.
///
/// loom 0.7 remembers only the last access to each atomic. So a thread's own load hides an earlier
/// load by another thread from the write that follows, and loom never tries schedules that put the
/// write between the two (tokio-rs/loom#166 and #392). A read-modify-write of the twin makes loads
/// conflict with each other, so in some schedule the hidden load is the last one.
macro_rules! twinned {
    ($name:ident $(<$item:ident>)?, $value:ty) => {
        #[derive(Debug)]
        pub(crate) struct $name $(<$item>)? {
            twin: atomic::AtomicUsize,
            value: atomic::$name $(<$item>)?,
        }

        impl $(<$item>)? $name $(<$item>)? {
            pub(crate) fn new(value: $value) -> Self {
                Self {
                    twin: atomic::AtomicUsize::new(0),
                    value: atomic::$name::new(value),
                }
            }

            fn value(&self) -> &atomic::$name $(<$item>)? {
                hooks::is_alive();
                &self.value
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                let value = self.value();
                // Relaxed: the twin must order nothing, it only makes the loads conflict.
                self.twin.fetch_add(1, Ordering::Relaxed);
                hooks::fence_before_load(order);
                value.load(hooks::weakened(order).0)
            }

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                // A drop makes only this access, so it is the only one that a dead thread could
                // still reach.
                if hooks::is_alive() {
                    self.value.store(value, order);
                }
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let (success_as, failure_as) = (hooks::weakened(success).1, hooks::weakened(failure).0);
                let outcome = self.value().compare_exchange(current, new, success_as, failure_as);
                hooks::write(success);
                outcome
            }
        }
    };
}

twinned!(AtomicU64, u64);
twinned!(AtomicPtr<T>, *mut T);

impl AtomicU64 {
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
}

/// A read-modify-write, which comes after the exchanges of other threads. To loom, a store could
/// come between what an exchange has read and what it has written.
pub(crate) fn store_among_exchanges(cell: &AtomicU64, value: u64, order: Ordering) {
    if hooks::is_alive() {
        cell.value.swap(value, order);
    }
}

/// A read-modify-write, which sees the latest value: to loom a SeqCst load only acquires, so two
/// threads that load crosswise could both miss the other's write.
pub(crate) fn load_crosswise(cell: &AtomicU64, order: Ordering) -> u64 {
    cell.fetch_or(0, order)
}

/// A value that is set once, as `once_cell::race::OnceBox`: whether it is there is one of loom's
/// atomics, with the orderings that the crate documents.
pub(crate) struct OnceBox<T> {
    is_there: atomic::AtomicUsize,
    value: once_cell::race::OnceBox<T>,
}

impl<T> core::fmt::Debug for OnceBox<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("OnceBox").finish_non_exhaustive()
    }
}

impl<T> OnceBox<T> {
    pub(crate) fn new() -> Self {
        Self {
            is_there: atomic::AtomicUsize::new(0),
            value: once_cell::race::OnceBox::new(),
        }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        let is_there = self.is_there.load(Ordering::Acquire) == 1;
        self.value.get().filter(|_| is_there)
    }

    pub(crate) fn get_or_try_init<E>(
        &self,
        value: impl FnOnce() -> Result<Box<T>, E>,
    ) -> Result<&T, E> {
        if self.get().is_none() {
            let value = value()?;
            let set = self
                .is_there
                .compare_exchange(0, 1, Ordering::AcqRel, Ordering::Acquire);
            // No other thread runs between these two.
            if set.is_ok() {
                let _ = self.value.set(value);
            }
        }
        Ok(self.value.get().expect("set by this thread or another"))
    }
}

pub mod hooks {
    //! Hooks for the models: one order of `SeqCst` accesses, and the death of a thread.

    use core::cell::Cell;
    use core::sync::atomic::Ordering;

    std::thread_local! {
        static ONE_ORDER: Cell<bool> = const { Cell::new(false) };
    }

    /// Runs a model in which `SeqCst` accesses have one order for all threads.
    ///
    /// In other models they are weakened to Acquire and Release. What holds there holds with
    /// `SeqCst` too, and loom needs fewer preemptions than if every load returned the latest store.
    /// In this model they get fences, which are a little stronger than `SeqCst`. So use it only for
    /// models that need the one order.
    pub fn in_one_order<R>(model: impl FnOnce() -> R) -> R {
        ONE_ORDER.with(|one_order| one_order.set(true));
        let result = model();
        ONE_ORDER.with(|one_order| one_order.set(false));
        result
    }

    /// The orderings of a load and of a read-modify-write in the current model.
    pub(super) fn weakened(order: Ordering) -> (Ordering, Ordering) {
        match order {
            Ordering::SeqCst => (Ordering::Acquire, Ordering::AcqRel),
            other => (other, other),
        }
    }

    loom::thread_local! {
        static HAS_WRITTEN: Cell<bool> = Cell::new(false);
    }

    /// Records a write of the calling thread, for its next load in the one order.
    pub(super) fn write(order: Ordering) {
        if ONE_ORDER.with(Cell::get) {
            let _ = HAS_WRITTEN.try_with(|has| has.set(order == Ordering::SeqCst));
        }
    }

    /// Puts a fence between a `SeqCst` write and a `SeqCst` load. The one order binds only if both
    /// are `SeqCst`.
    pub(super) fn fence_before_load(order: Ordering) {
        if ONE_ORDER.with(Cell::get)
            && order == Ordering::SeqCst
            && HAS_WRITTEN.try_with(Cell::get).unwrap_or(false)
        {
            loom::sync::atomic::fence(Ordering::SeqCst);
        }
    }

    loom::thread_local! {
        static FUSE: Cell<Option<usize>> = Cell::new(None);
    }

    /// The payload of a dead thread's unwinding.
    #[derive(Debug)]
    pub struct Died;

    /// Lets the calling thread die at its access number `accesses` from now, counted from 0. Then
    /// it has no effect on memory any more and unwinds with [`Died`]. Returns what `run` returns,
    /// or `None` if the thread died in it.
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

    /// Counts down one access. Returns false if the thread is dead and unwinding.
    pub(super) fn is_alive() -> bool {
        let counted_down = FUSE.try_with(|fuse| match fuse.get() {
            None => true,
            Some(0) if std::thread::panicking() => false,
            Some(0) => std::panic::resume_unwind(Box::new(Died)),
            Some(left) => {
                fuse.set(Some(left - 1));
                true
            }
        });
        // A thread that ends frees what was retired, and has no fuse any more.
        counted_down.unwrap_or(true)
    }
}
