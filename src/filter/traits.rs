//! The standard traits of a filter.

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::{Engine, Filter, Items};

/// Copies the tokens that are in at the time. Exact while no thread writes; a token that hops or is written
/// meanwhile may be missing from the copy, or be in it twice.
///
/// The copy has the same geometry and hasher, and so the same answers. Takes time linear in the size.
///
/// # Panics
///
/// If the memory could not be allocated.
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
impl<E: Engine, S: Clone, I> Clone for Filter<E, S, I> {
    fn clone(&self) -> Self {
        match self.engine.quiescent_copy() {
            Ok(engine) => Self::of(engine, self.hasher.clone()),
            Err(error) => panic!("{error}"),
        }
    }
}

impl<E: Engine, S, I: Items> fmt::Debug for Filter<E, S, I> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(I::PREFIX)?;
        out.debug_struct(E::NAME)
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("segments", &self.engine.segments())
            .field("slots", &self.slots())
            .field("memory_usage", &self.memory_usage())
            .finish_non_exhaustive()
    }
}

/// Only the caller's `Hash` can panic, and only between two operations.
impl<E, S: RefUnwindSafe, I> RefUnwindSafe for Filter<E, S, I> {}

/// For the same reason. Implemented here, so that it does not depend on the fields of the filter.
impl<E, S: UnwindSafe, I> UnwindSafe for Filter<E, S, I> {}
