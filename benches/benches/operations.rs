//! What does an operation cost?
//!
//! * Each kind of work beside the same of the limit and of rivals, on one thread and on two: `hit/1M/1-thread`. The program
//!   `scaling` compares with more of them, and in turns.
//! * Hashing: the typed calls with the default hasher, beside the calls that take a hash. Inserts fill a table from empty
//!   to 95 % load; lookups all hit.
//! * A snapshot, beside a copy that only a filter at rest allows, and beside the bare copying of as many words. And what
//!   if another thread replaces items all the while?
//!
//! Measurements are short, so that all of them take minutes. The command line can ask for more.

use std::env;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter};
use lockfree_cuckoo_benches::rivals::filters::AtomicCuckoo;
use lockfree_cuckoo_benches::rivals::sets::Dashmap;
use lockfree_cuckoo_benches::{
    BEYOND_CACHE, Contender, IN_CACHE, Keys, Limit, OPS_PER_BLOCK, Rig, Slice, Work, count,
    items_name, race,
};

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(10)
        .without_plots()
        .configure_from_args();
    // If it only runs to be tested, tables are small. The same rule as criterion's: measuring is what `cargo bench` asks
    // for with this argument.
    let given = |name| env::args().any(|argument| argument == name);
    let measuring = given("--bench") && !given("--test");
    for size in [IN_CACHE, BEYOND_CACHE] {
        let items = if measuring { size } else { size / 500 };
        operations(&mut criterion, items);
        hashing(&mut criterion, items);
        snapshot(&mut criterion, items);
    }
    criterion.final_summary();
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// A group of which an iteration has so many elements.
fn group(criterion: &mut Criterion, name: String, elements: usize) -> Group<'_> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(elements as u64));
    // A contender's time does not depend on how often it was asked before.
    group.sampling_mode(SamplingMode::Flat);
    group
}

fn operations(criterion: &mut Criterion, items: usize) {
    for &work in Work::value_variants() {
        for threads in [1, 2] {
            let name = format!("{}/{}/{threads}-thread", work.name(), items_name(items));
            let group = &mut group(criterion, name, 1);
            let question = (items, work, threads);
            ask::<CuckooFilter>(group, "filter", question);
            // It has had room for all from the beginning.
            ask::<GrowingCuckooFilter>(group, "growing", question);
            ask::<Limit>(group, "limit", question);
            ask::<AtomicCuckoo>(group, "atomic-cuckoo-filter", question);
            ask::<Dashmap>(group, "dashmap", question);
        }
    }
}

/// The items, the work, and the threads.
type Question = (usize, Work, usize);

fn ask<C: Contender>(group: &mut Group<'_>, name: &str, question: Question) {
    let (items, work, threads) = question;
    if !work.suits::<C>() {
        return;
    }
    // Made when it is first needed: a bench that is not selected costs nothing.
    let mut rig = None;
    group.bench_function(name, |bencher| {
        let rig = rig.get_or_insert_with(|| Rig::<C>::full(&Arc::new(Keys::generate(items))));
        bencher.iter_custom(|ops| time(rig, work, ops as usize, threads));
        rig.check();
    });
}

/// The time of so many operations, by that of whole slices.
fn time<C: Contender>(rig: &mut Rig<C>, work: Work, ops: usize, threads: usize) -> Duration {
    let mut done = Slice::default();
    while done.ops < ops {
        let ops = if work.fills() {
            rig.clear();
            rig.items()
        } else {
            ops.max(OPS_PER_BLOCK)
        };
        done += rig.slice(work, ops, threads);
    }
    done.busy.mul_f64(ops as f64 / done.ops as f64)
}

fn hashing(criterion: &mut Criterion, items: usize) {
    const BYTES: usize = 32;
    let keys = Keys::generate(items).stored;
    // In one piece, so that reading the strings costs no more cache misses than reading the integers.
    let text: String = keys.iter().map(|key| format!("{key:0BYTES$x}")).collect();
    let string = |at: usize| &text[at * BYTES..][..BYTES];
    let strings: Vec<&str> = (0..keys.len()).map(string).collect();
    let mut group = group(criterion, format!("hashing/{}", items_name(items)), items);
    let mut filter = CuckooFilter::with_capacity(items);
    let mut each = |name: &str, pass: &dyn Fn(&CuckooFilter, bool) -> Duration| {
        group.bench_function(format!("insert/{name}"), |bencher| {
            bencher.iter_custom(|times| {
                let filling = |_| {
                    filter.clear();
                    pass(&filter, true)
                };
                (0..times).map(filling).sum()
            });
        });
        filter.clear();
        pass(&filter, true);
        group.bench_function(format!("contains/{name}"), |bencher| {
            bencher.iter_custom(|times| (0..times).map(|_| pass(&filter, false)).sum());
        });
    };
    each("hash", &|filter, inserts| match inserts {
        true => all(&keys, |&key| filter.insert_hash(key).is_ok()),
        false => all(&keys, |&key| filter.contains_hash(key)),
    });
    each("u64", &|filter, inserts| match inserts {
        true => all(&keys, |key| filter.insert(key).is_ok()),
        false => all(&keys, |key| filter.contains(key)),
    });
    each("32-byte-string", &|filter, inserts| match inserts {
        true => all(&strings, |key| filter.insert(key).is_ok()),
        false => all(&strings, |key| filter.contains(key)),
    });
}

/// The time of a call for each of the items, of which each has to say yes.
fn all<T: Sync>(items: &[T], call: impl Fn(&T) -> bool + Sync) -> Duration {
    let (slice, found) = race(items.len(), 1, || (), |_| count(items, &call));
    assert_eq!(found, slice.ops, "an item was refused, or not found");
    slice.busy
}

fn snapshot(criterion: &mut Criterion, items: usize) {
    let keys = Keys::generate(items).stored;
    let filter = CuckooFilter::with_capacity(items);
    filter.insert_many_hash(&keys).expect("sized for all");
    let words = vec![1u64; filter.slots() / 4];
    let name = format!("snapshot/{}", items_name(items));
    let mut group = group(criterion, name, words.len());
    group.bench_function("words", |bencher| {
        bencher.iter(|| black_box(&words).clone())
    });
    group.bench_function("at rest", |bencher| {
        bencher.iter(|| filter.snapshot().expect("at rest"))
    });
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for &hash in &keys[..keys.len() / 2] {
                    // Remove and add again: at this load most inserts relocate.
                    filter.remove_hash(hash);
                    black_box(filter.insert_hash(hash).is_ok());
                }
            }
        });
        let (mut taken, mut given_up) = (0, 0);
        group.bench_function("one writer", |bencher| {
            bencher.iter(|| match filter.snapshot() {
                Ok(_) => taken += 1,
                Err(_) => given_up += 1,
            });
        });
        stop.store(true, Ordering::Relaxed);
        println!("{taken} snapshots, {given_up} given up");
    });
}
