//! The command line.

mod calls;
mod explanation;
mod faults;
mod growing;
mod histories;
mod layout;
mod lives;
mod run;
mod scene;
mod stage;
mod stalls;
mod workload;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Stresses lockfree-cuckoo with real threads")]
struct Cli {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Random calls race for a few tokens; some order of the calls must explain each class
    Histories(Extent),
    /// Threads die or stop for ever at every step; other threads must neither wait nor see a wrong answer
    Faults(Extent),
    /// Counts what many threads complete while some are stopped, here and with sets in locks
    Stalls(Extent),
    /// Churn at high load, by default for an hour
    Soak(Extent),
    /// Filters that double, from a few buckets to their last level and back to nothing
    Lives(Extent),
}

#[derive(Args, Clone, Copy)]
struct Extent {
    /// About how many seconds to run
    #[arg(long)]
    seconds: Option<u64>,
    /// Seed of the random calls; the machine decides the schedule
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Slots and bits of the buckets: 8x8, 6x10, 5x12, 3x21, 2x31; semi-sorted 4x17, 5x14, 6x12. Not of the filters
    /// that grow, and of no other set
    #[arg(long, default_value = "4x16", value_parser = layout::parse)]
    layout: model::Layout,
}

impl Extent {
    fn or(self, seconds: u64) -> Duration {
        Duration::from_secs(self.seconds.unwrap_or(seconds))
    }
}

pub(crate) fn main() -> ExitCode {
    let start = Instant::now();
    let part = Cli::parse().part;
    if let Part::Histories(extent) | Part::Faults(extent) | Part::Soak(extent) = &part {
        layout::choose(extent.layout);
    }
    let (name, outcome) = match part {
        Part::Histories(extent) => ("histories", histories::run(extent.or(20), extent.seed)),
        Part::Faults(extent) => ("faults", faults::run(extent.or(20), extent.seed)),
        Part::Stalls(extent) => ("stalls", stalls::run(extent.or(20), extent.seed)),
        Part::Soak(extent) => (
            "soak",
            lives::run(&lives::FIXED, extent.or(60 * 60), extent.seed),
        ),
        Part::Lives(extent) => (
            "lives",
            lives::run(&lives::GROWING, extent.or(20), extent.seed),
        ),
    };
    match outcome {
        Ok(()) => {
            println!("{name}: passed in {:.0} s", start.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{name}: FAILED: {why}");
            ExitCode::FAILURE
        }
    }
}
