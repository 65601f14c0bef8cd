//! The plots of a run.

use charts::{Axis, Chart, Scale, Series};
use lockfree_cuckoo_benches::size::items_name;

use crate::job::Work;
use crate::results::Point;
use crate::summary::{Key, Summary, median};

/// A rate of a point.
type Rate = fn(&Point) -> f64;

/// All plots, with the names of their files.
pub(crate) fn draw(summary: &Summary<'_>) -> Vec<(String, Chart)> {
    let mut charts = Vec::new();
    for items in summary.sizes() {
        let name = items_name(items);
        for work in [Work::Hit, Work::Mixed, Work::Insert] {
            let file = format!("threads-{}-{name}.svg", work.name());
            charts.push((file, threads(summary, items, work)));
        }
        let rates: [(&str, &str, Rate); 3] = [
            ("insert", "Inserts", |point| point.insert),
            ("hit", "Lookups that hit", |point| point.hit),
            ("miss", "Lookups that miss", |point| point.miss),
        ];
        for (kind, title, rate) in rates {
            let title = format!("{title} by load factor, {name} items, 1 thread");
            let file = format!("load-{kind}-{name}.svg");
            charts.push((file, loads(summary, items, title, rate)));
        }
        charts.push((format!("latency-{name}.svg"), latencies(summary, items)));
    }
    charts.retain(|(_, chart)| {
        let points = chart.series.iter().map(|series| series.points.len());
        points.max().unwrap_or(0) > 1
    });
    charts
}

fn threads(summary: &Summary<'_>, items: usize, work: Work) -> Chart {
    let point = |name: &str, threads| {
        let key = Key {
            items,
            work,
            threads,
        };
        let rate = summary.median(name, key, |cell| cell.rate)?;
        Some((threads as f64, rate / 1e6))
    };
    let limit = |threads| {
        let key = Key {
            items,
            work,
            threads,
        };
        let of = |name: &&str| summary.median(name, key, |cell| cell.limit);
        let rate = median(summary.contenders(items).iter().filter_map(of))?;
        Some((threads as f64, rate / 1e6))
    };
    let numbers = summary.threads(items);
    let mut series = each(summary, items, |name| {
        numbers
            .iter()
            .filter_map(|&threads| point(name, threads))
            .collect()
    });
    series.push(Series {
        name: "limit".to_owned(),
        points: numbers
            .iter()
            .filter_map(|&threads| limit(threads))
            .collect(),
        dashed: true,
    });
    Chart {
        title: format!(
            "Throughput of {} work by threads, {} items",
            work.name(),
            items_name(items)
        ),
        mix: work.words(),
        machine: summary.machine().to_owned(),
        x: axis("threads", Scale::Log),
        y: axis("million operations per second", Scale::Linear),
        series,
    }
}

fn loads(summary: &Summary<'_>, items: usize, title: String, rate: Rate) -> Chart {
    let points = |name: &str| {
        let of_load = |load| {
            let points = summary.processes(items).flat_map(|process| &process.points);
            let of_name = points.filter(|point| point.contender == name && point.load == load);
            Some((load as f64, median(of_name.map(rate))? / 1e6))
        };
        (5..=95).step_by(5).filter_map(of_load).collect()
    };
    let mut series = each(summary, items, points);
    series.push(Series {
        name: "limit".to_owned(),
        points: points("limit"),
        dashed: true,
    });
    Chart {
        title,
        mix: Work::Curve.words(),
        machine: summary.machine().to_owned(),
        x: axis("load factor, %", Scale::Linear),
        y: axis("million operations per second", Scale::Linear),
        series,
    }
}

fn latencies(summary: &Summary<'_>, items: usize) -> Chart {
    let series = each(summary, items, |name| {
        let point = |&threads: &usize| {
            let latencies = summary.latencies(items, threads, name);
            let p999 = median(latencies.iter().map(|latency| latency.lookup.p999))?;
            Some((threads as f64, p999 / 1e3))
        };
        summary
            .latency_threads(items)
            .iter()
            .filter_map(point)
            .collect()
    });
    Chart {
        title: format!(
            "p99.9 of a lookup among writers, {} items",
            items_name(items)
        ),
        mix: format!("{}: {}", Work::Latency.words(), Work::Mixed.words()),
        machine: summary.machine().to_owned(),
        x: axis("threads", Scale::Log),
        y: axis("microseconds", Scale::Log),
        series,
    }
}

/// A line for each contender that has one.
fn each(
    summary: &Summary<'_>,
    items: usize,
    points: impl Fn(&str) -> Vec<(f64, f64)>,
) -> Vec<Series> {
    let contenders = summary.contenders(items).into_iter();
    contenders
        .map(|name| Series {
            name: name.to_owned(),
            points: points(name),
            dashed: false,
        })
        .filter(|series| !series.points.is_empty())
        .collect()
}

fn axis(label: &str, scale: Scale) -> Axis {
    Axis {
        label: label.to_owned(),
        scale,
    }
}
