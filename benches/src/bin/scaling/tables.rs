//! The tables of a size.

use clap::ValueEnum;
use lockfree_cuckoo_benches::{
    Latencies, Quantiles, Quartiles, Table, Work, items_name, or_dash, print_about, print_cores,
    rate_and_ratio, threads_name,
};

use crate::results::Size;

pub(crate) fn print(size: &Size) {
    let caption = format!("{} items", items_name(size.items));
    let speedups = size.processes.iter().map(|process| process.speedup);
    print_cores(&speedups.collect::<Vec<_>>());
    let about = |name| Some((name, size.about(name)?));
    let rows = size.contenders().filter_map(about);
    print_about(&caption, size.items, rows);
    let what = "million operations per second, and the ratio to the limit";
    rates(size).print(&format!("{caption}: {what}"));
    let what = "nanoseconds per operation of mixed work";
    latencies(size).print(&format!("{caption}: {what}"));
}

/// The contenders and the limit, work by work, with the quartiles of the ratios.
fn rates(size: &Size) -> Table {
    let mut head = vec!["work".to_owned()];
    for &threads in &size.threads {
        head.extend([threads_name(threads), String::new(), String::new()]);
    }
    let mut table = Table::new(head);
    for &work in Work::value_variants() {
        let mut row = |name: &str, cell: &dyn Fn(usize) -> (Option<f64>, Option<Quartiles>)| {
            let mut row = vec![format!("{}, {name}", work.name())];
            for &threads in &size.threads {
                let (rate, ratio) = cell(threads);
                row.extend(rate_and_ratio(rate, ratio));
            }
            table.row(row);
        };
        for name in size.contenders() {
            row(name, &|threads| {
                let key = (work, threads);
                let rate = size.cell(name, key, |cell| cell.rate);
                (rate, size.ratio(name, key))
            });
        }
        row("limit", &|threads| (size.limit((work, threads)), None));
    }
    table
}

fn latencies(size: &Size) -> Table {
    let mut head = vec!["contender".to_owned()];
    for kind in Latencies::KINDS {
        head.extend(Quantiles::NAMES.map(|quantile| format!("{kind} {quantile}")));
        head.push("operations".to_owned());
    }
    let mut table = Table::new(head);
    for &threads in &size.threads {
        for name in size.contenders() {
            let mut row = vec![format!("{name}, {}", threads_name(threads))];
            for kind in 0..Latencies::KINDS.len() {
                let number = |of: &dyn Fn(&Quantiles) -> u64| {
                    let number = size.latency(name, threads, |latency| of(&latency.kinds[kind]));
                    or_dash(number, |number| format!("{number:.0}"))
                };
                row.extend((0..Quantiles::NAMES.len()).map(|at| number(&|of| of.at[at])));
                row.push(number(&|of| of.operations));
            }
            table.row(row);
        }
    }
    table
}
