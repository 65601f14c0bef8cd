//! Huge pages: fewer TLB misses in tables that are larger than the TLB covers.

use core::mem::MaybeUninit;

/// Asks the system to use pages of 2 MiB for fresh memory, on systems where a program may choose. Call it before
/// the memory is first touched, because the system chooses then. This is a hint: if the system refuses, there is
/// nothing to do.
pub(crate) fn advise<T>(memory: &mut [MaybeUninit<T>]) {
    /// The system takes advice only for whole pages. This passes the pages that begin and end in the memory. The
    /// rest at both ends is unchanged. A page has 4 KiB or, on some machines, more; at most 64 KiB.
    const PAGE: usize = 1 << 16;
    /// Memory smaller than two huge pages may contain no aligned one.
    const HUGE: usize = 1 << 21;
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
    // SAFETY: the range lies in memory that is borrowed exclusively, and this advice changes no content.
    unsafe {
        libc::madvise(start.wrapping_add(skip).cast(), whole, libc::MADV_HUGEPAGE);
    }
}

#[cfg(test)]
mod tests {
    use crate::allocate;

    /// The flags of the mapping that contains an address, as the system reports them.
    fn flags_at(address: usize) -> Option<String> {
        let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let mut inside = false;
        for line in maps.lines() {
            let range = line
                .split_once(' ')
                .and_then(|(range, _)| range.split_once('-'));
            let number = |text| usize::from_str_radix(text, 16).ok();
            if let Some((Some(start), Some(end))) = range.map(|(a, b)| (number(a), number(b))) {
                inside = (start..end).contains(&address);
            } else if inside && let Some(flags) = line.strip_prefix("VmFlags:") {
                return Some(flags.to_owned());
            }
        }
        None
    }

    #[test]
    fn a_large_slice_is_marked_and_a_small_one_is_not() {
        for (words, expected) in [(1 << 10, false), (1 << 20, true)] {
            let slice = allocate::slice(words, || 7u64).expect("memory");
            assert!(slice.iter().all(|&word| word == 7));
            // Look in the middle: the ends need not be marked.
            let middle = &raw const slice[words / 2];
            // "hg" stands for the advice. If the system does not report it, there is nothing to check.
            if let Some(flags) = flags_at(middle as usize) {
                assert_eq!(flags.contains(" hg"), expected, "{words} words: {flags}");
            }
        }
    }
}
