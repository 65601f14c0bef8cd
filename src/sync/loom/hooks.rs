//! Hooks for the models: one order of `SeqCst` accesses, and the death of a thread.

use core::cell::Cell;
use core::sync::atomic::Ordering;

std::thread_local! {
    static ONE_ORDER: Cell<bool> = const { Cell::new(false) };
}

/// Runs a model in which `SeqCst` accesses have one order for all threads.
///
/// In other models they are weakened to Acquire and Release. What holds there holds with `SeqCst` too, and loom
/// needs fewer preemptions than if every load returned the latest store. In this model they get fences, which are
/// a little stronger than `SeqCst`. So use it only for models that need the one order.
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

/// Puts a fence between a `SeqCst` write and a `SeqCst` load. The one order binds only if both are `SeqCst`.
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

/// Lets the calling thread die at its access number `accesses` from now, counted from 0. Then it has no effect on
/// memory any more and unwinds with [`Died`]. Returns what `run` returns, or `None` if the thread died in it.
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
