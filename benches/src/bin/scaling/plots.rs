//! The plots of a run.

use charts::{Axis, Chart, Series};
use lockfree_cuckoo::{BuildError, CuckooFilter, Shape};
use lockfree_cuckoo_benches::rivals::FILTER;
use lockfree_cuckoo_benches::{IN_CACHE, Keys, Work, items_name};

use crate::markdown::does_the_same;
use crate::results::{Results, Size};

/// All plots, with the names of their files.
pub(crate) fn draw(results: &Results) -> Result<Vec<(String, Chart)>, BuildError> {
    let mut charts = Vec::new();
    for size in &results.sizes {
        let items = items_name(size.items);
        let chart = |title: &str, mix: String, x, y, series| Chart {
            title: format!("{title}, {items} items"),
            mix,
            machine: results.machine.clone(),
            x,
            y,
            series,
        };
        let title = "Throughput of mixed work by threads";
        let (x, y) = (
            Axis::log("threads"),
            Axis::linear("million operations per second"),
        );
        let chart_of_threads = chart(title, Work::Mixed.words(), x, y, throughput(size));
        charts.push((format!("threads-mixed-{items}.svg"), chart_of_threads));
        if size.items <= IN_CACHE {
            let mix =
                "a line: the layouts of the filter that no other one beats; a point: one rival"
                    .to_owned();
            let (x, y) = (
                Axis::log("one lookup of an absent item in so many is wrong"),
                Axis::linear("bits per item"),
            );
            let chart = chart("Memory by false positives", mix, x, y, memory(size)?);
            charts.push((format!("bits-by-rate-{items}.svg"), chart));
        }
    }
    charts.retain(|(_, chart)| chart.series.iter().any(|line| line.points.len() > 1));
    Ok(charts)
}

fn series(name: &str, dashed: bool, points: impl Iterator<Item = (f64, f64)>) -> Series {
    Series {
        name: name.to_owned(),
        points: points.collect(),
        dashed,
    }
}

/// The contenders that are in the charts: those that do what the filter does, and the one that does all but remove. More
/// lines could not be told apart.
fn contenders(size: &Size) -> impl Iterator<Item = &str> {
    size.contenders().filter(|name| {
        let about = size.about(name);
        about.is_some_and(|about| does_the_same(&about) || about.shared && !about.removes)
    })
}

/// A line for each contender that has one, and for the limit.
fn throughput(size: &Size) -> Vec<Series> {
    let line = |name: &str, dashed, rate: &dyn Fn(usize) -> Option<f64>| {
        let point = |&threads: &usize| Some((threads as f64, rate(threads)? / 1e6));
        series(name, dashed, size.threads.iter().filter_map(point))
    };
    let of_contender = |name: &str| {
        line(name, false, &|threads| {
            size.cell(name, (Work::Mixed, threads), |cell| cell.rate)
        })
    };
    let mut lines: Vec<Series> = contenders(size).map(of_contender).collect();
    lines.push(line("limit", true, &|threads| {
        size.limit((Work::Mixed, threads))
    }));
    lines.retain(|line| !line.points.is_empty());
    lines
}

/// Bits per item by the rate of false positives: those of each layout, those that were measured of each rival, those of a
/// Bloom filter, and the fewest that any filter takes.
fn memory(size: &Size) -> Result<Vec<Series>, BuildError> {
    let keys = Keys::generate(size.items).stored;
    let layout = |&shape: &Shape| {
        let builder = CuckooFilter::builder().capacity(size.items).seed(0);
        let filter = builder.build_shape(shape)?;
        filter
            .insert_many_hash(&keys)
            .expect("a filter holds what it is sized for");
        let bits = 8.0 * filter.memory_usage() as f64 / size.items as f64;
        Ok((filter.false_positive_rate(), bits))
    };
    let layouts: Result<Vec<_>, BuildError> = Shape::ALL.iter().map(layout).collect();
    let mut layouts = layouts?;
    layouts.sort_by(|one, other| one.0.total_cmp(&other.0));
    // Those that no layout beats in both: each has fewer bits than those that are wrong less often.
    let mut fewest = f64::INFINITY;
    layouts.retain(|&(_, bits)| {
        let is_fewer = bits < fewest;
        fewest = fewest.min(bits);
        is_fewer
    });
    let wrong = |(rate, bits): (f64, f64)| (1.0 / rate, bits);
    let rates: Vec<f64> = layouts.iter().map(|&(rate, _)| rate).collect();
    let theory = |name: &str, factor: f64| {
        let points = rates.iter().map(|&rate| (rate, -factor * rate.log2()));
        series(name, true, points.map(wrong))
    };
    let mut lines = vec![
        series(FILTER, false, layouts.into_iter().map(wrong)),
        theory("Bloom filter", std::f64::consts::LOG2_E),
        theory("limit", 1.0),
    ];
    // Sharded and without a lock they take the same.
    let rivals = size
        .contenders()
        .filter(|&name| name != FILTER && !name.ends_with("-shards") && !name.ends_with("-alone"));
    lines.extend(rivals.filter_map(|name| {
        let about = size.about(name)?;
        let point = (about.false_positives, about.bits(size.items)?);
        (about.false_positives > 0.0).then(|| series(name, false, [wrong(point)].into_iter()))
    }));
    Ok(lines)
}
