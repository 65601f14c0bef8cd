//! The table: an array of atomic words. Raw integers end here.

use crate::allocate::{self, OutOfMemory};
use crate::bucket::Bucket;
use crate::sync::{AtomicU64, Ordering};
use crate::word::Word;

#[derive(Debug)]
pub(crate) struct Table {
    words: Box<[AtomicU64]>,
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
    pub(crate) fn load(&self, bucket: usize, order: Ordering) -> Word {
        Word::from_bits(self.words[bucket].load(order))
    }

    /// Replaces `current` by `new`; false if the word is anything else by now.
    #[inline]
    pub(crate) fn exchange(
        &self,
        bucket: usize,
        current: impl Into<Word>,
        new: impl Into<Word>,
    ) -> bool {
        // AcqRel: publishes what the writer did before (the bump of a stripe, the fields behind a
        // reference) to whoever loads the word with Acquire, and orders the writer's next step after what
        // the word's last writer did. Acquire on failure: the caller goes on from what it lost to.
        self.words[bucket]
            .compare_exchange(
                current.into().bits(),
                new.into().bits(),
                Ordering::AcqRel,
                Ordering::Acquire,
            )
            .is_ok()
    }

    /// Reads the word in its modification order: the latest value there is, never a stale one.
    #[inline]
    pub(crate) fn read_latest(&self, bucket: usize) -> Word {
        // AcqRel: a read-modify-write that changes nothing. Two threads that each froze one word and read
        // the other this way cannot both miss the other's reference; two plain loads can (store buffering).
        Word::from_bits(self.words[bucket].fetch_or(0, Ordering::AcqRel))
    }

    /// Sets a word of a table that nobody else can reach.
    pub(crate) fn set(&mut self, bucket: usize, content: Bucket) {
        // Relaxed: `&mut` says that whatever follows is ordered by the handing over of the table itself.
        self.words[bucket].store(content.bits(), Ordering::Relaxed);
    }
}
