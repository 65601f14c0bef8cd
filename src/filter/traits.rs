//! The standard traits of a filter.

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::{Engine, Filter};

/// A filter of the size that a builder has unless it is set: for 1,024 items. For another size, use
/// [`with_capacity`](Filter::with_capacity) or a builder.
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
/// let filter: CuckooFilter = Default::default();
/// assert_eq!((filter.len(), filter.capacity()), (0, 1_024));
/// ```
impl<E: Engine, S: Default> Default for Filter<E, S> {
    #[track_caller]
    fn default() -> Self {
        match E::build(&Self::plan()) {
            Ok(engine) => Self::of(engine, S::default()),
            Err(error) => panic!("{error}"),
        }
    }
}

/// The measures. Not the items, and not the seed.
impl<E: Engine, S> fmt::Debug for Filter<E, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct(E::NAME)
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("tables", &self.engine.tables())
            .field("slots", &self.slots())
            .field("load_factor", &self.load_factor())
            .field("false_positive_rate", &self.false_positive_rate())
            .field("memory_usage", &self.memory_usage())
            .finish_non_exhaustive()
    }
}

/// Only the caller's `Hash` can panic, and only between two operations.
impl<E, S: RefUnwindSafe> RefUnwindSafe for Filter<E, S> {}

/// For the same reason. Implemented here, so that it does not depend on the fields of the filter.
impl<E, S: UnwindSafe> UnwindSafe for Filter<E, S> {}
