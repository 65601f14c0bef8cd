//! What a filter can be built on.

#[cfg(feature = "std")]
use crate::engine::Growing;
use crate::engine::{Fixed, Rotating};
use crate::layout::{Lanes, Layout};
use crate::stored::Stored;

/// What a [`Filter`](crate::Filter) is built on: [`Fixed`], [`Growing`] or [`Rotating`].
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
pub trait Engine: Stored {}

impl<L: Layout> Engine for Fixed<L> {}

#[cfg(feature = "std")]
impl<L: Layout> Engine for Growing<L> {}

impl<L: Layout> Engine for Rotating<L> {}

/// An engine with the default layout, which is meant where none is named. Sealed.
///
/// The constructors are for these engines, so that `CuckooFilter::with_capacity(100)` says which filter it makes.
pub trait Standard: Engine {}

impl Standard for Fixed<Lanes<4, 16>> {}

#[cfg(feature = "std")]
impl Standard for Growing<Lanes<4, 16>> {}

impl Standard for Rotating<Lanes<4, 16>> {}
