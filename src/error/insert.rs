//! The errors of inserts, growth and values.

use super::OutOfMemory;

/// Why an item was not inserted. The filter is unchanged.
///
/// | error | retry | what helps |
/// |---|---|---|
/// | [`Full`](Self::Full) | after a removal, or a rotation | a larger filter, or one that grows |
/// | [`Full`](Self::Full), and [`suggests_poor_hashing`](Self::suggests_poor_hashing) | no | another hasher |
/// | [`Disturbed`](Self::Disturbed) | at once | |
/// | [`NoDescriptor`](Self::NoDescriptor) | at once | `clear` or `snapshot`, if threads died in inserts |
/// | [`TooManyCopies`](Self::TooManyCopies) | after a removal of a copy | `insert_unique` |
/// | [`CannotGrow`](Self::CannotGrow) | after a removal from the newest table | a higher limit, or more memory |
/// | [`Value`](Self::Value) | no | a layout with larger values |
///
/// Tests of your program can construct each of them:
/// `InsertError::Full { len: 1_000, slots: 1_024 }`.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, InsertError};
///
/// let filter = CuckooFilter::with_capacity(1_000);
/// for _ in 0..8 {
///     filter.insert("flow")?;
/// }
/// // The two buckets of an item have eight slots, so there is no room for a ninth copy.
/// assert!(matches!(filter.insert("flow"), Err(InsertError::TooManyCopies { .. })));
/// assert_eq!(filter.count("flow"), 8);
/// # Ok::<(), InsertError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InsertError {
    /// The filter is full: no path to a vacant slot was found within the search budget.
    ///
    /// With 4 x 16, from 100,000 items up it seldom comes before the load factor reaches 0.96.
    /// Smaller filters can refuse earlier, but not below the capacity that they were built for, if
    /// the items differ. Copies of one item share two buckets and are harder to place: with two
    /// copies of each item, room ends near a load of 0.87. At a load below a quarter the hasher
    /// does not mix all of its 64 bits, or few items have many copies
    /// ([`suggests_poor_hashing`](Self::suggests_poor_hashing)).
    ///
    /// In a [`RotatingCuckooFilter`](crate::RotatingCuckooFilter) the young generation is full: a
    /// rotation makes room.
    Full {
        /// Items in the filter, or in its young generation, at the time.
        len: usize,
        /// Slots of the filter, or of its young generation. Of a growing filter those that it would
        /// have: it does not double if it would be nearly empty then.
        slots: usize,
    },
    /// Other threads changed the same buckets during every attempt. There may be room: retry.
    ///
    /// Two inserts can abort each other's relocations. The number of attempts is bounded, so each
    /// insert ends.
    Disturbed {
        /// Attempts that were made.
        attempts: usize,
    },
    /// The item needs a descriptor, but other threads have all of them for longer than a few
    /// exchanges take, and no more could be added: there are 1,023 of them, or the memory for more
    /// could not be allocated. There may be room: retry.
    ///
    /// A thread holds a descriptor while it relocates or inserts a unique item. One that stops for
    /// good meanwhile keeps it, and a descriptor more is added when another thread finds none.
    /// [`clear`](crate::Filter::clear) takes them back, and a [`snapshot`](crate::Filter::snapshot)
    /// has its own.
    ///
    /// In memory that processes share: the process has no seat, and could get none. It needs
    /// `/proc`, a free number for a descriptor of a file, the right to write to the memory, and
    /// fewer than 1,023 other processes.
    NoDescriptor,
    /// Both buckets of the item are filled with copies of its own fingerprint. The buckets are read
    /// one after the other. If other threads remove and insert copies meanwhile, there may never
    /// have been this many at once.
    TooManyCopies {
        /// Copies that are stored.
        copies: usize,
    },
    /// A [`GrowingCuckooFilter`](https://docs.rs/lockfree-cuckoo) has no room, and a limit or the
    /// lack of memory prevents growth.
    CannotGrow(GrowthError),
    /// The [value](crate::layout::WithValues) of the item is too large for the layout.
    Value(ValueError),
}

texts! { InsertError:
    Self::Full { len, slots } =>
        "the filter is full: no room was found for the item within the search budget, with {len} of {slots} slots in \
        use{}",
        hint(*len, *slots);
    Self::Disturbed { attempts } =>
        "other threads changed the buckets of the item during each of {attempts} attempts: try again";
    Self::NoDescriptor =>
        "other threads have all descriptors in use, and no more could be added: try again; if that does not help, \
        threads have stopped in the middle of inserts, and clear takes back what they held; or this process has no \
        seat in memory that processes share";
    Self::TooManyCopies { copies } => "{copies} copies of the item are stored, and there is no room for another copy";
    Self::CannotGrow(error) => "{error}";
    Self::Value(error) => "{error}";
}

/// With a hasher that mixes well, a filter of different items hardly ever refuses an item while
/// less than one in this many slots is in use, whatever its search budget.
const LOW_LOAD: usize = 4;

impl InsertError {
    /// Returns true if an immediate retry, without a removal, may succeed:
    /// [`Disturbed`](Self::Disturbed) and [`NoDescriptor`](Self::NoDescriptor).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, InsertError};
    ///
    /// /// Tries again where that can help.
    /// fn insert(filter: &CuckooFilter, item: &str) -> Result<(), InsertError> {
    ///     for _ in 0..3 {
    ///         match filter.insert(item) {
    ///             Err(error) if error.is_transient() => std::thread::yield_now(),
    ///             outcome => return outcome,
    ///         }
    ///     }
    ///     filter.insert(item)
    /// }
    ///
    /// assert_eq!(insert(&CuckooFilter::with_capacity(100), "flow"), Ok(()));
    /// assert!(InsertError::Disturbed { attempts: 64 }.is_transient());
    /// assert!(!InsertError::Full { len: 100, slots: 128 }.is_transient());
    /// ```
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Disturbed { .. } | Self::NoDescriptor)
    }

    /// Returns true for [`Full`](Self::Full) at a load below a quarter: then the hasher does not
    /// mix all of its 64 bits ([`hashing`](crate::guide::hashing#what-a-hasher-must-provide)), or
    /// few items have many copies. A larger filter does not help.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(1_000);
    /// // Hashes that are no hashes: they are all small, and the high bits select the buckets.
    /// let refused = (0..).find_map(|number: u64| filter.insert_hash(number).err());
    /// assert!(refused.is_some_and(|error| error.suggests_poor_hashing()));
    /// ```
    #[must_use]
    pub fn suggests_poor_hashing(&self) -> bool {
        matches!(*self, Self::Full { len, slots } if is_low(len, slots))
    }
}

/// Whether the load is so low that a refusal says something about the hasher.
fn is_low(len: usize, slots: usize) -> bool {
    len < slots / LOW_LOAD
}

/// What the text of [`InsertError::Full`] adds at such a load.
fn hint(len: usize, slots: usize) -> &'static str {
    if is_low(len, slots) {
        "; at so low a load the hasher does not mix all of its 64 bits, or few items have many copies"
    } else {
        ""
    }
}

/// Why a batch of inserts stopped, and how many items went in. The items before the refused one are
/// in the filter.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{CuckooFilter, InsertError};
///
/// let filter = CuckooFilter::with_capacity(1_000);
/// let items: Vec<u32> = (0..2_000).collect();
/// let stopped = filter.insert_many(&items).unwrap_err();
/// assert!(matches!(stopped.error(), InsertError::Full { .. }));
/// // The item at this index was refused, and the items after it were not tried.
/// assert_eq!(filter.len(), stopped.inserted());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InsertManyError {
    inserted: usize,
    error: InsertError,
}

texts! { InsertManyError:
    Self { inserted, error } => "stopped after {inserted} items: {error}";
}

impl InsertManyError {
    /// A batch that stopped after this many items; for tests of programs that handle it.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{InsertError, InsertManyError};
    ///
    /// let full = InsertError::Full { len: 1_000, slots: 1_024 };
    /// assert_eq!(InsertManyError::new(7, full).inserted(), 7);
    /// ```
    #[must_use]
    pub fn new(inserted: usize, error: InsertError) -> Self {
        Self { inserted, error }
    }

    /// The index of the refused item. All items before it were inserted or, in a unique batch, were
    /// inserted or already stored.
    ///
    /// # Examples
    ///
    /// ```
    /// let filter = lockfree_cuckoo::CuckooFilter::with_capacity(100);
    /// assert_eq!(filter.insert_many(&["a"; 10]).unwrap_err().inserted(), 8);
    /// ```
    #[must_use]
    pub fn inserted(&self) -> usize {
        self.inserted
    }

    /// The same error for a batch that follows this many inserted items.
    pub(crate) fn behind(self, items: usize) -> Self {
        Self {
            inserted: items + self.inserted,
            ..self
        }
    }

    /// Why the item was refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, InsertError};
    ///
    /// let stopped = CuckooFilter::with_capacity(100).insert_many(&["a"; 10]).unwrap_err();
    /// assert!(matches!(stopped.error(), InsertError::TooManyCopies { .. }));
    /// ```
    #[must_use]
    pub fn error(&self) -> &InsertError {
        &self.error
    }
}

/// Why a growing filter found no room, and did not grow.
///
/// Every stored item stays where lookups find it. Inserts continue to succeed wherever the newest
/// table has room.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "growing")] {
/// use lockfree_cuckoo::{GrowingCuckooFilter, GrowthError, InsertError};
///
/// let filter = GrowingCuckooFilter::builder()
///     .capacity(100)
///     .max_false_positive_rate(0.0003) // one doubling: it and the beginning add at most 0.000_126 each
///     .build()?;
/// let error = (0..).find_map(|item: u32| filter.insert(&item).err()).expect("a limit");
/// let InsertError::CannotGrow(error) = error else { unreachable!() };
/// // What another doubling would have made possible.
/// assert!(matches!(error, GrowthError::FalsePositiveRate { rate, .. } if rate > 0.0003));
/// # }
/// # Ok::<(), lockfree_cuckoo::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GrowthError {
    /// Growth could raise the rate of false positives above the limit.
    FalsePositiveRate {
        /// The rate that growth could lead to, once the filter is full again.
        rate: f64,
        /// The limit.
        limit: f64,
    },
    /// Growth would raise the memory above the limit.
    MemoryLimit {
        /// The maximum number of bytes that the filter would take while it grows.
        needed: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The memory could not be allocated. (The process aborts if crossbeam-epoch gets no memory for
    /// itself: [when](crate::design::doubling#memory-that-cannot-be-had).)
    OutOfMemory(OutOfMemory),
    /// There would be more buckets than a table can have.
    Buckets,
    /// There would be more tables than a filter can have.
    Tables,
}

texts! { GrowthError:
    Self::FalsePositiveRate { rate, limit } =>
        "there is no room, and growth could raise the false-positive rate to {rate:.2e}, above the limit of {limit:?}";
    Self::MemoryLimit { needed, limit } =>
        "there is no room, and growth would raise the memory to {needed} bytes, above the limit of {limit}";
    Self::OutOfMemory(error) =>
        "there is no room, and growth needs {} bytes of memory that could not be allocated", error.bytes();
    Self::Buckets => "there is no room, and growth would lead to a table larger than the largest possible one";
    Self::Tables => "there is no room, and growth would lead to more tables than possible";
}

/// A value is too large for the layout. Says which values are possible.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{Filter, InsertError, ValueError, filter::Fixed, layout::Lanes};
///
/// type Ports = Filter<Fixed<Lanes<4, 12, 4>>>;
///
/// let error = Ports::with_capacity(100).insert_value("flow", 16).unwrap_err();
/// let too_large = ValueError::new(16, 15);
/// assert_eq!(error, InsertError::Value(too_large));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueError {
    value: u16,
    max: u16,
}

texts! { ValueError:
    Self { value, max } => "a value of {value} is too large: at most {max} is possible";
}

impl ValueError {
    /// A value that was refused, and the largest that is possible; for tests of programs that
    /// handle it.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::ValueError;
    ///
    /// let error = ValueError::new(16, 15);
    /// assert_eq!((error.value(), error.max()), (16, 15));
    /// ```
    #[must_use]
    pub fn new(value: u16, max: u16) -> Self {
        Self { value, max }
    }

    /// The value that was refused.
    #[must_use]
    pub fn value(&self) -> u16 {
        self.value
    }

    /// The largest possible value.
    #[must_use]
    pub fn max(&self) -> u16 {
        self.max
    }
}

/// The cause. The number of inserted items is lost.
impl From<InsertManyError> for InsertError {
    fn from(stopped: InsertManyError) -> Self {
        stopped.error
    }
}
