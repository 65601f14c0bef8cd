//! Lookups, by the number of segments that the items are spread over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::growing::history::{grown, order, start_for};
use lockfree_cuckoo_benches::growing::{Growing, Visitor};
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::lap::Lap;
use lockfree_cuckoo_benches::machine::cores;
use lockfree_cuckoo_benches::rig::Rig;
use lockfree_cuckoo_benches::size::THREADS;

use crate::duel::{Duel, Pace};

/// The numbers of segments.
const SEGMENTS: [usize; 4] = [1, 2, 4, 6];

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

    fn is_batched(self) -> bool {
        matches!(self, Self::HitMany | Self::MissMany)
    }
}

/// A contender that has grown from some first size.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) contender: &'static str,
    pub(crate) start: usize,
    pub(crate) tables: Option<usize>,
    pub(crate) threads: usize,
    /// In the order of the works, if it can do them.
    pub(crate) paces: [Option<Pace>; Work::ALL.len()],
}

pub(crate) struct Lookups {
    keys: Arc<Keys>,
    order: Vec<u64>,
    fixed: Rig<CuckooFilter>,
    /// First sizes that lead to the numbers of segments.
    starts: [usize; SEGMENTS.len()],
    time: Duration,
    pub(crate) found: Vec<Row>,
}

impl Lookups {
    pub(crate) fn new(keys: &Arc<Keys>, time: Duration) -> Self {
        let order = order(keys);
        Self {
            keys: Arc::clone(keys),
            starts: SEGMENTS.map(|segments| start_for(segments, &order)),
            order,
            fixed: Rig::full(keys),
            time,
            found: Vec::new(),
        }
    }
}

impl Visitor for Lookups {
    fn visit<C: Growing>(&mut self) {
        for start in self.starts {
            let table = grown::<C>(start, &self.order);
            let tables = table.tables();
            let mut duel = Duel::new(Rig::of(table, &self.keys), &mut self.fixed);
            duel.one.check();
            for threads in THREADS.into_iter().filter(|&threads| threads <= cores()) {
                self.found.push(Row {
                    contender: C::NAME,
                    start,
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
