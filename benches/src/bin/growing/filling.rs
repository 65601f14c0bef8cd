//! Filling, from a small first size, and what a contender is like after it.

use std::sync::Arc;

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::faults::Faults;
use lockfree_cuckoo_benches::growing::{Growing, Visitor};
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::lap::Lap;
use lockfree_cuckoo_benches::machine::cores;
use lockfree_cuckoo_benches::rig::Rig;
use lockfree_cuckoo_benches::size::THREADS;

use crate::duel::{Duel, Pace, Pair};
use crate::fresh::{self, Singles};

/// Inserts a slice and thread: a filling is done in turns of this size.
const INSERTS: usize = 250_000;

/// What a contender did.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    pub(crate) contender: &'static str,
    /// By the number of threads.
    pub(crate) paces: Vec<(usize, Pace)>,
    /// A filling each, on one thread.
    pub(crate) singles: Vec<Singles>,
    pub(crate) tables: Option<usize>,
    pub(crate) load: Option<f64>,
    pub(crate) bytes: Option<usize>,
    pub(crate) false_positives: f64,
    pub(crate) expected_false_positives: f64,
    pub(crate) faults: Faults,
}

pub(crate) struct Fillings {
    keys: Arc<Keys>,
    start: usize,
    times: u32,
    pub(crate) found: Vec<Filled>,
}

impl Fillings {
    /// The fixed filter is measured at once, and it alone gets its size.
    pub(crate) fn new(items: usize, start: usize, times: u32) -> Self {
        let mut fillings = Self {
            keys: Arc::new(Keys::generate(items)),
            start: items,
            times,
            found: Vec::new(),
        };
        fillings.visit::<CuckooFilter>();
        fillings.start = start;
        fillings
    }

    fn empty<C: Growing>(&self) -> Rig<C> {
        Rig::of(C::with_capacity(self.start), &self.keys)
    }

    /// One filling of each, from new.
    fn pair<C: Growing>(&self, threads: usize) -> (Rig<C>, Pair) {
        let mut fixed = Rig::empty(&self.keys);
        let mut duel = Duel::new(self.empty::<C>(), &mut fixed);
        let items = self.keys.stored.len();
        let step = INSERTS * threads;
        let (mut one, mut other) = (Lap::default(), Lap::default());
        for start in (0..items).step_by(step) {
            let part = start..items.min(start + step);
            let pair = duel.turns(
                |rig| rig.insert(part.clone(), threads),
                |rig| rig.insert(part.clone(), threads),
            );
            one += pair.0;
            other += pair.1;
        }
        (duel.one, (one, other))
    }
}

impl Visitor for Fillings {
    fn visit<C: Growing>(&mut self) {
        let items = self.keys.stored.len();
        let mut faults = Faults::default();
        let mut audit = |mut rig: Rig<C>| {
            rig.check();
            faults += rig.faults();
        };
        let threads = THREADS.into_iter().filter(|&threads| threads <= cores());
        let pace = |threads| {
            let filling = |_| {
                let (rig, pair) = self.pair::<C>(threads);
                audit(rig);
                pair
            };
            let pairs: Vec<Pair> = (0..self.times).map(filling).collect();
            (threads, Pace::of(&pairs, items))
        };
        let paces = threads.map(pace).collect();
        let singles = (0..self.times).map(|_| {
            fresh::fill(C::NAME, items, self.start).unwrap_or_else(|error| panic!("{error}"))
        });
        let singles = singles.collect();
        let (mut rig, _) = self.pair::<C>(1);
        rig.check();
        let (absent, stored) = (self.keys.absent.len(), items as f64);
        let wrong = rig.miss(absent, 1).1;
        faults += rig.faults();
        let table = rig.table();
        self.found.push(Filled {
            contender: C::NAME,
            paces,
            singles,
            tables: table.tables(),
            load: (table.slots() > 0).then(|| stored / table.slots() as f64),
            bytes: table.bytes(),
            false_positives: wrong as f64 / absent as f64,
            expected_false_positives: table.expected_false_positives(),
            faults,
        });
    }
}
