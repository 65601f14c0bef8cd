//! The filters by their keys.
//!
//! The map is immutable and replaced as a whole, so that a command finds its filter with one load and no lock. Who
//! makes or drops a filter takes turns with others who do, which is also how memory is counted exactly.
//!
//! Who needs a filter alone takes it [away](Place::Away): out of the map, so that nobody else finds it, and then waits until
//! those have done who found it before.

mod alone;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::{ArcSwap, Guard};
use cf::{Budget, Error, Filter, Settings};

use crate::args;

pub(crate) type Filters = HashMap<Arc<[u8]>, Place>;

/// What there is under a key.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Here(Arc<Filter>),
    /// Somebody has the filter alone, and this lock until it is back.
    Away(Arc<Mutex<()>>),
}

impl Place {
    /// The filter, unless it is away.
    pub(crate) fn here(&self) -> Option<&Arc<Filter>> {
        match self {
            Self::Here(filter) => Some(filter),
            Self::Away(_) => None,
        }
    }
}

/// What a filter takes besides itself: its place in the map, of which an eighth is vacant, and the counts in front of the
/// key and of the filter.
const BESIDES: usize = size_of::<(Arc<[u8]>, Place)>() * 8 / 7 + 4 * size_of::<usize>();

/// Bytes that a filter takes under its key.
pub(crate) fn bytes_of(key: &[u8], filter: &Filter) -> usize {
    BESIDES + key.len() + filter.memory_usage()
}

/// The same with what the first snapshot of a filter adds: a sixteenth.
fn reserved(key: &[u8], filter: &Filter) -> usize {
    let bytes = bytes_of(key, filter);
    bytes.saturating_add(bytes.div_ceil(16))
}

/// Bytes that a filter may take of so many, so that there is room for its first snapshot.
fn without_snapshot(bytes: usize) -> usize {
    bytes - bytes.div_ceil(17)
}

#[derive(Debug)]
pub(crate) struct Catalogue {
    pool: Arc<Pool>,
    turn: Mutex<()>,
    /// How many filters there may be, and how many bytes one that grows may take.
    max_filters: usize,
    max_growth: usize,
    /// What filters are like that a command makes on the way.
    defaults: Settings,
    /// Whether there is a mutex around each filter that does not grow.
    locked: bool,
}

/// The filters, and the memory that they share. Those that grow know it, and so it is in a circle with them: both are
/// there until the process ends.
#[derive(Debug)]
struct Pool {
    filters: ArcSwap<Filters>,
    memory: usize,
    /// Bytes of all filters when they were last added up.
    used: AtomicUsize,
    /// Bytes that are taken from the memory for filters by what is no filter yet, or no more.
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
        // Of two who add up at the same time, the later one need not be the one who stores last. The next change mends
        // that.
        self.used.store(self.bytes_of_filters(), Ordering::Relaxed);
    }
}

/// Memory that is put aside.
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
    pub(crate) fn new(filters: &args::Filters, limits: &args::Limits) -> Self {
        Self {
            pool: Arc::new(Pool {
                filters: ArcSwap::from_pointee(Filters::new()),
                memory: limits.max_memory,
                used: AtomicUsize::new(0),
                lent: Arc::default(),
            }),
            turn: Mutex::new(()),
            max_filters: limits.max_filters,
            max_growth: limits.max_growth(),
            defaults: Settings::new(filters.default_capacity, filters.growing),
            locked: filters.behind_a_mutex,
        }
    }

    pub(crate) fn defaults(&self) -> Settings {
        self.defaults
    }

    pub(crate) fn max_memory(&self) -> usize {
        self.pool.memory
    }

    /// Bytes that a growing filter may take.
    pub(crate) fn max_growth(&self) -> usize {
        self.max_growth
    }

    /// All filters at this moment.
    pub(crate) fn filters(&self) -> Guard<Arc<Filters>> {
        self.pool.filters.load()
    }

    /// The filter of a key. If it is away, this waits until it is back.
    pub(crate) fn get(&self, key: &[u8]) -> Option<Arc<Filter>> {
        loop {
            let place = self.pool.filters.load().get(key).cloned();
            match place? {
                Place::Here(filter) => return Some(filter),
                Place::Away(lock) => drop(take(&lock)),
            }
        }
    }

    /// Makes a filter that must not be there yet.
    pub(crate) fn reserve(&self, key: &[u8], settings: Settings) -> Result<(), Error> {
        let turn = self.take_turn();
        self.create(key, settings, &turn).map(drop)
    }

    /// The filter of this key, made if there is none.
    pub(crate) fn get_or_create(
        &self,
        key: &[u8],
        settings: Settings,
    ) -> Result<Arc<Filter>, Error> {
        loop {
            // Who waits for a filter that is away must not have the turn: it is put back by who has it.
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
            Error::TooLarge { needed, most } => Error::Other(format!(
                "Insufficient memory to create filter: one that grows can take at most {most} bytes (--max-growth), and this one needs {needed}"
            )),
            error => error,
        })?;
        Ok(self.publish(key, filter, turn))
    }

    /// Puts a filter that was read from somewhere under a key that must not be there yet.
    pub(crate) fn adopt(&self, key: &[u8], filter: Filter) -> Result<(), Error> {
        // Who loads one may only look items up.
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

    /// Removes those of the filters that there are, in one step, and says how many. Those who still use one go on
    /// with what nobody else will see.
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

    /// Bytes that the filters there are take and, for a while, others.
    pub(crate) fn reserved(&self) -> usize {
        self.pool.bytes_of_filters() + self.pool.lent.load(Ordering::Relaxed)
    }

    /// Puts bytes aside until what is returned is dropped. Nothing if there are not so many left.
    pub(crate) fn lend(&self, bytes: usize) -> Option<Loan> {
        // Others who take some wait for their turn, so that none are taken twice.
        let _turn = self.take_turn();
        (bytes <= self.memory_left()).then(|| Loan::of(&self.pool, bytes))
    }

    fn memory_left(&self) -> usize {
        self.pool.memory.saturating_sub(self.reserved())
    }

    fn publish(&self, key: &[u8], filter: Filter, turn: &MutexGuard<'_, ()>) -> Arc<Filter> {
        let filter = if self.locked && !filter.settings().grows() {
            filter.behind_a_mutex()
        } else {
            filter.with_budget(Arc::clone(&self.pool) as Arc<dyn Budget>)
        };
        let filter = Arc::new(filter);
        self.put(key.into(), Place::Here(Arc::clone(&filter)), turn);
        filter
    }

    fn put(&self, key: Arc<[u8]>, place: Place, _turn: &MutexGuard<'_, ()>) {
        let mut filters = Filters::clone(&self.pool.filters.load());
        filters.insert(key, place);
        self.pool.store(Arc::new(filters));
    }

    /// Whether there may be one more filter, under this key.
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
    // Nothing is ever half done: the map is replaced whole.
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
