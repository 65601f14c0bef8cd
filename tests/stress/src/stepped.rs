//! The command line.

mod chain;
mod events;
mod explanation;
mod faults;
mod gate;
mod growing;
mod halt;
mod histories;
mod kind;
mod log;
mod memory;
mod pace;
mod request;
mod scene;
mod soak;
mod stage;
mod stalls;
mod subject;
mod watchdog;
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
    /// One row of `stalls`, in a process of its own
    #[command(hide = true)]
    Stalled(stalls::Row),
}

#[derive(Args, Clone, Copy)]
struct Extent {
    /// About how many seconds to run
    #[arg(long)]
    seconds: Option<u64>,
    /// Seed of the random calls; the machine decides the schedule
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Extent {
    fn or(self, seconds: u64) -> Duration {
        Duration::from_secs(self.seconds.unwrap_or(seconds))
    }
}

pub(crate) fn main() -> ExitCode {
    let start = Instant::now();
    let (name, outcome) = match Cli::parse().part {
        Part::Histories(extent) => ("histories", histories::run(extent.or(20), extent.seed)),
        Part::Faults(extent) => ("faults", faults::run(extent.or(20), extent.seed)),
        Part::Stalls(extent) => ("stalls", stalls::run(extent.or(20), extent.seed)),
        Part::Soak(extent) => ("soak", soak::run(extent.or(60 * 60), extent.seed)),
        Part::Stalled(row) => return stalls::measure(row),
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
