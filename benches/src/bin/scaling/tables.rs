//! The tables of a run.

use lockfree_cuckoo_benches::layout::{Layout, or_dash};
use lockfree_cuckoo_benches::machine::{Cache, caches};
use lockfree_cuckoo_benches::size::items_name;

use crate::job::Work;
use crate::results::{Latency, Quantiles};
use crate::summary::{FILTER, Key, Summary, median};

pub(crate) fn print(summary: &Summary<'_>) {
    println!("{}; {}", summary.machine(), summary.build());
    for items in summary.sizes() {
        let name = items_name(items);
        cores(summary, items);
        kinds(summary, items);
        for threads in summary.threads(items) {
            let heading = match threads {
                1 => format!("{name} items, 1 thread"),
                _ => format!("{name} items, {threads} threads"),
            };
            println!("\n{heading}: million operations per second, and the ratio to the limit");
            rates(summary, items, threads);
        }
        filter(summary, items);
        for threads in summary.latency_threads(items) {
            println!(
                "\n{name} items, {threads} threads: nanoseconds per operation of mixed work (p50, p99, p99.9, longest)"
            );
            latencies(summary, items, threads);
        }
    }
}

fn cores(summary: &Summary<'_>, items: usize) {
    println!(
        "\n{} items: the processes and their cores",
        items_name(items)
    );
    let mut layout = Layout::new([
        "process",
        "arithmetic, 2 threads / 1",
        "stolen",
        "cores free",
    ]);
    for (at, process) in summary.processes(items).enumerate() {
        let cores = process.cores;
        layout.row([
            (at + 1).to_string(),
            or_dash(cores, |cores| format!("{:.2}", cores.speedup)),
            or_dash(cores.and_then(|cores| cores.stolen), percent),
            or_dash(cores, |cores| {
                if cores.are_free() { "yes" } else { "no" }.to_owned()
            }),
        ]);
    }
    layout.print();
    let mut cores = summary.processes(items).filter_map(|process| process.cores);
    if !cores.any(|cores| cores.are_free()) {
        println!(
            "No process had two free cores: two threads took turns, and seldom waited for the same lock."
        );
    }
}

/// Memory, accuracy and failures.
fn kinds(summary: &Summary<'_>, items: usize) {
    println!(
        "\n{} items: memory, accuracy and failures{}",
        items_name(items),
        beside_caches(summary.table(items, FILTER).and_then(|table| table.bytes))
    );
    let mut layout = Layout::new([
        "contender",
        "load",
        "bits per item",
        "false positives",
        "inserts refused",
        "false negatives",
        "removes failed",
    ]);
    for contender in summary.contenders(items) {
        let Some(table) = summary.table(items, contender) else {
            continue;
        };
        layout.row([
            contender.to_owned(),
            or_dash(table.load, |load| format!("{load:.3}")),
            or_dash(table.bytes, |bytes| {
                format!("{:.1}", 8.0 * bytes as f64 / items as f64)
            }),
            format!("{:.4} %", 100.0 * table.false_positives),
            table.faults.refused.to_string(),
            table.faults.missed.to_string(),
            if table.removes {
                table.faults.unremoved.to_string()
            } else {
                "-".to_owned()
            },
        ]);
    }
    layout.print();
}

/// How large a table is beside the larger caches of a processor.
fn beside_caches(bytes: Option<usize>) -> String {
    let Some(bytes) = bytes else {
        return String::new();
    };
    let large = caches().into_iter().filter(|cache| cache.level > 1);
    let share = |cache: Cache| {
        let share = bytes as f64 / cache.bytes as f64;
        format!("{share:.2} of the cache of level {}", cache.level)
    };
    let shares: Vec<String> = large.map(share).collect();
    if shares.is_empty() {
        String::new()
    } else {
        format!(" (the filter takes {})", shares.join(", "))
    }
}

fn rates(summary: &Summary<'_>, items: usize, threads: usize) {
    let measured = |work: &Work| {
        let key = Key {
            items,
            work: *work,
            threads,
        };
        let contenders = summary.contenders(items);
        contenders
            .iter()
            .any(|name| summary.ratio(name, key).is_some())
    };
    let work: Vec<Work> = Work::RATED.into_iter().filter(measured).collect();
    let mut layout = Layout::new(
        ["contender".to_owned()]
            .into_iter()
            .chain(work.iter().flat_map(|work| [work.name(), String::new()])),
    );
    let key = |work| Key {
        items,
        work,
        threads,
    };
    for contender in summary.contenders(items) {
        let cells = work.iter().flat_map(|&work| {
            let rate = summary.median(contender, key(work), |cell| cell.rate);
            let ratio = summary.ratio(contender, key(work));
            [
                or_dash(rate, |rate| format!("{:.1}", rate / 1e6)),
                or_dash(ratio, |ratio| format!("{:.3}", ratio.median)),
            ]
        });
        layout.row([contender.to_owned()].into_iter().chain(cells));
    }
    let limits = work.iter().flat_map(|&work| {
        let of = |name: &&str| summary.median(name, key(work), |cell| cell.limit);
        let rate = median(summary.contenders(items).iter().filter_map(of));
        [
            or_dash(rate, |rate| format!("{:.1}", rate / 1e6)),
            String::new(),
        ]
    });
    layout.row(["limit".to_owned()].into_iter().chain(limits));
    layout.print();
}

/// The filter beside the limit, with the spread.
fn filter(summary: &Summary<'_>, items: usize) {
    let mut layout = Layout::new([
        "work",
        "threads",
        "ratio",
        "quartiles",
        "pairs",
        "filter",
        "limit",
        "without a processor",
        "left out",
    ]);
    let mut rows = 0;
    for work in Work::RATED {
        for threads in summary.threads(items) {
            let key = Key {
                items,
                work,
                threads,
            };
            let Some(ratio) = summary.ratio(FILTER, key) else {
                continue;
            };
            let of = |of: fn(&crate::results::Cell) -> f64| summary.median(FILTER, key, of);
            rows += 1;
            layout.row([
                work.name(),
                threads.to_string(),
                format!("{:.3}", ratio.median),
                format!("[{:.3}, {:.3}]", ratio.lower, ratio.upper),
                or_dash(of(|cell| cell.pairs as f64), |pairs| format!("{pairs:.0}")),
                or_dash(of(|cell| cell.rate / 1e6), |rate| format!("{rate:.1}")),
                or_dash(of(|cell| cell.limit / 1e6), |rate| format!("{rate:.1}")),
                or_dash(of(|cell| cell.idle), percent),
                or_dash(of(|cell| cell.disturbed as f64), |pairs| {
                    format!("{pairs:.0}")
                }),
            ]);
        }
    }
    if rows > 0 {
        println!(
            "\n{} items: the filter, compared with the limit",
            items_name(items)
        );
        layout.print();
    }
}

fn latencies(summary: &Summary<'_>, items: usize, threads: usize) {
    let mut layout = Layout::new([
        "contender",
        "lookup",
        "",
        "",
        "",
        "insert",
        "",
        "",
        "",
        "remove",
        "",
        "",
        "",
        "operations",
    ]);
    for contender in summary.contenders(items) {
        let latencies = summary.latencies(items, threads, contender);
        let kinds: [fn(&Latency) -> Quantiles; 3] =
            [|of| of.lookup, |of| of.insert, |of| of.remove];
        let quantiles: [fn(Quantiles) -> f64; 4] =
            [|of| of.p50, |of| of.p99, |of| of.p999, |of| of.longest];
        let cells = kinds.iter().flat_map(|kind| {
            quantiles.iter().map(|quantile| {
                let values = latencies.iter().map(|latency| quantile(kind(latency)));
                or_dash(median(values), |nanoseconds| format!("{nanoseconds:.0}"))
            })
        });
        let counts = latencies
            .iter()
            .flat_map(|of| kinds.map(|kind| kind(of).operations));
        let operations = counts.sum::<u64>().to_string();
        let row = [contender.to_owned()].into_iter().chain(cells);
        layout.row(row.chain([operations]));
    }
    layout.print();
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
