//! The guarding allocator: fills fresh and freed memory with patterns, so that reads of it give
//! wrong values, and notices writes outside of an allocation or after its end.

#![allow(
    unsafe_code,
    reason = "an allocator is what guards memory, and its trait is unsafe"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::slice;
use std::sync::{Mutex, PoisonError};

/// The byte that fills fresh memory.
const FRESH: u8 = 0xa5;

/// The byte that fills freed memory.
const FREED: u8 = 0x5a;

static ALL_FREED: [u8; KEPT] = [FREED; KEPT];

/// The minimum number of bytes on either side of an allocation. None under a sanitizer
/// (`ci/sanitizers` says which), which has its own guards and would treat these as memory of the
/// program.
const ZONE: usize = if option_env!("SANITIZED").is_some() {
    0
} else {
    32
};

/// The number of bytes that are filled at each end.
const END: usize = 32 << 10;

/// Freed memory up to this size is kept for a while, and writes to it are noticed.
const KEPT: usize = 16 << 10;

/// The freed memory that is kept, oldest first: the addresses and layouts from the system.
static FREED_LATELY: Mutex<Ring> = Mutex::new(Ring {
    kept: [(null_mut(), EMPTY); 256],
    next: 0,
});

const EMPTY: Layout = Layout::new::<()>();

struct Ring {
    kept: [(*mut u8, Layout); 256],
    next: usize,
}

// SAFETY: it owns the memory that it keeps.
unsafe impl Send for Ring {}

/// Returns the layout of an allocation with its zones, and the offset of the program's memory.
fn outer(layout: Layout) -> Option<(Layout, usize)> {
    let front = ZONE.next_multiple_of(layout.align());
    let size = layout.size().checked_add(front)?.checked_add(ZONE)?;
    Some((Layout::from_size_align(size, layout.align()).ok()?, front))
}

/// Returns the bytes of the zones. The front one depends on the size too, so the size must be the
/// same when the memory is freed.
fn zones(size: usize) -> (u8, u8) {
    ((size as u8).wrapping_mul(31) ^ 0xc3, 0xfd)
}

/// Sets the guards around fresh memory.
///
/// # Safety
///
/// `memory` is of the outer layout.
unsafe fn set_up(memory: *mut u8, layout: Layout, front: usize, is_zeroed: bool) -> *mut u8 {
    let (before, after) = zones(layout.size());
    // SAFETY: all three parts lie in the outer layout.
    unsafe {
        memory.write_bytes(before, front);
        let inner = memory.add(front);
        inner.add(layout.size()).write_bytes(after, ZONE);
        if !is_zeroed {
            fill(inner, layout.size(), FRESH);
        }
        inner
    }
}

/// Fills memory, or only both ends of a large piece: the pages between may never be touched.
///
/// # Safety
///
/// `size` bytes can be written.
unsafe fn fill(memory: *mut u8, size: usize, byte: u8) {
    if ZONE == 0 {
        return;
    }
    let end = size.min(END);
    // SAFETY: both ends lie in it.
    unsafe {
        memory.write_bytes(byte, end);
        memory.add(size - end).write_bytes(byte, end);
    }
}

/// Checks that the zones around an allocation are unchanged.
///
/// # Safety
///
/// It was allocated here, with this layout.
unsafe fn is_intact(pointer: *const u8, layout: Layout, front: usize) -> bool {
    let (before, after) = zones(layout.size());
    // SAFETY: both zones were set up around it.
    let (front, back) = unsafe {
        (
            slice::from_raw_parts(pointer.sub(front), front),
            slice::from_raw_parts(pointer.add(layout.size()), ZONE),
        )
    };
    front.iter().all(|&byte| byte == before) && back.iter().all(|&byte| byte == after)
}

/// Prints the reason and ends the process: an allocator must not unwind.
fn give_up(why: &str) -> ! {
    eprintln!("the allocator of the tests: {why}");
    std::process::abort();
}

/// The system's allocator with guards around each allocation.
pub(crate) struct Guarded;

impl Guarded {
    fn hand_out(
        layout: Layout,
        is_zeroed: bool,
        allocate: unsafe fn(&System, Layout) -> *mut u8,
    ) -> *mut u8 {
        let Some((outer, front)) = outer(layout) else {
            return null_mut();
        };
        // SAFETY: the size is not 0, as that of `layout` is not.
        let memory = unsafe { allocate(&System, outer) };
        if memory.is_null() {
            return memory;
        }
        // SAFETY: it was allocated with this layout.
        unsafe { set_up(memory, layout, front, is_zeroed) }
    }
}

// SAFETY: all memory is the system's, in layouts with at least the room asked for, at its
// alignment.
unsafe impl GlobalAlloc for Guarded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::hand_out(layout, false, System::alloc)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::hand_out(layout, true, System::alloc_zeroed)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let Some((outer, front)) = outer(layout) else {
            give_up("freed with a layout that no memory has");
        };
        // SAFETY: the caller's promise.
        if !unsafe { is_intact(pointer, layout, front) } {
            give_up("somebody has written beside an allocation, or frees it with another size");
        }
        // SAFETY: it was allocated with the outer layout, and the caller no longer owns it.
        unsafe {
            let memory = pointer.sub(front);
            if ZONE == 0 {
                return System.dealloc(memory, outer);
            }
            fill(memory, outer.size(), FREED);
            free_later(memory, outer);
        }
    }
}

/// Frees memory after as much has been freed later, or at once if it is large.
///
/// # Safety
///
/// As [`GlobalAlloc::dealloc`].
unsafe fn free_later(memory: *mut u8, layout: Layout) {
    if layout.size() > KEPT {
        // SAFETY: the caller's promise.
        return unsafe { System.dealloc(memory, layout) };
    }
    let (memory, layout) = {
        let mut ring = FREED_LATELY.lock().unwrap_or_else(PoisonError::into_inner);
        let next = ring.next;
        ring.next = (next + 1) % ring.kept.len();
        std::mem::replace(&mut ring.kept[next], (memory, layout))
    };
    if memory.is_null() {
        return;
    }
    // SAFETY: it was kept with this layout, and is freed once.
    unsafe {
        if *slice::from_raw_parts(memory, layout.size()) != ALL_FREED[..layout.size()] {
            give_up("somebody has written to memory that was freed");
        }
        System.dealloc(memory, layout);
    }
}

/// Checks the guards themselves: each kind of misuse is noticed.
#[test]
fn guards_notice_each_misuse() {
    if ZONE == 0 {
        return;
    }
    for (size, align) in [(1, 1), (24, 8), (100, 64), (5_000, 256)] {
        let layout = Layout::from_size_align(size, align).expect("small");
        let (_, front) = outer(layout).expect("small");
        let smaller = Layout::from_size_align(size + 1, align).expect("small");
        // SAFETY: the memory is of this layout, with zones around it, and is freed once.
        unsafe {
            let memory = Guarded.alloc(layout);
            assert!(memory.addr().is_multiple_of(align));
            let bytes = slice::from_raw_parts_mut(memory, size);
            assert!(bytes.iter().all(|&byte| byte == FRESH));
            assert!(is_intact(memory, layout, front));
            assert!(!is_intact(memory, smaller, front), "another size");
            for outside in [memory.sub(1), memory.add(size)] {
                let before = outside.replace(7);
                assert!(!is_intact(memory, layout, front));
                outside.write(before);
            }
            bytes.fill(1);
            assert!(is_intact(memory, layout, front));
            Guarded.dealloc(memory, layout);
            // Freed memory is kept, so it can be read.
            assert_eq!(memory.read(), FREED);
            let zeros = Guarded.alloc_zeroed(layout);
            let bytes = slice::from_raw_parts(zeros, size);
            assert!(bytes.iter().all(|&byte| byte == 0));
            Guarded.dealloc(zeros, layout);
        }
    }
}
