//! The goals that the crate has set itself.

use clap::ValueEnum;
use lockfree_cuckoo_benches::rivals::FILTER;
use lockfree_cuckoo_benches::{About, Goal, IN_CACHE, Work, items_name, threads_name};

use crate::results::{Key, Size};

/// A ratio, and what it was measured against.
type Measured = Option<(f64, String)>;

/// All goals, as far as the sizes of the run go.
pub(crate) fn judge(sizes: &[Size]) -> Vec<Goal> {
    let goals = sizes.iter().flat_map(of_size);
    goals.chain(sizes.first().map(stalls)).collect()
}

fn of_size(size: &Size) -> Vec<Goal> {
    let name = items_name(size.items);
    let in_cache = size.items <= IN_CACHE;
    let mut goals = Vec::new();
    let mut goal = |work: Work, threads, by: &str, least, measured: Measured| {
        let (work, threads) = (work.name(), threads_name(threads));
        let about = format!("{name} {work}, {threads}, by {by}");
        goals.push(Goal::at_least(about, least, measured));
    };

    let of_changes = if in_cache { [0.55, 0.85] } else { [0.70, 0.97] };
    for (work, least) in [
        (Work::Hit, 0.90),
        (Work::Miss, 0.90),
        (Work::HitMany, 0.90),
        (Work::MissMany, 0.90),
        (Work::Insert, of_changes[0]),
        (Work::Remove, of_changes[1]),
        (Work::Mixed, 0.70),
    ] {
        let ratio = size.ratio(FILTER, (work, 1));
        let measured = ratio.map(|ratio| (ratio.median, "limit".to_owned()));
        goal(work, 1, "the limit", least, measured);
    }

    // Batches are never slower than single calls. Those that write are twice as fast, where the limit's are.
    for &work in Work::value_variants() {
        let Some(single) = work.single() else {
            continue;
        };
        let batching = size.batching(work, single);
        let writes = !matches!(work, Work::HitMany | Work::MissMany);
        let doubles = writes && batching.is_some_and(|[_, limit]| limit >= 2.0);
        let least = if doubles { 2.0 } else { 1.0 };
        let measured = batching.map(|[filter, limit]| (filter, format!("limit: {limit:.2}")));
        goal(work, 1, &single.name(), least, measured);
    }

    for work in [Work::Hit, Work::Miss] {
        let speedup = size.speedup(work);
        let measured = speedup.map(|speedup| (speedup, "itself".to_owned()));
        goal(work, 2, "1 thread", 1.90, measured);
    }

    let of_changes = if in_cache { [1.3, 1.0] } else { [2.0, 2.0] };
    for (work, least) in [
        (Work::Hit, [2.0, 2.0]),
        (Work::Miss, [2.0, 2.0]),
        (Work::Mixed, [1.5, 1.5]),
        (Work::Insert, of_changes),
        (Work::Remove, of_changes),
    ] {
        for (threads, least) in [1, 2].into_iter().zip(least) {
            let measured = best(size, (work, threads), does_the_same);
            goal(work, threads, "the best rival", least, measured);
        }
        let measured = best(size, (work, 1), |name, _| name.ends_with("-alone"));
        goal(work, 1, "the best serial cuckoo filter", 1.0, measured);
    }
    goals
}

/// Whether a rival is concurrent, able to remove, and as rarely wrong as the filter.
fn does_the_same(_name: &str, about: About) -> bool {
    const MOST_FALSE_POSITIVES: f64 = 0.0005;
    about.shared && about.removes && about.false_positives < MOST_FALSE_POSITIVES
}

/// The ratio to the fastest of some rivals.
fn best(size: &Size, key: Key, counts: fn(&str, About) -> bool) -> Measured {
    let rivals = size.contenders().filter(|&name| name != FILTER);
    let rivals = rivals.filter(|name| size.about(name).is_some_and(|about| counts(name, about)));
    least(rivals.filter_map(|name| Some((size.against(name, key)?, name))))
}

fn least<'a>(ratios: impl Iterator<Item = (f64, &'a str)>) -> Measured {
    let least = ratios.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
    Some((least.0, least.1.to_owned()))
}

/// How much shorter the stall of a lookup is, one in a thousand, than behind one lock: the least of the
/// ratios.
fn stalls(size: &Size) -> Goal {
    const THREADS: usize = 64;
    let p999 = |name: &str| size.latency(name, THREADS, |latency| latency.kinds[0].p999());
    let locked = size.contenders().filter(|name| name.ends_with("-rwlock"));
    let ratios = locked.filter_map(|name| Some((p999(name)? / p999(FILTER)?, name)));
    let name = items_name(size.items);
    let about =
        format!("{name} p99.9 of a lookup, {THREADS} threads, of the locks by the filter's");
    Goal::at_least(about, 10.0, least(ratios))
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo_benches::{Cell, Quantiles, Quartiles};

    use super::*;
    use crate::results::{Latency, Measured, Process};

    /// A contender whose every rate is so much of the limit's, on each thread.
    fn contender(name: &str, ratio: f64, false_positives: f64) -> Measured {
        let cell = |work, threads| Cell {
            work,
            threads,
            ratio: Quartiles::of(vec![ratio]),
            rate: 1e8 * ratio * threads as f64,
            other: 1e8 * threads as f64,
            idle: 0.0,
        };
        let works = [
            Work::Insert,
            Work::Hit,
            Work::Miss,
            Work::Remove,
            Work::Mixed,
        ];
        Measured {
            name: name.to_owned(),
            about: About {
                false_positives,
                removes: true,
                shared: true,
                ..About::default()
            },
            cells: works
                .iter()
                .flat_map(|&work| [cell(work, 1), cell(work, 2)])
                .collect(),
            latencies: Vec::new(),
        }
    }

    fn process(speedup: f64) -> Process {
        Process {
            speedup,
            contenders: vec![
                contender(FILTER, 0.9, 0.0001),
                contender("slow", 0.3, 0.0),
                contender("wrong", 0.6, 0.03),
            ],
        }
    }

    fn goal(processes: Vec<Process>, about: &str) -> Goal {
        let size = Size {
            items: IN_CACHE,
            threads: vec![1, 2],
            processes,
        };
        let mut goals = judge(&[size]);
        goals.retain(|goal| goal.about.contains(about));
        assert_eq!(goals.len(), 1, "one goal about it");
        goals.remove(0)
    }

    #[test]
    fn each_has_its_verdict() {
        let verdict = |about| goal(vec![process(2.0)], about).verdict();
        assert_eq!(verdict("1M hit, 1 thread, by the limit"), "reached");
        assert_eq!(
            verdict("1M hit-many, 1 thread, by the limit"),
            "not measured"
        );
        assert_eq!(
            verdict("1M insert, 1 thread, by the best serial"),
            "not measured"
        );
        assert_eq!(verdict("p99.9"), "not measured");
        // The faster one is wrong too often to be a rival.
        let rival = goal(vec![process(2.0)], "1M hit, 2 threads, by the best rival");
        assert_eq!(
            (rival.verdict(), rival.measured.expect("a rival").1),
            ("reached", "slow".to_owned())
        );
    }

    #[test]
    fn a_speedup_needs_two_cores() {
        let about = "1M hit, 2 threads, by 1 thread";
        let none = goal(vec![process(1.2), process(1.3)], about);
        assert_eq!(none.measured, None);
        let one = goal(vec![process(1.2), process(2.0)], about);
        assert_eq!(one.verdict(), "reached");
    }

    #[test]
    fn stalls_are_compared_with_every_lock() {
        let mut process = process(2.0);
        process.contenders.push(contender("long-rwlock", 0.1, 0.0));
        process.contenders.push(contender("short-rwlock", 0.1, 0.0));
        let stalls = [200, 100, 0, 1_000_000, 4_000];
        for (contender, p999) in process.contenders.iter_mut().zip(stalls) {
            let quantiles = Quantiles {
                at: [50, 100, p999, p999, p999],
                operations: 1_000,
            };
            contender.latencies.push(Latency {
                threads: 64,
                kinds: [quantiles; 3],
            });
        }
        let goal = goal(vec![process], "p99.9");
        assert_eq!(goal.measured, Some((20.0, "short-rwlock".to_owned())));
    }
}
