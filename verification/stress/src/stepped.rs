//! The command line of the stepped build.

mod calls;
mod explanation;
mod growing;
mod histories;
mod layout;
mod lives;
mod run;
mod stage;
mod workload;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};

#[derive(Parser)]
#[command(about = "Stresses lockfree-cuckoo with real threads")]
struct Cli {
    part: Part,
    /// Approximate seconds to run; by default 20, and an hour for soak
    #[arg(long)]
    seconds: Option<u64>,
    /// Seed of the random calls; the machine decides the schedule
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Slots and bits of the buckets: 8x8, 6x10, 5x12, 3x21, 2x31; semi-sorted 4x17, 5x14, 6x12.
    /// Growing filters and filters of another set ignore it
    #[arg(long, default_value = "4x16", value_parser = layout::parse)]
    layout: model::Layout,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Part {
    /// Random calls race for a few tokens in a few buckets; some order of the calls must explain
    /// each class
    Histories,
    /// Churn at high load by many threads and by few, with everything checked at each pause
    Soak,
    /// Filters that double, from a few buckets to their last level and back to empty
    Lives,
}

pub(crate) fn main() -> ExitCode {
    let start = Instant::now();
    let Cli {
        part,
        seconds,
        seed,
        layout,
    } = Cli::parse();
    layout::choose(layout);
    let usual = if matches!(part, Part::Soak) {
        3_600
    } else {
        20
    };
    let time = Duration::from_secs(seconds.unwrap_or(usual));
    let outcome = match part {
        Part::Histories => histories::run(time, seed),
        Part::Soak => lives::run(&lives::FIXED, time, seed),
        Part::Lives => lives::run(&lives::GROWING, time, seed),
    };
    let name = format!("{part:?}").to_lowercase();
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
