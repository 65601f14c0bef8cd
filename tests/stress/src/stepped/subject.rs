//! What is compared: the filters, and exact sets behind locks.

use std::array;
use std::hash::{Hash, Hasher, RandomState};

use clap::ValueEnum;
use hashbrown::HashSet;
use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter};
use model::mix;
use parking_lot::{Mutex, RwLock};

use super::halt;

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Name {
    Filter,
    Doubling,
    Mutex,
    RwLock,
    Sharded,
}

/// Lower keys are of items that stay, which are put in before.
pub(crate) const FIRST_OF_THREADS: u64 = 1 << 16;

/// A set that many threads use. Keys differ.
pub(crate) trait Subject: Send + Sync {
    /// False if there is no room.
    fn insert(&self, key: u64) -> bool;
    fn contains(&self, key: u64) -> bool;
    fn remove(&self, key: u64) -> bool;
}

/// A key at whose hashing a thread may stop.
#[derive(PartialEq, Eq)]
struct Item(u64);

impl Hash for Item {
    fn hash<H: Hasher>(&self, state: &mut H) {
        halt::point();
        self.0.hash(state);
    }
}

type Set = HashSet<Item, RandomState>;

impl Name {
    pub(crate) fn subject(self, items: usize) -> Box<dyn Subject> {
        let set = || Set::with_capacity_and_hasher(items, RandomState::new());
        match self {
            Self::Filter => {
                // Nearly full, so that inserts relocate.
                let buckets = (items / 4).next_power_of_two();
                let filter = CuckooFilter::builder().buckets(buckets).seed(1).build();
                Box::new(filter.expect("a possible geometry"))
            }
            Self::Doubling => {
                let filter = GrowingCuckooFilter::builder().buckets(2).seed(1).build();
                Box::new(filter.expect("a possible geometry"))
            }
            Self::Mutex => Box::new(Mutex::new(set())),
            Self::RwLock => Box::new(RwLock::new(set())),
            Self::Sharded => Box::new(Sharded(array::from_fn(|_| Mutex::new(set())))),
        }
    }

    /// Whether one thread that stops must stop the others in the end.
    pub(crate) fn has_locks(self) -> bool {
        !matches!(self, Self::Filter | Self::Doubling)
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Filter => "lockfree-cuckoo",
            Self::Doubling => "lockfree-cuckoo, doubling",
            Self::Mutex => "hashbrown in a Mutex",
            Self::RwLock => "hashbrown in a RwLock",
            Self::Sharded => "hashbrown in 64 Mutexes",
        }
    }
}

impl Subject for CuckooFilter {
    fn insert(&self, key: u64) -> bool {
        self.insert(&key).is_ok()
    }

    fn contains(&self, key: u64) -> bool {
        self.contains(&key)
    }

    fn remove(&self, key: u64) -> bool {
        self.remove(&key)
    }
}

impl Subject for GrowingCuckooFilter {
    /// It doubles from the first item of a thread on, up to its last level, so that threads stop in the midst of that.
    fn insert(&self, key: u64) -> bool {
        if key >= FIRST_OF_THREADS {
            self.begin_to_double();
        }
        self.insert(&key).is_ok()
    }

    fn contains(&self, key: u64) -> bool {
        self.contains(&key)
    }

    fn remove(&self, key: u64) -> bool {
        self.remove(&key)
    }
}

impl Subject for Mutex<Set> {
    fn insert(&self, key: u64) -> bool {
        self.lock().insert(Item(key))
    }

    fn contains(&self, key: u64) -> bool {
        self.lock().contains(&Item(key))
    }

    fn remove(&self, key: u64) -> bool {
        self.lock().remove(&Item(key))
    }
}

impl Subject for RwLock<Set> {
    fn insert(&self, key: u64) -> bool {
        self.write().insert(Item(key))
    }

    fn contains(&self, key: u64) -> bool {
        self.read().contains(&Item(key))
    }

    fn remove(&self, key: u64) -> bool {
        self.write().remove(&Item(key))
    }
}

/// Each lock for its share of the keys, as sharded caches have it.
struct Sharded([Mutex<Set>; 64]);

impl Sharded {
    fn of(&self, key: u64) -> &Mutex<Set> {
        &self.0[mix(key) as usize % self.0.len()]
    }
}

impl Subject for Sharded {
    fn insert(&self, key: u64) -> bool {
        self.of(key).insert(key)
    }

    fn contains(&self, key: u64) -> bool {
        self.of(key).contains(key)
    }

    fn remove(&self, key: u64) -> bool {
        self.of(key).remove(key)
    }
}
