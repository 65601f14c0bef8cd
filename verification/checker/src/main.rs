//! `cargo run --release -p protocol-checker`: runs the checks, and prints one line for each part.
//! Fails if any part does.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use protocol_checker::Limits;
#[cfg(lockfree_cuckoo_steps)]
use protocol_checker::fixed::lockstep;
use protocol_checker::fixed::{self, Fixed, conformance};
use protocol_checker::parts::{self, Sizes, say};

/// Checks the protocol of lockfree-cuckoo in every interleaving of small programs, without a bound
/// on preemptions.
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
    /// Shows how this mutant dies.
    #[arg(long)]
    mutant: Option<String>,
    /// Lists the mutants and what killed them.
    #[arg(long)]
    verbose: bool,
}

/// The sizes of a quick run and of a long one.
const SIZES: [Sizes; 2] = [
    Sizes {
        races: [Limits::all(10_000_000), Limits::deaths(100_000)],
        random: [(200, Limits::deaths(20_000)), (800, Limits::all(100_000))],
    },
    Sizes {
        races: [Limits::all(1_000_000_000), Limits::deaths(1_000_000_000)],
        random: [
            (1_500, Limits::deaths(1_000_000)),
            (10_000, Limits::all(5_000_000)),
        ],
    },
];

/// The states of each race in other layouts, and the programs compared with the crate: quick, and
/// long.
const OTHER_LAYOUTS: [usize; 2] = [200_000, 1_000_000_000];
const COMPARED: [usize; 2] = [10_000, 1_000_000];

/// The number of programs compared with the crate for each one with values.
const COMPARED_PER_VALUED: usize = 4;

/// The same for programs that are explored.
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
        let death = parts::death_of::<Fixed>(name);
        say(death.unwrap_or_else(|| Err(format!("there is no mutant {name:?}"))))
    } else if let Some(program) = &options.program {
        let limits = Limits::deaths(1_000_000_000);
        say(parts::single::<Fixed>(program, limits))
    } else {
        check(options)
    }
}

fn check(options: &Options) -> Result<(), String> {
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
    let sizes = SIZES[long];
    parts::written::<Fixed>(options.verbose, sizes)?;
    say(fixed::by_hand_in_other_layouts(OTHER_LAYOUTS[long]))?;
    parts::random::<Fixed>(1, seed, sizes, EXPLORED_PER_VALUED)?;
    parts::random::<Fixed>(0, seed, sizes, 1)
}
