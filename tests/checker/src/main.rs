//! `cargo run --release -p protocol-checker`: the checks, one line a part. Fails if any of them does.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use protocol_checker::explore::Limits;
use protocol_checker::fixed::{parts as fixed, program::Fixed};
use protocol_checker::growing::{parts as growing, program::Growing};
use protocol_checker::parts::{self, Outcome};

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
    /// The number of random programs.
    #[arg(long)]
    programs: Option<usize>,
    /// The number of states after which a random program is cut short.
    #[arg(long)]
    states: Option<usize>,
    /// Explores only this program, and audits every state: "pair: f01 | move f01 | contains f10".
    #[arg(long)]
    program: Option<String>,
    /// Checks the models of growing filters, not the filter of one size.
    #[arg(long)]
    growing: bool,
    /// Of those only this one: 1 to 7.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=MODELS as i64))]
    model: Option<u8>,
    /// Shows how this mutant dies. With --model: looks for other programs on which it does, and shows the smallest.
    #[arg(long)]
    mutant: Option<String>,
    /// Lists the mutants and what killed them.
    #[arg(long)]
    verbose: bool,
}

/// How much is done, unless the options say otherwise.
struct Sizes {
    races: Limits,
    race_deaths: Limits,
    programs: usize,
    limits: Limits,
    death_programs: usize,
    deaths: Limits,
}

const QUICK: Sizes = Sizes {
    races: Limits::all(10_000_000),
    race_deaths: Limits::deaths(100_000),
    programs: 3_000,
    limits: Limits::all(100_000),
    death_programs: 500,
    deaths: Limits::deaths(20_000),
};

const LONG: Sizes = Sizes {
    races: Limits::all(1_000_000_000),
    race_deaths: Limits::deaths(1_000_000_000),
    programs: 10_000,
    limits: Limits::all(5_000_000),
    death_programs: 1_500,
    deaths: Limits::deaths(1_000_000),
};

const GROWING_QUICK: Sizes = Sizes {
    races: Limits::all(2_000_000),
    race_deaths: Limits::deaths(20_000),
    programs: 400,
    limits: Limits::all(30_000),
    death_programs: 100,
    deaths: Limits::deaths(5_000),
};

const GROWING_LONG: Sizes = Sizes {
    races: Limits::all(1_000_000_000),
    race_deaths: Limits::deaths(1_000_000),
    programs: 10_000,
    limits: Limits::all(1_000_000),
    death_programs: 2_000,
    deaths: Limits::deaths(100_000),
};

/// States of each race in other layouts, and programs that are held to the crate: quick, and long.
const OTHER_LAYOUTS: [Limits; 2] = [Limits::all(200_000), Limits::all(1_000_000_000)];
const COMPARED: [usize; 2] = [10_000, 1_000_000];

/// For so many programs that are held to the crate there is one with values.
const COMPARED_PER_VALUED: usize = 4;

/// The same of those that are explored.
const EXPLORED_PER_VALUED: usize = 8;

/// The models of growing filters are numbered from 1.
const MODELS: u8 = 7;

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
    if options.growing || options.model.is_some() {
        check_growing(options)
    } else if let Some(name) = &options.mutant {
        say(if parts::named::<Growing>(name).is_ok() {
            parts::death_of::<Growing>(name)
        } else {
            parts::death_of::<Fixed>(name)
        })
    } else if let Some(program) = &options.program {
        let limits = Limits::deaths(options.states.unwrap_or(LONG.races.states));
        say(if program.starts_with("table") {
            parts::single::<Growing>(program, limits)
        } else {
            parts::single::<Fixed>(program, limits)
        })
    } else {
        check_fixed(options)
    }
}

fn say(outcome: Outcome) -> Result<(), String> {
    outcome.map(|line| println!("{line}"))
}

/// The sizes of a run, where the options do not say otherwise.
fn sizes(options: &Options, [quick, long]: [Sizes; 2]) -> Sizes {
    let usual = if options.long { long } else { quick };
    Sizes {
        programs: options.programs.unwrap_or(usual.programs),
        limits: options.states.map_or(usual.limits, Limits::all),
        ..usual
    }
}

/// Tables of one size.
fn check_fixed(options: &Options) -> Result<(), String> {
    let sizes = sizes(options, [QUICK, LONG]);
    let seed = options.seed;
    let compared = COMPARED[usize::from(options.long)];
    let compared_valued = compared / COMPARED_PER_VALUED;
    say(fixed::conformance(false, seed, compared))?;
    say(fixed::conformance(true, seed, compared_valued))?;
    #[cfg(lockfree_cuckoo_steps)]
    {
        say(fixed::lockstep(false, seed, compared))?;
        say(fixed::lockstep(true, seed, compared_valued))?;
        say(fixed::lockstep_mutants())?;
    }
    say(fixed::mutants(options.verbose))?;
    say(fixed::by_hand(sizes.races))?;
    let other_layouts = OTHER_LAYOUTS[usize::from(options.long)];
    say(fixed::by_hand_in_other_layouts(other_layouts))?;
    say(fixed::by_hand(sizes.race_deaths))?;
    let valued = sizes.death_programs / EXPLORED_PER_VALUED;
    say(fixed::by_chance(
        false,
        seed,
        sizes.death_programs,
        sizes.deaths,
    ))?;
    say(fixed::by_chance(true, seed, valued, sizes.deaths))?;
    let valued = sizes.programs / EXPLORED_PER_VALUED;
    say(fixed::by_chance(true, seed, valued, sizes.limits))?;
    say(fixed::by_chance(false, seed, sizes.programs, sizes.limits))
}

/// The models of growing filters.
fn check_growing(options: &Options) -> Result<(), String> {
    let sizes = sizes(options, [GROWING_QUICK, GROWING_LONG]);
    let (seed, models) = (options.seed, 1..=MODELS);
    for model in models.filter(|&model| options.model.is_none_or(|only| only == model)) {
        say(growing::mutants(model, options.verbose))?;
        say(growing::by_hand(model, sizes.races))?;
        say(growing::by_hand(model, sizes.race_deaths))?;
        say(growing::by_chance(
            model,
            seed,
            sizes.death_programs,
            sizes.deaths,
        ))?;
        say(growing::by_chance(
            model,
            seed,
            sizes.programs,
            sizes.limits,
        ))?;
    }
    Ok(())
}
