//! What a filter can be built on.

use super::Rotates;
use crate::engine::{Fixed, Rotating};
#[cfg(feature = "std")]
use crate::engine::{Growing, Ladder};
use crate::layout::Layout;
use crate::stored::Stored;

/// What a [`Filter`](crate::Filter) is built on: [`Fixed`], [`Ladder`], [`Growing`] or
/// [`Rotating`].
///
/// Sealed: the engines are those of this crate. As a bound it lets a function take any filter:
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, Engine, Filter};
///
/// fn is_half_full<E: Engine, S, I>(filter: &Filter<E, S, I>) -> bool {
///     filter.load_factor() > 0.5
/// }
///
/// assert!(!is_half_full(&CuckooFilter::with_capacity(100)));
/// ```
pub trait Engine: Stored {
    /// The same engine with buckets of another layout.
    type With<M: Layout>: Engine<Options = Self::Options, Layout = M>;

    /// What only an engine that rotates has, if it does.
    #[doc(hidden)]
    fn rotating(&self) -> Option<&dyn Rotates> {
        None
    }
}

impl<L: Layout> Engine for Fixed<L> {
    type With<M: Layout> = Fixed<M>;
}

#[cfg(feature = "std")]
impl<L: Layout> Engine for Growing<L> {
    type With<M: Layout> = Growing<M>;
}

/// Of other layouts there is a chain of tables.
#[cfg(feature = "std")]
impl Engine for Ladder {
    type With<M: Layout> = Growing<M>;
}

impl<L: Layout> Engine for Rotating<L> {
    type With<M: Layout> = Rotating<M>;

    fn rotating(&self) -> Option<&dyn Rotates> {
        Some(self)
    }
}
