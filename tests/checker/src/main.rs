//! `cargo run --release -p protocol-checker`: the checks, one line a part. Fails if any of them does.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use protocol_checker::explore::Limits;
#[cfg(lockfree_cuckoo_steps)]
use protocol_checker::fixed::lockstep;
use protocol_checker::fixed::{self, Fixed, conformance};
use protocol_checker::growing::Growing;
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
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=7))]
    model: Option<u8>,
    /// Shows how this mutant dies.
    #[arg(long)]
    mutant: Option<String>,
    /// Lists the mutants and what killed them.
    #[arg(long)]
    verbose: bool,
}

/// How much is done, unless the options say otherwise: states of each race, and with deaths; random programs and the states
/// of each, and with deaths.
struct Sizes {
    races: usize,
    race_deaths: usize,
    random: (usize, usize),
    random_deaths: (usize, usize),
}

/// Quick, and long.
const FIXED: [Sizes; 2] = [
    Sizes {
        races: 10_000_000,
        race_deaths: 100_000,
        random: (3_000, 100_000),
        random_deaths: (500, 20_000),
    },
    Sizes {
        races: 1_000_000_000,
        race_deaths: 1_000_000_000,
        random: (10_000, 5_000_000),
        random_deaths: (1_500, 1_000_000),
    },
];

/// Of each model, quick, and long.
const GROWING: [Sizes; 2] = [
    Sizes {
        races: 2_000_000,
        race_deaths: 20_000,
        random: (400, 30_000),
        random_deaths: (100, 5_000),
    },
    Sizes {
        races: 1_000_000_000,
        race_deaths: 1_000_000,
        random: (10_000, 1_000_000),
        random_deaths: (2_000, 100_000),
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
        let limits = Limits::deaths(options.states.unwrap_or(1_000_000_000));
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

fn say(outcome: Outcome) -> Result<(), String> {
    outcome.map(|line| println!("{line}"))
}

impl Options {
    fn random(&self, (programs, states): (usize, usize)) -> (usize, Limits) {
        let states = self.states.unwrap_or(states);
        (self.programs.unwrap_or(programs), Limits::all(states))
    }
}

/// Tables of one size.
fn check_fixed(options: &Options) -> Result<(), String> {
    let (seed, long) = (options.seed, usize::from(options.long));
    let sizes = &FIXED[long];
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
    say(parts::mutants::<Fixed>(0, options.verbose))?;
    say(parts::by_hand::<Fixed>(0, Limits::all(sizes.races)))?;
    let other_layouts = Limits::all(OTHER_LAYOUTS[long]);
    say(fixed::by_hand_in_other_layouts(other_layouts))?;
    say(parts::by_hand::<Fixed>(
        0,
        Limits::deaths(sizes.race_deaths),
    ))?;
    let (deaths, states_of_deaths) = sizes.random_deaths;
    let (programs, limits) = options.random(sizes.random);
    for (programs, limits) in [
        (deaths, Limits::deaths(states_of_deaths)),
        (programs, limits),
    ] {
        let valued = programs / EXPLORED_PER_VALUED;
        say(parts::by_chance::<Fixed>(1, seed, valued, limits))?;
        say(parts::by_chance::<Fixed>(0, seed, programs, limits))?;
    }
    Ok(())
}

/// The models of growing filters.
fn check_growing(options: &Options) -> Result<(), String> {
    let sizes = &GROWING[usize::from(options.long)];
    let (seed, models) = (options.seed, 1..=7);
    for model in models.filter(|&model| options.model.is_none_or(|only| only == model)) {
        say(parts::mutants::<Growing>(model, options.verbose))?;
        say(parts::by_hand::<Growing>(model, Limits::all(sizes.races)))?;
        let deaths = Limits::deaths(sizes.race_deaths);
        say(parts::by_hand::<Growing>(model, deaths))?;
        let (deaths, states) = sizes.random_deaths;
        let limits = Limits::deaths(states);
        say(parts::by_chance::<Growing>(model, seed, deaths, limits))?;
        let (programs, limits) = options.random(sizes.random);
        say(parts::by_chance::<Growing>(model, seed, programs, limits))?;
    }
    Ok(())
}
