//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Repeats the evaluation of "Cuckoo Filter: Practically Better Than Bloom" (Fan, Andersen, Kaminsky and
/// Mitzenmacher, CoNEXT 2014) on this library, and draws its figures.
#[derive(Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Filters of 3 MiB instead of 24
    #[arg(long, conflicts_with = "large")]
    quick: bool,

    /// Filters of 192 MiB, as in the paper
    #[arg(long)]
    large: bool,

    /// The directory for the figures
    #[arg(long, value_name = "DIR", default_value = "target/paper")]
    pub(crate) out: PathBuf,
}

impl Args {
    /// The bytes of a filter's table. Three times a power of two, as the paper's 192 MB are.
    pub(crate) fn table_bytes(&self) -> usize {
        match (self.quick, self.large) {
            (true, _) => 3 << 20,
            (_, true) => 192 << 20,
            _ => 24 << 20,
        }
    }

    /// The sizes of the tables that are filled until they refuse an item, in slots.
    pub(crate) fn slots(&self) -> Vec<usize> {
        let largest = match (self.quick, self.large) {
            (true, _) => 21,
            (_, true) => 27,
            _ => 25,
        };
        (15..=largest).step_by(2).map(|power| 1 << power).collect()
    }

    /// The sizes of the simulated tables, in slots: some of those in the paper's Figure 2.
    pub(crate) fn grids(&self) -> Vec<usize> {
        let powers: &[u32] = match (self.quick, self.large) {
            (true, _) => &[15],
            (_, true) => &[15, 20, 25],
            _ => &[15, 20],
        };
        powers.iter().map(|power| 1 << power).collect()
    }
}
