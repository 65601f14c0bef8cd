//! Memory that several processes have in common, as slices of atomics.

use alloc::sync::Arc;
use core::ptr::NonNull;

use crossbeam_utils::CachePadded;
use memmap2::MmapRaw;

use crate::sync;
use crate::sync::AtomicU64;

/// A mapping. It stays as long as a [`Part`](super::Part) of it.
#[derive(Debug)]
pub(crate) struct Mapping(MmapRaw);

/// What may be found in a mapping, whatever bytes others write there.
///
/// # Safety
///
/// It is made of atomics, of which each value is valid, and is not dropped.
#[allow(unsafe_code, reason = "the compiler cannot check it")]
pub(crate) unsafe trait Plain {}

#[allow(unsafe_code, reason = "the compiler cannot check it")]
// SAFETY: it is one.
unsafe impl Plain for AtomicU64 {}

#[allow(unsafe_code, reason = "the compiler cannot check it")]
// SAFETY: it is one, and the bytes behind it are not read.
unsafe impl Plain for CachePadded<AtomicU64> {}

impl Mapping {
    pub(crate) fn new(memory: MmapRaw) -> Arc<Self> {
        Arc::new(Self(memory))
    }

    /// The first of this many elements, from a byte of it on. As long as the mapping is there, they
    /// are valid, whatever anyone writes to it.
    ///
    /// # Panics
    ///
    /// If the mapping has no such elements.
    pub(super) fn elements<T: Plain>(&self, at: usize, len: usize) -> NonNull<T> {
        const { assert!(sync::PLAIN) };
        let bytes = len.checked_mul(size_of::<T>());
        let end = bytes.and_then(|bytes| bytes.checked_add(at));
        assert!(end.is_some_and(|end| end <= self.0.len()), "beyond the end");
        let first = self.0.as_mut_ptr().wrapping_add(at).cast::<T>();
        assert!(first.is_aligned());
        NonNull::new(first).expect("mapped")
    }
}
