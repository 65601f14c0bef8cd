//! `cargo run --release -p protocol-checker`: the checks, one line a part. Fails if any of them does.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use protocol_checker::explore::Limits;
use protocol_checker::growing;
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
    programs: usize,
    states: usize,
    race_states: usize,
    other_layouts: usize,
    race_death_states: usize,
    death_programs: usize,
    death_states: usize,
    conformance: usize,
}

const QUICK: Sizes = Sizes {
    programs: 3_000,
    states: 100_000,
    race_states: 10_000_000,
    other_layouts: 200_000,
    race_death_states: 100_000,
    death_programs: 500,
    death_states: 20_000,
    conformance: 10_000,
};

const LONG: Sizes = Sizes {
    programs: 10_000,
    states: 5_000_000,
    race_states: 1_000_000_000,
    other_layouts: 1_000_000_000,
    race_death_states: 1_000_000_000,
    death_programs: 1_500,
    death_states: 1_000_000,
    conformance: 1_000_000,
};

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
    let sizes = if options.long { LONG } else { QUICK };
    let say = |outcome: Outcome| outcome.map(|line| println!("{line}"));
    if options.growing || options.model.is_some() {
        return check_growing(options);
    }
    if let Some(name) = &options.mutant {
        let of_growing_filters = growing::parts::named(name).is_ok();
        return say(if of_growing_filters {
            growing::parts::death_of(name)
        } else {
            parts::death_of(name)
        });
    }
    if let Some(program) = &options.program {
        let limits = Limits {
            states: options.states.unwrap_or(LONG.race_states),
            audit: true,
        };
        if program.starts_with("growing") {
            return say(growing::parts::single(program.parse()?, limits));
        }
        return say(parts::single(program.parse()?, limits));
    }
    say(parts::conformance(options.seed, sizes.conformance))?;
    say(parts::conformance_of_values(
        options.seed,
        sizes.conformance / COMPARED_PER_VALUED,
    ))?;
    #[cfg(lockfree_cuckoo_steps)]
    {
        say(parts::lockstep(options.seed, sizes.conformance))?;
        say(parts::lockstep_of_values(
            options.seed,
            sizes.conformance / COMPARED_PER_VALUED,
        ))?;
        say(parts::lockstep_mutants())?;
    }
    say(parts::mutants(options.verbose))?;
    say(parts::by_hand(sizes.race_states))?;
    say(parts::by_hand_in_other_layouts(sizes.other_layouts))?;
    say(parts::deaths_by_hand(sizes.race_death_states))?;
    say(parts::deaths_by_chance(
        options.seed,
        sizes.death_programs,
        sizes.death_states,
    ))?;
    say(parts::deaths_with_values(
        options.seed,
        sizes.death_programs / EXPLORED_PER_VALUED,
        sizes.death_states,
    ))?;
    say(parts::values_by_chance(
        options.seed,
        sizes.programs / EXPLORED_PER_VALUED,
        options.states.unwrap_or(sizes.states),
    ))?;
    say(parts::by_chance(
        options.seed,
        options.programs.unwrap_or(sizes.programs),
        options.states.unwrap_or(sizes.states),
    ))
}

/// How much of growing filters is explored, unless the options say otherwise.
struct TableSizes {
    race_states: usize,
    race_death_states: usize,
    programs: usize,
    states: usize,
    death_programs: usize,
    death_states: usize,
}

const GROWING_QUICK: TableSizes = TableSizes {
    race_states: 2_000_000,
    race_death_states: 20_000,
    programs: 400,
    states: 30_000,
    death_programs: 100,
    death_states: 5_000,
};

const GROWING_LONG: TableSizes = TableSizes {
    race_states: 1_000_000_000,
    race_death_states: 1_000_000,
    programs: 10_000,
    states: 1_000_000,
    death_programs: 2_000,
    death_states: 100_000,
};

/// The models of growing filters are numbered from 1.
const MODELS: u8 = 7;

/// The models of growing filters.
fn check_growing(options: &Options) -> Result<(), String> {
    let sizes = if options.long {
        GROWING_LONG
    } else {
        GROWING_QUICK
    };
    let say = |outcome: Outcome| outcome.map(|line| println!("{line}"));
    let (all, deaths) = (
        |states| Limits {
            states,
            audit: false,
        },
        |states| Limits {
            states,
            audit: true,
        },
    );
    let programs = options.programs.unwrap_or(sizes.programs);
    let states = all(options.states.unwrap_or(sizes.states));
    let models = 1..=MODELS;
    for model in models.filter(|&model| options.model.is_none_or(|only| only == model)) {
        if let Some(name) = &options.mutant {
            let mutant = growing::parts::named(name)?.mutant;
            return say(growing::hunt::part(
                model,
                mutant,
                options.seed,
                programs,
                states,
            ));
        }
        say(growing::parts::mutants(model, options.verbose))?;
        say(growing::parts::by_hand(model, all(sizes.race_states)))?;
        say(growing::parts::by_hand(
            model,
            deaths(sizes.race_death_states),
        ))?;
        say(growing::parts::by_chance(
            model,
            !options.seed,
            sizes.death_programs,
            deaths(sizes.death_states),
        ))?;
        say(growing::parts::by_chance(
            model,
            options.seed,
            programs,
            states,
        ))?;
    }
    Ok(())
}
