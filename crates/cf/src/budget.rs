//! The memory that filters share as they grow.

use std::fmt::Debug;

use lockfree_cuckoo::InsertError;

/// Memory for all filters of a server, of which those that grow take more and more.
///
/// Before a filter may come to grow, it looks whether there is enough left; when it has grown, it says so. No memory is
/// put aside in between: filters that grow at the same moment can together take more than was left, each by one growth.
pub trait Budget: Debug + Send + Sync {
    /// Bytes that nobody has taken.
    fn left(&self) -> usize;

    /// The memory of a filter has changed.
    fn has_changed(&self);
}

/// Why an item was not added.
#[derive(Debug, thiserror::Error)]
pub enum NotAdded {
    /// The filter refused it.
    #[error(transparent)]
    Refused(#[from] InsertError),
    /// The filter is nearly full, and the memory that all filters share is too little for it to grow.
    #[error(
        "to grow, the filter can need {needed} bytes, and what is left for all filters is {left}"
    )]
    NoMemoryToGrow {
        /// At most this many bytes for the next segment.
        needed: usize,
        /// What is left for all filters.
        left: usize,
    },
}
