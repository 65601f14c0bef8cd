//! What a filter can be built on.

use super::Rotates;
#[cfg(feature = "std")]
use crate::engine::Growing;
use crate::engine::{Fixed, Rotating};
use crate::layout::Layout;
use crate::stored::Stored;

/// What a [`Filter`](crate::Filter) is built on: [`Fixed`], [`Growing`] or [`Rotating`].
///
/// Sealed: the engines are those of this crate. As a bound it lets a function take any filter:
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, Engine, Filter};
///
/// fn is_half_full<E: Engine, S>(filter: &Filter<E, S>) -> bool {
///     filter.load_factor() > 0.5
/// }
///
/// assert!(!is_half_full(&CuckooFilter::with_capacity(100)));
/// ```
pub trait Engine: Stored {
    /// The same engine with buckets of another layout, if it takes [any](AnyLayout); else itself.
    // Were it a type of `AnyLayout`, the compiler would say that a growing filter's builder has no `layout`, and not why.
    type With<M: Layout>: Engine<Options = Self::Options>;

    /// What only an engine that rotates has, if it does.
    #[doc(hidden)]
    fn rotating(&self) -> Option<&dyn Rotates> {
        None
    }
}

/// An engine whose buckets can have any [layout](crate::guide::layouts): [`Fixed`] or [`Rotating`].
///
/// Sealed, as [`Engine`] is. Growing filters have buckets of 4 slots of 16 bits.
///
/// ```
/// use lockfree_cuckoo::{AnyLayout, Filter, FilterBuilder, Lanes};
///
/// fn with_small_buckets<E: AnyLayout, S>(
///     builder: FilterBuilder<E, S>,
/// ) -> FilterBuilder<E::With<Lanes<8, 8>>, S> {
///     builder.layout()
/// }
///
/// let filter = with_small_buckets(<Filter>::builder()).build()?;
/// assert_eq!(filter.slots() % 8, 0);
/// # Ok::<(), lockfree_cuckoo::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a filter on `{Self}` cannot have any layout",
    label = "its buckets have one layout",
    note = "growing filters have buckets of 4 slots of 16 bits",
    note = "leave out `.layout()`, or take a fixed or rotating filter for other layouts"
)]
pub trait AnyLayout: Engine {}

impl<L: Layout> AnyLayout for Fixed<L> {}
impl<L: Layout> AnyLayout for Rotating<L> {}

impl<L: Layout> Engine for Fixed<L> {
    type With<M: Layout> = Fixed<M>;
}

#[cfg(feature = "std")]
impl Engine for Growing {
    type With<M: Layout> = Self;
}

impl<L: Layout> Engine for Rotating<L> {
    type With<M: Layout> = Rotating<M>;

    fn rotating(&self) -> Option<&dyn Rotates> {
        Some(self)
    }
}
