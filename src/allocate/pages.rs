//! Pages of memory, on Linux: larger ones, so that there are fewer TLB misses in tables that are
//! larger than the TLB covers; and those that go back to the system while their addresses stay.

#[cfg(feature = "huge-pages")]
use core::mem::MaybeUninit;

#[cfg(all(feature = "huge-pages", feature = "shared"))]
use memmap2::{Advice, MmapRaw};

#[cfg(feature = "growing")]
use crate::sync::AtomicU64;

/// Memory smaller than two huge pages may contain no aligned one.
#[cfg(feature = "huge-pages")]
const HUGE: usize = 1 << 21;

/// Asks the system to use pages of 2 MiB for fresh memory, on systems where a program may choose.
/// Call it before the memory is first touched, because the system chooses then. This is a hint: if
/// the system refuses, there is nothing to do.
#[cfg(feature = "huge-pages")]
pub(super) fn advise<T>(memory: &mut [MaybeUninit<T>]) {
    /// The system takes advice only for whole pages. This passes the pages that begin and end in
    /// the memory. The rest at both ends is unchanged. A page has 4 KiB or, on some machines, more;
    /// at most 64 KiB.
    const PAGE: usize = 1 << 16;
    let bytes = size_of_val(memory);
    let start = memory.as_mut_ptr().cast::<u8>();
    let skip = start.align_offset(PAGE);
    let Some(whole) = bytes.checked_sub(skip).map(|rest| rest / PAGE * PAGE) else {
        return;
    };
    if whole < 2 * HUGE {
        return;
    }
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the range lies in memory that is borrowed exclusively, and this advice changes no
    // content.
    unsafe {
        libc::madvise(start.wrapping_add(skip).cast(), whole, libc::MADV_HUGEPAGE);
    }
}

/// Asks the system to use pages of 2 MiB for a mapping of memory that processes share. Returns
/// false if it is too small, or the system knows no such pages. This is a hint, too.
#[cfg(all(feature = "huge-pages", feature = "shared"))]
pub(crate) fn advise_shared(memory: &MmapRaw) -> bool {
    memory.len() >= 2 * HUGE && memory.advise(Advice::HugePage).is_ok()
}

/// Asks the system to replace the pages that a mapping has by pages of 2 MiB, at once (since Linux
/// 6.1). It copies them, and whoever uses them waits.
#[cfg(all(feature = "huge-pages", feature = "shared"))]
pub(crate) fn collapse(memory: &MmapRaw) {
    /// `MADV_COLLAPSE` of Linux, on all processors. `libc` has it for some systems only.
    const COLLAPSE: libc::c_int = 25;
    if !advise_shared(memory) {
        return;
    }
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: the range is this mapping, and the content of its pages stays.
    unsafe {
        libc::madvise(memory.as_mut_ptr().cast(), memory.len(), COLLAPSE);
    }
}

/// Gives the whole pages of some cells back to the system. No thread may write to the cells, or
/// need their values. Returns how many bytes these are at least, wherever the cells begin, so that
/// equal filters say that they take equally many bytes.
#[cfg(feature = "growing")]
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
    // SAFETY: the range is whole pages inside the cells, which are borrowed, so nothing else is in
    // them. Other threads may read the cells, and may try exchanges that fail, but no thread needs
    // their values: the caller says so. Each cell is a word that is 0 after this, or as it was: the
    // pages of an allocator are anonymous and private, and such a page comes back full of zeros. (A
    // page that is shared stays as it is, and one that is locked is refused.)
    let outcome = unsafe {
        libc::madvise(
            start.wrapping_add(skip).cast_mut().cast(),
            whole,
            libc::MADV_DONTNEED,
        )
    };
    // Count as if all cells of a page but one stood in front of the first whole page.
    let at_least = size_of_val(cells).saturating_sub(page - size_of::<AtomicU64>()) / page * page;
    if outcome == 0 { at_least } else { 0 }
}

#[cfg(feature = "growing")]
fn page_size() -> usize {
    #[allow(unsafe_code, reason = "a system call")]
    // SAFETY: it takes and returns a number.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    // Take the largest that there is, if the system does not say.
    usize::try_from(size).map_or(1 << 16, |size| size.next_power_of_two())
}

#[cfg(all(test, feature = "huge-pages"))]
mod huge {
    use crate::allocate;

    /// The flags of the mapping that contains an address, as the system reports them.
    fn flags_at(address: usize) -> Option<String> {
        let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let number = |text: &str| usize::from_str_radix(text, 16).ok();
        let contains = |line: &&str| {
            let range = line
                .split_once(' ')
                .and_then(|(range, _)| range.split_once('-'));
            let ends = range.and_then(|(start, end)| Some(number(start)?..number(end)?));
            ends.is_some_and(|range| range.contains(&address))
        };
        let mut inside = maps.lines().skip_while(|line| !contains(line));
        let flags = inside.find_map(|line| line.strip_prefix("VmFlags:"));
        flags.map(str::to_owned)
    }

    /// A large slice is marked, and a small one is not.
    #[test]
    fn a_large_slice_is_marked() {
        for (words, expected) in [(1 << 10, false), (1 << 20, true)] {
            let slice = allocate::slice(words, || 7u64).expect("memory");
            assert!(slice.iter().all(|&word| word == 7));
            // Look in the middle: the ends need not be marked.
            let middle = &raw const slice[words / 2];
            // "hg" stands for the advice. If the system does not report it, there is nothing to
            // check.
            if let Some(flags) = flags_at(middle as usize) {
                assert_eq!(flags.contains(" hg"), expected, "{words} words: {flags}");
            }
        }
    }
}
