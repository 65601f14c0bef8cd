//! The report: tables and the chart.

use std::io;
use std::path::PathBuf;

use cache_lines::queue::{MACHINE, OPERATION, PASS, occupancy, throughput};
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

const THREADS: [usize; 3] = [16, 64, 128];

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
    // More than above: the most of many counts must not be a chance.
    print_queues(MIXES[2], 3 * options.operations);
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
    let stored = stored(mix);
    PROCESSORS.map(|processors| {
        let count = count(mix, operations, &stored, processors);
        Row {
            processors,
            filter: count.fixed(),
            locked: count.locked(),
        }
    })
}

fn stored(mix: Mix) -> Vec<u64> {
    let items = (mix.load * (BUCKETS * 4) as f64) as u64;
    (0..items).map(model::mix).collect()
}

fn count(mix: Mix, operations: usize, stored: &[u64], processors: usize) -> Count<'_> {
    Count {
        mix,
        stored,
        buckets: BUCKETS,
        processors,
        operations,
    }
}

fn print(rows: &[Row]) {
    let names = rows[0].filter.parts.iter();
    let names: String = names.map(|(name, _)| format!("{name:>12}")).collect();
    println!(
        "processors{names}{:>12}{LOCKED:>12}{:>12}",
        "all", "one line"
    );
    for row in rows {
        let parts = row.filter.parts.iter();
        let parts: String = parts.map(|(_, rate)| format!("{rate:>12.3}")).collect();
        let (filter, locked) = (row.filter.all(), row.locked.all());
        let busiest = row.filter.busiest;
        println!(
            "{:>10}{parts}{filter:>12.3}{locked:>12.3}{busiest:>12.4}",
            row.processors
        );
    }
}

/// The numbers of stripes of a fixed filter, and for a growing filter with the bytes from one to
/// the next.
const FIXED: [usize; 6] = [128, 256, 1_024, 2_048, 4_096, 8_192];
const GROWING: [(usize, usize); 4] = [(32, 8), (64, 16), (64, 32), (64, 64)];

/// Prints the waits for the busiest line, by the number of stripes.
fn print_queues(mix: Mix, operations: usize) {
    println!(
        "\n{}, by the number of stripes: passes of the busiest line of the stripes for an operation;",
        mix.name
    );
    println!("the part of the time for which it is under way; millions of operations in a second.");
    println!("Measured: a pass {PASS} ns, the rest {OPERATION:.0} ns ({MACHINE}).");
    println!(
        "{:>20}{}",
        "",
        THREADS
            .map(|threads| format!("{threads:>26} cpus"))
            .concat()
    );
    let stored = stored(mix);
    let row = |name: String, of: &dyn Fn(Count<'_>) -> Rates| {
        let cells = THREADS.map(|threads| {
            let busiest = of(count(mix, operations, &stored, threads)).busiest_stripe;
            let (share, most) = (occupancy(threads, busiest), throughput(threads, busiest));
            format!("{busiest:>13.4}{share:>8.2}{most:>10.0}")
        });
        println!("{name:>20}{}", cells.concat());
    };
    for stripes in FIXED {
        row(format!("{stripes}"), &|count| {
            count.fixed_with_stripes(stripes)
        });
    }
    for (stripes, spacing) in GROWING {
        let name = format!("growing, {stripes} by {spacing}");
        row(name, &|count| count.growing_with_stripes(stripes, spacing));
    }
}

fn line(name: &str, dashed: bool, rows: &[Row], of: fn(&Row) -> &Rates) -> Series {
    let points = rows
        .iter()
        .map(|row| (row.processors as f64, of(row).all()));
    Series {
        name: name.to_owned(),
        points: points.collect(),
        dashed,
    }
}
