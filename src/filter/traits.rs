//! The standard traits of a filter.

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::{Engine, Filter, Items};
use crate::engine::Plan;
use crate::error::SnapshotError;
use crate::sync;

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
impl<E: Engine, S: Default, I> Default for Filter<E, S, I> {
    #[track_caller]
    fn default() -> Self {
        let plan = Plan {
            outside: Self::BYTES,
            ..Plan::default()
        };
        match E::build(&plan) {
            Ok(engine) => Self::of(engine, S::default()),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Copies the filter, as [`snapshot`](Filter::snapshot) does, while other threads read and write it.
///
/// The clone contains every item that is in from before the call until after it, and may contain any part of what is
/// inserted or removed during the call. It is exact if no thread writes meanwhile. It has the same geometry and hasher,
/// and so the same answers.
///
/// A clone cannot return an error. So where `snapshot` returns [`Busy`](SnapshotError::Busy) or
/// [`Disturbed`](SnapshotError::Disturbed), it yields and tries again until it succeeds. This is the one call that
/// waits for other threads. It waits for ever if a thread was killed in the middle of a snapshot. Use `snapshot` where
/// that matters.
///
/// Takes time linear in the size. As with `snapshot`, the first copy makes the original larger by a sixteenth of its
/// table.
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
        loop {
            match self.snapshot() {
                Ok(copy) => return copy,
                Err(SnapshotError::OutOfMemory(error)) => panic!("{error}"),
                Err(SnapshotError::Busy | SnapshotError::Disturbed) => sync::yield_now(),
            }
        }
    }
}

/// The measures. Not the items, and not the seed.
impl<E: Engine, S, I: Items> fmt::Debug for Filter<E, S, I> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(I::PREFIX)?;
        out.debug_struct(E::NAME)
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("segments", &self.engine.segments())
            .field("slots", &self.slots())
            .field("load_factor", &self.load_factor())
            .field("false_positive_rate", &self.false_positive_rate())
            .field("memory_usage", &self.memory_usage())
            .finish_non_exhaustive()
    }
}

/// Only the caller's `Hash` can panic, and only between two operations.
impl<E, S: RefUnwindSafe, I> RefUnwindSafe for Filter<E, S, I> {}

/// For the same reason. Implemented here, so that it does not depend on the fields of the filter.
impl<E, S: UnwindSafe, I> UnwindSafe for Filter<E, S, I> {}
