//! Allocation that reports failure instead of aborting.

#[cfg(feature = "std")]
mod cells;
#[cfg(all(any(feature = "std", feature = "huge-pages"), target_os = "linux"))]
mod pages;

#[cfg(feature = "std")]
pub(crate) use cells::Parts;
#[cfg(feature = "std")]
pub(crate) use cells::{ALIGNMENT, Cells};

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

/// Allocates room for `more` values.
pub(crate) fn grow<T>(values: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    values.try_reserve_exact(more).map_err(|_| {
        let len = values.len().saturating_add(more);
        OutOfMemory::new(len.saturating_mul(size_of::<T>()))
    })?;
    #[cfg(all(feature = "huge-pages", target_os = "linux"))]
    pages::advise(values.spare_capacity_mut());
    Ok(())
}

/// The addresses of a slice.
pub(crate) fn place<T>(values: &[T]) -> Range<usize> {
    let Range { start, end } = values.as_ptr_range();
    start.addr()..end.addr()
}

/// Lets the system have the whole pages of some cells that nobody writes to, and whose values nobody needs. Returns how
/// many bytes. They read as 0 from then on, and take memory again when they are next written to.
#[cfg(feature = "std")]
pub(crate) fn release_pages(cells: &[AtomicU64]) -> usize {
    #[cfg(target_os = "linux")]
    if sync::PLAIN {
        return pages::release(cells);
    }
    let _ = cells;
    0
}

/// The bytes that a slice occupies.
pub(crate) fn bytes<T>(values: &[T]) -> usize {
    size_of_val(values)
}
