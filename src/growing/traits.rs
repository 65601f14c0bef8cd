//! The standard traits of a growing filter.

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use super::GrowingCuckooFilter;
use super::chain::Chain;
use super::operations::pinned;
use crate::allocate::OutOfMemory;
use crate::published::Published;

/// A copy with its own memory. Of items that come or go meanwhile any part can be in it; what is in throughout
/// is, if nobody writes to it.
///
/// # Panics
///
/// If the memory cannot be had.
impl<S: Clone> Clone for GrowingCuckooFilter<S> {
    fn clone(&self) -> Self {
        let copy = pinned(|guard| {
            let chain = self.chain.load(guard);
            let segments: Result<Vec<_>, OutOfMemory> = chain
                .segments()
                .iter()
                .map(|segment| segment.quiescent_copy().map(Arc::new))
                .collect();
            segments.map(|segments| Chain::at_rest(segments, chain.target_index()))
        });
        match copy {
            Ok(chain) => Self {
                chain: Published::new(chain),
                hasher: self.hasher.clone(),
                ..*self
            },
            Err(error) => panic!(
                "{} bytes of memory for a filter could not be allocated",
                error.bytes
            ),
        }
    }
}

impl<S> fmt::Debug for GrowingCuckooFilter<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("GrowingCuckooFilter")
            .field("len", &self.len())
            .field("segments", &self.segments())
            .field("slots", &self.slots())
            .field("memory_usage", &self.memory_usage())
            .finish_non_exhaustive()
    }
}

/// A panic in an item's `Hash` comes before anything is changed.
impl<S: RefUnwindSafe> RefUnwindSafe for GrowingCuckooFilter<S> {}

impl<S: UnwindSafe> UnwindSafe for GrowingCuckooFilter<S> {}
