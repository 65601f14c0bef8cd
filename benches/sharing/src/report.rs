//! The report: tables and the chart.

use std::io;
use std::path::PathBuf;

use charts::{Axis, Chart, Series};
use clap::Parser;

use crate::beside::grow;
use crate::tables::{Count, Rates};
use crate::work::{MIXED, MIXES, Mix};

/// Counts the cache lines that change hands between processors.
#[derive(Debug, Parser)]
struct Options {
    /// Operations to count, after a third as many to warm up
    #[arg(long, default_value_t = 30_000)]
    operations: usize,

    /// Draws a chart into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

const PROCESSORS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// The slots of the table, which takes 2 MiB: twice a cache.
const BUCKETS: usize = 1 << 18;

const LOCKED: &str = "64 locks";

pub(crate) fn run() -> io::Result<()> {
    let options = Options::parse();
    options.svg.as_deref().map_or(Ok(()), Chart::check)?;
    println!("cache lines that change hands for an operation; caches of 1 MiB, a table of 2 MiB");
    println!("{MIXED}");
    let mut series = Vec::new();
    for mix in MIXES {
        let rows = measure(mix, options.operations);
        println!("\n{}", mix.name);
        print(&rows);
        series.push(line(mix.name, false, &rows, |row| &row.filter));
        if mix == MIXES[2] {
            let name = format!("{LOCKED}, mixed");
            series.push(line(&name, true, &rows, |row| &row.locked));
        }
    }
    print_growth(options.operations);
    let Some(file) = options.svg else {
        return Ok(());
    };
    let chart = Chart {
        title: "Cache lines that change hands for an operation".to_owned(),
        mix: format!("{MIXED}; {LOCKED}: one for each part of the table"),
        machine: "simulated: private caches of 1 MiB, MESI; a table of 2 MiB".to_owned(),
        x: Axis::log("processors"),
        y: Axis::linear("lines for an operation"),
        series,
    };
    chart.write_svg(&file)
}

/// The numbers of processors of the last table: more would run for minutes.
const AT_ONCE: [usize; 5] = [1, 4, 16, 32, 64];

fn print_growth(operations: usize) {
    let (start, items) = (operations, 4 * operations);
    println!(
        "\nof growing filters, from {start} to {items} items, all processors at once: nanoseconds \
         of an insert, as assumed, and lines"
    );
    println!("processors         all       waits  for one line       lines");
    for processors in AT_ONCE {
        let cost = grow(start, items, processors);
        println!(
            "{processors:>10}{:>12.1}{:>12.1}{:>14.1}{:>12.3}",
            cost.time, cost.waits, cost.waits_for_one, cost.passes
        );
    }
}

/// The rates with this number of processors.
struct Row {
    processors: usize,
    filter: Rates,
    locked: Rates,
}

fn measure(mix: Mix, operations: usize) -> [Row; PROCESSORS.len()] {
    let items = (mix.load * (BUCKETS * 4) as f64) as u64;
    let stored: Vec<u64> = (0..items).map(model::mix).collect();
    PROCESSORS.map(|processors| {
        let count = Count {
            mix,
            stored: &stored,
            buckets: BUCKETS,
            processors,
            operations,
        };
        Row {
            processors,
            filter: count.filter(),
            locked: count.locked(),
        }
    })
}

fn sum(rates: &Rates) -> f64 {
    rates.iter().map(|(_, rate)| rate).sum()
}

fn print(rows: &[Row]) {
    let names = rows[0].filter.iter().map(|(name, _)| format!("{name:>12}"));
    let names: String = names.collect();
    println!("processors{names}{:>12}{LOCKED:>12}", "all");
    for row in rows {
        let parts = row.filter.iter().map(|(_, rate)| format!("{rate:>12.3}"));
        let parts: String = parts.collect();
        let (filter, locked) = (sum(&row.filter), sum(&row.locked));
        println!("{:>10}{parts}{filter:>12.3}{locked:>12.3}", row.processors);
    }
}

fn line(name: &str, dashed: bool, rows: &[Row], of: fn(&Row) -> &Rates) -> Series {
    let points = rows.iter().map(|row| (row.processors as f64, sum(of(row))));
    Series {
        name: name.to_owned(),
        points: points.collect(),
        dashed,
    }
}
