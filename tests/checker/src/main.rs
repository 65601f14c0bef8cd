//! `cargo run --release -p protocol-checker`: the checks, one line a part. Fails if any of them does.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use protocol_checker::explore::Limits;
use protocol_checker::fixed::{parts as fixed, program::Fixed};
use protocol_checker::growing::{hunt, parts as growing, program::Growing};
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
    race_states: usize,
    race_death_states: usize,
    programs: usize,
    states: usize,
    death_programs: usize,
    death_states: usize,
}

const QUICK: Sizes = Sizes {
    race_states: 10_000_000,
    race_death_states: 100_000,
    programs: 3_000,
    states: 100_000,
    death_programs: 500,
    death_states: 20_000,
};

const LONG: Sizes = Sizes {
    race_states: 1_000_000_000,
    race_death_states: 1_000_000_000,
    programs: 10_000,
    states: 5_000_000,
    death_programs: 1_500,
    death_states: 1_000_000,
};

const GROWING_QUICK: Sizes = Sizes {
    race_states: 2_000_000,
    race_death_states: 20_000,
    programs: 400,
    states: 30_000,
    death_programs: 100,
    death_states: 5_000,
};

const GROWING_LONG: Sizes = Sizes {
    race_states: 1_000_000_000,
    race_death_states: 1_000_000,
    programs: 10_000,
    states: 1_000_000,
    death_programs: 2_000,
    death_states: 100_000,
};

/// States of each race in other layouts, and programs that are held to the crate: quick, and long.
const OTHER_LAYOUTS: [usize; 2] = [200_000, 1_000_000_000];
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
        let limits = deaths(options.states.unwrap_or(LONG.race_states));
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

fn all(states: usize) -> Limits {
    Limits {
        states,
        audit: false,
    }
}

fn deaths(states: usize) -> Limits {
    Limits {
        states,
        audit: true,
    }
}

/// Tables of one size.
fn check_fixed(options: &Options) -> Result<(), String> {
    let sizes = if options.long { LONG } else { QUICK };
    let (seed, compared) = (options.seed, COMPARED[usize::from(options.long)]);
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
    say(fixed::by_hand(all(sizes.race_states)))?;
    let others = OTHER_LAYOUTS[usize::from(options.long)];
    say(fixed::by_hand_in_other_layouts(all(others)))?;
    say(fixed::by_hand(deaths(sizes.race_death_states)))?;
    let (programs, limits) = (sizes.death_programs, deaths(sizes.death_states));
    say(fixed::by_chance(false, seed, programs, limits))?;
    say(fixed::by_chance(
        true,
        seed,
        programs / EXPLORED_PER_VALUED,
        limits,
    ))?;
    let limits = all(options.states.unwrap_or(sizes.states));
    let valued = sizes.programs / EXPLORED_PER_VALUED;
    say(fixed::by_chance(true, seed, valued, limits))?;
    let programs = options.programs.unwrap_or(sizes.programs);
    say(fixed::by_chance(false, seed, programs, limits))
}

/// The models of growing filters.
fn check_growing(options: &Options) -> Result<(), String> {
    let sizes = if options.long {
        GROWING_LONG
    } else {
        GROWING_QUICK
    };
    let programs = options.programs.unwrap_or(sizes.programs);
    let states = all(options.states.unwrap_or(sizes.states));
    let (seed, models) = (options.seed, 1..=MODELS);
    for model in models.filter(|&model| options.model.is_none_or(|only| only == model)) {
        if let Some(name) = &options.mutant {
            let mutant = parts::named::<Growing>(name)?.mutant;
            return say(hunt::part(model, mutant, seed, programs, states));
        }
        say(growing::mutants(model, options.verbose))?;
        say(growing::by_hand(model, all(sizes.race_states)))?;
        say(growing::by_hand(model, deaths(sizes.race_death_states)))?;
        let limits = deaths(sizes.death_states);
        say(growing::by_chance(
            model,
            seed,
            sizes.death_programs,
            limits,
        ))?;
        say(growing::by_chance(model, seed, programs, states))?;
    }
    Ok(())
}
