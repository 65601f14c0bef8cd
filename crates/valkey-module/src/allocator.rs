//! The memory of the module comes from the engine, which counts it in `used_memory`.
//!
//! The engine's allocator aligns to a word. What needs more gets some bytes more, and keeps where they begin before the
//! aligned place.
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

/// What every allocator of an engine aligns to.
const WORD: usize = align_of::<usize>();

/// From this size on, memory that cannot be had is an error of the caller. Below, the engine ends itself, as it does when
/// its own small allocations fail.
const LARGE: usize = 1 << 20;

// SAFETY: a place is the engine's own, or one aligned within a larger one whose start is kept in the word before.
unsafe impl GlobalAlloc for EngineMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        place(layout, |api, bytes| {
            // SAFETY: any size may be asked for.
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
            // SAFETY: any size may be asked for, and what comes has that size.
            unsafe {
                match api.try_calloc {
                    _ if bytes < LARGE => (api.calloc)(1, bytes),
                    Some(try_calloc) => try_calloc(1, bytes),
                    // Redis 7.0 has no such call: what is not to be had must not end it.
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

/// A place for the layout in what `take` takes of the engine.
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
    // The start is aligned to a word and the alignment is more, so that at least a word is before the place.
    let before = layout.align() - start.addr() % layout.align();
    // SAFETY: between a word and the alignment, and so within the place; a word that is aligned.
    unsafe {
        let aligned = start.add(before);
        aligned.cast::<*mut u8>().sub(1).write(start);
        aligned
    }
}

/// What the engine gave for the place.
unsafe fn start_of(place: *mut u8, layout: Layout) -> *mut c_void {
    if layout.align() <= WORD {
        place.cast()
    } else {
        // SAFETY: the word before an aligned place is its start.
        unsafe { place.cast::<*mut u8>().sub(1).read() }.cast()
    }
}
