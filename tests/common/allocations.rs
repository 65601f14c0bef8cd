//! What a call allocates, and what it does when an allocation fails.

#![allow(
    unsafe_code,
    reason = "an allocator is what counts allocations, and its trait is unsafe"
)]
#![allow(
    clippy::disallowed_types,
    reason = "the tests look at the crate from outside; the model checker is not involved"
)]
#![allow(dead_code, reason = "each test crate uses a part of it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes that the process holds: all, those in pieces of [`LARGE`] and more, and most of these since it was set.
pub(crate) static LIVE: AtomicUsize = AtomicUsize::new(0);
pub(crate) static LIVE_LARGE: AtomicUsize = AtomicUsize::new(0);
pub(crate) static PEAK_LARGE: AtomicUsize = AtomicUsize::new(0);

/// The least that is taken for the words of a table. What else is allocated is smaller.
pub(crate) const LARGE: usize = 32 << 10;

/// What the calling thread has allocated since it began to count. Cells without a destructor, so that they
/// allocate nothing themselves.
struct Counts {
    live: Cell<usize>,
    peak: Cell<usize>,
    largest: Cell<usize>,
    /// Smaller ones do not fail.
    least: Cell<usize>,
    /// Allocations until one fails; `None` if none is going to, or it has.
    left: Cell<Option<usize>>,
}

thread_local! {
    static COUNTS: Counts = const {
        Counts {
            live: Cell::new(0),
            peak: Cell::new(0),
            largest: Cell::new(0),
            least: Cell::new(0),
            left: Cell::new(None),
        }
    };
}

impl Counts {
    /// Whether this one may succeed.
    fn allocate(&self, bytes: usize) -> bool {
        match self.left.get().filter(|_| bytes >= self.least.get()) {
            Some(0) => {
                self.left.set(None);
                return false;
            }
            Some(left) => self.left.set(Some(left - 1)),
            None => {}
        }
        // It wraps where memory is given back that was taken before the count began.
        self.live.set(self.live.get().wrapping_add(bytes));
        self.peak.set(self.peak.get().max(self.live.get()));
        self.largest.set(self.largest.get().max(bytes));
        true
    }

    fn free(&self, bytes: usize) {
        self.live.set(self.live.get().wrapping_sub(bytes));
    }
}

/// The system's, counted by thread and for the process. A reallocation is the default one, an allocation and a copy: the worst case.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: all is left to the system's allocator, but for the failures, which are null as they have to be.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTS.with(|counts| counts.allocate(layout.size())) {
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
        COUNTS.with(|counts| counts.free(layout.size()));
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
    COUNTS.with(|counts| {
        counts.live.set(0);
        counts.peak.set(0);
        counts.largest.set(0);
    });
    let result = call();
    let cost = COUNTS.with(|counts| Cost {
        peak: counts.peak.get(),
        largest: counts.largest.get(),
        kept: counts.live.get(),
    });
    (result, cost)
}

/// The result if, of the allocations of so many bytes at least, that of this number fails. `None` if there are not
/// that many.
pub(crate) fn with_failing<T>(number: usize, least: usize, call: impl FnOnce() -> T) -> Option<T> {
    COUNTS.with(|counts| {
        counts.least.set(least);
        counts.left.set(Some(number));
    });
    let result = call();
    let left = COUNTS.with(|counts| counts.left.take());
    left.is_none().then_some(result)
}
