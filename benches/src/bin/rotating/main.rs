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

use clap::Parser;
use lockfree_cuckoo_benches::Tables;

/// Measures the rotating filter and its rivals.
#[derive(Debug, Parser)]
struct Options {
    #[command(flatten)]
    tables: Tables,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Options { tables } = Options::parse();
    tables.measure("rotating", window::measure)
}
