//! The allocator: takes the memory of the module from the engine, which counts it in `used_memory`.
//!
//! The engine's allocator aligns to a word. An allocation with a larger alignment gets more bytes,
//! and keeps its start in the word before the aligned place.
#![allow(unsafe_code)]
#![cfg_attr(test, allow(dead_code, reason = "there is no engine in unit tests"))]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;
use std::ptr::null_mut;

use crate::api::{Api, loaded};

pub(crate) struct EngineMemory;

#[cfg(not(test))]
#[global_allocator]
static MEMORY: EngineMemory = EngineMemory;

/// The alignment of every allocator of an engine.
const WORD: usize = align_of::<usize>();

/// The size from which a failed allocation is an error of the caller. Below, the engine ends
/// itself, as it does when its own small allocations fail.
const LARGE: usize = 1 << 20;

// SAFETY: a place is the engine's own, or one aligned within a larger one whose start is kept in
// the word before.
unsafe impl GlobalAlloc for EngineMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        place(layout, |api, bytes| {
            // SAFETY: any size may be requested.
            unsafe {
                if bytes < LARGE {
                    (api.alloc)(bytes)
                } else {
                    (api.try_alloc)(bytes)
                }
            }
        })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        place(layout, |api, bytes| {
            // SAFETY: any size may be requested, and the memory has that size.
            unsafe {
                match api.try_calloc {
                    _ if bytes < LARGE => (api.calloc)(1, bytes),
                    Some(try_calloc) => try_calloc(1, bytes),
                    // Redis 7.0 has no such call: a failed allocation must not end it.
                    None => {
                        let place = (api.try_alloc)(bytes);
                        if !place.is_null() {
                            place.cast::<u8>().write_bytes(0, bytes);
                        }
                        place
                    }
                }
            }
        })
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        let Some(api) = loaded() else { return };
        // SAFETY: it was given out for this layout.
        unsafe { (api.free)(start_of(place, layout)) }
    }
}

/// Returns a place for the layout in memory that `take` takes from the engine.
fn place(layout: Layout, take: impl FnOnce(&Api, usize) -> *mut c_void) -> *mut u8 {
    let Some(api) = loaded() else {
        return null_mut();
    };
    if layout.align() <= WORD {
        return take(api, layout.size()).cast();
    }
    let Some(bytes) = layout.size().checked_add(layout.align()) else {
        return null_mut();
    };
    let start = take(api, bytes).cast::<u8>();
    if start.is_null() {
        return start;
    }
    // The start is aligned to a word and the alignment is larger, so at least a word is before the
    // place.
    let before = layout.align() - start.addr() % layout.align();
    // SAFETY: between a word and the alignment, and so within the place; a word that is aligned.
    unsafe {
        let aligned = start.add(before);
        aligned.cast::<*mut u8>().sub(1).write(start);
        aligned
    }
}

/// Returns the start that the engine gave for the place.
unsafe fn start_of(place: *mut u8, layout: Layout) -> *mut c_void {
    if layout.align() <= WORD {
        place.cast()
    } else {
        // SAFETY: the word before an aligned place is its start.
        unsafe { place.cast::<*mut u8>().sub(1).read() }.cast()
    }
}
