//! rotating: compares filters whose items leave by age, `RotatingCuckooFilter` and its rivals.
//!
//! Each contender holds the items of a window of two periods, half of them from each. A turn ends a
//! period: it forgets the items of the period before the last. The program measures lookups in a
//! full window, inserts and unique inserts with a turn each half window, unique inserts of items
//! that are in the window, memory, and false positives. After each turn
//! it looks up all items that must still be there.
//!
//! Slices of a contender's work and of the limit's take turns. The limit has room for the whole
//! window and forgets nothing.
//!
//! It takes three minutes: `cargo run --release -p lockfree-cuckoo-benches --bin rotating`.
//! `--into benches/README.md` writes its table there.

mod contenders;
mod window;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use clap::builder::RangedU64ValueParser;
use lockfree_cuckoo_benches::{Common, Keys, Watch, cores, machine, markdown, print_cores};

/// Measures the rotating filter and its rivals.
#[derive(Debug, Parser)]
struct Options {
    #[command(flatten)]
    common: Common,

    /// Numbers of threads [default: 1 and the number of processors]
    #[arg(long, value_delimiter = ',', value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Vec<usize>,

    /// The directory for the table
    #[arg(long, value_name = "DIR", default_value = "target/rotating")]
    out: PathBuf,

    /// Files with marks for the table, which is written there
    #[arg(long, value_delimiter = ',', value_name = "FILES")]
    into: Vec<PathBuf>,
}

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
    let mut text = format!("{}; `rotating {}`:\n", machine(), command.join(" "));
    for &items in &options.common.sizes {
        let keys = Arc::new(Keys::generate(items));
        text += &format!(
            "\n{}",
            window::measure(&keys, &threads, options.common.time)
        );
        watch.look();
    }
    println!("{text}");
    print_cores(&[watch.speedup()]);
    fs::write(options.out.join("rotating.md"), &text)?;
    for file in &options.into {
        markdown::write_between_marks(file, &[("rotating", text.clone())])?;
    }
    Ok(())
}
