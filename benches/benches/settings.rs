//! What the benches have in common: short measurements, and names.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode};
use lockfree_cuckoo_benches::size::{Size, threads_name};

/// One comparison under the clock.
pub(crate) type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Runs one bench with short times, so that the whole package takes minutes. The command line can ask for
/// more.
pub(crate) fn run(bench: fn(&mut Criterion)) {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .without_plots()
        .configure_from_args();
    bench(&mut criterion);
    criterion.final_summary();
}

/// The group of one question: "lookup/hit/1M/1-thread".
pub(crate) fn group<'a>(
    criterion: &'a mut Criterion,
    question: &str,
    size: Size,
    threads: usize,
) -> Group<'a> {
    let mut group =
        criterion.benchmark_group(format!("{question}/{size}/{}", threads_name(threads)));
    // A contender's time does not depend on how often it was asked before.
    group.sampling_mode(SamplingMode::Flat);
    group
}
