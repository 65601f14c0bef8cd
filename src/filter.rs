//! What all filters share: the type [`Filter`], its builder, the engines that it takes, and what
//! these say of themselves.
//!
//! The type is written once, for all engines and hashers. Most programs need only its aliases at
//! the root of the crate. The other names of this module are for programs that name a layout, that
//! choose a filter at run time, or that take any filter as an argument.

// Keep the order, from the constructors to storing: the documentation lists the methods in it.

mod builder;

mod operations;

mod measures;

mod batch;

mod values;

mod persistence;

mod dynamic;

#[cfg(feature = "growing")]
mod growing;
#[cfg(feature = "growing")]
pub use growing::Grows;

mod rotating;

#[cfg(feature = "shared")]
mod shared;
#[cfg(feature = "shared")]
pub use shared::{Attach, SharedFilter, SharedReader};

mod collect;

#[cfg(feature = "std")]
pub use builder::DefaultsTo;
#[cfg(feature = "growing")]
pub use builder::GrowingCuckooFilterBuilder;
pub use builder::{CuckooFilterBuilder, FilterBuilder, RotatingCuckooFilterBuilder};
pub use dynamic::{Dyn, DynFilter};

pub use crate::engine::buildable::Buildable;
pub use crate::engine::chunks::Chunks;
pub use crate::engine::kind::Kind;
pub use crate::engine::measures::Measures;
pub use crate::engine::operations::{Rotates, StoresValues};
pub use crate::engine::values::Values;
pub use crate::fixed::Fixed;
#[cfg(feature = "growing")]
pub use crate::growing::Growing;
pub use crate::rotating::Rotating;
#[cfg(feature = "shared")]
pub use crate::shared::engine::Shareable;

use core::fmt;
use core::hash::BuildHasher;
use core::panic::{RefUnwindSafe, UnwindSafe};

use crate::codec::header::Header;
use crate::codec::reading::Input;
use crate::codec::source::Source;
use crate::engine::operations::RawFilter;
use crate::engine::plan::Plan;
use crate::error::{OutOfMemory, ReadError, SnapshotError};
use crate::kernel::layout::{Layout, Shape};
use crate::random_state::RandomState;
use crate::typed_hasher::TypedHasher;

/// An approximate set that many threads share without a lock.
///
/// An item is stored as a fingerprint in one of two buckets. A fingerprint has 16 bits and a bucket
/// four slots, unless another [layout](crate::guide::layouts) is chosen.
/// [`contains`](Filter::contains) may be true for an item that was never inserted, with a
/// probability of at most about 0.012 % with the layout 4 x 16
/// ([`false_positive_rate`](Filter::false_positive_rate)). It is never false for a stored item.
/// Everything else is exact, whatever other threads do: no item is lost, and no copy is removed
/// twice.
///
/// Precisely, the filter is a multiset of *tokens*. Two items have the same token, and are of one
/// class, if they agree in fingerprint and candidate buckets. Such items cause false positives.
/// Every operation is linearizable with respect to the multiset of tokens, except
/// [`count`](Filter::count), [`snapshot`](Filter::snapshot) and storing, and the measures
/// ([`len`](Filter::len), [`load_factor`](Filter::load_factor) and those derived from them).
///
/// All operations take `&self` and are lock-free: a thread that stops at any point, even
/// permanently, does not prevent other threads from finishing. After construction a filter that
/// does not grow allocates only in [`snapshot`](Filter::snapshot), when it is stored, and for a few
/// descriptors when other calls hold all that there are. If the allocator takes a lock, a thread
/// that stops in it can block these. (With the feature `std`, the first write of
/// a thread, to any filter, obtains a number for the thread, and registers with the C runtime to
/// return the number when the thread ends. That may allocate, and may take a lock of the runtime.)
///
/// # Removing
///
/// Remove only what you inserted. In the rare case of a false positive, removing an item that was
/// not inserted removes the token of another item. If [`insert_unique`](Filter::insert_unique)
/// returned false, that call inserted nothing: do not remove for it.
///
/// # Memory ordering
///
/// An insert *happens before* a `contains`, `insert_unique` or `remove` that finds its token. A
/// `remove` that returns true *happens before* an operation that finds the token gone. So what a
/// thread wrote before inserting is visible to a thread that finds the item, unless it found
/// another copy or a false positive. All threads agree on one order of all operations.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
/// use std::thread;
///
/// let seen = CuckooFilter::with_capacity(100_000);
/// thread::scope(|scope| {
///     for worker in 0..4u32 {
///         let seen = &seen;
///         scope.spawn(move || {
///             for packet in 0..1_000u32 {
///                 seen.insert(&(worker, packet)).expect("sized for more");
///             }
///         });
///     }
/// });
/// assert!(seen.contains(&(3u32, 999u32)));
/// assert!(seen.remove(&(3u32, 999u32)));
/// assert_eq!(seen.len(), 3_999);
/// ```
pub type CuckooFilter<S = RandomState> = Filter<Fixed, S>;

/// A [`CuckooFilter`] that grows: approximate membership with exact removal, shared by many threads
/// without a lock, for as many items as fit into memory.
///
/// Its table doubles in place: each bucket splits in two. A lookup still loads two words, however
/// often the table has doubled. Each insert splits a few buckets, so no insert takes time linear in
/// the table, and none waits for another. A thread that stops during a split does not prevent
/// others from finishing it.
///
/// Each doubling takes a bit from the stored tokens, so it adds as much to the [rate of false
/// positives](Filter::false_positive_rate) as the first table, 0.013 %. After ten doublings the
/// next growth adds another table, and a lookup of an absent item reads both. While the table
/// doubles, it takes up to three times its previous memory, and then twice. So start with about the
/// expected number of items ([`capacity`](FilterBuilder::capacity)), and use the fixed filter if
/// you know the number.
///
/// The rest is as for the fixed filter. Every operation takes `&self` and is lock-free. No item is
/// lost, and no copy is removed twice. Remove only what you inserted; removal is exact in a growing
/// filter too. A table holds at most eight copies of an item: a ninth insert fails with
/// [`TooManyCopies`](crate::InsertError::TooManyCopies) instead of growing the filter.
///
/// Splits are pinned to an [epoch](https://docs.rs/crossbeam-epoch); lookups and removals are not.
/// On Linux, the words that a doubling leaves behind go back to the system when all splits that
/// could reach them have ended. On other systems, and for parts of a page, they go back when the
/// filter is dropped.
///
/// Its buckets have 4 slots of 16 bits. Only fixed and rotating filters take another
/// [layout](crate::guide::layouts).
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::GrowingCuckooFilter;
///
/// let seen = GrowingCuckooFilter::with_capacity(1_000);
/// for item in 0..50_000u32 {
///     seen.insert(&item)?;
/// }
/// assert_eq!(seen.tables(), 1); // one table still, for 50 times as many items
/// assert!((0..50_000u32).all(|item| seen.contains(&item)));
/// assert!((0..50_000u32).all(|item| seen.remove(&item)));
/// assert!(seen.is_empty());
/// # Ok::<(), lockfree_cuckoo::InsertError>(())
/// ```
#[cfg(feature = "growing")]
pub type GrowingCuckooFilter<S = RandomState> = Filter<Growing, S>;

/// A [`CuckooFilter`] that forgets: items leave by themselves, one to two periods after their
/// insert.
///
/// It holds the items of several generations, two unless [set](FilterBuilder::generations). Inserts
/// go to the young one. [`rotate`](Filter::rotate) makes an empty generation the young one, and
/// forgets the oldest with all its items. It does not happen by itself: call
/// [`rotate_if_due`](Filter::rotate_if_due) with a [clock](crate::RotationClock), or `rotate` when
/// the young generation [is full](Filter::is_full). Any thread can call them while others use the
/// filter. All memory is allocated at construction, and reused.
///
/// With `n` generations:
///
/// * **An item is found** by lookups that begin after its insert returned, and end before the
///   `n`-th rotation after the insert *began*.
/// * **An item is forgotten** by the `n`-th rotation after its insert *returned*: lookups that
///   begin later do not find it, unless it is inserted again or is a false positive.
/// * **[`insert_unique`](Filter::insert_unique) returns true at most once in the life of an item**,
///   even if the filter rotates meanwhile. A life ends with the rotation that forgets the item, or
///   with its removal.
/// * [`remove`](Filter::remove) takes the oldest copy.
///
/// A call that itself spans `n` rotations or more promises less: an item that it inserts may be
/// forgotten at once, and an item that it should remove may already be forgotten. Until such an
/// insert returns, other calls may find its item, then not find it, and then find it again. Remove
/// only items that have not been forgotten: removing a forgotten item can take another item's copy
/// ([`removing`](crate::guide::removing)).
///
/// The rest is as for the fixed filter. Every operation takes `&self` and is lock-free, rotations
/// too. Lookups read up to `n` tables. The filter has one more table than generations. The
/// [false-positive rates](Filter::false_positive_rate) of the generations add up.
/// [`capacity`](Filter::capacity) and [`is_full`](Filter::is_full) are those of the young
/// generation; [`len`](Filter::len) counts all.
///
/// See the guide on [rotating filters](crate::guide::rotating), and the design pages on
/// [rotation](crate::design::rotation).
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::RotatingCuckooFilter;
///
/// let seen = RotatingCuckooFilter::with_capacity(1_000); // items of one period
/// assert!(seen.insert_unique("flow")?);
/// seen.rotate()?; // the first period is over
/// assert!(!seen.insert_unique("flow")?);
/// seen.rotate()?;
/// assert!(!seen.contains("flow")); // forgotten
/// assert!(seen.insert_unique("flow")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type RotatingCuckooFilter<S = RandomState> = Filter<Rotating, S>;

/// All filters of this crate: [`CuckooFilter`], [`GrowingCuckooFilter`] and
/// [`RotatingCuckooFilter`] are aliases of it.
///
/// `E` is the engine: [`Fixed`], [`Growing`] or [`Rotating`]. It determines what happens when the
/// filter is full, and as time passes. Its parameter is the [layout](crate::layout::Layout) of the
/// buckets, 4 x 16 unless named; a `Growing` always has 4 x 16. `S` makes the hasher.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{Filter, filter::Fixed, layout::SemiSorted};
///
/// type HalfTheErrors = Filter<Fixed<SemiSorted<4, 17>>>;
///
/// let filter = HalfTheErrors::with_capacity(100);
/// filter.insert("a")?;
/// assert!(filter.contains("a"));
/// # Ok::<(), lockfree_cuckoo::InsertError>(())
/// ```
pub struct Filter<E = Fixed, S = RandomState> {
    engine: E,
    hasher: S,
}

impl<E, S> Filter<E, S> {
    /// The bytes outside the engine's heap memory.
    const BYTES: usize = size_of::<Self>();

    fn of(engine: E, hasher: S) -> Self {
        Self { engine, hasher }
    }

    /// This filter, with calls that take items of one type, and refuse others when they are
    /// compiled: see [`TypedHasher`]. Nothing is copied.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let flows = CuckooFilter::with_capacity(1_000).typed::<u64>();
    /// flows.insert(&5)?; // the literal is a u64 here
    /// assert!(flows.contains(&5));
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub fn typed<T: ?Sized>(self) -> Filter<E, TypedHasher<T, S>>
    where
        S: BuildHasher,
    {
        Filter::of(self.engine, TypedHasher::new(self.hasher))
    }

    /// The object with the operations of the engine.
    #[inline(always)]
    pub(crate) fn engine(&self) -> &E::Inner
    where
        E: Engine,
    {
        self.engine.inner()
    }
}

/// The engine of a [`Filter`]: [`Fixed`], [`Growing`], [`Rotating`], or [`Dyn`], which is any of
/// the three.
///
/// Sealed: only this crate implements it. Every engine is `Send + Sync`, so a filter is too if its
/// hasher is. Use it as a bound to accept any filter:
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, Filter, filter::Engine};
///
/// fn is_half_full<E: Engine, S>(filter: &Filter<E, S>) -> bool {
///     filter.load_factor() > 0.5
/// }
///
/// assert!(!is_half_full(&CuckooFilter::with_capacity(100)));
/// ```
pub trait Engine: fmt::Debug + Sized + Send + Sync + 'static {
    /// The object with the operations: the engine itself, or the engine that it boxes.
    #[doc(hidden)]
    type Inner: RawFilter + ?Sized;

    #[doc(hidden)]
    fn inner(&self) -> &Self::Inner;

    #[doc(hidden)]
    fn inner_mut(&mut self) -> &mut Self::Inner;

    /// The same object, for calls that need not be inlined.
    #[doc(hidden)]
    fn object(&self) -> &dyn RawFilter;

    #[doc(hidden)]
    fn empty_like(&self) -> Result<Self, OutOfMemory>;

    #[doc(hidden)]
    fn snapshot(&self) -> Result<Self, SnapshotError>;

    /// Checks that a stored filter is of this kind and layout.
    #[doc(hidden)]
    fn recognize(header: &Header) -> Result<(), ReadError>;

    /// Reads what follows the header of a filter. `outside` is its number of bytes outside its
    /// engine's heap.
    #[doc(hidden)]
    fn read(header: &Header, source: &mut dyn Source, outside: usize) -> Result<Self, ReadError>;
}

impl<E: Buildable> Engine for E {
    type Inner = Self;

    #[inline(always)]
    fn inner(&self) -> &Self {
        self
    }

    fn inner_mut(&mut self) -> &mut Self {
        self
    }

    fn object(&self) -> &dyn RawFilter {
        self
    }

    fn empty_like(&self) -> Result<Self, OutOfMemory> {
        Buildable::empty_like(self)
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        Buildable::snapshot(self)
    }

    fn recognize(header: &Header) -> Result<(), ReadError> {
        header.check(E::KIND, Shape::of::<E::Layout>())
    }

    fn read(header: &Header, source: &mut dyn Source, outside: usize) -> Result<Self, ReadError> {
        E::restore(Input::behind(header, source), outside)
    }
}

/// An engine whose buckets can have any [layout](crate::guide::layouts): [`Fixed`] or [`Rotating`].
///
/// Sealed, as [`Engine`] is. Growing filters have buckets of 4 slots of 16 bits.
///
/// ```
/// use lockfree_cuckoo::{Filter, FilterBuilder, filter::AnyLayout, layout::Lanes};
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
    note = "leave out `.layout()`; take `.max_false_positive_rate(rate)` and `.build()` in place of `.build_smallest(rate)`"
)]
pub trait AnyLayout: Buildable {}

impl<L: Layout> AnyLayout for Fixed<L> {}
impl<L: Layout> AnyLayout for Rotating<L> {}

/// A filter of the builder's default size: for 1,024 items. For another size, use
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
impl<E: Buildable, S: Default> Default for Filter<E, S> {
    #[track_caller]
    fn default() -> Self {
        match E::build(&Plan::new(), Self::BYTES) {
            Ok(engine) => Self::of(engine, S::default()),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Prints the kind, the layout and the measures, but neither the items nor the seed.
impl<E: Engine, S> fmt::Debug for Filter<E, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct(self.engine().kind().name())
            .field("layout", &self.engine().shape())
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .field("tables", &self.engine().tables())
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
