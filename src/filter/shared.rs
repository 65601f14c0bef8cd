//! Filters that processes share.

use core::fmt;
use core::hash::Hash;
use core::ops::Deref;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use super::{Engine, Filter, FilterBuilder};
use crate::codec::header::Identity;
use crate::error::{ReadError, SharedError};
use crate::fixed::Fixed;
use crate::random_state::RandomState;
use crate::shared::engine::{
    Opened, Place, Shareable, attach, attach_reader, check_seals, create, open, read,
};
use crate::typed_hasher::{FilterHasher, HashesItem};

/// A filter in memory that processes share: it outlives each of them.
///
/// It has all methods of a [`CuckooFilter`](crate::CuckooFilter) that take `&self`, and all that is
/// said there of threads holds of the threads of all processes.
pub struct SharedFilter<E = Fixed, S = RandomState> {
    filter: Filter<E, S>,
    file: OwnedFd,
}

/// A filter that other processes write to, and this one cannot.
pub struct SharedReader<E = Fixed, S = RandomState> {
    filter: Filter<E, S>,
}

impl<E: Shareable, S: FilterHasher<Inner: 'static>> FilterBuilder<E, S> {
    /// Builds the filter in new memory that processes can share, by its descriptor.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build), and if the system refuses the memory.
    pub fn build_shared(self) -> Result<SharedFilter<E, S>, SharedError> {
        self.build_shared_in(Place::Nowhere)
    }

    /// Builds the filter in a new file of this name, which must be free.
    ///
    /// # Errors
    ///
    /// As [`build_shared`](Self::build_shared), and if there is a file of this name.
    pub fn build_shared_at(
        self,
        path: impl AsRef<Path>,
    ) -> Result<SharedFilter<E, S>, SharedError> {
        self.build_shared_in(Place::At(path.as_ref()))
    }

    fn build_shared_in(self, place: Place<'_>) -> Result<SharedFilter<E, S>, SharedError> {
        let identity = Identity::of(&self.hasher);
        let outside = size_of::<SharedFilter<E, S>>();
        let opened = create(&self.plan, &identity, outside, place)?;
        Ok(SharedFilter::of(opened, self.hasher))
    }
}

impl<E: Shareable> SharedFilter<E, RandomState> {
    /// Attaches to the memory that a descriptor leads to.
    ///
    /// # Errors
    ///
    /// [`SharedError`].
    pub fn attach(memory: impl AsFd) -> Result<Self, SharedError> {
        check_seals(&memory)?;
        Self::with(memory.as_fd().try_clone_to_owned()?, Identity::rebuild)
    }

    /// Opens the file of this name.
    ///
    /// # Errors
    ///
    /// [`SharedError`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SharedError> {
        Self::with(open(path.as_ref(), true)?, Identity::rebuild)
    }
}

impl<E: Shareable, S> SharedFilter<E, S> {
    fn of(opened: Opened<E>, hasher: S) -> Self {
        let Opened { engine, file } = opened;
        let filter = Filter::of(engine, hasher);
        Self { filter, file }
    }

    fn with(
        file: OwnedFd,
        hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
    ) -> Result<Self, SharedError> {
        let (identity, shared) = read::<E>(&file)?;
        let hasher = hasher(&identity)?;
        Ok(Self::of(attach(file, &shared)?, hasher))
    }

    /// Takes back what processes held that died in a call. Returns the number of such calls.
    pub fn recover(&self) -> usize {
        self.filter.engine.recover()
    }
}

impl<E: Shareable> SharedReader<E, RandomState> {
    /// Attaches to the memory that a descriptor leads to.
    ///
    /// # Errors
    ///
    /// [`SharedError`].
    pub fn attach(memory: impl AsFd) -> Result<Self, SharedError> {
        check_seals(&memory)?;
        Self::of(&memory.as_fd().try_clone_to_owned()?)
    }

    /// Opens the file of this name.
    ///
    /// # Errors
    ///
    /// [`SharedError`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SharedError> {
        Self::of(&open(path.as_ref(), false)?)
    }

    fn of(file: &OwnedFd) -> Result<Self, SharedError> {
        let (identity, shared) = read::<E>(file)?;
        let hasher = identity.rebuild()?;
        let filter = Filter::of(attach_reader(file, &shared)?, hasher);
        Ok(Self { filter })
    }
}

impl<E: Shareable, S> SharedReader<E, S> {
    /// As [`Filter::contains`].
    #[inline]
    #[must_use]
    pub fn contains<T: Hash + ?Sized>(&self, item: &T) -> bool
    where
        S: HashesItem<T>,
    {
        self.filter.contains(item)
    }

    /// As [`Filter::contains_hash`].
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
    #[track_caller]
    pub fn contains_many_hash(&self, hashes: &[u64], found: &mut [bool]) {
        self.filter.contains_many_hash(hashes, found);
    }

    /// As [`Filter::len`].
    #[must_use]
    pub fn len(&self) -> usize {
        self.filter.len()
    }

    /// As [`Filter::is_empty`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.filter.is_empty()
    }

    /// As [`Filter::capacity`].
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.filter.capacity()
    }

    /// As [`Filter::hasher`].
    #[must_use]
    pub fn hasher(&self) -> &S {
        self.filter.hasher()
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
