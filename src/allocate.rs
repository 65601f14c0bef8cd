//! Allocation that reports failure instead of aborting.

#[cfg(feature = "growing")]
mod cells;
#[cfg(feature = "shared")]
mod mapping;
#[cfg(all(any(feature = "growing", feature = "huge-pages"), target_os = "linux"))]
mod pages;
mod part;
#[cfg(feature = "growing")]
mod shared;

#[cfg(feature = "growing")]
pub(crate) use cells::ReleaseChunks;
#[cfg(feature = "growing")]
pub(crate) use cells::{ALIGNMENT, Cells};
#[cfg(feature = "shared")]
pub(crate) use mapping::{Mapping, Plain};
#[cfg(all(feature = "huge-pages", feature = "shared"))]
pub(crate) use pages::{advise_shared, collapse};
pub(crate) use part::{Alias, Part};
#[cfg(feature = "growing")]
pub(crate) use shared::Shared;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use crate::error::OutOfMemory;
#[cfg(feature = "growing")]
use crate::sync;
#[cfg(feature = "growing")]
use crate::sync::AtomicU64;

/// Allocates a slice of `len` values. `value` makes each of them.
pub(crate) fn slice<T>(len: usize, value: impl FnMut() -> T) -> Result<Box<[T]>, OutOfMemory> {
    let mut values = Vec::new();
    grow(&mut values, len)?;
    values.extend(core::iter::repeat_with(value).take(len));
    Ok(values.into_boxed_slice())
}

/// Allocates a box for this value, which is lost if there is no memory.
pub(crate) fn boxed<T>(value: T) -> Result<Box<T>, OutOfMemory> {
    let mut values = Vec::new();
    grow(&mut values, 1)?;
    values.push(value);
    let only = Box::into_raw(values.into_boxed_slice()).cast::<T>();
    #[allow(unsafe_code, reason = "stable Rust has no `Box::try_new`")]
    // SAFETY: it points to the only element of a boxed slice, which nothing else owns. One
    // value and a slice of one have the same layout.
    Ok(unsafe { Box::from_raw(only) })
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

/// Gives the whole pages of some cells back to the system. No thread may write to the cells, or need
/// their values. Returns the number of bytes. They read as 0 from then on, and take memory again
/// when they are next written to.
#[cfg(feature = "growing")]
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
