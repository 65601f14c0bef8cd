//! The sweep: how far a growth has come in the level that it leaves, and so where lookups look.
//!
//! It is in front of the words of that level, and says nothing of any other growth: so a thread may read it, or write to
//! it, however late.

use core::ptr;

use crate::sync::{AtomicPtr, AtomicU64, Ordering};

/// A level has one growth.
#[derive(Debug)]
pub(super) struct Sweep {
    /// The first word of the level below; null before the growth begins.
    below: AtomicPtr<AtomicU64>,
    /// How many words of the level below have parents that are gone, from the first on. What was split out of turn is not
    /// counted.
    children: AtomicU64,
}

impl Sweep {
    pub(super) fn new() -> Self {
        Self {
            below: AtomicPtr::new(ptr::null_mut()),
            children: AtomicU64::new(0),
        }
    }

    /// Says where the level below is. All who do so say the same.
    pub(super) fn lead_to(&self, below: *mut AtomicU64) {
        // Release: pairs with the Acquire in `below`; the block is there.
        self.below.store(below, Ordering::Release);
    }

    /// The first word of the level below; null before the growth begins.
    #[inline]
    pub(super) fn below(&self) -> *mut AtomicU64 {
        // Acquire: pairs with the Release in `lead_to`.
        self.below.load(Ordering::Acquire)
    }

    /// How many words of the level below have parents that are gone, from the first on.
    #[inline]
    pub(super) fn children(&self) -> u64 {
        // Acquire: pairs with the Release in `move_cursor`. Who has read it has the splits of the parents behind it.
        self.children.load(Ordering::Acquire)
    }

    /// How many words of this level are gone, from the first on.
    pub(super) fn cursor(&self) -> u64 {
        self.children() / 2
    }

    /// `to` words are gone, unless others have found more meanwhile.
    pub(super) fn move_cursor(&self, from: u64, to: u64) {
        // Release: pairs with the Acquire in `children`.
        let _ =
            self.children
                .compare_exchange(2 * from, 2 * to, Ordering::AcqRel, Ordering::Relaxed);
    }
}
