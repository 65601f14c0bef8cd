//! Cells that are all 0, at an address with some low bits to spare, and a header in front of them.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::{self, NonNull};

use super::zeros::Zeros;
use crate::error::OutOfMemory;
use crate::sync::{self, AtomicU64};

/// What the address of the first cell is a multiple of.
pub(crate) const ALIGNMENT: usize = 256;

/// An allocator writes as many bytes in no time.
const SMALL: usize = 1 << 14;

/// Cells that were all 0 when they were allocated. The header ends where the first of them begins, so that who knows
/// the one address knows the other one.
#[derive(Debug)]
pub(crate) struct Cells<H> {
    first: NonNull<AtomicU64>,
    len: usize,
    _memory: Zeros,
    header: PhantomData<H>,
}

#[allow(unsafe_code, reason = "it owns its cells, as a box of a slice does")]
// SAFETY: cells can be used by any thread.
unsafe impl<H: Send> Send for Cells<H> {}
#[allow(unsafe_code, reason = "as above")]
// SAFETY: as above.
unsafe impl<H: Sync> Sync for Cells<H> {}

#[allow(unsafe_code, reason = "memory of zeros that is never written")]
impl<H> Cells<H> {
    /// The bytes in front of the cells.
    const ROOM: usize = {
        assert!(ALIGNMENT.is_multiple_of(align_of::<H>()));
        size_of::<H>().next_multiple_of(ALIGNMENT)
    };

    /// The size and the alignment of the memory for so many bytes of cells.
    ///
    /// An allocator writes zeros itself if it is asked for an alignment that its fresh pages may not have. So it is asked
    /// for more memory instead, unless that would be much for so few cells.
    fn layout(cells: usize) -> (usize, usize) {
        let size = cells.saturating_add(Self::ROOM);
        if sync::PLAIN && size > SMALL {
            (size.saturating_add(ALIGNMENT), align_of::<AtomicU64>())
        } else {
            (size, ALIGNMENT)
        }
    }

    /// Where cells are nothing but their values, as fresh pages that nothing has been written to: in a time that does not
    /// depend on their number.
    pub(crate) fn new(len: usize, header: H) -> Result<Self, OutOfMemory> {
        let failed = OutOfMemory::new(len.saturating_mul(size_of::<AtomicU64>()));
        let cells = Layout::array::<AtomicU64>(len).map_err(|_| failed)?;
        let (size, align) = Self::layout(cells.size());
        let layout = Layout::from_size_align(size, align).map_err(|_| failed)?;
        let zeros = Zeros::new(layout).ok_or(failed)?;
        let memory = zeros.first();
        // SAFETY: there are so many bytes more than the cells need.
        let first = unsafe { memory.add(memory.align_offset(ALIGNMENT) + Self::ROOM) };
        let first = first.cast::<AtomicU64>();
        // SAFETY: there is as much room in front of the cells, and both types' alignments divide that of the first cell.
        unsafe { first.byte_sub(size_of::<H>()).cast::<H>().write(header) };
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
            _memory: zeros,
            header: PhantomData,
        })
    }

    /// The bytes of so many cells, with the header and what the alignment takes.
    pub(crate) fn bytes_for(len: usize) -> usize {
        Self::layout(len.saturating_mul(size_of::<AtomicU64>())).0
    }

    /// The address of the first.
    pub(crate) fn first(&self) -> NonNull<AtomicU64> {
        self.first
    }

    /// The address of the header of cells that begin at `first`.
    #[inline]
    pub(crate) fn header_of(first: *const AtomicU64) -> *const H {
        first.wrapping_byte_sub(size_of::<H>()).cast()
    }
}

#[allow(unsafe_code, reason = "it has so many cells")]
impl<H> Deref for Cells<H> {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: there are so many cells, each of which has been made, or is nothing but its value, 0.
        unsafe { core::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

#[allow(unsafe_code, reason = "it owns its cells")]
impl<H> Drop for Cells<H> {
    fn drop(&mut self) {
        // SAFETY: nobody else has them or the header, and their memory is freed after this.
        unsafe {
            ptr::slice_from_raw_parts_mut(self.first.as_ptr(), self.len).drop_in_place();
            Self::header_of(self.first.as_ptr())
                .cast_mut()
                .drop_in_place();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::Ordering;

    #[test]
    fn they_are_aligned_and_all_0() {
        for len in [1, 2, 31, 32, 33, 1 << 10, 1 << 11, 1 << 17] {
            let header = [0x1234_5678_u64; 65];
            let cells = Cells::new(len, header).expect("memory");
            assert_eq!(cells.len(), len);
            assert!(cells.first().addr().get().is_multiple_of(ALIGNMENT));
            assert!(cells.iter().all(|cell| cell.load(Ordering::Relaxed) == 0));
            cells
                .iter()
                .for_each(|cell| cell.store(7, Ordering::Relaxed));
            let found = Cells::<[u64; 65]>::header_of(cells.first().as_ptr());
            // SAFETY: the cells have such a header.
            #[allow(unsafe_code, reason = "a test")]
            let found = unsafe { *found };
            assert_eq!(found, header);
        }
        assert!(Cells::new(usize::MAX / 8, ()).is_err());
    }
}
