//! How close does the filter come to the bare limit?
//!
//! Slices of the filter's work and of the limit's take turns in one process, so a disturbance of the machine
//! meets both. For each kind of work, size and number of threads: the median of the paired ratios (operations
//! per second of the filter, divided by those of the limit) and their quartiles. Rates are per second with a
//! processor. The last column is the share of the time without: where it is large, threads that were meant
//! to run at the same time did not, and a number for several threads is one for a single thread in disguise.
//!
//! `--quick` takes about a minute instead of several. `--large` adds a table of 200 MiB.

use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::lap::Lap;
use lockfree_cuckoo_benches::limit::Limit;
use lockfree_cuckoo_benches::machine::machine;
use lockfree_cuckoo_benches::quartiles::Quartiles;
use lockfree_cuckoo_benches::rig::Rig;
use lockfree_cuckoo_benches::size::{BEYOND_CACHE, IN_CACHE, LARGE, Size, THREADS};
use lockfree_cuckoo_benches::work::OPS_PER_BLOCK;

/// Work that leaves a table as full as it was.
#[derive(Clone, Copy, Debug)]
enum Work {
    Hit,
    Miss,
    Remove,
    Mixed,
}

/// Mixed work comes last, because it exchanges items.
const ALL_WORK: [(&str, Work); 4] = [
    ("hit", Work::Hit),
    ("miss", Work::Miss),
    ("remove", Work::Remove),
    ("mixed", Work::Mixed),
];

/// Lookups a slice and thread. A millisecond or some, so that most slices of a busy machine are undisturbed;
/// longer ones would all be disturbed, by chance more or less.
const LOOKUPS: usize = 1 << 17;

const BLOCKS: usize = LOOKUPS / OPS_PER_BLOCK;

/// Inserts a slice: filling from empty is one measurement, done in turns of this size.
const INSERTS: usize = 250_000;

const FEWEST_PAIRS: usize = 5;

/// What one contender did in its turn.
#[derive(Clone, Copy, Debug)]
struct Slice {
    ops: usize,
    lap: Lap,
}

impl Slice {
    fn rate(self) -> f64 {
        self.ops as f64 / self.lap.busy.as_secs_f64()
    }
}

struct Duel {
    filter: Rig<CuckooFilter>,
    limit: Rig<Limit>,
    /// Who began last; it alternates.
    limit_first: bool,
}

impl Duel {
    fn new(size: Size) -> Self {
        let keys = Arc::new(Keys::generate(size.items));
        Self {
            filter: Rig::full(&keys),
            limit: Rig::full(&keys),
            limit_first: false,
        }
    }

    /// One slice of each contender.
    fn slices(&mut self, work: Work, threads: usize) -> (Slice, Slice) {
        self.turns(
            |rig| slice(rig, work, threads),
            |rig| slice(rig, work, threads),
        )
    }

    /// One filling of each from empty, a part in turn.
    fn fillings(&mut self, threads: usize) -> (Slice, Slice) {
        self.filter.clear();
        self.limit.clear();
        let ops = self.filter.items();
        let mut laps = (Lap::default(), Lap::default());
        for start in (0..ops).step_by(INSERTS * threads) {
            let part = start..ops.min(start + INSERTS * threads);
            let (filter, limit) = self.turns(
                |rig| rig.insert(part.clone(), threads),
                |rig| rig.insert(part.clone(), threads),
            );
            laps.0 += filter;
            laps.1 += limit;
        }
        (Slice { ops, lap: laps.0 }, Slice { ops, lap: laps.1 })
    }

    fn turns<T>(
        &mut self,
        of_filter: impl FnOnce(&mut Rig<CuckooFilter>) -> T,
        of_limit: impl FnOnce(&mut Rig<Limit>) -> T,
    ) -> (T, T) {
        self.limit_first = !self.limit_first;
        if self.limit_first {
            let limit = of_limit(&mut self.limit);
            (of_filter(&mut self.filter), limit)
        } else {
            (of_filter(&mut self.filter), of_limit(&mut self.limit))
        }
    }
}

fn slice<C: Contender>(rig: &mut Rig<C>, work: Work, threads: usize) -> Slice {
    match work {
        Work::Hit => {
            let ops = LOOKUPS * threads;
            let lap = rig.hit(ops, threads);
            Slice { ops, lap }
        }
        Work::Miss => {
            let ops = LOOKUPS * threads;
            let lap = rig.miss(ops, threads);
            Slice { ops, lap }
        }
        Work::Remove => {
            let (ops, lap) = rig.remove(threads);
            Slice { ops, lap }
        }
        Work::Mixed => {
            let blocks = BLOCKS * threads;
            let lap = rig.mix(blocks, threads);
            let ops = blocks * OPS_PER_BLOCK;
            Slice { ops, lap }
        }
    }
}

fn main() -> ExitCode {
    let mut budget = Duration::from_secs(10);
    let mut sizes = vec![IN_CACHE, BEYOND_CACHE];
    for argument in env::args().skip(1) {
        match argument.as_str() {
            "--quick" => budget = Duration::from_secs(2),
            "--large" => sizes.push(LARGE),
            _ => {
                eprintln!("usage: ratios [--quick] [--large]");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("{}", machine());
    println!("                               quartiles             million ops/s   without a");
    println!("work    size  threads  ratio   of the ratio    pairs  filter  limit  processor");
    for size in sizes {
        let mut duel = Duel::new(size);
        for threads in THREADS {
            let fill = |duel: &mut Duel| duel.fillings(threads);
            report(&mut duel, ("insert", size, threads), budget, fill);
        }
        for (name, work) in ALL_WORK {
            for threads in THREADS {
                let slice = |duel: &mut Duel| duel.slices(work, threads);
                report(&mut duel, (name, size, threads), budget, slice);
            }
        }
        duel.filter.check();
    }
    ExitCode::SUCCESS
}

/// Pairs until the time is up, and one line about them.
fn report(
    duel: &mut Duel,
    (name, size, threads): (&str, Size, usize),
    budget: Duration,
    pair: impl Fn(&mut Duel) -> (Slice, Slice),
) {
    let start = Instant::now();
    let mut rates = Vec::new();
    let mut sum = Lap::default();
    while rates.len() < FEWEST_PAIRS || start.elapsed() < budget {
        let (filter, limit) = pair(duel);
        sum += filter.lap + limit.lap;
        rates.push((filter.rate(), limit.rate()));
    }
    let quartiles = |of: fn(&(f64, f64)) -> f64| Quartiles::of(rates.iter().map(of).collect());
    let ratio = quartiles(|(filter, limit)| filter / limit);
    println!(
        "{name:6}  {size:>4}  {threads:7}  {:5.3}  [{:5.3}, {:5.3}]  {:5}  {:6.1} {:6.1}    {:5.0} %",
        ratio.median,
        ratio.lower,
        ratio.upper,
        rates.len(),
        quartiles(|pair| pair.0).median / 1e6,
        quartiles(|pair| pair.1).median / 1e6,
        100.0 - 100.0 * sum.busy.as_secs_f64() / sum.wall.as_secs_f64(),
    );
}
