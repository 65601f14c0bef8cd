//! The plots of a run.

use charts::{Axis, Chart, Series};
use lockfree_cuckoo_benches::{Work, items_name};

use crate::results::{Results, Size};

/// All plots, with the names of their files.
pub(crate) fn draw(results: &Results) -> Vec<(String, Chart)> {
    let mut charts = Vec::new();
    for size in &results.sizes {
        let items = items_name(size.items);
        for work in [Work::Hit, Work::Mixed, Work::Insert] {
            let name = work.name();
            let chart = Chart {
                title: format!("Throughput of {name} work by threads, {items} items"),
                mix: work.words(),
                machine: results.machine.clone(),
                x: Axis::log("threads"),
                y: Axis::linear("million operations per second"),
                series: lines(size, work),
            };
            charts.push((format!("threads-{name}-{items}.svg"), chart));
        }
    }
    charts.retain(|(_, chart)| chart.series.iter().any(|line| line.points.len() > 1));
    charts
}

/// A line for each contender that has one, and for the limit.
fn lines(size: &Size, work: Work) -> Vec<Series> {
    let line = |name: &str, dashed, rate: &dyn Fn(usize) -> Option<f64>| {
        let point = |&threads: &usize| Some((threads as f64, rate(threads)? / 1e6));
        Series {
            name: name.to_owned(),
            points: size.threads.iter().filter_map(point).collect(),
            dashed,
        }
    };
    let of_contender = |name: &str| {
        line(name, false, &|threads| {
            size.cell(name, (work, threads), |cell| cell.rate)
        })
    };
    let mut lines: Vec<Series> = size.contenders().map(of_contender).collect();
    lines.push(line("limit", true, &|threads| size.limit((work, threads))));
    lines.retain(|line| !line.points.is_empty());
    lines
}
