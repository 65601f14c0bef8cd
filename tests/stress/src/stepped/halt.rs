//! Where a thread is stopped for good, in the middle of whatever it is at.
//!
//! A signal to stop would stop the whole process, and two processes do not share a filter. So the thread stops
//! itself, at a point of an operation that was chosen beforehand: in the filter before an access, in a set behind
//! a lock where the set asks for an item's hash, which it does with the lock held.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

thread_local! {
    static POINTS_LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

static HALTED: AtomicUsize = AtomicUsize::new(0);

/// Lets the calling thread stop at the point that comes after so many others.
pub(crate) fn after(points: usize) {
    POINTS_LEFT.set(Some(points));
}

/// A point at which the calling thread may stop.
pub(crate) fn point() {
    match POINTS_LEFT.get() {
        None => {}
        Some(0) => {
            HALTED.fetch_add(1, Ordering::Relaxed);
            loop {
                thread::park();
            }
        }
        Some(left) => POINTS_LEFT.set(Some(left - 1)),
    }
}

/// The number of threads that have stopped.
pub(crate) fn halted() -> usize {
    HALTED.load(Ordering::Relaxed)
}
