//! What a call allocates, and what it does when an allocation fails.

#![allow(
    unsafe_code,
    reason = "an allocator is what counts allocations, and its trait is unsafe"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes that the process holds: all, those in pieces of [`LARGE`] and more, and most of these since it was set.
pub(crate) static LIVE: AtomicUsize = AtomicUsize::new(0);
pub(crate) static LIVE_LARGE: AtomicUsize = AtomicUsize::new(0);
pub(crate) static PEAK_LARGE: AtomicUsize = AtomicUsize::new(0);

/// The least that is taken for the words of a table. What else is allocated is smaller.
pub(crate) const LARGE: usize = 32 << 10;

// What the calling thread has allocated since it began to count. Cells without a destructor allocate nothing themselves.
thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
    /// Smaller ones do not fail.
    static LEAST: Cell<usize> = const { Cell::new(0) };
    /// Allocations until one fails; `None` if none is going to, or it has.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Whether this one may succeed.
fn allocate(bytes: usize) -> bool {
    if let Some(left) = LEFT.get().filter(|_| bytes >= LEAST.get()) {
        LEFT.set(left.checked_sub(1));
        if left == 0 {
            return false;
        }
    }
    // It wraps where memory is given back that was taken before the count began.
    HELD.set(HELD.get().wrapping_add(bytes));
    PEAK.set(PEAK.get().max(HELD.get()));
    LARGEST.set(LARGEST.get().max(bytes));
    true
}

/// The system's, counted by thread and for the process. A reallocation is the default one, an allocation and a copy: the worst case.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: all is left to the system's allocator, but for the failures, which are null as they have to be.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if allocate(layout.size()) {
            LIVE.fetch_add(layout.size(), Ordering::Relaxed);
            if layout.size() >= LARGE {
                let before = LIVE_LARGE.fetch_add(layout.size(), Ordering::Relaxed);
                PEAK_LARGE.fetch_max(before + layout.size(), Ordering::Relaxed);
            }
            // SAFETY: the caller's promise.
            unsafe { System.alloc(layout) }
        } else {
            std::ptr::null_mut()
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.set(HELD.get().wrapping_sub(layout.size()));
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        if layout.size() >= LARGE {
            LIVE_LARGE.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        // SAFETY: the caller's promise, and what `alloc` gave came from there.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What a call allocates at most, all together and in one piece, and what it leaves allocated.
pub(crate) struct Cost {
    pub(crate) peak: usize,
    pub(crate) largest: usize,
    pub(crate) kept: usize,
}

pub(crate) fn cost_of<T>(call: impl FnOnce() -> T) -> (T, Cost) {
    HELD.set(0);
    PEAK.set(0);
    LARGEST.set(0);
    let result = call();
    let cost = Cost {
        peak: PEAK.get(),
        largest: LARGEST.get(),
        kept: HELD.get(),
    };
    (result, cost)
}

/// The result if, of the allocations of so many bytes at least, that of this number fails. `None` if there are fewer.
pub(crate) fn with_failing<T>(number: usize, least: usize, call: impl FnOnce() -> T) -> Option<T> {
    LEAST.set(least);
    LEFT.set(Some(number));
    let result = call();
    LEFT.take().is_none().then_some(result)
}
