use lockfree_cuckoo_benches::cores::Cores;
use lockfree_cuckoo_benches::faults::Faults;
use lockfree_cuckoo_benches::quartiles::Quartiles;

use super::*;
use crate::build::Build;
use crate::results::{Cell, Latency, Process, Quantiles, Results, Table};

const ITEMS: usize = 1_000_000;

/// A contender whose every rate is so much of the limit's, on each thread.
fn contender(process: &mut Process, name: &str, ratio: f64, false_positives: f64) {
    process.tables.push(Table {
        contender: name.to_owned(),
        load: Some(0.95),
        bytes: None,
        false_positives,
        faults: Faults::default(),
        removes: true,
        concurrent: true,
        one_lock: name.ends_with("-rwlock"),
    });
    for work in [
        Work::Insert,
        Work::Hit,
        Work::Miss,
        Work::Remove,
        Work::Mixed,
    ] {
        for threads in [1, 2] {
            process.cells.push(Cell {
                contender: name.to_owned(),
                work,
                threads,
                ratio: Quartiles::of(vec![ratio]),
                pairs: 1,
                rate: 1e8 * ratio * threads as f64,
                limit: 1e8 * threads as f64,
                idle: 0.0,
                disturbed: 0,
            });
        }
    }
}

fn process(speedup: f64) -> Process {
    let mut process = Process {
        items: ITEMS,
        cores: Some(Cores {
            speedup,
            stolen: None,
        }),
        ..Process::default()
    };
    contender(&mut process, FILTER, 0.9, 0.0001);
    contender(&mut process, "slow", 0.3, 0.0);
    contender(&mut process, "wrong", 0.6, 0.03);
    process
}

fn judged(processes: Vec<Process>) -> Vec<Goal> {
    let results = Results {
        machine: String::new(),
        build: Build::Default,
        processes,
    };
    judge(&Summary::of(&results))
}

fn goal(goals: &[Goal], about: &str) -> Goal {
    let mut found = goals.iter().filter(|goal| goal.about.contains(about));
    let goal = found.next().expect("a goal about it").clone();
    assert_eq!(found.next(), None, "one goal about it");
    goal
}

#[test]
fn each_has_its_verdict() {
    let goals = judged(vec![process(2.0)]);
    let verdict = |about| goal(&goals, about).verdict();
    assert_eq!(verdict("1M hit, 1 thread, by the limit"), "reached");
    assert_eq!(verdict("1M remove, 1 thread, by the limit"), "reached");
    assert_eq!(verdict("1M mixed, 1 thread, by the limit"), "reached");
    assert_eq!(
        verdict("1M hit-many, 1 thread, by the limit"),
        "not measured"
    );
    assert_eq!(verdict("1M hit, 2 threads, by 1 thread"), "reached");
    assert_eq!(verdict("p99.9"), "not measured");
}

#[test]
fn the_best_rival_is_one_that_does_the_same() {
    let goals = judged(vec![process(2.0)]);
    let goal = goal(&goals, "1M hit, 2 threads, by the best rival");
    let (value, against) = goal.measured.expect("a rival");
    // The faster one is wrong too often to be a rival.
    assert_eq!(against, "slow");
    assert!((value - 3.0).abs() < 1e-9, "{value}");
}

#[test]
fn a_speedup_needs_two_cores() {
    let about = "1M hit, 2 threads, by 1 thread";
    let goals = judged(vec![process(1.2), process(1.3)]);
    assert_eq!(goal(&goals, about).measured, None);
    let goals = judged(vec![process(1.2), process(2.0)]);
    let (speedup, _) = goal(&goals, about).measured.expect("one had two cores");
    assert!((speedup - 2.0).abs() < 1e-9, "{speedup}");
}

#[test]
fn stalls_are_compared_with_every_lock() {
    let latency = |name: &str, p999| {
        let quantiles = Quantiles {
            p50: 50.0,
            p99: 100.0,
            p999,
            longest: p999,
            operations: 1_000,
        };
        Latency {
            contender: name.to_owned(),
            threads: 64,
            lookup: quantiles,
            insert: quantiles,
            remove: quantiles,
        }
    };
    let mut process = process(2.0);
    contender(&mut process, "long-rwlock", 0.1, 0.0);
    contender(&mut process, "short-rwlock", 0.1, 0.0);
    process.latencies = vec![
        latency(FILTER, 200.0),
        latency("slow", 100.0),
        latency("long-rwlock", 1e6),
        latency("short-rwlock", 4_000.0),
    ];
    let goal = goal(&judged(vec![process]), "p99.9");
    assert_eq!(goal.measured, Some((20.0, "short-rwlock".to_owned())));
    assert_eq!(goal.verdict(), "reached");
}
