//! processes: compares the filter in memory that processes share with the filter on the heap, and
//! with a Bloom filter in such memory.
//!
//! Slices of a contender's work and of the shared filter's take turns, in one process: its threads
//! use the same memory as other processes would.
//!
//! It takes two minutes, on Linux:
//! `cargo run --release -p lockfree-cuckoo-benches --features shared --bin processes`. `--into
//! benches/README.md` writes its table there.

mod contenders;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::{
    Cell, Contender, Duel, Keys, Rig, Tables, Work, items_name, markdown, or_dash,
};

use crate::contenders::{Bloom, Shared};

/// Measures the filter in memory that processes share.
#[derive(Debug, Parser)]
struct Options {
    #[command(flatten)]
    tables: Tables,
}

const WORKS: [Work; 6] = [
    Work::Hit,
    Work::Miss,
    Work::Unique,
    Work::Known,
    Work::Insert,
    Work::Remove,
];

fn main() -> Result<(), Box<dyn Error>> {
    let Options { tables } = Options::parse();
    tables.measure("processes", measure)
}

/// Measures all contenders with these items, on each number of threads. Returns a table.
fn measure(keys: &Arc<Keys>, threads: &[usize], time: Duration) -> String {
    let mut shared = Rig::<Shared>::full(keys);
    let measures = Measures {
        keys,
        threads,
        time,
    };
    let (heap, beside) = measures.of::<CuckooFilter>("on the heap", &mut shared);
    let (bloom, _) = measures.of::<Bloom>("Bloom filter in shared memory", &mut shared);
    shared.check();
    let about = about("shared, M/s", &shared, keys);
    let base = about.into_iter().chain(beside);
    let names: Vec<String> = threads.iter().map(usize::to_string).collect();
    let items = items_name(keys.stored.len());
    let items = format!("{items} items, {} threads", names.join(" / "));
    let head = [&*items, "bits per item", "false positives"].map(str::to_owned);
    let head: Vec<String> = head.into_iter().chain(WORKS.map(Work::name)).collect();
    markdown::table(&head, [base.collect(), heap, bloom])
}

struct Measures<'a> {
    keys: &'a Arc<Keys>,
    threads: &'a [usize],
    time: Duration,
}

impl Measures<'_> {
    /// Returns a row with the rates of a contender divided by those of the shared filter, and the
    /// latter.
    fn of<C: Contender>(&self, name: &str, shared: &mut Rig<Shared>) -> (Vec<String>, Vec<String>) {
        eprintln!("{} items: {name}", items_name(self.keys.stored.len()));
        let mut rig = Rig::<C>::full(self.keys);
        let mut duel = Duel::new(&mut rig, shared);
        let mut cells = Vec::new();
        for work in WORKS.into_iter().filter(|work| work.suits::<C>()) {
            let fewest = if work.fills() { 3 } else { 5 };
            for &threads in self.threads {
                cells.push(duel.cell(work, threads, self.time, fewest));
            }
            duel.one.fill();
            duel.other.fill();
        }
        rig.check();
        let of_works = |of: fn(&Cell) -> String| {
            WORKS.map(|work| {
                let cells = cells.iter().filter(|cell| cell.work == work);
                let numbers: Vec<String> = cells.map(of).collect();
                or_dash(Some(numbers).filter(|all| !all.is_empty()), |all| {
                    all.join(" / ")
                })
            })
        };
        let ratios = of_works(|cell| format!("{:.2}", cell.ratio));
        let rates = of_works(|cell| format!("{:.1}", cell.other / 1e6));
        let row = about(name, &rig, self.keys).into_iter().chain(ratios);
        (row.collect(), rates.to_vec())
    }
}

/// The cells about a contender that holds all items.
fn about<C: Contender>(name: &str, rig: &Rig<C>, keys: &Keys) -> [String; 3] {
    let bits = |bytes| 8.0 * bytes as f64 / keys.stored.len() as f64;
    [
        name.to_owned(),
        or_dash(rig.table().size().1, |bytes| format!("{:.1}", bits(bytes))),
        format!("{:.4} %", 100.0 * rig.false_positives()),
    ]
}
