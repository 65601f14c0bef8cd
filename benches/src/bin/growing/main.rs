//! growing: measures the cost of growth.
//!
//! It measures lookups in a filter that has grown and in one that is growing, inserts far beyond
//! its first size, single inserts, and memory and false positives during growth. Each is compared
//! with the fixed filter that was told the number of items, and with rivals that grow. In one
//! process, slices of a contender's work and of the fixed filter's take turns. A disturbance of the
//! machine meets both, so the paired ratios hold where the rates do not. Only the times of single
//! inserts come from children, whose memory is fresh. Rates are operations per second with a
//! processor.
//!
//! It takes some ten minutes; `--sizes 1M --items 1M --seconds 0.06` less than one.

mod contenders;
mod filling;
mod lookups;
mod phases;
mod way;

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use lockfree_cuckoo_benches::markdown;
use lockfree_cuckoo_benches::{Common, Keys, Watch, items_of, machine, print_cores};

/// Measures the filter that grows, the filter of fixed size, and rivals that grow.
#[derive(Debug, Parser)]
struct Options {
    #[command(flatten)]
    common: Common,

    /// Items to insert
    #[arg(long, default_value = "10M", value_parser = items_of)]
    items: usize,

    /// The initial capacity of the filter
    #[arg(long, default_value = "1k", value_parser = items_of)]
    start: usize,

    /// The number of times that all items are inserted
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    fillings: u32,

    /// The directory for the charts
    #[arg(long, value_name = "DIR", default_value = "target/growing")]
    out: PathBuf,

    /// Files with marks for the table of lookups, which is written there
    #[arg(long, value_delimiter = ',', value_name = "FILES")]
    into: Vec<PathBuf>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    if let Some(job) = &options.common.child {
        return filling::child(&serde_json::from_str(job)?);
    }
    fs::create_dir_all(&options.out)?;
    println!("{}", machine());
    let mut watch = Watch::default();
    let command: Vec<String> = env::args().skip(1).collect();
    let mut text = format!("{}; `growing {}`:\n", machine(), command.join(" "));
    for &items in &options.common.sizes {
        text += &format!("\n{}", lookups::measure(items, options.common.time));
        watch.look();
    }
    for file in &options.into {
        markdown::write_between_marks(file, &[("growing", text.clone())])?;
    }
    let keys = Arc::new(Keys::generate(options.items));
    filling::measure(&keys, options.start, options.fillings);
    phases::measure(&keys, options.start, options.fillings);
    way::measure(&keys, options.start, &options.out)?;
    print_cores(&[watch.speedup()]);
    Ok(())
}
