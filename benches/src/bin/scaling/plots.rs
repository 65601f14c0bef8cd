//! The plots of a run: the throughput of the mixed work by threads.

use charts::{Axis, Chart, Series};
use lockfree_cuckoo_benches::{Work, items_name};

use crate::markdown::does_the_same;
use crate::results::{Results, Size};

/// Draws a plot for each size that has one. Returns it with the name of its file.
pub(crate) fn draw(results: &Results) -> impl Iterator<Item = (String, Chart)> {
    let chart = |size: &Size| {
        let items = items_name(size.items);
        let chart = Chart {
            title: format!("Throughput of mixed work by threads, {items} items"),
            mix: Work::Mixed.words(),
            machine: results.machine.clone(),
            x: Axis::log("threads"),
            y: Axis::linear("million operations per second"),
            series: throughput(size),
        };
        (format!("threads-mixed-{items}.svg"), chart)
    };
    let charts = results.sizes.iter().map(chart);
    charts.filter(|(_, chart)| chart.series.iter().any(|line| line.points.len() > 1))
}

/// Returns a line for the limit, and one for each contender that does what the filter does, or
/// everything but removes. More lines could not be told apart.
fn throughput(size: &Size) -> Vec<Series> {
    let line = |name: &str, dashed, rate: &dyn Fn(usize) -> Option<f64>| {
        let point = |&threads: &usize| Some((threads as f64, rate(threads)? / 1e6));
        Series {
            name: name.to_owned(),
            points: size.threads.iter().filter_map(point).collect(),
            dashed,
        }
    };
    let contenders = size.contenders().filter(|name| {
        let about = size.about(name);
        about.is_some_and(|about| does_the_same(&about) || about.shared && !about.removes)
    });
    let of_contender = |name: &str| {
        line(name, false, &|threads| {
            size.cell(name, (Work::Mixed, threads), |cell| cell.rate)
        })
    };
    let mut lines: Vec<Series> = contenders.map(of_contender).collect();
    lines.push(line("limit", true, &|threads| {
        size.limit((Work::Mixed, threads))
    }));
    lines.retain(|line| !line.points.is_empty());
    lines
}
