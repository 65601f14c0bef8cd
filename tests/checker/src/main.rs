//! `cargo run --release -p protocol-checker`: the checks, one line a part. Fails if any of them does.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use protocol_checker::Limits;
#[cfg(lockfree_cuckoo_steps)]
use protocol_checker::fixed::lockstep;
use protocol_checker::fixed::{self, Fixed, conformance};
use protocol_checker::growing::Growing;
use protocol_checker::parts::{self, Sizes, say};

/// Checks the protocol of lockfree-cuckoo in every interleaving of small programs, without a bound on
/// preemptions.
#[derive(Debug, Parser)]
struct Options {
    /// Explores more: takes about an hour.
    #[arg(long)]
    long: bool,
    /// Seed of the random programs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Explores only this program, and audits every state: "pair: f01 | move f01 | contains f10".
    #[arg(long)]
    program: Option<String>,
    /// Checks the models of growing filters, not the filter of one size.
    #[arg(long)]
    growing: bool,
    /// Of those only this one: 1 to 7.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=7))]
    model: Option<u8>,
    /// Shows how this mutant dies.
    #[arg(long)]
    mutant: Option<String>,
    /// Lists the mutants and what killed them.
    #[arg(long)]
    verbose: bool,
}

/// Quick, and long.
const FIXED: [Sizes; 2] = [
    Sizes {
        races: [Limits::all(10_000_000), Limits::deaths(100_000)],
        random: [(500, Limits::deaths(20_000)), (2_000, Limits::all(100_000))],
    },
    Sizes {
        races: [Limits::all(1_000_000_000), Limits::deaths(1_000_000_000)],
        random: [
            (1_500, Limits::deaths(1_000_000)),
            (10_000, Limits::all(5_000_000)),
        ],
    },
];

/// Of each model, quick, and long.
const GROWING: [Sizes; 2] = [
    Sizes {
        races: [Limits::all(2_000_000), Limits::deaths(20_000)],
        random: [(100, Limits::deaths(5_000)), (400, Limits::all(30_000))],
    },
    Sizes {
        races: [Limits::all(1_000_000_000), Limits::deaths(1_000_000)],
        random: [
            (2_000, Limits::deaths(100_000)),
            (10_000, Limits::all(1_000_000)),
        ],
    },
];

/// States of each race in other layouts, and programs that are held to the crate: quick, and long.
const OTHER_LAYOUTS: [usize; 2] = [200_000, 1_000_000_000];
const COMPARED: [usize; 2] = [10_000, 1_000_000];

/// For so many programs that are held to the crate there is one with values.
const COMPARED_PER_VALUED: usize = 4;

/// The same of those that are explored.
const EXPLORED_PER_VALUED: usize = 8;

fn main() -> ExitCode {
    let options = Options::parse();
    let start = Instant::now();
    let outcome = run(&options);
    println!("checker: {:.0} s", start.elapsed().as_secs_f64());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    if let Some(name) = &options.mutant {
        let death = parts::death_of::<Fixed>(name).or_else(|| parts::death_of::<Growing>(name));
        say(death.unwrap_or_else(|| Err(format!("there is no mutant {name:?}"))))
    } else if let Some(program) = &options.program {
        let limits = Limits::deaths(1_000_000_000);
        say(if program.starts_with("table") {
            parts::single::<Growing>(program, limits)
        } else {
            parts::single::<Fixed>(program, limits)
        })
    } else if options.growing || options.model.is_some() {
        check_growing(options)
    } else {
        check_fixed(options)
    }
}

/// Tables of one size.
fn check_fixed(options: &Options) -> Result<(), String> {
    let (seed, long) = (options.seed, usize::from(options.long));
    for (valued, programs) in [
        (false, COMPARED[long]),
        (true, COMPARED[long] / COMPARED_PER_VALUED),
    ] {
        say(conformance::part(valued, seed, programs))?;
        #[cfg(lockfree_cuckoo_steps)]
        say(lockstep::part(valued, seed, programs))?;
    }
    #[cfg(lockfree_cuckoo_steps)]
    say(lockstep::mutants())?;
    let sizes = FIXED[long];
    parts::written::<Fixed>(0, options.verbose, sizes)?;
    say(fixed::by_hand_in_other_layouts(OTHER_LAYOUTS[long]))?;
    parts::random::<Fixed>(1, seed, sizes, EXPLORED_PER_VALUED)?;
    parts::random::<Fixed>(0, seed, sizes, 1)
}

/// The models of growing filters.
fn check_growing(options: &Options) -> Result<(), String> {
    let sizes = GROWING[usize::from(options.long)];
    for model in options.model.map_or(1..=7, |only| only..=only) {
        parts::written::<Growing>(model, options.verbose, sizes)?;
        parts::random::<Growing>(model, options.seed, sizes, 1)?;
    }
    Ok(())
}
