//! What processes can share: the filter, and a Bloom filter in mapped memory.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use lockfree_cuckoo::{CuckooFilter, SharedFilter};
use lockfree_cuckoo_benches::{Calls, Contender};
use memmap2::{MmapOptions, MmapRaw};
use model::geometry::SPREAD;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::ftruncate;

/// The filter in memory that processes share. It cannot be cleared: each filling has new memory.
#[derive(Debug)]
pub(crate) struct Shared(SharedFilter);

impl Contender for Shared {
    const CALLS: Calls = CuckooFilter::CALLS;

    fn with_capacity(items: usize) -> Self {
        let builder = CuckooFilter::builder().capacity(items);
        Self(builder.build_shared().expect("memory"))
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (Some(self.0.slots()), Some(self.0.memory_usage()))
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.insert_hash(hash).is_ok()
    }

    #[inline]
    fn insert_unique(&self, hash: u64) -> bool {
        self.0.insert_unique_hash(hash) == Ok(true)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.contains_hash(hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.remove_hash(hash)
    }
}

/// The words of a line of a cache.
const WORDS: usize = 8;

type Line = [AtomicU64; WORDS];

/// A Bloom filter over mapped memory, written for speed: all bits of an item are in one line, two
/// of them in each of four words, so that an insert is four instructions with a lock. With a bit in
/// each of the eight words an insert takes twice as long, and a quarter fewer of the absent items
/// are found. A lookup ends at the first word without a bit: without branches it is as fast for
/// stored items, and slower for absent ones. It has as much memory as the buckets of the filter.
#[derive(Debug)]
pub(crate) struct Bloom {
    memory: MmapRaw,
    lines: usize,
}

impl Bloom {
    fn with_lines(lines: usize) -> io::Result<Self> {
        let bytes = lines * size_of::<Line>();
        let memory = memfd_create("bloom", MFdFlags::MFD_CLOEXEC)?;
        ftruncate(&memory, i64::try_from(bytes).map_err(io::Error::other)?)?;
        let memory = MmapOptions::new().len(bytes).map_raw(&memory)?;
        let bloom = Self { memory, lines };
        // Touch all of it, as the filter does.
        (0..lines).for_each(|line| bloom.line(line)[0].store(0, Ordering::Relaxed));
        Ok(bloom)
    }

    #[inline]
    #[allow(unsafe_code, reason = "mapped memory has no type")]
    fn line(&self, line: usize) -> &Line {
        debug_assert!(line < self.lines);
        // SAFETY: as many lines are mapped, from the start of a page on, as long as this is there.
        // A line is made of atomics, of which each value is valid. All callers are below `lines`.
        unsafe { &*self.memory.as_mut_ptr().cast::<Line>().add(line) }
    }

    /// The line of a key: by its high bits, as the first bucket of a filter.
    #[inline]
    fn line_of(&self, hash: u64) -> &Line {
        self.line(((u128::from(hash) * self.lines as u128) >> 64) as usize)
    }
}

/// The words of a key, and the two bits in each. They are chosen by the high bits of a product,
/// which depend on all bits of the key.
#[inline]
fn bits(hash: u64) -> impl Iterator<Item = (usize, u64, u64)> {
    let product = hash.wrapping_mul(SPREAD);
    let odd = (product >> 15 & 1) as usize;
    (0..WORDS / 2).map(move |word| {
        let bits = product >> (16 + 12 * word);
        (2 * word + odd, bits & 63, bits >> 6 & 63)
    })
}

impl Contender for Bloom {
    const REMOVES: bool = false;
    // Of two threads that set the bits of one key at a time, both can have set one of them first.
    const UNIQUE: bool = false;
    const CALLS: Calls = Calls {
        insert: "changes nothing",
        insert_unique: "none: of two threads both can have added an item",
    };

    fn with_capacity(items: usize) -> Self {
        let slots = CuckooFilter::with_capacity(items).slots();
        let bytes = slots * size_of::<u16>();
        Self::with_lines(bytes.div_ceil(size_of::<Line>())).expect("memory")
    }

    fn size(&self) -> (Option<usize>, Option<usize>) {
        (None, Some(self.lines * size_of::<Line>()))
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        let line = self.line_of(hash);
        for (word, one, other) in bits(hash) {
            line[word].fetch_or(1 << one | 1 << other, Ordering::Relaxed);
        }
        true
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        let line = self.line_of(hash);
        bits(hash).all(|(word, one, other)| {
            let word = line[word].load(Ordering::Relaxed);
            word >> one & word >> other & 1 == 1
        })
    }

    fn clear(&mut self, _items: usize) {
        for word in (0..self.lines).flat_map(|line| self.line(line)) {
            word.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo_benches::Keys;

    use super::*;

    /// Both find all that was inserted, and little else, in the same memory.
    #[test]
    fn both_are_filters() {
        fn check<C: Contender>(most_wrong: usize) -> C {
            const ITEMS: usize = 100_000;
            let Keys { stored, absent, .. } = Keys::generate(ITEMS);
            let mut table = C::with_capacity(ITEMS);
            for _ in 0..2 {
                assert_eq!(table.contains_each(&stored), 0);
                assert_eq!(table.insert_each(&stored), ITEMS);
                assert_eq!(table.contains_each(&stored), ITEMS);
                let wrong = table.contains_each(&absent);
                assert!(wrong < most_wrong, "{wrong}");
                table.clear(ITEMS);
            }
            table
        }
        let shared: Shared = check(40);
        let bloom: Bloom = check(300);
        let slots = shared.size().0.expect("it tells");
        let bytes = bloom.size().1.expect("it tells");
        assert_eq!(bytes, (2 * slots).next_multiple_of(64));
    }
}
