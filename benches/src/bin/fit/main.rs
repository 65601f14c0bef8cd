//! How full do tables of each layout get, and is that enough for what is promised?
//!
//! Fills seeded tables until the first refusal, of each layout, of one range of 2 to half a million buckets, and of
//! several ranges. A filter is to refuse one of the items it is sized for less than once in a million fillings. That
//! is too seldom to be counted in tables that are not small, so the lower tail is [extrapolated](tail). A row has
//! what a table took, what it is said to take (*promised*), the most that could be promised (*possible*), and how
//! likely a refusal below the promise is (*chance*).
//!
//! The constants of `src/layout/layouts.rs` are chosen by this output. `--fillings 10` fills ten times as often, and
//! `--large` fills tables of four million buckets as well. The numbers depend on nothing but these two options.

mod cells;
mod filling;
mod report;
mod shares;
mod tail;

use std::num::NonZeroUsize;

use clap::Parser;
use lockfree_cuckoo::{Lanes, Layout, SemiSorted};

use self::cells::Shape;

/// Fills tables of all layouts until the first refusal.
#[derive(Debug, Parser)]
struct Options {
    /// Fills so many times as often
    #[arg(long, default_value = "1")]
    fillings: NonZeroUsize,

    /// Fills tables of four million buckets as well
    #[arg(long)]
    large: bool,

    /// Tables that are filled at the same time
    #[arg(long, default_value = "1")]
    threads: NonZeroUsize,

    /// Only layouts whose name begins so
    #[arg(long, default_value = "")]
    layout: String,
}

impl Options {
    fn fit<L: Layout>(&self) {
        let name = report::name::<L>();
        if !name.starts_with(&self.layout) {
            return;
        }
        let shapes = Shape::grid(self.large);
        let cells = cells::fill_all::<L>(&shapes, self.fillings.get(), self.threads.get());
        report::print::<L>(&name, &cells);
    }
}

fn main() {
    let options = Options::parse();
    model::of_every_layout!(fit, &options);
}

fn fit<L: Layout>(options: &Options) {
    options.fit::<L>();
}
