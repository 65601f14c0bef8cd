//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::looks::Looks;

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

    /// Tables and turns too small to measure anything, for tests
    #[arg(long, hide = true, conflicts_with_all = ["quick", "large"])]
    smoke: bool,

    /// The directory for the figures
    #[arg(long, value_name = "DIR", default_value = "target/paper")]
    pub(crate) out: PathBuf,
}

/// How large the tables are, and how long they are looked at.
pub(crate) struct Effort {
    /// The bytes of a filter's table. Three times a power of two, as the paper's 192 MB are.
    pub(crate) table_bytes: usize,
    /// The tables that are filled until they refuse an item, in slots: as powers of two.
    pub(crate) loads: &'static [u32],
    /// The simulated tables, likewise: some of those in the paper's Figure 2.
    pub(crate) grids: &'static [u32],
    pub(crate) looks: Looks,
}

impl Args {
    pub(crate) fn effort(&self) -> Effort {
        let usual = Effort {
            table_bytes: 24 << 20,
            loads: &[15, 17, 19, 21, 23, 25],
            grids: &[15, 20],
            looks: Looks::default(),
        };
        match self {
            Self { quick: true, .. } => Effort {
                table_bytes: 3 << 20,
                loads: &[15, 17, 19, 21],
                grids: &[15],
                ..usual
            },
            Self { large: true, .. } => Effort {
                table_bytes: 192 << 20,
                loads: &[15, 17, 19, 21, 23, 25, 27],
                grids: &[15, 20, 25],
                ..usual
            },
            Self { smoke: true, .. } => Effort {
                table_bytes: 3 << 14,
                loads: &[13],
                grids: &[10],
                looks: Looks::FEW,
            },
            _ => usual,
        }
    }
}
