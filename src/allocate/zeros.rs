//! Memory of zeros that nobody has to write.
//!
//! An allocator writes the zeros itself wherever memory has been used before, which takes a time that grows with the
//! memory. The system hands out fresh pages, and clears each of them when it is first touched. So on Linux large memory
//! comes from the system, and goes back to it. Elsewhere all of it comes from the allocator.

use alloc::alloc::{alloc_zeroed, dealloc};
use core::alloc::Layout;
use core::ptr::NonNull;

/// As many bytes come from the system, if it hands out fresh pages. An allocator clears fewer in the time of a few hundred
/// page faults at most.
const LARGE: usize = 1 << 20;

/// Memory that was all 0 when it was allocated.
#[derive(Debug)]
pub(super) struct Zeros {
    first: NonNull<u8>,
    layout: Layout,
}

#[allow(unsafe_code, reason = "it owns its memory, as a box does")]
// SAFETY: it is plain memory, which any thread can use and free.
unsafe impl Send for Zeros {}
#[allow(unsafe_code, reason = "as above")]
// SAFETY: as above.
unsafe impl Sync for Zeros {}

impl Zeros {
    /// Of this size, which is not 0, and this alignment. None if there is no such memory.
    pub(super) fn new(layout: Layout) -> Option<Self> {
        debug_assert!(layout.size() > 0);
        let first = if is_from_system(layout) {
            system::map(layout.size())
        } else {
            #[allow(unsafe_code, reason = "an allocation")]
            // SAFETY: the size is not 0.
            NonNull::new(unsafe { alloc_zeroed(layout) })
        };
        Some(Self {
            first: first?,
            layout,
        })
    }

    /// The address of the first byte.
    pub(super) fn first(&self) -> NonNull<u8> {
        self.first
    }
}

impl Drop for Zeros {
    #[allow(unsafe_code, reason = "it owns its memory")]
    fn drop(&mut self) {
        // SAFETY: nobody else has it, and it came from there, with this layout.
        unsafe {
            if is_from_system(self.layout) {
                system::unmap(self.first, self.layout.size());
            } else {
                dealloc(self.first.as_ptr(), self.layout);
            }
        }
    }
}

fn is_from_system(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= system::ALIGNMENT
}

#[cfg(target_os = "linux")]
mod system {
    use core::ptr::{self, NonNull};

    /// The smallest page that there is.
    pub(super) const ALIGNMENT: usize = 1 << 12;

    pub(super) fn map(size: usize) -> Option<NonNull<u8>> {
        #[allow(unsafe_code, reason = "a system call")]
        // SAFETY: it maps pages where nothing is.
        let pages = unsafe {
            libc::mmap(
                ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if pages == libc::MAP_FAILED {
            None
        } else {
            NonNull::new(pages.cast())
        }
    }

    /// # Safety
    ///
    /// They were mapped with this size, and nobody uses them.
    #[allow(unsafe_code, reason = "a system call")]
    pub(super) unsafe fn unmap(pages: NonNull<u8>, size: usize) {
        // SAFETY: the caller's promise.
        let outcome = unsafe { libc::munmap(pages.as_ptr().cast(), size) };
        debug_assert_eq!(outcome, 0);
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use core::ptr::NonNull;

    /// None: nothing comes from there.
    pub(super) const ALIGNMENT: usize = 0;

    pub(super) fn map(_: usize) -> Option<NonNull<u8>> {
        None
    }

    /// # Safety
    ///
    /// None.
    #[allow(unsafe_code, reason = "as where there is something to do")]
    pub(super) unsafe fn unmap(_: NonNull<u8>, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(zeros: &mut Zeros) -> &mut [u64] {
        let len = zeros.layout.size() / 8;
        #[allow(unsafe_code, reason = "a test")]
        // SAFETY: it has so many words, and is borrowed as long as they are.
        unsafe {
            core::slice::from_raw_parts_mut(zeros.first().as_ptr().cast(), len)
        }
    }

    #[test]
    fn memory_that_was_used_before_is_0_again() {
        for len in [1, 100, LARGE / 8 - 1, LARGE / 8, LARGE + 77] {
            for _ in 0..3 {
                let layout = Layout::array::<u64>(len).expect("small");
                let mut zeros = Zeros::new(layout).expect("memory");
                assert_eq!(words(&mut zeros).len(), len);
                assert!(words(&mut zeros).iter().all(|&word| word == 0));
                words(&mut zeros).fill(7);
            }
        }
    }

    #[test]
    fn what_there_is_not_is_refused() {
        for size in [1 << 60, isize::MAX as usize & !7] {
            let layout = Layout::from_size_align(size, 8).expect("a layout");
            assert!(Zeros::new(layout).is_none(), "{size} bytes");
        }
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
}
