//! A program without the standard library that uses the filter. It is linked and never run: if a
//! dependency used `std`, there would be two panic handlers, which the compiler refuses.

#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use lockfree_cuckoo::{CuckooFilterBuilder, RandomState};

struct NoMemory;

// SAFETY: an allocator may return null.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static MEMORY: NoMemory = NoMemory;

#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Inserts, looks up and removes.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub extern "C" fn use_a_filter(item: u64) -> bool {
    let builder = CuckooFilterBuilder::with_hasher(RandomState::with_seed(item));
    builder.capacity(1_000).build().is_ok_and(|filter| {
        filter.insert(&item).is_ok() && filter.contains(&item) && filter.remove(&item)
    })
}
