//! Filters that processes share.

use core::fmt;
use core::hash::Hash;
use core::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use super::dynamic::smallest;
use super::{AnyLayout, Dyn, Engine, Filter, FilterBuilder};
use crate::codec::header::Identity;
use crate::engine::kind::Kind;
use crate::engine::operations::{RawFilter, check_lengths};
use crate::engine::plan::Plan;
use crate::error::{ReadError, SharedError};
use crate::fixed::Fixed;
use crate::kernel::layout::{ForLayout, Layout, Shape};
use crate::random_state::RandomState;
use crate::rotating::Rotating;
use crate::shared::copy::copy;
use crate::shared::engine::{Memory, Place, Shareable, create};
use crate::typed_hasher::{FilterHasher, HashesItem};

/// A filter in memory that processes share: it outlives each of them.
///
/// It has all methods of a [`CuckooFilter`](crate::CuckooFilter), or of the filter of its engine,
/// that take `&self`. All that is said there of threads holds of the threads of all processes.
pub struct SharedFilter<E = Fixed, S = RandomState> {
    filter: Filter<E, S>,
    file: OwnedFd,
}

/// A filter that other processes write to, and this one cannot.
pub struct SharedReader<E = Fixed, S = RandomState> {
    filter: Filter<E, S>,
}

/// An engine that memory that processes share can have: [`Fixed`], [`Rotating`], or [`Dyn`] for whatever the memory has.
///
/// Sealed, as [`Engine`] is.
pub trait Attach: Engine {
    #[doc(hidden)]
    fn attach(memory: &Memory) -> Result<Self, SharedError>;

    #[doc(hidden)]
    fn attach_reader(memory: &Memory) -> Result<Self, SharedError>;
}

impl<E: Shareable> Attach for E {
    fn attach(memory: &Memory) -> Result<Self, SharedError> {
        memory.attach()
    }

    fn attach_reader(memory: &Memory) -> Result<Self, SharedError> {
        memory.attach_reader()
    }
}

impl Attach for Dyn {
    fn attach(memory: &Memory) -> Result<Self, SharedError> {
        AttachAs::of(memory, true)
    }

    fn attach_reader(memory: &Memory) -> Result<Self, SharedError> {
        AttachAs::of(memory, false)
    }
}

/// Attaches an engine with the layout that it is called for.
struct AttachAs<'a> {
    memory: &'a Memory,
    writes: bool,
}

impl<'a> AttachAs<'a> {
    fn of(memory: &'a Memory, writes: bool) -> Result<Dyn, SharedError> {
        memory.header().shape()?.call(Self { memory, writes })
    }

    fn boxed<E: Shareable>(&self) -> Result<Dyn, SharedError> {
        let engine: E = if self.writes {
            self.memory.attach()?
        } else {
            self.memory.attach_reader()?
        };
        Ok(Dyn::of(engine)?)
    }
}

impl ForLayout for AttachAs<'_> {
    type Output = Result<Dyn, SharedError>;

    fn call<L: Layout>(self) -> Self::Output {
        match self.memory.header().kind()? {
            Kind::Fixed => self.boxed::<Fixed<L>>(),
            Kind::Rotating => self.boxed::<Rotating<L>>(),
            kind => Err(ReadError::OtherKind { kind }.into()),
        }
    }
}

impl<E: Shareable, S: FilterHasher<Inner: 'static>> FilterBuilder<E, S> {
    /// Builds the filter in new memory that processes can share, by its descriptor.
    ///
    /// # Errors
    ///
    /// * [`Build`](SharedError::Build): as [`build`](Self::build).
    /// * [`Io`](SharedError::Io): the system has less memory than the filter takes
    ///   ([`OutOfMemory`](std::io::ErrorKind::OutOfMemory)), or refused a call.
    /// * [`Read`](SharedError::Read): this process has no memory for its own part.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedFilter};
    ///
    /// let filter = CuckooFilter::builder().capacity(1_000).build_shared()?;
    /// // In another process, which got the descriptor:
    /// let other: SharedFilter = SharedFilter::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert!(other.remove("a"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_shared(self) -> Result<SharedFilter<E, S>, SharedError> {
        self.build_shared_in(Place::Nowhere)
    }

    /// Builds the filter in a new file of this name, which must be free. Other processes find it
    /// whole or not at all.
    ///
    /// # Errors
    ///
    /// As [`build_shared`](Self::build_shared); by [`Io`](SharedError::Io) also if there is a file
    /// of this name, or no room in its file system.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedFilter};
    ///
    /// let path = format!("/dev/shm/example-{}", std::process::id());
    /// let filter = CuckooFilter::builder().capacity(100).build_shared_at(&path)?;
    /// filter.insert("a")?;
    /// assert!(<SharedFilter>::open(&path)?.contains("a"));
    /// std::fs::remove_file(path)?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_shared_at(
        self,
        path: impl AsRef<Path>,
    ) -> Result<SharedFilter<E, S>, SharedError> {
        self.build_shared_in(Place::At(path.as_ref()))
    }

    fn build_shared_in(self, place: Place<'_>) -> Result<SharedFilter<E, S>, SharedError> {
        let identity = Identity::of(&self.hasher);
        let outside = size_of::<SharedFilter<E, S>>();
        let memory = create::<E>(&self.plan, &identity, outside, place)?;
        SharedFilter::new(memory, self.hasher, place)
    }
}

impl<E: Shareable + AnyLayout, S: FilterHasher<Inner: 'static>> FilterBuilder<E, S> {
    /// [`build_shared`](Self::build_shared) with the layout of this shape.
    ///
    /// # Errors
    ///
    /// As [`build_shared`](Self::build_shared).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, layout::Shape};
    ///
    /// for &shape in Shape::ALL {
    ///     let filter = CuckooFilter::builder().build_shared_shape(shape)?;
    ///     assert_eq!(filter.shape(), shape);
    /// }
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_shared_shape(self, shape: Shape) -> Result<SharedFilter<Dyn, S>, SharedError> {
        self.build_shared_with(shape, Place::Nowhere)
    }

    /// [`build_shared_at`](Self::build_shared_at) with the layout of this shape.
    ///
    /// # Errors
    ///
    /// As [`build_shared_at`](Self::build_shared_at).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{RotatingCuckooFilter, SharedFilter, filter::Dyn, layout::Shape};
    ///
    /// let path = format!("/dev/shm/example-shape-{}", std::process::id());
    /// let filter = RotatingCuckooFilter::builder().build_shared_shape_at(Shape::ALL[0], &path)?;
    /// assert_eq!(SharedFilter::<Dyn>::open(&path)?.shape(), filter.shape());
    /// std::fs::remove_file(path)?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_shared_shape_at(
        self,
        shape: Shape,
        path: impl AsRef<Path>,
    ) -> Result<SharedFilter<Dyn, S>, SharedError> {
        self.build_shared_with(shape, Place::At(path.as_ref()))
    }

    /// [`build_shared`](Self::build_shared) with the layout and the size that
    /// [`build_smallest`](Self::build_smallest) chooses for this rate of false positives.
    ///
    /// # Errors
    ///
    /// As [`build_shared`](Self::build_shared).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let builder = || CuckooFilter::builder().capacity(1_000);
    /// for rate in [0.05, 1e-9] {
    ///     let shared = builder().build_shared_smallest(rate)?;
    ///     let heap = builder().build_smallest(rate)?;
    ///     assert_eq!((shared.shape(), shared.slots()), (heap.shape(), heap.slots()));
    /// }
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_shared_smallest(self, rate: f64) -> Result<SharedFilter<Dyn, S>, SharedError> {
        self.build_shared_smallest_in(rate, Place::Nowhere)
    }

    /// [`build_shared_at`](Self::build_shared_at) with the layout and the size that
    /// [`build_smallest`](Self::build_smallest) chooses for this rate of false positives.
    ///
    /// # Errors
    ///
    /// As [`build_shared_at`](Self::build_shared_at).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedFilter, filter::Dyn};
    ///
    /// let path = format!("/dev/shm/example-smallest-{}", std::process::id());
    /// let filter = CuckooFilter::builder().build_shared_smallest_at(0.05, &path)?;
    /// assert_eq!(SharedFilter::<Dyn>::open(&path)?.shape(), filter.shape());
    /// std::fs::remove_file(path)?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_shared_smallest_at(
        self,
        rate: f64,
        path: impl AsRef<Path>,
    ) -> Result<SharedFilter<Dyn, S>, SharedError> {
        self.build_shared_smallest_in(rate, Place::At(path.as_ref()))
    }

    fn build_shared_smallest_in(
        mut self,
        rate: f64,
        place: Place<'_>,
    ) -> Result<SharedFilter<Dyn, S>, SharedError> {
        let (shape, plan) = smallest::<E>(&self.plan, rate)?;
        self.plan = plan;
        self.build_shared_with(shape, place)
    }

    fn build_shared_with(
        self,
        shape: Shape,
        place: Place<'_>,
    ) -> Result<SharedFilter<Dyn, S>, SharedError> {
        let identity = Identity::of(&self.hasher);
        let outside = size_of::<SharedFilter<Dyn, S>>();
        let memory = shape.call(Create {
            kind: E::KIND,
            plan: &self.plan,
            identity: &identity,
            outside,
            place,
        })?;
        SharedFilter::new(memory, self.hasher, place)
    }
}

/// Makes memory for an engine with the layout that it is called for.
struct Create<'a> {
    kind: Kind,
    plan: &'a Plan,
    identity: &'a Identity,
    outside: usize,
    place: Place<'a>,
}

impl ForLayout for Create<'_> {
    type Output = Result<Memory, SharedError>;

    fn call<L: Layout>(self) -> Self::Output {
        let create = match self.kind {
            Kind::Rotating => create::<Rotating<L>>,
            _ => create::<Fixed<L>>,
        };
        create(self.plan, self.identity, self.outside, self.place)
    }
}

/// A filter in memory, with a hasher that its header permits.
fn with<S, F>(
    memory: Memory,
    hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
    filter: impl FnOnce(Memory, S) -> Result<F, SharedError>,
) -> Result<F, SharedError> {
    let hasher = hasher(&memory.header().identity()?)?;
    filter(memory, hasher)
}

impl<E: Attach> SharedFilter<E, RandomState> {
    /// Attaches to the memory that a descriptor leads to.
    ///
    /// # Errors
    ///
    /// * [`NotSealed`](SharedError::NotSealed): the size of the memory can change.
    /// * [`Read`](SharedError::Read), [`Stored`](SharedError::Stored): it is not such a filter, or is
    ///   damaged, or of another kind, layout, hasher or version; or this process has no memory for
    ///   its own part.
    /// * [`NoSeat`](SharedError::NoSeat): 1,023 processes have it.
    /// * [`Io`](SharedError::Io): the system refused a call. The memory must be open to the user of
    ///   this process for reading and writing.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedFilter};
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// let other: SharedFilter = SharedFilter::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert!(other.remove("a"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attach(memory: impl AsFd) -> Result<Self, SharedError> {
        with(Memory::of_sealed(&memory)?, Identity::rebuild, Self::of)
    }

    /// Opens the file of this name. Whoever may write to it is trusted not to make it smaller.
    ///
    /// # Errors
    ///
    /// * [`Io`](SharedError::Io): there is no such file, or the system refused a call. It must be
    ///   open to the user of this process for reading and writing.
    /// * [`Read`](SharedError::Read), [`Stored`](SharedError::Stored): it is not such a filter, or is
    ///   damaged, or of another kind, layout, hasher or version; or this process has no memory for
    ///   its own part.
    /// * [`OtherBoot`](SharedError::OtherBoot): the machine has gone down since it was made.
    /// * [`NoSeat`](SharedError::NoSeat): 1,023 processes have it.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedFilter};
    ///
    /// let path = format!("/dev/shm/example-open-{}", std::process::id());
    /// let filter = CuckooFilter::builder().capacity(100).build_shared_at(&path)?;
    /// let other: SharedFilter = SharedFilter::open(&path)?;
    /// filter.insert("a")?;
    /// assert!(other.contains("a"));
    /// std::fs::remove_file(path)?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SharedError> {
        let memory = Memory::at(path.as_ref(), true)?;
        with(memory, Identity::rebuild, Self::of)
    }
}

impl<E: Attach, S: FilterHasher<Inner: 'static>> SharedFilter<E, S> {
    /// [`attach`](SharedFilter::attach) for a filter with this hasher.
    ///
    /// # Errors
    ///
    /// As [`attach`](SharedFilter::attach).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, RandomState, SharedFilter, filter::Fixed};
    ///
    /// let hasher = || RandomState::with_seed(7);
    /// let filter = CuckooFilter::builder().hasher(hasher()).build_shared()?;
    /// let other = SharedFilter::<Fixed, _>::attach_with_hasher(&filter, hasher())?;
    /// filter.insert("a")?;
    /// assert!(other.contains("a"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attach_with_hasher(memory: impl AsFd, hasher: S) -> Result<Self, SharedError> {
        let memory = Memory::of_sealed(&memory)?;
        with(memory, |identity| identity.admit(hasher), Self::of)
    }

    /// [`open`](SharedFilter::open) for a filter with this hasher.
    ///
    /// # Errors
    ///
    /// As [`open`](SharedFilter::open).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, RandomState, SharedFilter, filter::Fixed};
    ///
    /// let path = format!("/dev/shm/example-hasher-{}", std::process::id());
    /// let hasher = || RandomState::with_seed(7);
    /// let filter = CuckooFilter::builder().hasher(hasher()).build_shared_at(&path)?;
    /// let other = SharedFilter::<Fixed, _>::open_with_hasher(&path, hasher())?;
    /// filter.insert("a")?;
    /// assert!(other.contains("a"));
    /// std::fs::remove_file(path)?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_with_hasher(path: impl AsRef<Path>, hasher: S) -> Result<Self, SharedError> {
        let memory = Memory::at(path.as_ref(), true)?;
        with(memory, |identity| identity.admit(hasher), Self::of)
    }
}

impl<E: Attach, S> SharedFilter<E, S> {
    /// A filter in new memory.
    fn new(memory: Memory, hasher: S, place: Place<'_>) -> Result<Self, SharedError> {
        let filter = Self::of(memory, hasher)?;
        place.name(&filter.file)?;
        Ok(filter)
    }

    fn of(memory: Memory, hasher: S) -> Result<Self, SharedError> {
        let filter = Filter::of(E::attach(&memory)?, hasher);
        let file = memory.into_file();
        Ok(Self { filter, file })
    }

    /// Takes back what processes held that died in a call. Returns the number of such calls.
    ///
    /// Attaching does the same. No call waits for it: see the [guide](crate::guide::processes).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// assert_eq!(filter.recover(), 0); // nobody has died
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recover(&self) -> usize {
        self.filter.engine().recover()
    }
}

/// Filters of one process, as they are to be shared.
impl<E: Attach, S: FilterHasher<Inner: 'static> + Clone> Filter<E, S> {
    /// Copies the filter into new memory that processes can share, by its descriptor. This one
    /// stays as it is.
    ///
    /// So a stored filter, read by [`read_from`](Filter::read_from), and a
    /// [`snapshot`](Filter::snapshot) of another filter come into such memory.
    ///
    /// # Errors
    ///
    /// * [`Io`](SharedError::Io): the system has less memory than the filter takes
    ///   ([`OutOfMemory`](std::io::ErrorKind::OutOfMemory)), or refused a call.
    /// * [`Read`](SharedError::Read): a [`Dyn`] filter that grows
    ///   ([`OtherKind`](ReadError::OtherKind)), or this process has no memory for its own part.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let mut filter = CuckooFilter::with_capacity(1_000);
    /// filter.insert("a")?;
    /// let shared = filter.copy_to_shared()?;
    /// assert!(shared.contains("a") && shared.remove("a"));
    /// assert!(filter.contains("a"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn copy_to_shared(&mut self) -> Result<SharedFilter<E, S>, SharedError> {
        self.copy_to(Place::Nowhere)
    }

    /// Copies the filter into a new file of this name, which must be free. Other processes find it
    /// whole or not at all.
    ///
    /// # Errors
    ///
    /// As [`copy_to_shared`](Self::copy_to_shared); by [`Io`](SharedError::Io) also if there is a
    /// file of this name, or no room in its file system.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedFilter};
    ///
    /// let path = format!("/dev/shm/example-copy-{}", std::process::id());
    /// let mut filter = CuckooFilter::with_capacity(1_000);
    /// filter.insert("a")?;
    /// filter.copy_to_shared_at(&path)?;
    /// assert!(<SharedFilter>::open(&path)?.contains("a"));
    /// std::fs::remove_file(path)?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn copy_to_shared_at(
        &mut self,
        path: impl AsRef<Path>,
    ) -> Result<SharedFilter<E, S>, SharedError> {
        self.copy_to(Place::At(path.as_ref()))
    }

    fn copy_to(&mut self, place: Place<'_>) -> Result<SharedFilter<E, S>, SharedError> {
        let memory = copy(self.engine.object(), &Identity::of(self.hasher()), place)?;
        SharedFilter::new(memory, self.hasher().clone(), place)
    }
}

impl<E: Attach> SharedReader<E, RandomState> {
    /// Attaches to the memory that a descriptor leads to.
    ///
    /// # Errors
    ///
    /// As [`SharedFilter::attach`], but for `NoSeat`. The memory need not be open for writing.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert!(reader.contains("a"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attach(memory: impl AsFd) -> Result<Self, SharedError> {
        with(Memory::of_sealed(&memory)?, Identity::rebuild, Self::of)
    }

    /// Opens the file of this name.
    ///
    /// # Errors
    ///
    /// As [`SharedFilter::open`], but for `NoSeat`. The file need not be open for writing.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let path = format!("/dev/shm/example-reader-{}", std::process::id());
    /// let filter = CuckooFilter::builder().capacity(100).build_shared_at(&path)?;
    /// let reader: SharedReader = SharedReader::open(&path)?;
    /// filter.insert("a")?;
    /// assert!(reader.contains("a"));
    /// std::fs::remove_file(path)?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SharedError> {
        let memory = Memory::at(path.as_ref(), false)?;
        with(memory, Identity::rebuild, Self::of)
    }
}

impl<E: Attach, S: FilterHasher<Inner: 'static>> SharedReader<E, S> {
    /// [`attach`](SharedReader::attach) for a filter with this hasher.
    ///
    /// # Errors
    ///
    /// As [`attach`](SharedReader::attach).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, RandomState, SharedReader, filter::Fixed};
    ///
    /// let hasher = || RandomState::with_seed(7);
    /// let filter = CuckooFilter::builder().hasher(hasher()).build_shared()?;
    /// let reader = SharedReader::<Fixed, _>::attach_with_hasher(&filter, hasher())?;
    /// filter.insert("a")?;
    /// assert!(reader.contains("a"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn attach_with_hasher(memory: impl AsFd, hasher: S) -> Result<Self, SharedError> {
        let memory = Memory::of_sealed(&memory)?;
        with(memory, |identity| identity.admit(hasher), Self::of)
    }

    /// [`open`](SharedReader::open) for a filter with this hasher.
    ///
    /// # Errors
    ///
    /// As [`open`](SharedReader::open).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, RandomState, SharedReader, filter::Fixed};
    ///
    /// let path = format!("/dev/shm/example-both-{}", std::process::id());
    /// let hasher = || RandomState::with_seed(7);
    /// let filter = CuckooFilter::builder().hasher(hasher()).build_shared_at(&path)?;
    /// let reader = SharedReader::<Fixed, _>::open_with_hasher(&path, hasher())?;
    /// filter.insert("a")?;
    /// assert!(reader.contains("a"));
    /// std::fs::remove_file(path)?;
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_with_hasher(path: impl AsRef<Path>, hasher: S) -> Result<Self, SharedError> {
        let memory = Memory::at(path.as_ref(), false)?;
        with(memory, |identity| identity.admit(hasher), Self::of)
    }
}

impl<E: Attach, S> SharedReader<E, S> {
    fn of(memory: Memory, hasher: S) -> Result<Self, SharedError> {
        let filter = Filter::of(E::attach_reader(&memory)?, hasher);
        Ok(Self { filter })
    }

    /// As [`Filter::contains`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert!(reader.contains("a") && !reader.contains("b"));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<T: Hash + ?Sized>(&self, item: &T) -> bool
    where
        S: HashesItem<T>,
    {
        self.filter.contains(item)
    }

    /// As [`Filter::contains_hash`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert!(reader.contains_hash(filter.hash_one("a")));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> bool {
        self.filter.contains_hash(hash)
    }

    /// As [`Filter::contains_many`].
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// let mut found = [false; 2];
    /// reader.contains_many(&["a", "b"], &mut found);
    /// assert_eq!(found, [true, false]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn contains_many<T: Hash>(&self, items: &[T], found: &mut [bool])
    where
        S: HashesItem<T>,
    {
        self.filter.contains_many(items, found);
    }

    /// As [`Filter::contains_many_hash`].
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// let mut found = [false; 1];
    /// reader.contains_many_hash(&[filter.hash_one("a")], &mut found);
    /// assert_eq!(found, [true]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn contains_many_hash(&self, hashes: &[u64], found: &mut [bool]) {
        self.filter.contains_many_hash(hashes, found);
    }

    /// As [`Filter::len`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert_eq!(reader.len(), 1);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.filter.len()
    }

    /// As [`Filter::is_empty`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert!(!reader.is_empty());
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.filter.is_empty()
    }

    /// As [`Filter::capacity`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert_eq!(reader.capacity(), 100);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.filter.capacity()
    }

    /// As [`Filter::is_full`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(8).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert!(!reader.is_full());
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.filter.is_full()
    }

    /// As [`Filter::slots`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(8).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// assert_eq!(reader.slots(), 8);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn slots(&self) -> usize {
        self.filter.slots()
    }

    /// As [`Filter::load_factor`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(8).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert_eq!(reader.load_factor(), 0.125);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn load_factor(&self) -> f64 {
        self.filter.load_factor()
    }

    /// As [`Filter::memory_usage`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(8).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// assert!(reader.memory_usage() > 65_536); // the descriptors among it
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.filter.memory_usage()
    }

    /// As [`Filter::false_positive_rate`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(8).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// assert_eq!(reader.false_positive_rate(), 0.0);
    /// filter.insert("a")?;
    /// assert!(reader.false_positive_rate() > 0.0);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.filter.false_positive_rate()
    }

    /// As [`rotations`](crate::RotatingCuckooFilter#method.rotations). `None` if the filter
    /// does not rotate.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{RotatingCuckooFilter, SharedReader, filter::Rotating};
    ///
    /// let filter = RotatingCuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader = SharedReader::<Rotating>::attach(&filter)?;
    /// filter.rotate()?;
    /// assert_eq!(reader.rotations(), Some(1));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rotations(&self) -> Option<u64> {
        Some(self.filter.engine().rotating()?.rotations())
    }

    /// As [`generations`](crate::RotatingCuckooFilter#method.generations). `None` if the filter
    /// does not rotate.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{RotatingCuckooFilter, SharedReader, filter::Rotating};
    ///
    /// let filter = RotatingCuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader = SharedReader::<Rotating>::attach(&filter)?;
    /// assert_eq!(reader.generations(), Some(2));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn generations(&self) -> Option<usize> {
        Some(self.filter.engine().rotating()?.generations())
    }

    /// As [`age_hash`](crate::RotatingCuckooFilter#method.age_hash). `None`, too, if the filter does
    /// not rotate.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{RotatingCuckooFilter, SharedReader, filter::Rotating};
    ///
    /// let filter = RotatingCuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader = SharedReader::<Rotating>::attach(&filter)?;
    /// filter.insert("flow")?;
    /// filter.rotate()?;
    /// assert_eq!(reader.age_hash(filter.hash_one("flow")), Some(1));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn age_hash(&self, hash: u64) -> Option<usize> {
        self.filter.engine().rotating()?.age_hash(hash)
    }

    /// As [`value_hash`](Filter::value_hash). `None`, too, if the layout has no values.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{Filter, SharedReader, filter::Fixed, layout::Lanes};
    ///
    /// type Engine = Fixed<Lanes<3, 13, 8>>;
    ///
    /// let filter = Filter::<Engine>::builder().capacity(100).build_shared()?;
    /// let reader = SharedReader::<Engine>::attach(&filter)?;
    /// filter.insert_value("10.0.0.1", 17)?;
    /// assert_eq!(reader.value_hash(filter.hash_one("10.0.0.1")), Some(17));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn value_hash(&self, hash: u64) -> Option<u16> {
        self.filter.engine().valued()?.value_hash(hash)
    }

    /// As [`value_many_hash`](Filter::value_many_hash). All are `None` if the layout has no values.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{Filter, SharedReader, filter::Fixed, layout::Lanes};
    ///
    /// type Engine = Fixed<Lanes<3, 13, 8>>;
    ///
    /// let filter = Filter::<Engine>::builder().capacity(100).build_shared()?;
    /// let reader = SharedReader::<Engine>::attach(&filter)?;
    /// filter.insert_value("10.0.0.1", 17)?;
    /// let hashes = ["10.0.0.1", "10.0.0.2"].map(|item| filter.hash_one(item));
    /// let mut values = [None; 2];
    /// reader.value_many_hash(&hashes, &mut values);
    /// assert_eq!(values, [Some(17), None]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn value_many_hash(&self, hashes: &[u64], values: &mut [Option<u16>]) {
        check_lengths(hashes, values);
        match self.filter.engine().valued() {
            Some(valued) => valued.value_many_hash(hashes, values),
            None => values.fill(None),
        }
    }

    /// As [`Filter::hasher`].
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader};
    ///
    /// let filter = CuckooFilter::builder().capacity(100).build_shared()?;
    /// let reader: SharedReader = SharedReader::attach(&filter)?;
    /// filter.insert("a")?;
    /// assert_eq!(reader.hasher().seed(), filter.hasher().seed());
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn hasher(&self) -> &S {
        self.filter.hasher()
    }
}

/// Filters whose kind and layout are chosen at run time.
impl<S> SharedReader<Dyn, S> {
    /// As [`DynFilter::kind`](crate::DynFilter#method.kind).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader, filter::{Dyn, Kind}};
    ///
    /// let filter = CuckooFilter::builder().capacity(8).build_shared()?;
    /// let reader = SharedReader::<Dyn>::attach(&filter)?;
    /// assert_eq!(reader.kind(), Kind::Fixed);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.filter.kind()
    }

    /// As [`DynFilter::shape`](crate::DynFilter#method.shape).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(miri))] {
    /// use lockfree_cuckoo::{CuckooFilter, SharedReader, filter::Dyn, layout::{Lanes, Shape}};
    ///
    /// let filter = CuckooFilter::builder().capacity(8).build_shared()?;
    /// let reader = SharedReader::<Dyn>::attach(&filter)?;
    /// assert_eq!(reader.shape(), Shape::of::<Lanes<4, 16>>());
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.filter.shape()
    }
}

impl<E: Engine, S> fmt::Debug for SharedFilter<E, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { filter, file } = self;
        out.debug_struct("SharedFilter")
            .field("filter", filter)
            .field("file", file)
            .finish()
    }
}

impl<E: Engine, S> fmt::Debug for SharedReader<E, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SharedReader")
            .field("filter", &self.filter)
            .finish()
    }
}

impl<E, S> Deref for SharedFilter<E, S> {
    type Target = Filter<E, S>;

    #[inline]
    fn deref(&self) -> &Filter<E, S> {
        &self.filter
    }
}

/// To hand the memory to another process, or to keep it for the next one.
impl<E, S> AsFd for SharedFilter<E, S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
