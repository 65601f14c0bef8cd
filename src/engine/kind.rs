//! The kinds of filters, as values.

use core::fmt;

/// What a filter does when it is full, and with time.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, DynFilter, filter::Kind};
///
/// let filter: DynFilter = CuckooFilter::with_capacity(100).into();
/// assert_eq!(filter.kind(), Kind::Fixed);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A [`CuckooFilter`](crate::CuckooFilter).
    Fixed,
    /// A
    /// [`GrowingCuckooFilter`](https://docs.rs/lockfree-cuckoo/latest/lockfree_cuckoo/type.GrowingCuckooFilter.html).
    Growing,
    /// A [`RotatingCuckooFilter`](crate::RotatingCuckooFilter).
    Rotating,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fixed => "CuckooFilter",
            Self::Growing => "GrowingCuckooFilter",
            Self::Rotating => "RotatingCuckooFilter",
        }
    }
}

/// The name of the type.
impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
