//! The standard traits of a filter.

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

use crate::filter::CuckooFilter;

/// Copies the tokens that are in at the time. Exact while nobody writes; a token that hops or is written
/// meanwhile may be missing from the copy, or be in it twice.
///
/// The copy has the same geometry and hasher, and so the same answers. Takes time linear in the size.
///
/// # Panics
///
/// If the memory cannot be had.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
///
/// let filter = CuckooFilter::with_capacity(100);
/// let copy = filter.clone();
/// filter.insert("a")?;
/// assert!(!copy.contains("a"));
/// # Ok::<(), lockfree_cuckoo::InsertError>(())
/// ```
impl<S: Clone> Clone for CuckooFilter<S> {
    fn clone(&self) -> Self {
        let copy = self.tokens.quiescent_copy().and_then(|(tokens, len)| {
            Self::from_parts(tokens, len, self.capacity, self.hasher.clone())
        });
        match copy {
            Ok(copy) => copy,
            Err(error) => panic!(
                "{} bytes of memory for a filter could not be allocated",
                error.bytes
            ),
        }
    }
}

impl<S> fmt::Debug for CuckooFilter<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("CuckooFilter")
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("slots", &self.slots())
            .field("memory_usage", &self.memory_usage())
            .finish_non_exhaustive()
    }
}

/// A panic can only come from the caller's `Hash`, between two operations.
impl<S: RefUnwindSafe> RefUnwindSafe for CuckooFilter<S> {}

/// The same reason. Said here, so that it does not hang on what the filter is made of.
impl<S: UnwindSafe> UnwindSafe for CuckooFilter<S> {}
