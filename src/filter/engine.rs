//! What a filter can be built on. And what filters that rotate have, for those that are chosen at run time.

#[cfg(feature = "std")]
use crate::engine::Growing;
use crate::engine::{Fixed, Rotating};
use crate::error::{InsertError, InsertManyError, RotateError};
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

pub(super) mod sealed {
    pub trait Sealed {}
}

/// What only filters that rotate have, of a filter whose layout is chosen at run time:
/// [`Hashed::rotating`](super::Hashed::rotating) returns it.
///
/// Each is the method of the same name of the [`RotatingCuckooFilter`](crate::RotatingCuckooFilter).
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{Hashed, RotatingCuckooFilter};
///
/// let filter = RotatingCuckooFilter::builder().capacity(1_000).build_smallest(0.01)?;
/// let rotating = filter.rotating().expect("it rotates");
/// let flow = 0x9e37_79b9_7f4a_7c15;
/// assert!(rotating.refresh_hash(flow)?);
/// rotating.rotate()?;
/// assert!(filter.contains_hash(flow));
/// rotating.rotate()?;
/// assert!(!filter.contains_hash(flow)); // forgotten
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Rotates: sealed::Sealed + Send + Sync {
    /// As [`rotate`](crate::RotatingCuckooFilter::rotate).
    ///
    /// # Errors
    ///
    /// As [`rotate`](crate::RotatingCuckooFilter::rotate).
    fn rotate(&self) -> Result<(), RotateError>;

    /// As [`rotate_if`](crate::RotatingCuckooFilter::rotate_if).
    ///
    /// # Errors
    ///
    /// As [`rotate_if`](crate::RotatingCuckooFilter::rotate_if).
    fn rotate_if(&self, rotations: u64) -> Result<bool, RotateError>;

    /// As [`rotations`](crate::RotatingCuckooFilter::rotations).
    fn rotations(&self) -> u64;

    /// As [`generations`](crate::RotatingCuckooFilter::generations).
    fn generations(&self) -> usize;

    /// As [`refresh_hash`](crate::RotatingCuckooFilter::refresh_hash).
    ///
    /// # Errors
    ///
    /// As [`refresh_hash`](crate::RotatingCuckooFilter::refresh_hash).
    fn refresh_hash(&self, hash: u64) -> Result<bool, InsertError>;

    /// As [`refresh_many_hash`](crate::RotatingCuckooFilter::refresh_many_hash).
    ///
    /// # Errors
    ///
    /// As [`refresh_many_hash`](crate::RotatingCuckooFilter::refresh_many_hash).
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn refresh_many_hash(&self, hashes: &[u64], new: &mut [bool]) -> Result<(), InsertManyError>;
}
