//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use lockfree_cuckoo_benches::size::{BEYOND_CACHE, IN_CACHE, items_of};

/// Measures the filter that grows, the filter of fixed size, and rivals that grow.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// Measures less, in under a minute
    #[arg(long)]
    quick: bool,

    /// Numbers of stored items for the lookups: 1M,10M
    #[arg(long, value_delimiter = ',', value_parser = items_of)]
    sizes: Option<Vec<usize>>,

    /// Items to insert
    #[arg(long, value_parser = items_of)]
    items: Option<usize>,

    /// The initial capacity of the filter that they are inserted into
    #[arg(long, default_value = "1k", value_parser = items_of)]
    pub(crate) start: usize,

    /// How many times all items are inserted
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    fillings: Option<u32>,

    /// The directory for the charts
    #[arg(long, value_name = "DIR", default_value = "target/growing")]
    pub(crate) out: PathBuf,

    /// The contender of a child
    #[arg(long, hide = true)]
    pub(crate) child: Option<String>,

    /// Milliseconds for each measurement of lookups
    #[arg(long)]
    milliseconds: Option<u64>,
}

impl Options {
    pub(crate) fn sizes(&self) -> &[usize] {
        match &self.sizes {
            Some(sizes) => sizes,
            None if self.quick => &[IN_CACHE.items],
            None => &[IN_CACHE.items, BEYOND_CACHE.items],
        }
    }

    pub(crate) fn items(&self) -> usize {
        let usual = if self.quick { IN_CACHE } else { BEYOND_CACHE };
        self.items.unwrap_or(usual.items)
    }

    pub(crate) fn fillings(&self) -> u32 {
        self.fillings.unwrap_or(if self.quick { 3 } else { 5 })
    }

    pub(crate) fn time(&self) -> Duration {
        let usual = if self.quick { 80 } else { 500 };
        Duration::from_millis(self.milliseconds.unwrap_or(usual))
    }
}
