//! The table: an array of atomic words. Raw integers end here.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::allocate::{self, OutOfMemory};
use crate::bucket::Bucket;
use crate::prefetch::prefetch;
use crate::sync::{AtomicU64, Ordering};
use crate::word::Word;

#[derive(Debug)]
pub(crate) struct Table {
    words: Box<[AtomicU64]>,
}

/// A table of which the first buckets are there: one that is being read in.
#[derive(Debug, Default)]
pub(crate) struct TableBuilder {
    words: Vec<AtomicU64>,
}

impl Table {
    pub(crate) fn new(buckets: usize) -> Result<Self, OutOfMemory> {
        let words = allocate::slice(buckets, || AtomicU64::new(Bucket::EMPTY.bits()))?;
        Ok(Self { words })
    }

    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        allocate::bytes(&self.words)
    }

    #[inline]
    pub(crate) fn load(&self, bucket: usize) -> Word {
        // SeqCst, as every access to a word: a thread that has written one word and reads another must not
        // miss what a second thread, doing the same crosswise, has written (store buffering). As an Acquire
        // it pairs with `exchange`: it brings the bump and the fields that the word's writer left.
        Word::from_bits(self.words[bucket].load(Ordering::SeqCst))
    }

    /// The same for two buckets at once, as independent loads without bounds checks.
    ///
    /// # Safety
    ///
    /// Both must be less than [`len`](Self::len).
    #[inline]
    #[allow(unsafe_code, reason = "lookups are a tenth faster for it")]
    pub(crate) unsafe fn load_both(&self, first: usize, second: usize) -> (Word, Word) {
        debug_assert!(first < self.len() && second < self.len());
        // SAFETY: the caller's promise.
        let (a, b) = unsafe {
            (
                self.words.get_unchecked(first),
                self.words.get_unchecked(second),
            )
        };
        // SeqCst: see `load`.
        let (a, b) = (a.load(Ordering::SeqCst), b.load(Ordering::SeqCst));
        (Word::from_bits(a), Word::from_bits(b))
    }

    /// Asks for the line of a bucket. A number that is too large does no harm.
    #[inline]
    pub(crate) fn prefetch(&self, bucket: usize) {
        prefetch(self.words.as_ptr().wrapping_add(bucket));
    }

    /// Replaces `current` by `new`; false if the word is anything else by now.
    #[inline]
    pub(crate) fn exchange(
        &self,
        bucket: usize,
        current: impl Into<Word>,
        new: impl Into<Word>,
    ) -> bool {
        // SeqCst: see `load`. As a Release it publishes what the writer did before, the bump of a stripe or
        // the fields behind a reference; as an Acquire it orders the writer's next step after what the
        // word's last writer did. On failure too: an owner that finds its word written back by another has
        // that write-back behind it in the one order.
        self.words[bucket]
            .compare_exchange(
                current.into().bits(),
                new.into().bits(),
                Ordering::SeqCst,
                Ordering::SeqCst,
            )
            .is_ok()
    }

    /// Reads the word in its modification order: the latest value there is, never a stale one.
    #[inline]
    pub(crate) fn read_latest(&self, bucket: usize) -> Word {
        // A read-modify-write that changes nothing. Two threads that each froze one word and read the other
        // this way cannot both miss the other's reference, even without the one order of `load`.
        Word::from_bits(self.words[bucket].fetch_or(0, Ordering::SeqCst))
    }

    /// Sets a word of a table that nobody else can reach.
    pub(crate) fn set(&mut self, bucket: usize, content: Bucket) {
        // Relaxed: `&mut` says that whatever follows is ordered by the handing over of the table itself.
        self.words[bucket].store(content.bits(), Ordering::Relaxed);
    }
}

impl TableBuilder {
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// The buckets that there is memory for besides.
    pub(crate) fn room(&self) -> usize {
        self.words.capacity() - self.words.len()
    }

    /// Gets memory for `more` buckets, and for hardly any beyond those.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        allocate::grow(&mut self.words, more)
    }

    #[inline]
    pub(crate) fn push(&mut self, content: Bucket) {
        self.words.push(AtomicU64::new(content.bits()));
    }

    pub(crate) fn build(self) -> Table {
        Table {
            words: self.words.into_boxed_slice(),
        }
    }
}
