//! The goals of the filter that grows, and whether a run reached them.

use std::array;
use std::time::Duration;

use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::growing::Doubling;
use lockfree_cuckoo_benches::layout::Layout;
use lockfree_cuckoo_benches::quartiles::Quartiles;
use lockfree_cuckoo_benches::size::{IN_CACHE, items_name};

use crate::filling::Filled;
use crate::fresh::QUANTILES;
use crate::lookups::{Row, Work};
use crate::way::Way;

pub(crate) struct Goal {
    about: String,
    goal: String,
    measured: String,
    reached: bool,
}

/// Inserts a second, by those of the fixed filter.
const LEAST_PACE: f64 = 0.5;

/// Of a single insert.
const LONGEST: Duration = Duration::from_millis(2);

/// Lookups a second, by those of the fixed filter: in a filter that has not grown, in one that has grown up to
/// 1,024-fold, in the cache and beyond it, and in one that is growing.
const NOT_GROWN: f64 = 0.85;
const GROWN: f64 = 0.8;
const GROWN_BEYOND_CACHE: f64 = 0.75;
const IN_GROWTH: f64 = 0.5;
const MOST_DOUBLINGS: u32 = 10;

/// Bits an item.
const LEAST_BITS: f64 = 17.0;
const MEAN_BITS: f64 = 25.0;
const MOST_BITS: f64 = 37.0;
/// In a growth there are the words that it leaves, too.
const IN_GROWTH_BITS: f64 = 1.5 * MOST_BITS;

impl Filled {
    /// The times of single inserts at each quantile, medians over fillings.
    pub(crate) fn times(&self) -> [Duration; QUANTILES.len()] {
        array::from_fn(|at| {
            let sample = self.singles.iter().map(|singles| singles.times[at] as f64);
            Duration::from_nanos(Quartiles::of(sample.collect()).median as u64)
        })
    }

    /// The longest single insert of all fillings.
    pub(crate) fn worst(&self) -> Duration {
        let longest = self
            .singles
            .iter()
            .map(|singles| singles.times[QUANTILES.len() - 1]);
        Duration::from_nanos(longest.max().unwrap_or(0))
    }
}

fn goal(about: String, goal: String, measured: String, reached: bool) -> Goal {
    Goal {
        about,
        goal,
        measured,
        reached,
    }
}

/// A name, the least pace, and which rows are meant.
type Kind = (&'static str, f64, fn(&Row) -> bool);

/// The slowest lookups of each kind.
pub(crate) fn of_lookups(items: usize, rows: &[Row]) -> Vec<Goal> {
    let beyond = items > IN_CACHE.items;
    let grown = if beyond { GROWN_BEYOND_CACHE } else { GROWN };
    let kinds: [Kind; 3] = [
        ("not grown", NOT_GROWN, |row| row.doublings == Some(0)),
        ("grown", grown, |row| row.doublings != Some(0)),
        ("growing", IN_GROWTH, |row| row.growth_done.is_some()),
    ];
    let of_kind = |(name, least, is): Kind| {
        let rows = rows.iter().filter(|row| row.contender == Doubling::NAME);
        let rows = rows.filter(|row| row.doublings <= Some(MOST_DOUBLINGS));
        let in_growth = name == "growing";
        let rows = rows.filter(|row| is(row) && row.growth_done.is_some() == in_growth);
        let rows: Vec<&Row> = rows.collect();
        [("", false), (" in batches", true)].map(|(suffix, batched)| {
            let works = (0..).zip(Work::ALL);
            let works = works.filter(|(_, (work, _))| work.is_batched() == batched);
            let paces = works.flat_map(|(at, _)| rows.iter().filter_map(move |row| row.paces[at]));
            let slowest = paces
                .map(|pace| pace.ratio.median)
                .fold(f64::INFINITY, f64::min);
            goal(
                format!(
                    "{} lookups{suffix}, {name}, by the fixed filter",
                    items_name(items)
                ),
                format!("at least {least:.2}"),
                format!("{slowest:.2}"),
                slowest >= least,
            )
        })
    };
    kinds.into_iter().flat_map(of_kind).collect()
}

/// Memory.
pub(crate) fn of_way(ways: &[Way]) -> Vec<Goal> {
    let way = ways.iter().find(|way| way.contender == Doubling::NAME);
    let bits = way.and_then(Way::settled).map(|bits| {
        goal(
            "bits per item".to_owned(),
            format!("{LEAST_BITS:.0} to {MOST_BITS:.0}, at most {MEAN_BITS:.0} in the mean"),
            format!("{:.1} to {:.1}, {:.1}", bits.least, bits.most, bits.mean),
            bits.most <= MOST_BITS && bits.mean <= MEAN_BITS,
        )
    });
    let in_growth = way.and_then(Way::growing).map(|bits| {
        goal(
            "bits per item, growing".to_owned(),
            format!("at most {IN_GROWTH_BITS:.1}"),
            format!("{:.1}", bits.most),
            bits.most <= IN_GROWTH_BITS,
        )
    });
    [bits, in_growth].into_iter().flatten().collect()
}

pub(crate) fn of_inserts(items: usize, all: &[Filled]) -> Vec<Goal> {
    let name = items_name(items);
    let filled = all.iter().find(|filled| filled.contender == Doubling::NAME);
    let Some(filled) = filled else {
        return Vec::new();
    };
    let paces = filled.paces.iter().map(|(threads, pace)| Goal {
        about: format!("{name} inserts, by the fixed filter, threads: {threads}"),
        goal: format!("at least {LEAST_PACE:.2}"),
        measured: format!("{:.2}", pace.ratio.median),
        reached: pace.ratio.median >= LEAST_PACE,
    });
    let worst = filled.worst();
    let stall = Goal {
        about: format!("{name} inserts, the longest of all"),
        goal: format!("at most {} ms", LONGEST.as_millis()),
        measured: format!("{:.1} ms", worst.as_secs_f64() * 1e3),
        reached: worst <= LONGEST,
    };
    paces.chain([stall]).collect()
}

pub(crate) fn print(goals: &[Goal]) {
    println!("\nGoals");
    let mut layout = Layout::new(["what", "goal", "measured", ""]);
    for goal in goals {
        let verdict = if goal.reached { "reached" } else { "missed" };
        layout.row([&*goal.about, &goal.goal, &goal.measured, verdict]);
    }
    layout.print();
}
