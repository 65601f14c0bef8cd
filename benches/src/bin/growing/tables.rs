//! The tables of a run.

use std::time::Duration;

use lockfree_cuckoo_benches::cores::Cores;
use lockfree_cuckoo_benches::layout::{Layout, or_dash};
use lockfree_cuckoo_benches::quartiles::Quartiles;
use lockfree_cuckoo_benches::size::items_name;

use crate::duel::Pace;
use crate::filling::Filled;
use crate::lookups::{Row, Work};
use crate::way::Way;

pub(crate) fn lookups(items: usize, rows: &[Row]) {
    println!(
        "\n{} items, inserted into a filter that started small: million lookups per second, and the ratio to the fixed filter",
        items_name(items)
    );
    let works = Work::ALL.iter().flat_map(|(_, name)| [name, ""]);
    let mut layout = Layout::new(
        [
            "contender",
            "first size",
            "doublings",
            "done",
            "tables",
            "threads",
        ]
        .into_iter()
        .chain(works),
    );
    for row in rows {
        let about = [
            row.contender.to_owned(),
            row.start.to_string(),
            or_dash(row.doublings, |times| times.to_string()),
            or_dash(row.growth_done, |done| format!("{done:.2}")),
            or_dash(row.tables, |tables| tables.to_string()),
            row.threads.to_string(),
        ];
        let paces = row.paces.iter().flat_map(|pace| {
            [
                or_dash(pace.as_ref(), rate),
                or_dash(pace.as_ref(), |pace| format!("{:.3}", pace.ratio.median)),
            ]
        });
        layout.row(about.into_iter().chain(paces));
    }
    layout.print();
}

pub(crate) fn filling(items: usize, start: usize, all: &[Filled]) {
    let name = items_name(items);
    let from = items_name(start);
    println!(
        "\n{name} items, inserted from {from}: million inserts per second, and the ratio to the fixed filter"
    );
    let head = ["contender", "threads", "rate", "ratio", "quartiles"];
    let mut layout = Layout::new(head);
    for filled in all {
        for (threads, pace) in &filled.paces {
            let Quartiles {
                lower,
                median,
                upper,
            } = pace.ratio;
            layout.row([
                filled.contender.to_owned(),
                threads.to_string(),
                rate(pace),
                format!("{median:.3}"),
                format!("[{lower:.3}, {upper:.3}]"),
            ]);
        }
    }
    layout.print();
    println!(
        "\n{name} items, inserted from {from}: single inserts with a processor, medians of fillings"
    );
    singles(all);
    println!("\n{name} items, inserted from {from}: memory, accuracy and failures");
    kinds(items, all);
}

fn singles(all: &[Filled]) {
    let mut layout = Layout::new([
        "contender",
        "p50",
        "p99",
        "p99.9",
        "p99.99",
        "worst, median",
        "worst of all",
        "with waiting",
    ]);
    for filled in all {
        let wall = filled.singles.iter().map(|singles| singles.wall).max();
        let quantiles = filled.times().map(time);
        let rest = [time(filled.worst()), or_dash(wall, time)];
        let name = [filled.contender.to_owned()];
        layout.row(name.into_iter().chain(quantiles).chain(rest));
    }
    layout.print();
}

/// Memory, accuracy and failures.
fn kinds(items: usize, all: &[Filled]) {
    let mut layout = Layout::new([
        "contender",
        "tables",
        "load",
        "bits per item",
        "false positives",
        "expected",
        "inserts refused",
        "false negatives",
    ]);
    for filled in all {
        let percent = |share: f64| format!("{:.4} %", 100.0 * share);
        layout.row([
            filled.contender.to_owned(),
            or_dash(filled.tables, |tables| tables.to_string()),
            or_dash(filled.load, |load| format!("{load:.3}")),
            or_dash(filled.bytes, |bytes| {
                format!("{:.1}", 8.0 * bytes as f64 / items as f64)
            }),
            percent(filled.false_positives),
            percent(filled.expected_false_positives),
            filled.faults.refused.to_string(),
            filled.faults.missed.to_string(),
        ]);
    }
    layout.print();
}

pub(crate) fn ways(items: usize, start: usize, all: &[Way]) {
    println!(
        "\nOn the way from {} to {} items: memory",
        items_name(start),
        items_name(items)
    );
    let mut layout = Layout::new([
        "contender",
        "bits per item, least",
        "mean",
        "most",
        "most in a growth",
    ]);
    for way in all {
        let bits = |bits: Option<f64>| or_dash(bits, |bits| format!("{bits:.1}"));
        let settled = way.settled();
        layout.row([
            way.contender.to_owned(),
            bits(settled.map(|range| range.least)),
            bits(settled.map(|range| range.mean)),
            bits(settled.map(|range| range.most)),
            bits(way.growing().map(|range| range.most)),
        ]);
    }
    layout.print();
}

pub(crate) fn cores(cores: Cores) {
    println!(
        "\nTwo threads by one, arithmetic: {:.2}; stolen: {}",
        cores.speedup,
        or_dash(cores.stolen, |share| format!("{:.1} %", 100.0 * share))
    );
}

fn rate(pace: &Pace) -> String {
    format!("{:.1}", pace.rate / 1e6)
}

fn time(time: Duration) -> String {
    match time.as_nanos() {
        0..10_000 => format!("{} ns", time.as_nanos()),
        10_000..10_000_000 => format!("{} us", time.as_micros()),
        _ => format!("{} ms", time.as_millis()),
    }
}
