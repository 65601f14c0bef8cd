//! Cells that are all 0, at an address with some low bits to spare, and a header in front of them.
//!
//! They are memory of zeros that no thread has to write. An allocator writes the zeros itself
//! wherever memory has been used before, which takes a time that grows with the memory. The system
//! hands out fresh pages, and clears each of them when it is first touched. So on Linux large
//! memory comes from the system, and goes back to it. Elsewhere all of it comes from the allocator.

use alloc::alloc::{alloc_zeroed, dealloc};
use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::num::NonZero;
use core::ops::Deref;
use core::ptr::{self, NonNull};
use core::slice;

use memmap2::{MmapMut, MmapRaw};

use crate::error::OutOfMemory;
use crate::sync;
use crate::sync::AtomicU64;

/// The alignment of the first cell.
pub(crate) const ALIGNMENT: usize = 256;

/// The size up to which an allocator writes the zeros in a time that does not count.
const SMALL: usize = 1 << 14;

/// Cells that were all 0 when they were allocated. The header ends where the first of them begins,
/// so the address of one gives that of the other.
#[derive(Debug)]
pub(crate) struct Cells<H> {
    first: NonNull<AtomicU64>,
    len: usize,
    _memory: Zeros,
    header: PhantomData<H>,
}

#[allow(unsafe_code, reason = "it owns its cells, as a box of a slice does")]
// SAFETY: it owns the cells, the header and the memory. Any thread may own a cell, or such a
// header, and any thread can free the memory.
unsafe impl<H: Send> Send for Cells<H> {}
#[allow(unsafe_code, reason = "as above")]
// SAFETY: a shared reference gives shared references to the cells, which are atomic, and to the
// header.
unsafe impl<H: Sync> Sync for Cells<H> {}

#[allow(unsafe_code, reason = "memory of zeros that is never written")]
impl<H> Cells<H> {
    /// The bytes in front of the cells.
    const ROOM: usize = {
        assert!(ALIGNMENT.is_multiple_of(align_of::<H>()));
        size_of::<H>().next_multiple_of(ALIGNMENT)
    };

    /// The size and the alignment of the memory for this many bytes of cells.
    ///
    /// Asks for more memory in place of an alignment, unless that is much for few cells: an
    /// allocator writes zeros itself if its fresh pages may not have the alignment.
    fn layout(cells: usize) -> (usize, usize) {
        let size = cells.saturating_add(Self::ROOM);
        if sync::PLAIN && size > SMALL {
            (size.saturating_add(ALIGNMENT), align_of::<AtomicU64>())
        } else {
            (size, ALIGNMENT)
        }
    }

    /// Takes zeroed pages from the system, so the time does not depend on `len`. (A model checker's
    /// atomics are not plain zeros, and are initialized one by one.)
    pub(crate) fn new(len: usize, header: H) -> Result<Self, OutOfMemory> {
        let failed = OutOfMemory::new(len.saturating_mul(size_of::<AtomicU64>()));
        let cells = Layout::array::<AtomicU64>(len).map_err(|_| failed)?;
        let (size, align) = Self::layout(cells.size());
        let layout = Layout::from_size_align(size, align).map_err(|_| failed)?;
        let zeros = Zeros::new(layout).ok_or(failed)?;
        // The memory has this many bytes more than the cells need: see `layout`.
        let begin = |address: NonZero<usize>| {
            let room = address.get().next_multiple_of(ALIGNMENT) - address.get() + Self::ROOM;
            address.saturating_add(room)
        };
        let first = zeros.first().map_addr(begin).cast::<AtomicU64>();
        // SAFETY: `ROOM` bytes in front of the cells are in the memory, which is this function's,
        // and the header fits in them. Its size is a multiple of its alignment, which divides that
        // of the first cell.
        unsafe {
            Self::header_of(first.as_ptr()).cast_mut().write(header);
        }
        // SAFETY: the memory has room for this many cells from there on, no one else has it, and
        // they need not be made yet.
        let cells = unsafe {
            slice::from_raw_parts_mut(first.cast::<MaybeUninit<AtomicU64>>().as_ptr(), len)
        };
        #[cfg(all(feature = "huge-pages", target_os = "linux"))]
        super::pages::advise(cells);
        if !sync::PLAIN {
            cells.fill_with(|| MaybeUninit::new(AtomicU64::new(0)));
        }
        Ok(Self {
            first,
            len,
            _memory: zeros,
            header: PhantomData,
        })
    }

    /// The bytes of this many cells, with the header and what the alignment takes.
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

#[allow(unsafe_code, reason = "it has this many cells")]
impl<H> Deref for Cells<H> {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: this many cells are in the memory, which stays as long as this is borrowed. `new`
        // has made each of them, or left zeros, which are cells if those are `PLAIN`.
        unsafe { slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

#[allow(unsafe_code, reason = "it owns its cells")]
impl<H> Drop for Cells<H> {
    fn drop(&mut self) {
        // SAFETY: both were made by `new`. Nothing else has them, they are dropped once, and their
        // memory, a field, is freed after this.
        unsafe {
            ptr::slice_from_raw_parts_mut(self.first.as_ptr(), self.len).drop_in_place();
            Self::header_of(self.first.as_ptr())
                .cast_mut()
                .drop_in_place();
        }
    }
}

/// The size from which memory comes from the system, if that hands out fresh pages. An allocator
/// clears less in the time of a few hundred page faults at most.
const LARGE: usize = 1 << 20;

/// The smallest page that there is.
const PAGE: usize = 1 << 12;

/// Memory that was all 0 when it was allocated.
#[derive(Debug)]
pub(super) enum Zeros {
    Pages(MmapRaw),
    Allocated { first: NonNull<u8>, layout: Layout },
}

impl Zeros {
    /// Takes memory of this size, which is not 0, and this alignment. `None` if there is none.
    pub(super) fn new(layout: Layout) -> Option<Self> {
        debug_assert!(layout.size() > 0);
        if cfg!(target_os = "linux") && layout.size() >= LARGE && layout.align() <= PAGE {
            let pages = MmapMut::map_anon(layout.size()).ok()?;
            return Some(Self::Pages(pages.into()));
        }
        #[allow(unsafe_code, reason = "an allocation")]
        // SAFETY: the size is not 0: there are the bytes in front of the cells, if no others.
        let first = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self::Allocated { first, layout })
    }

    /// The address of the first byte.
    pub(super) fn first(&self) -> NonNull<u8> {
        match self {
            Self::Pages(pages) => NonNull::new(pages.as_mut_ptr()).expect("mapped"),
            Self::Allocated { first, .. } => *first,
        }
    }
}

impl Drop for Zeros {
    fn drop(&mut self) {
        if let Self::Allocated { first, layout } = self {
            #[allow(unsafe_code, reason = "it owns its memory")]
            // SAFETY: `new` allocated it with this layout, and it is freed once.
            unsafe {
                dealloc(first.as_ptr(), *layout);
            }
        }
    }
}

/// A slice of cells, in parts that begin where huge pages do, so that no huge page is broken up.
/// The system takes back a part in a short time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReleaseChunks<'a> {
    cells: &'a [AtomicU64],
    /// The cells of the first part.
    first: usize,
}

/// The bytes of a part. Giving it back takes the system some 0.1 ms.
const PART: usize = 2 << 20;

const CELLS: usize = PART / size_of::<u64>();

impl<'a> ReleaseChunks<'a> {
    pub(crate) fn of(cells: &'a [AtomicU64]) -> Self {
        let past = cells.as_ptr().addr() % PART / size_of::<u64>();
        Self {
            cells,
            first: CELLS - past.min(CELLS - 1),
        }
    }

    /// The number of parts; at least one.
    pub(crate) fn len(self) -> usize {
        1 + self.cells.len().saturating_sub(self.first).div_ceil(CELLS)
    }

    /// The part of a number; behind the last, an empty one.
    pub(crate) fn part(self, number: usize) -> &'a [AtomicU64] {
        let bound = |number: usize| match number.checked_sub(1) {
            None => 0,
            Some(others) => CELLS
                .saturating_mul(others)
                .saturating_add(self.first)
                .min(self.cells.len()),
        };
        &self.cells[bound(number)..bound(number.saturating_add(1))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocate;
    use crate::sync::Ordering;

    #[test]
    fn they_are_aligned_and_all_0() {
        // Take each length twice: the second time, the memory was used before.
        let lengths = [1, 2, 31, 32, 33, 1 << 10, 1 << 11, LARGE / 8, LARGE + 77];
        for len in lengths.into_iter().chain(lengths) {
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

    /// A program that has used and freed as much before must not wait until it is all cleared.
    #[cfg(target_os = "linux")]
    #[test]
    fn fresh_memory_is_not_touched() {
        let layout = Layout::array::<u64>(LARGE).expect("small");
        drop(vec![1u64; LARGE]);
        let zeros = Zeros::new(layout).expect("memory");
        let mut resident = vec![0u8; layout.size() >> 12];
        #[allow(unsafe_code, reason = "a test")]
        // SAFETY: the range is mapped, and there is a byte for each page, of at least 4 KiB.
        let outcome = unsafe {
            libc::mincore(
                zeros.first().as_ptr().cast(),
                layout.size(),
                resident.as_mut_ptr(),
            )
        };
        assert_eq!(outcome, 0);
        assert!(resident.iter().all(|page| page & 1 == 0), "touched pages");
    }

    /// The parts make up the whole, and end where huge pages do.
    #[test]
    fn parts_fit_huge_pages() {
        for len in [1, 100, CELLS - 1, CELLS, CELLS + 1, 5 * CELLS + 77] {
            let cells = allocate::slice(len, || AtomicU64::new(0)).expect("memory");
            for skipped in [0, 1, 50, len / 2] {
                let cells = &cells[skipped.min(len - 1)..];
                let parts = ReleaseChunks::of(cells);
                let all = (0..parts.len()).map(|number| parts.part(number));
                assert_eq!(all.clone().map(<[_]>::len).sum::<usize>(), cells.len());
                let mut end = cells.as_ptr();
                for part in all {
                    assert_eq!(part.as_ptr(), end, "a gap");
                    assert!(part.len() <= CELLS && !part.is_empty());
                    end = part.as_ptr_range().end;
                    let is_last = end == cells.as_ptr_range().end;
                    assert!(is_last || end.addr() % PART == 0, "a part ends at {end:?}");
                }
                assert!(parts.part(parts.len()).is_empty());
                assert!(parts.part(usize::MAX).is_empty());
            }
        }
    }
}
