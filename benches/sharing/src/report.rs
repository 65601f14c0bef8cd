//! The tables and the chart.

use std::io;
use std::path::PathBuf;

use cache_lines::ledger::Ledger;
use cache_lines::locks;
use cache_lines::mix::{MIXED, MIXES, Mix, Work};
use charts::{Axis, Chart, Scale, Series};
use clap::Parser;
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo::testing::Places as _;

use crate::relay;

/// Counts the cache lines that change hands between processors.
#[derive(Debug, Parser)]
struct Options {
    /// Operations that are counted, after a third as many that are not
    #[arg(long, default_value_t = 30_000)]
    operations: usize,

    /// Draws a chart into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

const PROCESSORS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// 1,048,576 slots in 2 MiB: twice a cache.
const BUCKETS: usize = 1 << 18;

const LOCKED: &str = "64 locks";

/// Its line in the chart.
const LOCKED_MIX: &str = "64 locks, mixed";

/// Lines that changed hands for an operation, with so many processors, part by part.
type Row = (usize, Vec<(&'static str, f64)>);

pub(crate) fn run() -> io::Result<()> {
    let options = Options::parse();
    println!("cache lines that change hands for an operation; caches of 1 MiB, a table of 2 MiB");
    println!("{MIXED}");
    let mut series = Vec::new();
    for mix in MIXES {
        let [filter, locked] = measure(mix, &options);
        println!("\n{}", mix.name);
        print(&filter, &locked);
        series.push(line(mix.name, &filter, false));
        if mix == MIXES[2] {
            series.push(line(LOCKED_MIX, &locked, true));
        }
    }
    let Some(file) = options.svg else {
        return Ok(());
    };
    let axis = |label: &str, scale| Axis {
        label: label.to_owned(),
        scale,
    };
    let chart = Chart {
        title: "Cache lines that change hands for an operation".to_owned(),
        mix: format!("{MIXED}; {LOCKED}: one for each part of the table"),
        machine: "simulated: private caches of 1 MiB, MESI; a table of 2 MiB".to_owned(),
        x: axis("processors", Scale::Log),
        y: axis("lines for an operation", Scale::Linear),
        series,
    };
    chart.write_svg(&file)
}

/// The rows of the filter, and of the same with locks.
fn measure(mix: Mix, options: &Options) -> [Vec<Row>; 2] {
    let items = (mix.load * (BUCKETS * 4) as f64) as u64;
    let stored: Vec<u64> = (0..items).map(model::mix).collect();
    let counts = [options.operations / 3, options.operations];
    let filter = |processors| {
        let filter = CuckooFilter::builder().buckets(BUCKETS).seed(0);
        let filter = filter.build().expect("memory");
        filter.insert_many_hash(&stored).expect("below capacity");
        let ledger = Ledger::new(processors, filter.places());
        let mut work = Work::new(mix, processors, &stored);
        let ledger = relay::run(&filter, processors, ledger, &mut work, counts);
        (processors, ledger.rates(options.operations))
    };
    let locked = |processors| {
        let ledger = Ledger::new(processors, locks::parts(BUCKETS));
        let mut work = Work::new(mix, processors, &stored);
        let ledger = locks::run(BUCKETS, ledger, &mut work, counts);
        (processors, ledger.rates(options.operations))
    };
    [
        PROCESSORS.map(filter).to_vec(),
        PROCESSORS.map(locked).to_vec(),
    ]
}

fn sum((_, parts): &Row) -> f64 {
    parts.iter().map(|(_, rate)| rate).sum()
}

fn print(filter: &[Row], locked: &[Row]) {
    let names = filter[0].1.iter().map(|(name, _)| format!("{name:>12}"));
    println!(
        "processors{}{:>12}{LOCKED:>12}",
        names.collect::<String>(),
        "all"
    );
    for (row, locked) in filter.iter().zip(locked) {
        let parts = row.1.iter().map(|(_, rate)| format!("{rate:>12.3}"));
        let parts: String = parts.collect();
        println!(
            "{:>10}{parts}{:>12.3}{:>12.3}",
            row.0,
            sum(row),
            sum(locked)
        );
    }
}

fn line(name: &str, rows: &[Row], dashed: bool) -> Series {
    Series {
        name: name.to_owned(),
        points: rows.iter().map(|row| (row.0 as f64, sum(row))).collect(),
        dashed,
    }
}
