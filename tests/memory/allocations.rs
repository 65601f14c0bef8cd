//! The counting allocator: measures what a call allocates, and makes chosen allocations fail.

#![allow(
    unsafe_code,
    reason = "an allocator is what counts allocations, and its trait is unsafe"
)]

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::guarded::Guarded;

/// The bytes that the process holds: in total, in pieces of at least [`LARGE`], and the peak of the
/// latter since it was reset.
pub(crate) static LIVE: AtomicUsize = AtomicUsize::new(0);
pub(crate) static LIVE_LARGE: AtomicUsize = AtomicUsize::new(0);
pub(crate) static PEAK_LARGE: AtomicUsize = AtomicUsize::new(0);

/// The smallest allocation for the words of a table. All other parts are smaller.
pub(crate) const LARGE: usize = 32 << 10;

// The allocations of the calling thread since it began to count. Cells without a destructor
// allocate nothing themselves.
thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
    /// The number of allocations before the first that fails; `None` if none will.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    /// The number that have failed since, and the number that must.
    static FAILED: Cell<usize> = const { Cell::new(0) };
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The sizes that crossbeam-epoch allocates: for a thread when it first pins, and for deferred
/// calls. It aborts if one fails, so these do not. No part of a filter has these sizes: large parts
/// are a power of two or a cache line or more beyond it, and the others are smaller.
static OF_EPOCHS: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Finds out these sizes, in a thread that has not pinned.
pub(crate) fn learn_of_epochs() {
    // The process has its own allocations first.
    crossbeam_epoch::pin().flush();
    let (pinning, flushing) = std::thread::spawn(|| {
        let (guard, pinning) = cost_of(crossbeam_epoch::pin);
        guard.defer(|| ());
        let ((), flushing) = cost_of(|| guard.flush());
        (pinning.largest, flushing.largest)
    })
    .join()
    .expect("no panic");
    assert!((1 << 10..4 << 10).contains(&pinning.min(flushing)));
    for (size, found) in OF_EPOCHS.iter().zip([pinning, flushing]) {
        size.store(found, Ordering::Relaxed);
    }
}

fn is_of_epochs(bytes: usize) -> bool {
    let mut sizes = OF_EPOCHS.iter();
    sizes.any(|size| size.load(Ordering::Relaxed) == bytes)
}

/// Decides whether this allocation may succeed.
fn allocate(bytes: usize) -> bool {
    if let Some(left) = LEFT.get().filter(|_| !is_of_epochs(bytes)) {
        LEFT.set(Some(left.saturating_sub(1)));
        if left == 0 && FAILED.get() < COUNT.get() {
            FAILED.set(FAILED.get() + 1);
            return false;
        }
    }
    // The count wraps when memory is freed that was allocated before the count began.
    HELD.set(HELD.get().wrapping_add(bytes));
    PEAK.set(PEAK.get().max(HELD.get()));
    LARGEST.set(LARGEST.get().max(bytes));
    true
}

/// The [guarded](Guarded) allocator, counting per thread and per process. It reallocates by the
/// default method, an allocation and a copy: the worst case.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

impl Counting {
    fn count(&self, layout: Layout) -> bool {
        let succeeds = allocate(layout.size());
        if succeeds {
            LIVE.fetch_add(layout.size(), Ordering::Relaxed);
            if layout.size() >= LARGE {
                let before = LIVE_LARGE.fetch_add(layout.size(), Ordering::Relaxed);
                PEAK_LARGE.fetch_max(before + layout.size(), Ordering::Relaxed);
            }
        }
        succeeds
    }
}

// SAFETY: the guarded allocator does everything, except that a failure returns null, as it must.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !self.count(layout) {
            return null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { Guarded.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !self.count(layout) {
            return null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { Guarded.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.set(HELD.get().wrapping_sub(layout.size()));
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        if layout.size() >= LARGE {
            LIVE_LARGE.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        // SAFETY: the caller's promise, and `alloc` got the memory from there.
        unsafe { Guarded.dealloc(pointer, layout) }
    }
}

/// The cost of a call: the most it allocates in total and in one piece, and what it keeps.
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

/// The numbers of consecutive failures to try.
pub(crate) const FAILING: [usize; 2] = [1, usize::MAX];

/// Returns the result if `count` allocations fail, beginning with this number. `None` if there are
/// fewer allocations than this number.
pub(crate) fn with_some_failing<T>(
    number: usize,
    count: usize,
    call: impl FnOnce() -> T,
) -> Option<T> {
    FAILED.set(0);
    COUNT.set(count);
    LEFT.set(Some(number));
    let result = call();
    LEFT.set(None);
    (FAILED.get() > 0).then_some(result)
}
