//! The facade: the public type, once for all engines and hashers.

// The documentation lists the methods in the order of these lines, from the constructors to storing.

mod builder;

mod operations;

mod measures;

mod batch;

mod values;

mod persistence;

mod dynamic;

#[cfg(feature = "std")]
mod growing;
#[cfg(feature = "std")]
pub use growing::Grows;

mod rotating;

mod collect;

#[cfg(feature = "std")]
pub use builder::GrowingCuckooFilterBuilder;
pub use builder::{CuckooFilterBuilder, FilterBuilder, RotatingCuckooFilterBuilder};
pub use dynamic::{Dyn, DynFilter};
pub use values::Values;

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

#[cfg(feature = "std")]
use crate::engine::Growing;
use crate::engine::{Fixed, Plan, Rotating};
use crate::error::{OutOfMemory, ReadError, SnapshotError};
use crate::layout::Layout;
use crate::random_state::RandomState;
use crate::stored::{self, Frame, Identity, Restored, Source, Stored};

/// A set that many threads share without a lock and that answers membership approximately.
///
/// An item is stored as a fingerprint in one of two buckets: of 16 bits in buckets of four slots, unless another
/// [layout](crate::guide::layouts) is chosen. [`contains`](Filter::contains) may be true for an item that was never
/// inserted, with a probability of at most about 0.012 % with the layout 4 x 16
/// ([`false_positive_rate`](Filter::false_positive_rate)); it is never false for an item that is in. Everything
/// else is exact, whatever other threads do: no item is lost, and no copy is removed twice.
///
/// Precisely, the filter is a multiset of *tokens*. Two items have the same token, and are of one class, if
/// they agree in fingerprint and candidate buckets; that is what a false positive is. Every operation is
/// linearizable with respect to the multiset of tokens, except [`count`](Filter::count) and the measures
/// ([`len`](Filter::len), [`load_factor`](Filter::load_factor) and those that follow from them).
///
/// All operations take `&self` and are lock-free: a thread that is stopped at any point, for ever, keeps no
/// other from finishing. None allocates after construction but [`snapshot`](Filter::snapshot) and
/// storing. (With the feature
/// `std`, the first write of a thread, to any filter, takes a number for the thread, and registers with the C
/// runtime that it be given back at the thread's end; that may allocate, and take a lock of the runtime.)
///
/// # Removing
///
/// Remove only what you inserted. Removing an item that was not inserted removes, in the rare case of a
/// false positive, the token of another item. If [`insert_unique`](Filter::insert_unique) answered false, that
/// call inserted nothing: do not remove for it.
///
/// # Memory ordering
///
/// An insert *happens before* a `contains`, `insert_unique` or `remove` that finds the token it added, and a
/// `remove` that returns true happens before an operation that finds the token gone: what a thread wrote
/// before inserting is visible to a thread that finds the item, unless it found another copy or a false
/// positive. All operations have one order that all threads agree on.
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

/// A [`CuckooFilter`] that makes itself room: approximate membership with exact removal,
/// shared by many threads without a lock, of as many items as there is memory for.
///
/// Its table doubles in place: each bucket splits in two, and a lookup still loads two words, however often the table has
/// doubled. Each insert splits a few buckets, so no insert takes time linear in the table, and none waits for another. A
/// thread that stops in the midst of a split keeps no other from finishing it.
///
/// What that costs: each doubling takes a bit of the tokens that are in, so it adds as much to the
/// [rate of false positives](Filter::false_positive_rate) as the first table, 0.013 %. After ten doublings the next
/// growth adds another table behind it, and a lookup of an absent item looks at both. While the table doubles, it takes up
/// to three times the memory of before, and then twice. So start with about what you expect
/// ([`capacity`](FilterBuilder::capacity)), and take the fixed filter where you know.
///
/// The rest is as for the fixed filter. Every operation takes `&self` and is lock-free. No item is lost, and no
/// copy is removed twice. Remove only what you inserted; removal is exact in a filter that grows, too. Each table
/// holds at most eight copies of an item, and one copy too many never makes the filter grow.
///
/// Splits are pinned to an [epoch](https://docs.rs/crossbeam-epoch); lookups and removals are not. The words that a doubling
/// leaves behind go back to the system when all splits have ended that could reach them (on Linux; elsewhere, and what is
/// less than a page, when the filter is dropped).
///
/// Its buckets have 4 slots of 16 bits. Only fixed and rotating filters take another [layout](crate::guide::layouts).
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
#[cfg(feature = "std")]
pub type GrowingCuckooFilter<S = RandomState> = Filter<Growing, S>;

/// A [`CuckooFilter`] that forgets: items leave by themselves, one to two periods after their insert.
///
/// It holds the items of several generations, two unless [set](FilterBuilder::generations). Inserts go to the young
/// one. [`rotate`](Filter::rotate) makes an empty generation the young one, and forgets the oldest with all its items.
/// Call it by a clock, or when the young generation [is full](Filter::is_full). Any thread can, while others use the
/// filter. All memory is allocated at construction, and used again.
///
/// With `n` generations:
///
/// * **An item is found** by lookups that begin after its insert returned, and end before the `n`-th rotation after the
///   insert *began*.
/// * **An item is forgotten** by the `n`-th rotation after its insert *returned*: lookups that begin later do not find
///   it, unless it is inserted again or is a false positive.
/// * **[`insert_unique`](Filter::insert_unique) returns true at most once in the life of an item**, whatever rotates
///   meanwhile. A life ends with the rotation that forgets the item, or with its removal.
/// * [`remove`](Filter::remove) takes the oldest copy.
///
/// A call that itself takes `n` rotations or more promises less: what it inserts may be forgotten at once, and what it is
/// to remove may have been forgotten before. Until such an insert returns, other calls may find its item, then not find
/// it, and then find it again. Remove only items that have not been forgotten: the remove of another one
/// can take the copy of another item, as always ([`removing`](crate::guide::removing)).
///
/// The rest is as for the fixed filter. Every operation takes `&self` and is lock-free, rotations too. The price is in
/// lookups, which look at up to `n` tables, and in memory for one generation more than hold items. The [false-positive
/// rates](Filter::false_positive_rate) of the generations add up. [`capacity`](Filter::capacity) and
/// [`is_full`](Filter::is_full) are those of the young generation; [`len`](Filter::len) counts all.
///
/// The guide says more about [ageing](crate::guide::rotating), the design pages about [rotation](crate::design::rotation).
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

/// All filters of this crate: [`CuckooFilter`], [`GrowingCuckooFilter`] and [`RotatingCuckooFilter`] are names for it.
///
/// `E` is the engine, which says what happens when there is no room, and with time: [`Fixed`], [`Growing`] or [`Rotating`].
/// Its parameter is the [layout](crate::Layout) of the buckets, 4 x 16 unless named; that of a `Growing` is always 4 x 16.
/// `S` makes the hasher.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{Filter, Fixed, SemiSorted};
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
    /// The bytes that are no engine's heap.
    const BYTES: usize = size_of::<Self>();

    /// The plan of a filter of which nothing is set.
    fn plan() -> Plan<E::Options>
    where
        E: Buildable,
    {
        Plan {
            outside: Self::BYTES,
            ..Plan::default()
        }
    }

    fn of(engine: E, hasher: S) -> Self {
        Self { engine, hasher }
    }

    pub(crate) fn engine(&self) -> &E {
        &self.engine
    }
}

/// What a [`Filter`] is built on: [`Fixed`], [`Growing`], [`Rotating`], or [`Dyn`], any of the three.
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
pub trait Engine: Stored + Sized {
    #[doc(hidden)]
    fn empty_like(&self) -> Result<Self, OutOfMemory>;

    #[doc(hidden)]
    fn snapshot(&self) -> Result<Self, SnapshotError>;

    /// Reads what follows the header. `hasher` makes the hasher that goes with what is stored of it, or finds that it
    /// cannot.
    #[doc(hidden)]
    fn read<S>(
        frame: &Frame,
        source: &mut impl Source,
        hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
        outside: usize,
    ) -> Result<(Self, S), ReadError>;
}

impl<E: Restored> Engine for E {
    fn empty_like(&self) -> Result<Self, OutOfMemory> {
        self.empty_like()
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        self.snapshot()
    }

    fn read<S>(
        frame: &Frame,
        source: &mut impl Source,
        hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
        outside: usize,
    ) -> Result<(Self, S), ReadError> {
        stored::read(frame, source, hasher, outside)
    }
}

/// An engine that a [`FilterBuilder`] builds: [`Fixed`], [`Growing`] or [`Rotating`].
///
/// Sealed, as [`Engine`] is.
pub trait Buildable: Restored {
    /// The same engine with buckets of another layout, if it takes [any](AnyLayout); else itself.
    // Were it a type of `AnyLayout`, the compiler would say that a growing filter's builder has no `layout`, and not why.
    type With<M: Layout>: Buildable<Options = Self::Options>;
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
pub trait AnyLayout: Buildable {}

impl<L: Layout> AnyLayout for Fixed<L> {}
impl<L: Layout> AnyLayout for Rotating<L> {}

impl<L: Layout> Buildable for Fixed<L> {
    type With<M: Layout> = Fixed<M>;
}

#[cfg(feature = "std")]
impl Buildable for Growing {
    type With<M: Layout> = Self;
}

impl<L: Layout> Buildable for Rotating<L> {
    type With<M: Layout> = Rotating<M>;
}

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
impl<E: Buildable, S: Default> Default for Filter<E, S> {
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
        out.debug_struct(self.engine.name())
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
