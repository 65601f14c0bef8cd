//! The generation in use, once the first one has been sealed.
//!
//! The first is part of the engine, so that who never empties a filter never pays for this. Those after it are behind a
//! pointer, and are freed when all threads have been unpinned that were pinned when they were left (Fraser, "Practical
//! lock-freedom", 2004). So they are used under a guard.

use std::sync::Arc;

use crossbeam_epoch::Guard;

use super::generation::Generation;
use super::slot::Slot;
use crate::sync::{AtomicU64, Ordering};

#[derive(Debug)]
pub(super) struct Current {
    generation: Slot<Generation>,
    /// The bytes of generations that were left, and are not freed yet.
    left: Arc<AtomicU64>,
}

impl Current {
    pub(super) fn new() -> Self {
        Self {
            generation: Slot::new(),
            left: Arc::new(AtomicU64::new(0)),
        }
    }

    /// The generation in use, unless that is the first.
    #[allow(unsafe_code, reason = "it is freed by the epoch")]
    pub(super) fn load<'g>(&self, guard: &'g Guard) -> Option<&'g Generation> {
        // SAFETY: what is freed has been taken out of here before, and after that a grace period has passed.
        unsafe { self.generation.load(guard) }
    }

    /// The bytes of generations that were left, and are not freed yet.
    pub(super) fn left_bytes(&self) -> usize {
        // Relaxed, here and below: a measure, which orders nothing.
        self.left.load(Ordering::Relaxed) as usize
    }

    /// Leaves the first generation, which is sealed, for the one after it, unless another thread has done so.
    pub(super) fn leave_first(&self, first: &Generation, guard: &Guard) {
        if first.successor().hand_to(&self.generation, None) {
            // Its addresses stay: threads may still read there that are not pinned.
            guard.defer(first.release());
            guard.flush();
        }
    }

    /// The same of one that was loaded under this guard.
    #[allow(unsafe_code, reason = "it is freed by the epoch")]
    pub(super) fn leave(&self, sealed: &Generation, guard: &Guard) {
        let bytes = (sealed.bytes(guard) + size_of::<Generation>()) as u64;
        if !sealed.successor().hand_to(&self.generation, Some(sealed)) {
            return;
        }
        self.left.fetch_add(bytes, Ordering::Relaxed);
        let left = Arc::clone(&self.left);
        // SAFETY: it was a box when it came into the slot, and this thread alone has taken it out.
        let sealed = unsafe { Box::from_raw(core::ptr::from_ref(sealed).cast_mut()) };
        guard.defer(move || {
            drop(sealed);
            left.fetch_add(bytes.wrapping_neg(), Ordering::Relaxed);
        });
        guard.flush();
    }

    /// Takes the generation out.
    pub(super) fn take(&mut self) -> Option<Box<Generation>> {
        self.generation.take()
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        drop(self.take());
    }
}
