//! The goals that the crate has set itself, and whether a run reached them.

#[cfg(test)]
mod tests;

use lockfree_cuckoo_benches::layout::{Layout, or_dash};
use lockfree_cuckoo_benches::size::{IN_CACHE, items_name};

use crate::job::Work;
use crate::results::Table;
use crate::summary::{FILTER, Key, Summary, median};

/// One goal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Goal {
    /// What is compared with what.
    pub(crate) about: String,
    pub(crate) at_least: f64,
    /// The value, if it was measured, and what it was measured against.
    pub(crate) measured: Option<(f64, String)>,
}

impl Goal {
    pub(crate) fn verdict(&self) -> &'static str {
        match self.measured {
            Some((value, _)) if value >= self.at_least => "reached",
            Some(_) => "missed",
            None => "not measured",
        }
    }
}

/// A rival is compared with if it is wrong less often than this.
const MOST_FALSE_POSITIVES: f64 = 0.0005;

/// All goals, as far as the sizes of the run go.
pub(crate) fn judge(summary: &Summary<'_>) -> Vec<Goal> {
    let mut goals = Vec::new();
    for items in summary.sizes() {
        goals.extend(against_the_limit(summary, items));
        goals.extend(against_single_calls(summary, items));
        goals.extend(speedups(summary, items));
        goals.extend(against_the_rivals(summary, items));
        goals.extend(against_one_thread(summary, items));
    }
    goals.extend(summary.sizes().first().map(|&items| stalls(summary, items)));
    goals
}

fn against_the_limit(summary: &Summary<'_>, items: usize) -> Vec<Goal> {
    let (insert, remove) = if items <= IN_CACHE.items {
        (0.55, 0.85)
    } else {
        (0.70, 0.97)
    };
    let goals = [
        (Work::Hit, 0.90),
        (Work::Miss, 0.90),
        (Work::HitMany, 0.90),
        (Work::MissMany, 0.90),
        (Work::Insert, insert),
        (Work::Remove, remove),
        (Work::Mixed, 0.70),
    ];
    let goal = |(work, at_least)| {
        let key = Key {
            items,
            work,
            threads: 1,
        };
        let ratio = summary.ratio(FILTER, key);
        Goal {
            about: format!("{}, by the limit", named(key)),
            at_least,
            measured: ratio.map(|ratio| (ratio.median, "limit".to_owned())),
        }
    };
    goals.map(goal).into()
}

/// Batches are never slower than single calls. Beyond the cache those that write are twice as fast, where the limit's
/// are.
fn against_single_calls(summary: &Summary<'_>, items: usize) -> Vec<Goal> {
    let batched = Work::RATED.into_iter();
    let pairs = batched.filter_map(|work| Some((work, work.single()?)));
    let goal = |(work, single): (Work, Work)| {
        let key = Key {
            items,
            work,
            threads: 1,
        };
        let measured = summary.batching(key, single);
        let writes = matches!(work, Work::InsertMany | Work::RemoveMany);
        let doubles = measured.is_some_and(|(_, limit)| limit >= 2.0);
        Goal {
            about: format!("{}, by {}", named(key), single.name()),
            at_least: if writes && doubles { 2.0 } else { 1.0 },
            measured: measured.map(|(filter, limit)| (filter, format!("limit: {limit:.2}"))),
        }
    };
    pairs.map(goal).collect()
}

/// The serial cuckoo filters, without a lock.
fn against_one_thread(summary: &Summary<'_>, items: usize) -> Vec<Goal> {
    let goal = |work| {
        let key = Key {
            items,
            work,
            threads: 1,
        };
        Goal {
            about: format!("{}, by the best serial cuckoo filter", named(key)),
            at_least: 1.0,
            measured: best(summary, key, |name, _| name.ends_with("-alone")),
        }
    };
    let work = [
        Work::Insert,
        Work::Hit,
        Work::Miss,
        Work::Remove,
        Work::Mixed,
    ];
    work.map(goal).into()
}

fn speedups(summary: &Summary<'_>, items: usize) -> Vec<Goal> {
    let goal = |work| Goal {
        about: format!(
            "{} {}, 2 threads, by 1 thread",
            items_name(items),
            Work::name(work)
        ),
        at_least: 1.90,
        measured: summary
            .speedup(items, work)
            .map(|speedup| (speedup, "itself".to_owned())),
    };
    [Work::Hit, Work::Miss].map(goal).into()
}

fn against_the_rivals(summary: &Summary<'_>, items: usize) -> Vec<Goal> {
    let in_cache = items <= IN_CACHE.items;
    let goals = [
        (Work::Hit, [2.0, 2.0]),
        (Work::Miss, [2.0, 2.0]),
        (Work::Mixed, [1.5, 1.5]),
        (Work::Insert, if in_cache { [1.3, 1.0] } else { [2.0, 2.0] }),
        (Work::Remove, if in_cache { [1.3, 1.0] } else { [2.0, 2.0] }),
    ];
    let each_number_of_threads = goals.into_iter().flat_map(|(work, at_least)| {
        [1, 2]
            .into_iter()
            .zip(at_least)
            .map(move |(threads, at_least)| {
                let key = Key {
                    items,
                    work,
                    threads,
                };
                (key, at_least)
            })
    });
    each_number_of_threads
        .map(|(key, at_least)| Goal {
            about: format!("{}, by the best rival", named(key)),
            at_least,
            measured: best_rival(summary, key),
        })
        .collect()
}

/// The ratio to the fastest rival that does the same: concurrent, able to remove, and as rarely wrong.
fn best_rival(summary: &Summary<'_>, key: Key) -> Option<(f64, String)> {
    best(summary, key, |_, table| {
        table.concurrent && table.removes && table.false_positives < MOST_FALSE_POSITIVES
    })
}

/// The ratio to the fastest of some rivals.
fn best(
    summary: &Summary<'_>,
    key: Key,
    counts: impl Fn(&str, &Table) -> bool,
) -> Option<(f64, String)> {
    summary
        .contenders(key.items)
        .into_iter()
        .filter(|&name| name != FILTER)
        .filter(|name| {
            let table = summary.table(key.items, name);
            table.is_some_and(|table| counts(name, &table))
        })
        .filter_map(|name| Some((summary.against(name, key)?, name.to_owned())))
        .min_by(|(one, _), (other, _)| one.total_cmp(other))
}

/// How much shorter the stall of a lookup is, one in a thousand, than behind one lock: the least of the
/// ratios.
fn stalls(summary: &Summary<'_>, items: usize) -> Goal {
    const THREADS: usize = 64;
    let p999 = |name: &str| {
        let latencies = summary.latencies(items, THREADS, name);
        median(latencies.iter().map(|latency| latency.lookup.p999))
    };
    let locked = summary.contenders(items).into_iter().filter(|name| {
        let table = summary.table(items, name);
        table.is_some_and(|table| table.one_lock && name.ends_with("-rwlock"))
    });
    let measured = p999(FILTER).and_then(|filter| {
        locked
            .filter_map(|name| Some((p999(name)? / filter, name.to_owned())))
            .min_by(|(one, _), (other, _)| one.total_cmp(other))
    });
    Goal {
        about: format!(
            "{} p99.9 of a lookup, {THREADS} threads, of the read-write locks by the filter's",
            items_name(items)
        ),
        at_least: 10.0,
        measured,
    }
}

fn named(key: Key) -> String {
    let threads = match key.threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    format!("{} {}, {threads}", items_name(key.items), key.work.name())
}

pub(crate) fn print(goals: &[Goal]) {
    println!("\nGoals");
    let mut layout = Layout::new(["ratio", "goal", "measured", "", "against"]);
    for goal in goals {
        let measured = goal.measured.as_ref();
        layout.row([
            goal.about.clone(),
            format!("{:.2}", goal.at_least),
            or_dash(measured, |(value, _)| format!("{value:.2}")),
            goal.verdict().to_owned(),
            or_dash(measured, |(_, against)| against.clone()),
        ]);
    }
    layout.print();
}
