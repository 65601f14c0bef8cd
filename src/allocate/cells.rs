//! Cells that are all 0, at an address with some low bits to spare.

use alloc::alloc::{alloc, alloc_zeroed, dealloc};
use core::alloc::Layout;
use core::ops::Deref;
use core::ptr::{self, NonNull};

use crate::error::OutOfMemory;
use crate::sync::{self, AtomicU64};

/// What the address of the first cell is a multiple of.
pub(crate) const ALIGNMENT: usize = 256;

/// Cells that were all 0 when they were allocated.
#[derive(Debug)]
pub(crate) struct Cells {
    first: NonNull<AtomicU64>,
    len: usize,
    memory: NonNull<u8>,
    layout: Layout,
}

#[allow(unsafe_code, reason = "it owns its cells, as a box of a slice does")]
// SAFETY: cells can be used by any thread.
unsafe impl Send for Cells {}
#[allow(unsafe_code, reason = "as above")]
// SAFETY: as above.
unsafe impl Sync for Cells {}

#[allow(unsafe_code, reason = "memory of zeros that is never written")]
impl Cells {
    /// Where cells are nothing but their values, as fresh pages that nothing has been written to: in a time that does not
    /// depend on their number.
    pub(crate) fn new(len: usize) -> Result<Self, OutOfMemory> {
        let failed = OutOfMemory::new(len.saturating_mul(size_of::<AtomicU64>()));
        let cells = Layout::array::<AtomicU64>(len).map_err(|_| failed)?;
        // An allocator writes zeros itself if it is asked for an alignment that fresh pages may not have. So it is asked
        // for more memory instead.
        let (size, align) = if sync::PLAIN {
            (
                cells.size().saturating_add(ALIGNMENT),
                align_of::<AtomicU64>(),
            )
        } else {
            (cells.size() + 1, ALIGNMENT)
        };
        let layout = Layout::from_size_align(size, align).map_err(|_| failed)?;
        // SAFETY: the size is not 0.
        let memory = unsafe {
            if sync::PLAIN {
                alloc_zeroed(layout)
            } else {
                alloc(layout)
            }
        };
        let memory = NonNull::new(memory).ok_or(failed)?;
        // SAFETY: there are so many bytes more than the cells need.
        let first = unsafe { memory.add(memory.align_offset(ALIGNMENT)) }.cast::<AtomicU64>();
        if !sync::PLAIN {
            for index in 0..len {
                // SAFETY: the memory has room for so many cells, and is this function's.
                unsafe { first.add(index).write(AtomicU64::new(0)) };
            }
        }
        #[cfg(all(feature = "huge-pages", target_os = "linux"))]
        // SAFETY: as above.
        super::huge_pages::advise(unsafe {
            core::slice::from_raw_parts_mut(
                first.as_ptr().cast::<core::mem::MaybeUninit<AtomicU64>>(),
                len,
            )
        });
        Ok(Self {
            first,
            len,
            memory,
            layout,
        })
    }

    /// The heap bytes of so many cells, with what their alignment takes.
    pub(crate) fn bytes_for(len: usize) -> usize {
        len.saturating_mul(size_of::<AtomicU64>())
            .saturating_add(ALIGNMENT)
    }

    /// The address of the first.
    pub(crate) fn first(&self) -> NonNull<AtomicU64> {
        self.first
    }
}

#[allow(unsafe_code, reason = "it has so many cells")]
impl Deref for Cells {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: there are so many cells, each of which has been made, or is nothing but its value, 0.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

#[allow(unsafe_code, reason = "it owns its cells")]
impl Drop for Cells {
    fn drop(&mut self) {
        // SAFETY: nobody else has them, and they were allocated with this layout.
        unsafe {
            ptr::slice_from_raw_parts_mut(self.first.as_ptr(), self.len).drop_in_place();
            dealloc(self.memory.as_ptr(), self.layout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::Ordering;

    #[test]
    fn they_are_aligned_and_all_0() {
        for len in [1, 2, 31, 32, 33, 1 << 10, 1 << 17] {
            let cells = Cells::new(len).expect("memory");
            assert_eq!(cells.len(), len);
            assert!(cells.first().addr().get().is_multiple_of(ALIGNMENT));
            assert!(cells.iter().all(|cell| cell.load(Ordering::Relaxed) == 0));
            cells
                .iter()
                .for_each(|cell| cell.store(7, Ordering::Relaxed));
        }
        assert!(Cells::new(usize::MAX / 8).is_err());
    }
}
