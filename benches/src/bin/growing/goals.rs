//! The goals of the filter that grows, and whether a run reached them.

use std::array;
use std::time::Duration;

use lockfree_cuckoo::GrowingCuckooFilter;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::layout::Layout;
use lockfree_cuckoo_benches::quartiles::Quartiles;
use lockfree_cuckoo_benches::size::items_name;

use crate::filling::Filled;
use crate::fresh::QUANTILES;

pub(crate) struct Goal {
    about: String,
    goal: String,
    measured: String,
    reached: bool,
}

/// Inserts a second, by those of the fixed filter.
const LEAST_PACE: f64 = 0.5;

/// Of a single insert.
const LONGEST: Duration = Duration::from_millis(50);

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

pub(crate) fn judge(items: usize, all: &[Filled]) -> Vec<Goal> {
    let name = items_name(items);
    let filled = all
        .iter()
        .find(|filled| filled.contender == GrowingCuckooFilter::NAME);
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
