//! Lookups, by how often the filter has grown, and in the midst of a growth.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::growing::history::{doublings, grown, half_grown, order, start_for};
use lockfree_cuckoo_benches::growing::{Growing, Visitor};
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::lap::Lap;
use lockfree_cuckoo_benches::machine::cores;
use lockfree_cuckoo_benches::rig::Rig;
use lockfree_cuckoo_benches::size::THREADS;

use crate::duel::{Duel, Pace};

/// How often the filter doubles.
const DOUBLINGS: [u32; 6] = [0, 1, 4, 8, 10, 13];

/// How often it has doubled that is in the midst of a growth.
const BEFORE_HALF: u32 = 3;

/// Lookups a slice and thread. A millisecond or some, so that most slices of a busy machine are undisturbed.
const LOOKUPS: usize = 1 << 17;

/// The fewest pairs of slices in a measurement.
const FEWEST_PAIRS: usize = 5;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    Hit,
    Miss,
    HitMany,
    MissMany,
}

impl Work {
    pub(crate) const ALL: [(Self, &str); 4] = [
        (Self::Hit, "hit"),
        (Self::Miss, "miss"),
        (Self::HitMany, "hit-many"),
        (Self::MissMany, "miss-many"),
    ];

    fn slice<C: Contender>(self, rig: &mut Rig<C>, threads: usize) -> Lap {
        let lookups = LOOKUPS * threads;
        match self {
            Self::Hit => rig.hit(lookups, threads),
            Self::Miss => rig.miss(lookups, threads).0,
            Self::HitMany => rig.hit_many(lookups, threads),
            Self::MissMany => rig.miss_many(lookups, threads).0,
        }
    }

    pub(crate) fn is_batched(self) -> bool {
        matches!(self, Self::HitMany | Self::MissMany)
    }
}

/// A contender that has grown from some first size.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) contender: &'static str,
    pub(crate) start: usize,
    /// How often its slots have doubled, if it has slots.
    pub(crate) doublings: Option<u32>,
    /// The share of a growth under way that is done.
    pub(crate) growth_done: Option<f64>,
    pub(crate) tables: Option<usize>,
    pub(crate) threads: usize,
    /// In the order of the works, if it can do them.
    pub(crate) paces: [Option<Pace>; Work::ALL.len()],
}

pub(crate) struct Lookups {
    keys: Arc<Keys>,
    order: Vec<u64>,
    fixed: Rig<CuckooFilter>,
    /// First sizes that lead to the doublings.
    starts: [usize; DOUBLINGS.len()],
    time: Duration,
    pub(crate) found: Vec<Row>,
}

impl Lookups {
    pub(crate) fn new(keys: &Arc<Keys>, time: Duration) -> Self {
        let order = order(keys);
        Self {
            keys: Arc::clone(keys),
            starts: DOUBLINGS.map(|times| start_for(times, &order)),
            order,
            fixed: Rig::full(keys),
            time,
            found: Vec::new(),
        }
    }
}

impl Lookups {
    fn measure<C: Growing>(&mut self, start: usize, table: C) {
        let about = (doublings(start, &table), table.growth_done());
        let tables = table.tables();
        let mut duel = Duel::new(Rig::of(table, &self.keys), &mut self.fixed);
        duel.one.check();
        for threads in THREADS.into_iter().filter(|&threads| threads <= cores()) {
            self.found.push(Row {
                contender: C::NAME,
                start,
                doublings: about.0,
                growth_done: about.1,
                tables,
                threads,
                paces: Work::ALL.map(|(work, _)| {
                    (C::BATCHED || !work.is_batched())
                        .then(|| pace(&mut duel, work, threads, self.time))
                }),
            });
        }
        duel.one.check();
    }
}

impl Visitor for Lookups {
    fn visit<C: Growing>(&mut self) {
        for start in self.starts {
            let table = grown::<C>(start, &self.order);
            self.measure(start, table);
        }
        let start = self.order.len() >> BEFORE_HALF;
        if let Some(table) = half_grown::<C>(start, &self.order) {
            self.measure(start, table);
        }
    }
}

fn pace<C: Contender>(duel: &mut Duel<'_, C>, work: Work, threads: usize, time: Duration) -> Pace {
    let start = Instant::now();
    let mut pairs = Vec::new();
    while pairs.len() < FEWEST_PAIRS || start.elapsed() < time {
        pairs.push(duel.turns(
            |rig| work.slice(rig, threads),
            |rig| work.slice(rig, threads),
        ));
    }
    Pace::of(&pairs, LOOKUPS * threads)
}
