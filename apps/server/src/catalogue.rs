//! The catalogue: finds filters by their keys, and counts their memory.
//!
//! The map is immutable and replaced as a whole, so that a command finds its filter with one load
//! and no lock. Threads that make or drop filters take turns, so that memory is counted exactly.
//!
//! A thread that needs exclusive access to a filter takes it [away](Place::Away): out of the map,
//! so that no other thread finds it, and then waits for the threads that found it before.

mod alone;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::{ArcSwap, Guard};
use cf::{Budget, Error, Filter, Settings};

use crate::args;
use crate::rotations::Rotations;

pub(crate) type Filters = HashMap<Arc<[u8]>, Place>;

/// The content of a key.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Here(Arc<Filter>),
    /// One thread has the filter exclusively, and holds this lock until it is back.
    Away(Arc<Mutex<()>>),
}

impl Place {
    /// Returns the filter, unless it is away.
    pub(crate) fn here(&self) -> Option<&Arc<Filter>> {
        match self {
            Self::Here(filter) => Some(filter),
            Self::Away(_) => None,
        }
    }
}

/// The bytes besides the filter itself: its place in the map, of which an eighth is vacant, and the
/// counts in front of the key and of the filter.
const BESIDES: usize = size_of::<(Arc<[u8]>, Place)>() * 8 / 7 + 4 * size_of::<usize>();

/// Returns the bytes that a filter takes under its key.
pub(crate) fn bytes_of(key: &[u8], filter: &Filter) -> usize {
    BESIDES + key.len() + filter.memory_usage()
}

/// Returns the bytes with a sixteenth more, for the first snapshot of a filter.
fn reserved(key: &[u8], filter: &Filter) -> usize {
    let bytes = bytes_of(key, filter);
    bytes.saturating_add(bytes.div_ceil(16))
}

/// Returns the part of these bytes that a filter may take, so that there is room for its first
/// snapshot.
fn without_snapshot(bytes: usize) -> usize {
    bytes - bytes.div_ceil(17)
}

#[derive(Debug)]
pub(crate) struct Catalogue {
    pool: Arc<Pool>,
    turn: Mutex<()>,
    /// The most filters, and the most bytes of one that grows.
    max_filters: usize,
    max_growth: usize,
    /// The settings of filters that are made without `CF.RESERVE`.
    defaults: Settings,
    /// Whether there is a mutex around each filter.
    locked: bool,
    rotations: Arc<Rotations>,
}

/// The filters, and the memory that they share. Growing filters refer to it, which makes a circle:
/// both are there until the process ends.
#[derive(Debug)]
struct Pool {
    filters: ArcSwap<Filters>,
    memory: usize,
    /// The bytes of all filters at the last sum.
    used: AtomicUsize,
    /// The bytes lent to loads, to dumps, and to filters that are away.
    lent: Arc<AtomicUsize>,
}

impl Pool {
    fn bytes_of_filters(&self) -> usize {
        let filters = self.filters.load();
        let here = |(key, place): (&Arc<[u8]>, &Place)| Some(reserved(key, place.here()?));
        filters.iter().filter_map(here).sum()
    }

    fn store(&self, filters: Arc<Filters>) {
        self.filters.store(filters);
        self.has_changed();
    }
}

impl Budget for Pool {
    fn left(&self, _used: usize) -> usize {
        let used = self.used.load(Ordering::Relaxed);
        let lent = self.lent.load(Ordering::Relaxed);
        without_snapshot(self.memory.saturating_sub(used).saturating_sub(lent))
    }

    fn has_changed(&self) {
        // If two threads add up at the same time, the older sum may be stored last. The next change
        // corrects that.
        self.used.store(self.bytes_of_filters(), Ordering::Relaxed);
    }
}

/// Reserved memory.
#[derive(Debug)]
pub(crate) struct Loan {
    lent: Arc<AtomicUsize>,
    bytes: usize,
}

impl Loan {
    fn of(pool: &Pool, bytes: usize) -> Self {
        pool.lent.fetch_add(bytes, Ordering::Relaxed);
        Self {
            lent: Arc::clone(&pool.lent),
            bytes,
        }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.lent.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Catalogue {
    pub(crate) fn new(
        filters: &args::Filters,
        limits: &args::Limits,
        rotations: Arc<Rotations>,
    ) -> Self {
        Self {
            rotations,
            pool: Arc::new(Pool {
                filters: ArcSwap::from_pointee(Filters::new()),
                memory: limits.max_memory,
                used: AtomicUsize::new(0),
                lent: Arc::default(),
            }),
            turn: Mutex::new(()),
            max_filters: limits.max_filters,
            max_growth: limits.max_growth(),
            defaults: Settings::new(filters.default_capacity, true),
            locked: filters.behind_a_mutex,
        }
    }

    pub(crate) fn defaults(&self) -> Settings {
        self.defaults
    }

    pub(crate) fn max_memory(&self) -> usize {
        self.pool.memory
    }

    /// Returns the bytes that a growing filter may take.
    pub(crate) fn max_growth(&self) -> usize {
        self.max_growth
    }

    /// Returns all filters at this moment.
    pub(crate) fn filters(&self) -> Guard<Arc<Filters>> {
        self.pool.filters.load()
    }

    /// Returns the filter of a key. If it is away, waits until it is back.
    pub(crate) fn get(&self, key: &[u8]) -> Option<Arc<Filter>> {
        loop {
            let place = self.pool.filters.load().get(key).cloned();
            match place? {
                Place::Here(filter) => return Some(filter),
                Place::Away(lock) => drop(take(&lock)),
            }
        }
    }

    /// Forgets the oldest items of a filter with a window: in the rotation of this number, unless
    /// that was made before, or now. Returns the number of rotations.
    pub(crate) fn rotate(&self, key: &[u8], number: Option<u64>) -> Result<u64, Error> {
        let filter = self.get(key).ok_or(Error::NoFilter)?;
        let rotated = match number {
            None => filter.rotate().map(|_| true)?,
            Some(number) => filter.rotate_as(number)?,
        };
        if rotated {
            self.rotations.clean(&filter);
        }
        Ok(filter.rotations())
    }

    /// Makes a filter under a key that must be free.
    pub(crate) fn reserve(&self, key: &[u8], settings: Settings) -> Result<(), Error> {
        let turn = self.take_turn();
        self.create(key, settings, &turn).map(drop)
    }

    /// Returns the filter of this key. Makes it if there is none.
    pub(crate) fn get_or_create(
        &self,
        key: &[u8],
        settings: Settings,
    ) -> Result<Arc<Filter>, Error> {
        loop {
            // Wait without the turn, which the thread that puts the filter back takes.
            if let Some(filter) = self.get(key) {
                return Ok(filter);
            }
            let turn = self.take_turn();
            if !self.filters().contains_key(key) {
                return self.create(key, settings, &turn);
            }
        }
    }

    fn create(
        &self,
        key: &[u8],
        settings: Settings,
        turn: &MutexGuard<'_, ()>,
    ) -> Result<Arc<Filter>, Error> {
        self.check_place(key)?;
        let left = without_snapshot(self.memory_left()).saturating_sub(BESIDES + key.len());
        let filter = Filter::new(settings, left, self.max_growth);
        let filter = filter.map_err(|error| match error {
            Error::NoMemory { needed, left } => self.too_much(left, needed),
            Error::TooLarge { needed, .. } if self.max_growth == self.pool.memory => {
                self.too_much(left, needed)
            }
            Error::TooLarge { needed, most } => Error::Other(format!(
                "Insufficient memory to create filter: one that grows can take at most {most} bytes (--max-growth), and this one needs {needed}"
            )),
            error => error,
        })?;
        Ok(self.publish(key, filter, turn))
    }

    /// Puts a filter that was read from somewhere under a key that must be free.
    pub(crate) fn adopt(&self, key: &[u8], filter: Filter) -> Result<(), Error> {
        // Its users may only look items up, and then it would never finish.
        filter.finish_doubling();
        let turn = self.take_turn();
        self.check_place(key)?;
        let bytes = reserved(key, &filter);
        let left = self.memory_left();
        if bytes > left {
            return Err(self.too_much(left, bytes));
        }
        self.publish(key, filter, &turn);
        Ok(())
    }

    /// Removes the filters of these keys in one step. Returns how many there were. Commands that
    /// still use one finish on a filter that no other command finds.
    pub(crate) fn remove(&self, keys: &[Vec<u8>]) -> usize {
        let _turn = self.take_turn();
        let now = self.pool.filters.load();
        if !keys.iter().any(|key| now.contains_key(key.as_slice())) {
            return 0;
        }
        let mut filters = Filters::clone(&now);
        let is_there = |key: &&Vec<u8>| filters.remove(key.as_slice()).is_some();
        let removed = keys.iter().filter(is_there).count();
        self.pool.store(Arc::new(filters));
        removed
    }

    pub(crate) fn clear(&self) {
        let _turn = self.take_turn();
        self.pool.store(Arc::default());
    }

    /// Returns the bytes that the filters take, and the lent ones.
    pub(crate) fn reserved(&self) -> usize {
        self.pool.bytes_of_filters() + self.pool.lent.load(Ordering::Relaxed)
    }

    /// Reserves bytes until the returned loan is dropped. `None` if too few are left.
    pub(crate) fn lend(&self, bytes: usize) -> Option<Loan> {
        // One thread at a time, so that no bytes are lent twice.
        let _turn = self.take_turn();
        (bytes <= self.memory_left()).then(|| Loan::of(&self.pool, bytes))
    }

    fn memory_left(&self) -> usize {
        self.pool.memory.saturating_sub(self.reserved())
    }

    fn publish(&self, key: &[u8], filter: Filter, turn: &MutexGuard<'_, ()>) -> Arc<Filter> {
        let filter = filter.with_budget(Arc::clone(&self.pool) as Arc<dyn Budget>);
        let filter = if self.locked {
            filter.behind_a_mutex()
        } else {
            filter
        };
        let filter = Arc::new(filter);
        self.rotations.add(&filter);
        self.put(key.into(), Place::Here(Arc::clone(&filter)), turn);
        filter
    }

    fn put(&self, key: Arc<[u8]>, place: Place, _turn: &MutexGuard<'_, ()>) {
        let mut filters = Filters::clone(&self.pool.filters.load());
        filters.insert(key, place);
        self.pool.store(Arc::new(filters));
    }

    /// Checks that there may be one more filter, under this key.
    fn check_place(&self, key: &[u8]) -> Result<(), Error> {
        let filters = self.filters();
        if filters.contains_key(key) {
            Err(Error::Exists)
        } else if filters.len() >= self.max_filters {
            Err(Error::Other(format!(
                "too many filters: there can be at most {} (--max-filters)",
                self.max_filters
            )))
        } else {
            Ok(())
        }
    }

    fn too_much(&self, left: usize, needed: usize) -> Error {
        let most = self.pool.memory;
        Error::Other(format!(
            "Insufficient memory to create filter: all filters together can take at most {most} bytes (--max-memory), of which {left} are left, and this one needs {needed}"
        ))
    }

    fn take_turn(&self) -> MutexGuard<'_, ()> {
        take(&self.turn)
    }
}

fn take(lock: &Mutex<()>) -> MutexGuard<'_, ()> {
    // Ignore poison: nothing is ever half done, because the map is replaced whole.
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
