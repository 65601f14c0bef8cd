//! What does it cost that a filter grows?
//!
//! Lookups in a filter that has grown and in one that is growing, inserts far beyond its first size, single inserts,
//! memory and false positives on the way: each beside the fixed filter that was told the number of items, and with
//! rivals that grow. In one process, slices of a contender's work and of the fixed filter's take turns, so a disturbance
//! of the machine meets both, and the paired ratios hold where the rates do not. Only the times of single inserts come
//! from children, whose memory is fresh. Rates are operations per second with a processor.
//!
//! `--quick` takes less than a minute instead of some ten.

mod contenders;
mod filling;
mod lookups;
mod way;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use lockfree_cuckoo_benches::{
    BEYOND_CACHE, Common, IN_CACHE, Keys, Watch, items_of, machine, print_cores,
};

/// Measures the filter that grows, the filter of fixed size, and rivals that grow.
#[derive(Debug, Parser)]
struct Options {
    #[command(flatten)]
    common: Common,

    /// Items to insert [default: 10M; with --quick 1M]
    #[arg(long, value_parser = items_of)]
    items: Option<usize>,

    /// The initial capacity of the filter that they are inserted into
    #[arg(long, default_value = "1k", value_parser = items_of)]
    start: usize,

    /// How many times all items are inserted [default: 5; with --quick 3]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    fillings: Option<u32>,

    /// The directory for the charts
    #[arg(long, value_name = "DIR", default_value = "target/growing")]
    out: PathBuf,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    if let Some(job) = &options.common.child {
        return filling::child(&serde_json::from_str(job)?);
    }
    let quick = options.common.quick;
    let items = options
        .items
        .unwrap_or(if quick { IN_CACHE } else { BEYOND_CACHE });
    let fillings = options.fillings.unwrap_or(if quick { 3 } else { 5 });

    fs::create_dir_all(&options.out)?;
    println!("{}", machine());
    let mut watch = Watch::default();
    for &items in options.common.sizes() {
        lookups::measure(items, options.common.time());
        watch.look();
    }
    let keys = Arc::new(Keys::generate(items));
    filling::measure(&keys, options.start, fillings);
    way::measure(&keys, options.start, &options.out)?;
    print_cores(&[watch.speedup()]);
    Ok(())
}
