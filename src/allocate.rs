//! Allocation that reports failure instead of aborting.

#[cfg(all(feature = "huge-pages", target_os = "linux"))]
mod huge_pages;
#[cfg(all(feature = "std", target_os = "linux"))]
mod released_pages;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use crate::error::OutOfMemory;
#[cfg(feature = "std")]
use crate::sync::{self, AtomicU64};

/// Allocates a slice of `len` values. `value` makes each of them.
pub(crate) fn slice<T>(len: usize, value: impl FnMut() -> T) -> Result<Box<[T]>, OutOfMemory> {
    let mut values = Vec::new();
    grow(&mut values, len)?;
    values.extend(core::iter::repeat_with(value).take(len));
    Ok(values.into_boxed_slice())
}

/// Allocates cells that are all 0: where they can, as fresh pages that nothing has been written to.
#[cfg(feature = "std")]
#[allow(unsafe_code, reason = "memory of zeros that is never written")]
#[allow(dead_code, unused_imports, reason = "no engine has it yet")]
pub(crate) fn zeros(len: usize) -> Result<Box<[AtomicU64]>, OutOfMemory> {
    if !sync::PLAIN {
        return slice(len, || AtomicU64::new(0));
    }
    let failed = OutOfMemory::new(len.saturating_mul(size_of::<AtomicU64>()));
    let layout = core::alloc::Layout::array::<AtomicU64>(len).map_err(|_| failed)?;
    if layout.size() == 0 {
        return Ok(Box::default());
    }
    // SAFETY: the size is not 0.
    let memory = unsafe { alloc::alloc::alloc_zeroed(layout) };
    if memory.is_null() {
        return Err(failed);
    }
    let memory = core::ptr::slice_from_raw_parts_mut(memory.cast::<AtomicU64>(), len);
    #[cfg(all(feature = "huge-pages", target_os = "linux"))]
    // SAFETY: it is this function's, and as long as that.
    huge_pages::advise(unsafe { &mut *(memory as *mut [core::mem::MaybeUninit<AtomicU64>]) });
    // SAFETY: it comes from the global allocator with the layout of such a slice, and a cell of 0 is nothing but zeros.
    Ok(unsafe { Box::from_raw(memory) })
}

/// Allocates room for `more` values.
pub(crate) fn grow<T>(values: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    values.try_reserve_exact(more).map_err(|_| {
        let len = values.len().saturating_add(more);
        OutOfMemory::new(len.saturating_mul(size_of::<T>()))
    })?;
    #[cfg(all(feature = "huge-pages", target_os = "linux"))]
    huge_pages::advise(values.spare_capacity_mut());
    Ok(())
}

/// The addresses of a slice.
pub(crate) fn place<T>(values: &[T]) -> Range<usize> {
    let Range { start, end } = values.as_ptr_range();
    start.addr()..end.addr()
}

/// Lets the system have the whole pages of some cells that are all 0, and that nobody writes to. Returns how many bytes.
/// They read as 0 as before, and take memory again when they are next written to.
#[cfg(feature = "std")]
pub(crate) fn release_pages(zeros: &[AtomicU64]) -> usize {
    #[cfg(target_os = "linux")]
    if sync::PLAIN {
        return released_pages::release(zeros);
    }
    let _ = zeros;
    0
}

/// The bytes that a slice occupies.
pub(crate) fn bytes<T>(values: &[T]) -> usize {
    size_of_val(values)
}
