//! The memory that filters share as they grow.

use std::fmt::Debug;

use lockfree_cuckoo::InsertError;

/// Memory of which filters that grow take more and more: all those of a server, or each its own.
///
/// Before a filter adds items, it asks how much is left, and it grows by no more than that. When it has grown, it says so.
/// No memory is put aside in between: filters that grow at the same moment can together take more than was left, each by
/// one growth.
pub trait Budget: Debug + Send + Sync {
    /// Bytes that the filter which asks, and takes `used` bytes now, may take besides.
    fn left(&self, used: usize) -> usize;

    /// The memory of a filter has changed.
    fn has_changed(&self);
}

/// Why an item was not added.
#[derive(Debug, thiserror::Error)]
pub enum NotAdded {
    /// The filter refused it.
    #[error(transparent)]
    Refused(#[from] InsertError),
    /// The filter has no room for it, and to grow takes more than what is left.
    #[error("to grow, the filter needs {needed} bytes more, and {left} are left")]
    NoMemoryToGrow {
        /// Bytes that it needs besides those that it has.
        needed: usize,
        /// What is left for this filter.
        left: usize,
    },
}
