//! The work of the processors, and their turns.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};

/// One operation, by the hash of its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Contains(u64),
    Insert(u64),
    /// An insert that adds an absent item only: of a new item.
    InsertNew(u64),
    /// The same of a stored item.
    InsertKnown(u64),
    Remove(u64),
}

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mix {
    /// The description.
    pub(crate) name: &'static str,
    /// The load of the table at the start.
    pub(crate) load: f64,
    kind: Kind,
}

/// The operations of some work, and their items.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// So many inserts and so many removes among twenty operations, and lookups.
    Mixed(u32, u32),
    /// As many of each, and all of one item.
    Hot(u32, u32),
    InsertsOfNew,
    InsertsOfKnown,
}

/// The kinds of work that are counted.
pub(crate) const MIXES: [Mix; 7] = [
    Mix::new("lookups, 95 % load", 0.95, Kind::Mixed(0, 0)),
    Mix::new("mixed, 50 % load", 0.5, Kind::Mixed(1, 1)),
    Mix::new("mixed, 95 % load", 0.95, Kind::Mixed(1, 1)),
    Mix::new("inserts, 92 to 95 % load", 0.92, Kind::Mixed(20, 0)),
    Mix::new(
        "insert_unique, new, 92 to 95 % load",
        0.92,
        Kind::InsertsOfNew,
    ),
    Mix::new(
        "insert_unique, known, 95 % load",
        0.95,
        Kind::InsertsOfKnown,
    ),
    Mix::new("mixed, of one item", 0.5, Kind::Hot(1, 1)),
];

/// The mixed work.
pub(crate) const MIXED: &str = "mixed: 90 % lookups, 5 % inserts, 5 % removes";

impl Mix {
    const fn new(name: &'static str, load: f64, kind: Kind) -> Self {
        Self { name, load, kind }
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
        let processor = self.random.random_range(0..self.own.len());
        let operation = match self.mix.kind {
            Kind::InsertsOfNew => Operation::InsertNew(self.random.next_u64()),
            Kind::InsertsOfKnown => Operation::InsertKnown(self.known()),
            Kind::Mixed(inserts, removes) => self.mixed(processor, inserts, removes, None),
            Kind::Hot(inserts, removes) => {
                self.mixed(processor, inserts, removes, Some(self.stay[0]))
            }
        };
        (processor, operation)
    }

    fn mixed(
        &mut self,
        processor: usize,
        inserts: u32,
        removes: u32,
        hot: Option<u64>,
    ) -> Operation {
        let own = &mut self.own[processor];
        let fresh = hot.unwrap_or_else(|| self.random.next_u64());
        let kind = self.random.random_range(0..20);
        if kind < inserts {
            own.push(fresh);
            Operation::Insert(fresh)
        } else if kind < inserts + removes && !own.is_empty() {
            let at = self.random.random_range(0..own.len());
            let gone = own.swap_remove(at);
            Operation::Remove(hot.unwrap_or(gone))
        } else if hot.is_some() || self.random.random() {
            Operation::Contains(fresh)
        } else {
            Operation::Contains(self.known())
        }
    }

    /// Returns an item that stays.
    fn known(&mut self) -> u64 {
        *self.stay.choose(&mut self.random).expect("items")
    }
}
