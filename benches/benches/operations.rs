//! Criterion benches: measure each kind of work beside the limit and rivals, on one thread and on
//! two, as in `hit/1M/1-thread`.
//!
//! The program `scaling` compares with more rivals, and in turns. Measurements are short, so that
//! all of them take minutes. The command line can ask for longer ones.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter};
use lockfree_cuckoo_benches::rivals::filters::AtomicCuckoo;
use lockfree_cuckoo_benches::rivals::sets::Dashmap;
use lockfree_cuckoo_benches::{
    BEYOND_CACHE, Contender, IN_CACHE, Keys, Limit, OPS_PER_BLOCK, Rig, Slice, Work, items_name,
};

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(10)
        .without_plots()
        .configure_from_args();
    // Use small tables for tests. Criterion decides by the same argument, which `cargo bench`
    // passes, whether to measure.
    let given = |name| env::args().any(|argument| argument == name);
    let measuring = given("--bench") && !given("--test");
    for size in [IN_CACHE, BEYOND_CACHE] {
        let items = if measuring { size } else { size / 500 };
        operations(&mut criterion, items);
    }
    criterion.final_summary();
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn operations(criterion: &mut Criterion, items: usize) {
    for &work in Work::value_variants() {
        for threads in [1, 2] {
            let name = format!("{}/{}/{threads}-thread", work.name(), items_name(items));
            let group = &mut criterion.benchmark_group(name);
            group.throughput(Throughput::Elements(1));
            // The time of an iteration does not depend on the number of iterations before.
            group.sampling_mode(SamplingMode::Flat);
            let question = (items, work, threads);
            ask::<CuckooFilter>(group, "filter", question);
            // It has room for all items from the beginning, so it does not grow here.
            ask::<GrowingCuckooFilter>(group, "growing", question);
            ask::<Limit>(group, "limit", question);
            ask::<AtomicCuckoo>(group, "atomic-cuckoo-filter", question);
            ask::<Dashmap>(group, "dashmap", question);
        }
    }
}

/// The number of items, the work, and the number of threads.
type Question = (usize, Work, usize);

fn ask<C: Contender>(group: &mut Group<'_>, name: &str, question: Question) {
    let (items, work, threads) = question;
    if !work.suits::<C>() {
        return;
    }
    // Built on first use, so that a bench that is not selected costs nothing.
    let mut rig = None;
    group.bench_function(name, |bencher| {
        let rig = rig.get_or_insert_with(|| Rig::<C>::full(&Arc::new(Keys::generate(items))));
        bencher.iter_custom(|ops| time(rig, work, ops as usize, threads));
        rig.check();
    });
}

/// Returns the time of `ops` operations, computed from that of whole slices.
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
