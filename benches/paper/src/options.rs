//! The command line, and the effort that follows from it.

use std::path::PathBuf;

use clap::Parser;

/// Repeats the evaluation of "Cuckoo Filter: Practically Better Than Bloom" (Fan, Andersen,
/// Kaminsky and Mitzenmacher, CoNEXT 2014) with this library, and draws its figures.
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Options {
    /// Filters of 3 MiB instead of 24
    #[arg(long, conflicts_with = "large")]
    quick: bool,

    /// Filters of 192 MiB, as in the paper
    #[arg(long)]
    large: bool,

    /// Tables and turns too small to measure anything, for tests
    #[arg(long, conflicts_with_all = ["quick", "large"])]
    tiny: bool,

    /// The directory for the figures
    #[arg(long, value_name = "DIR", default_value = "target/paper")]
    pub(crate) out: PathBuf,

    /// Files with marks for the tables, which are written there
    #[arg(long, value_delimiter = ',', value_name = "FILES")]
    pub(crate) into: Vec<PathBuf>,
}

/// The sizes of the tables, and the number of lookups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// The bytes of a filter's table: three times a power of two, as the paper's 192 MB are.
    pub(crate) table_bytes: usize,
    /// The tables that are filled until they refuse an item, in slots: as powers of two.
    pub(crate) loads: &'static [u32],
    /// The simulated tables, likewise.
    pub(crate) simulated: &'static [u32],
    pub(crate) lookups: Lookups,
}

/// The number of lookups that are done at a time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lookups {
    /// The lookups of a turn: some milliseconds, so that most turns of a busy machine are
    /// undisturbed.
    pub(crate) turn: usize,
    /// The lookups of absent keys that measure a rate of false positives.
    pub(crate) probes: usize,
}

impl Lookups {
    const USUAL: Self = Self {
        turn: 1 << 16,
        probes: 1 << 23,
    };

    /// Too few to measure anything: for tests.
    pub(crate) const FEW: Self = Self {
        turn: 1 << 9,
        probes: 1 << 16,
    };
}

impl Options {
    pub(crate) fn effort(&self) -> Effort {
        let usual = Effort {
            table_bytes: 24 << 20,
            loads: &[15, 17, 19, 21, 23],
            simulated: &[15, 20],
            lookups: Lookups::USUAL,
        };
        match self {
            Self { quick: true, .. } => Effort {
                table_bytes: 3 << 20,
                loads: &[15, 17, 19],
                simulated: &[15],
                ..usual
            },
            Self { large: true, .. } => Effort {
                table_bytes: 192 << 20,
                loads: &[15, 17, 19, 21, 23, 25, 27],
                simulated: &[15, 20, 25],
                ..usual
            },
            Self { tiny: true, .. } => Effort {
                table_bytes: 3 << 14,
                loads: &[13],
                simulated: &[9],
                lookups: Lookups::FEW,
            },
            _ => usual,
        }
    }
}
