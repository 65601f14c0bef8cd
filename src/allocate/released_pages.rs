//! Pages that go back to the system while their addresses stay.

use crate::sync::AtomicU64;

/// Lets the system have the whole pages of some cells that nobody writes to, and whose values nobody needs. Returns how
/// many bytes these are at least, wherever the cells begin: so that equal filters take equally much.
pub(super) fn release(cells: &[AtomicU64]) -> usize {
    let start = cells.as_ptr().cast::<u8>();
    let page = page_size();
    let skip = start.align_offset(page);
    let rest = size_of_val(cells).saturating_sub(skip);
    let whole = rest / page * page;
    if whole == 0 {
        return 0;
    }
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the range lies in the cells. Other threads may read them, and may try exchanges that fail. Each cell is 0
    // before, and after: the pages of an allocator are anonymous and private, and such a page comes back full of zeros.
    // (A page that is shared stays as it is, and one that is locked is refused.)
    let outcome = unsafe {
        libc::madvise(
            start.wrapping_add(skip).cast_mut().cast(),
            whole,
            libc::MADV_DONTNEED,
        )
    };
    // In front of the first whole page there may be all cells of a page but one.
    let at_least = size_of_val(cells).saturating_sub(page - size_of::<AtomicU64>()) / page * page;
    if outcome == 0 { at_least } else { 0 }
}

fn page_size() -> usize {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: it takes and returns a number.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    // The largest that there is, if the system does not say.
    usize::try_from(size).map_or(1 << 16, |size| size.next_power_of_two())
}

#[cfg(test)]
mod tests {
    use crate::allocate;
    use crate::sync::{AtomicU64, Ordering};

    /// The bytes of this process that are in memory.
    fn resident() -> usize {
        let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
        let pages = text.split(' ').nth(1).expect("a second number");
        pages.parse::<usize>().expect("a number") * super::page_size()
    }

    #[test]
    fn cells_give_their_pages_back_and_stay_zero() {
        const CELLS: usize = 8 << 20;
        const BYTES: usize = CELLS * size_of::<AtomicU64>();
        let cells = allocate::slice(CELLS, || AtomicU64::new(0)).expect("memory");
        for _ in 0..2 {
            cells
                .iter()
                .for_each(|cell| cell.store(7, Ordering::Relaxed));
            cells
                .iter()
                .for_each(|cell| cell.store(0, Ordering::Relaxed));
            let before = resident();
            let released = allocate::release_pages(&cells);
            assert!(released > BYTES - (1 << 18), "{released} bytes");
            // Other tests may run meanwhile.
            assert!(resident() < before - BYTES / 2, "they are still in memory");
            let zero = |cell: &AtomicU64| cell.load(Ordering::Relaxed) == 0;
            assert!(cells.iter().all(zero));
        }
    }

    #[test]
    fn a_few_cells_have_no_whole_page() {
        let cells = allocate::slice(100, || AtomicU64::new(0)).expect("memory");
        assert_eq!(allocate::release_pages(&cells), 0);
    }
}
