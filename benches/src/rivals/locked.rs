//! Locks around sets that one thread at a time can change.

use std::array;

use crossbeam_utils::CachePadded;
use parking_lot::{Mutex, RwLock};

use crate::contender::Contender;

/// A set that takes `&mut self`. The items mean what those of [`Contender`] mean.
pub trait Single: Send + Sync {
    /// The names in each of the locks.
    const NAMES: Names;
    /// As [`Contender::EXACT`].
    const EXACT: bool;
    /// As [`Contender::IS_SET`].
    const IS_SET: bool;

    /// An empty one for this many items.
    fn with_capacity(items: usize) -> Self;
    /// The slots for items.
    fn slots(&self) -> usize;
    /// The bytes that it takes, where it can tell.
    fn bytes(&self) -> Option<usize>;
    /// Adds a key.
    fn insert(&mut self, hash: u64) -> bool;
    /// Whether a key is in.
    fn contains(&self, hash: u64) -> bool;
    /// Removes a key.
    fn remove(&mut self, hash: u64) -> bool;
    /// Empties it.
    fn clear(&mut self);
}

/// What the reports call a set in each of the locks, and without one.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// In [`Alone`](super::alone::Alone).
    pub alone: &'static str,
    /// In [`ReadWrite`].
    pub read_write: &'static str,
    /// In [`Exclusive`].
    pub exclusive: &'static str,
    /// In [`Sharded`].
    pub sharded: &'static str,
}

/// One lock that lookups share.
#[derive(Debug)]
pub struct ReadWrite<T>(RwLock<T>);

impl<T: Single> Contender for ReadWrite<T> {
    const NAME: &'static str = T::NAMES.read_write;
    const EXACT: bool = T::EXACT;
    const IS_SET: bool = T::IS_SET;
    const ONE_LOCK: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self(RwLock::new(T::with_capacity(items)))
    }

    fn slots(&self) -> usize {
        self.0.read().slots()
    }

    fn bytes(&self) -> Option<usize> {
        self.0.read().bytes()
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.write().insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.read().contains(hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.write().remove(hash)
    }

    fn clear(&mut self) {
        self.0.get_mut().clear();
    }
}

/// One lock that nothing shares, and that costs lookups less if there is one thread.
#[derive(Debug)]
pub struct Exclusive<T>(Mutex<T>);

impl<T: Single> Contender for Exclusive<T> {
    const NAME: &'static str = T::NAMES.exclusive;
    const EXACT: bool = T::EXACT;
    const IS_SET: bool = T::IS_SET;
    const ONE_LOCK: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self(Mutex::new(T::with_capacity(items)))
    }

    fn slots(&self) -> usize {
        self.0.lock().slots()
    }

    fn bytes(&self) -> Option<usize> {
        self.0.lock().bytes()
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.0.lock().insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.0.lock().contains(hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.0.lock().remove(hash)
    }

    fn clear(&mut self) {
        self.0.get_mut().clear();
    }
}

const SHARDS: usize = 64;

/// So many sets, each of its part of the hashes and in its own [`Mutex`], as sharded caches have it. Two
/// threads rarely meet, so sharing among readers would not pay.
#[derive(Debug)]
pub struct Sharded<T>([CachePadded<Mutex<T>>; SHARDS]);

impl<T> Sharded<T> {
    /// The middle of the hash chooses, because filters take their indices and fingerprints from its ends.
    #[inline]
    fn of(&self, hash: u64) -> &Mutex<T> {
        &self.0[(hash >> 32) as usize % SHARDS]
    }
}

impl<T: Single> Contender for Sharded<T> {
    const NAME: &'static str = T::NAMES.sharded;
    const EXACT: bool = T::EXACT;
    const IS_SET: bool = T::IS_SET;

    fn with_capacity(items: usize) -> Self {
        let of_each = items.div_ceil(SHARDS);
        Self(array::from_fn(|_| {
            Mutex::new(T::with_capacity(of_each)).into()
        }))
    }

    fn slots(&self) -> usize {
        self.0.iter().map(|shard| shard.lock().slots()).sum()
    }

    fn bytes(&self) -> Option<usize> {
        self.0.iter().map(|shard| shard.lock().bytes()).sum()
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.of(hash).lock().insert(hash)
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.of(hash).lock().contains(hash)
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.of(hash).lock().remove(hash)
    }

    fn clear(&mut self) {
        for shard in &mut self.0 {
            shard.get_mut().clear();
        }
    }
}
