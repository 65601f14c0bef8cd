//! The table: an array of atomic words, and where an item may live in it. Raw integers end here.

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;

use crate::allocate;
use crate::allocate::{Alias, Part};
use crate::error::OutOfMemory;
use crate::kernel::geometry::{Class, Geometry};
use crate::kernel::layout::{Bucket, Fingerprint, Layout};
use crate::kernel::word::{self, Word};
use crate::sync;
use crate::sync::{AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Table<L> {
    geometry: Geometry<L>,
    /// One for each bucket of the geometry. Neither number changes.
    words: Part<AtomicU64>,
}

/// The two words of an item, not yet loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a, L> {
    class: Class,
    words: [&'a AtomicU64; 2],
    layout: PhantomData<L>,
}

impl<L: Layout> Table<L> {
    pub(crate) fn new(geometry: Geometry<L>) -> Result<Self, OutOfMemory> {
        let empty = || AtomicU64::new(Bucket::<L>::EMPTY.bits());
        let words = allocate::slice(geometry.buckets(), empty)?;
        Ok(Self {
            geometry,
            words: words.into(),
        })
    }

    /// A table of words that are there already, one for each bucket.
    #[cfg(feature = "shared")]
    pub(crate) fn of_words(geometry: Geometry<L>, words: Part<AtomicU64>) -> Self {
        // Loads without bounds checks rely on this.
        assert_eq!(words.len(), geometry.buckets(), "a whole table");
        Self { geometry, words }
    }

    #[inline]
    pub(crate) fn geometry(&self) -> Geometry<L> {
        self.geometry
    }

    /// The number of buckets.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        allocate::bytes(&self.words)
    }

    pub(crate) fn place(&self) -> Range<usize> {
        allocate::place(&self.words)
    }

    /// The class of a hash.
    #[inline]
    pub(crate) fn class(&self, hash: u64) -> Class {
        self.geometry.class(hash)
    }

    /// The other candidate of a fingerprint that is in `bucket`.
    #[inline]
    pub(crate) fn alternate(&self, bucket: usize, f: Fingerprint) -> usize {
        self.geometry.alternate(bucket, f)
    }

    /// The class of a hash, and its two words, without bounds checks.
    #[inline]
    #[allow(unsafe_code, reason = "lookups are a tenth faster for it")]
    pub(crate) fn pair(&self, hash: u64) -> Pair<'_, L> {
        let class = self.class(hash);
        debug_assert!(class.first < self.words.len() && class.second < self.words.len());
        let word = |bucket| {
            // SAFETY: the candidates are less than the number of buckets of the geometry that made
            // them, and the table has as many words: each way to make one sees to that, and their
            // number does not change.
            unsafe { self.words.get_unchecked(bucket) }
        };
        Pair::new(class, word(class.first), word(class.second))
    }

    /// Where the words are, one for each bucket of the geometry.
    pub(crate) fn alias(&self) -> Alias<AtomicU64> {
        self.words.alias()
    }

    #[inline]
    pub(crate) fn load(&self, bucket: usize) -> Word<L> {
        // SeqCst, as every access to a word: a thread that has written one word and reads another
        // must not miss what a second thread, doing the same crosswise, has written (store
        // buffering). As an Acquire it pairs with `exchange`: it brings the bump and the fields
        // that the word's writer left.
        Word::from_bits(self.words[bucket].load(Ordering::SeqCst))
    }

    /// Prefetches a bucket. A number that is too large does no harm.
    #[inline]
    pub(crate) fn prefetch(&self, bucket: usize) {
        word::prefetch(self.words.as_ptr().wrapping_add(bucket));
    }

    /// Prefetches a bucket that will be written. A number that is too large does no harm.
    #[inline]
    pub(crate) fn prefetch_to_write(&self, bucket: usize) {
        word::prefetch_to_write(self.words.as_ptr().wrapping_add(bucket));
    }

    /// Replaces `current` by `new`. Returns false if the word has changed.
    #[inline]
    pub(crate) fn exchange(
        &self,
        bucket: usize,
        current: impl Into<Word<L>>,
        new: impl Into<Word<L>>,
    ) -> bool {
        // SeqCst: see `load`. As a Release it publishes what the writer did before, the bump of a
        // stripe or the fields that a reference leads to; as an Acquire it orders the writer's next
        // step after what the word's last writer did. On failure Relaxed would do: a thread that
        // has seen a word change never sees the old value again.
        self.words[bucket]
            .compare_exchange(
                current.into().bits(),
                new.into().bits(),
                Ordering::SeqCst,
                Ordering::SeqCst,
            )
            .is_ok()
    }

    /// Loads a word after the thread has frozen another: of two threads that do so crosswise, at
    /// least one sees the other's reference, or what came after it.
    #[inline]
    pub(crate) fn load_crosswise(&self, bucket: usize) -> Word<L> {
        // SeqCst, as the install: `design::protocol`, "Admissions".
        Word::from_bits(sync::load_crosswise(&self.words[bucket], Ordering::SeqCst))
    }

    /// Sets a word of an unshared table.
    pub(crate) fn set(&mut self, bucket: usize, content: Bucket<L>) {
        // Relaxed: `&mut` says that whatever follows is ordered by the handing over of the table
        // itself.
        self.words[bucket].store(content.bits(), Ordering::Relaxed);
    }
}

impl<'a, L: Layout> Pair<'a, L> {
    /// These two words, as those of a class.
    #[inline]
    pub(crate) fn new(class: Class, first: &'a AtomicU64, second: &'a AtomicU64) -> Self {
        Self {
            class,
            words: [first, second],
            layout: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn class(&self) -> Class {
        self.class
    }

    /// Prefetches both words.
    #[inline]
    pub(crate) fn prefetch(&self) {
        for word in self.words {
            word::prefetch(word);
        }
    }

    /// Both words, by independent loads.
    #[inline]
    pub(crate) fn load(&self) -> (Word<L>, Word<L>) {
        // SeqCst: see `Table::load`. Lookups and removes each need it; an insert does not, its
        // exchange decides.
        let [a, b] = self.words.map(|word| word.load(Ordering::SeqCst));
        (Word::from_bits(a), Word::from_bits(b))
    }
}

/// A table that is being read: the first buckets are present.
#[derive(Debug)]
pub(crate) struct Partial<L> {
    words: Vec<AtomicU64>,
    layout: PhantomData<L>,
}

impl<L: Layout> Partial<L> {
    pub(crate) fn new() -> Self {
        Self {
            words: Vec::new(),
            layout: PhantomData,
        }
    }

    /// The number of buckets.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// The number of further buckets that there is memory for.
    pub(crate) fn room(&self) -> usize {
        self.words.capacity() - self.words.len()
    }

    /// Allocates memory for `more` buckets, and hardly any more.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        allocate::grow(&mut self.words, more)
    }

    #[inline]
    pub(crate) fn push(&mut self, content: Bucket<L>) {
        self.words.push(AtomicU64::new(content.bits()));
    }

    /// The table of this geometry, once all buckets are present.
    pub(crate) fn build(self, geometry: Geometry<L>) -> Table<L> {
        // Loads without bounds checks rely on this.
        assert_eq!(self.words.len(), geometry.buckets(), "a whole table");
        Table {
            geometry,
            words: self.words.into_boxed_slice().into(),
        }
    }
}
