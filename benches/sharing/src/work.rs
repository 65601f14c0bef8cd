//! The work of the processors, and their turns.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};

/// One operation, by the hash of its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Contains(u64),
    Insert(u64),
    InsertUnique(u64),
    Remove(u64),
}

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mix {
    /// The description.
    pub(crate) name: &'static str,
    /// The load of the table at the start.
    pub(crate) load: f64,
    /// The inserts and the removes among twenty operations.
    inserts: u32,
    removes: u32,
    /// The inserts of absent items only, half of them of new items, among twenty operations.
    unique: u32,
    /// Whether all operations are on one item.
    is_hot: bool,
}

/// The kinds of work that are counted.
pub(crate) const MIXES: [Mix; 6] = [
    Mix::new("lookups, 95 % load", 0.95, 0, 0),
    Mix::new("mixed, 50 % load", 0.5, 1, 1),
    Mix::new("mixed, 95 % load", 0.95, 1, 1),
    Mix::new("inserts, 92 to 95 % load", 0.92, 20, 0),
    Mix {
        unique: 20,
        ..Mix::new("insert_unique, half of stored items, 92 to 95 % load", 0.92, 0, 0)
    },
    Mix {
        is_hot: true,
        ..Mix::new("mixed, of one item", 0.5, 1, 1)
    },
];

/// The mixed work.
pub(crate) const MIXED: &str = "mixed: 90 % lookups, 5 % inserts, 5 % removes";

impl Mix {
    const fn new(name: &'static str, load: f64, inserts: u32, removes: u32) -> Self {
        Self {
            name,
            load,
            inserts,
            removes,
            unique: 0,
            is_hot: false,
        }
    }
}

/// The work of all processors.
#[derive(Debug)]
pub(crate) struct Work {
    mix: Mix,
    random: SmallRng,
    /// The items of each processor, which no other removes.
    own: Vec<Vec<u64>>,
    /// The items that stay.
    stay: Vec<u64>,
}

impl Work {
    /// Gives each processor the same number of stored hashes; one half stays.
    pub(crate) fn new(mix: Mix, processors: usize, stored: &[u64]) -> Self {
        let (stay, own) = stored.split_at(stored.len() / 2);
        let shares = own.chunks(own.len() / processors).take(processors);
        Self {
            mix,
            random: SmallRng::seed_from_u64(7),
            own: shares.map(<[u64]>::to_vec).collect(),
            stay: stay.to_vec(),
        }
    }

    /// Returns the next processor and its operation. Every second lookup finds its item.
    pub(crate) fn turn(&mut self) -> (usize, Operation) {
        let Mix {
            inserts,
            removes,
            is_hot,
            ..
        } = self.mix;
        let processor = self.random.random_range(0..self.own.len());
        let own = &mut self.own[processor];
        let fresh = if is_hot {
            self.stay[0]
        } else {
            self.random.next_u64()
        };
        let kind = self.random.random_range(0..20);
        let operation = if kind < inserts {
            own.push(fresh);
            Operation::Insert(fresh)
        } else if kind < inserts + removes && !own.is_empty() {
            let at = self.random.random_range(0..own.len());
            let gone = own.swap_remove(at);
            Operation::Remove(if is_hot { fresh } else { gone })
        } else if is_hot || self.random.random() {
            Operation::Contains(fresh)
        } else {
            Operation::Contains(*self.stay.choose(&mut self.random).expect("items"))
        };
        (processor, operation)
    }
}
