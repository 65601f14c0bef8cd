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
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use clap::builder::RangedU64ValueParser;
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::{
    Cell, Common, Contender, Duel, Keys, Rig, Watch, Work, cores, items_name, machine, markdown,
    or_dash, print_cores,
};

use crate::contenders::{Bloom, Shared};

/// Measures the filter in memory that processes share.
#[derive(Debug, Parser)]
struct Options {
    #[command(flatten)]
    common: Common,

    /// Numbers of threads [default: 1 and the number of processors]
    #[arg(long, value_delimiter = ',', value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Vec<usize>,

    /// The directory for the table
    #[arg(long, value_name = "DIR", default_value = "target/processes")]
    out: PathBuf,

    /// Files with marks for the table, which is written there
    #[arg(long, value_delimiter = ',', value_name = "FILES")]
    into: Vec<PathBuf>,
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
    let options = Options::parse();
    let mut threads = options.threads;
    if threads.is_empty() {
        threads = vec![1, cores()];
        threads.dedup();
    }
    fs::create_dir_all(&options.out)?;
    let mut watch = Watch::default();
    let command: Vec<String> = std::env::args().skip(1).collect();
    let mut text = format!("{}; `processes {}`:\n", machine(), command.join(" "));
    for &items in &options.common.sizes {
        let keys = Arc::new(Keys::generate(items));
        text += &format!("\n{}", measure(&keys, &threads, options.common.time));
        watch.look();
    }
    println!("{text}");
    print_cores(&[watch.speedup()]);
    fs::write(options.out.join("processes.md"), &text)?;
    for file in &options.into {
        markdown::write_between_marks(file, &[("processes", text.clone())])?;
    }
    Ok(())
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
