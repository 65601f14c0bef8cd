//! `cargo run --release -p protocol-checker`: the checks, one line a part. Fails if any of them does.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use protocol_checker::explore::Limits;
use protocol_checker::ladder;
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
    /// Checks the models of the ladder, not the filter of one size.
    #[arg(long)]
    ladder: bool,
    /// Of those only this one: 1 to 7.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=7))]
    model: Option<u8>,
    /// Shows how this mutant dies.
    #[arg(long)]
    mutant: Option<String>,
    /// With --model: looks for a small program on which this mutant of the ladder dies, by the name that it has in the code.
    #[arg(long)]
    hunt: Option<String>,
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
    if let Some(name) = &options.mutant {
        return say(parts::death_of(name));
    }
    if options.ladder || options.model.is_some() {
        return ladder(options);
    }
    if let Some(program) = &options.program {
        let limits = Limits {
            states: options.states.unwrap_or(LONG.race_states),
            audit: true,
        };
        if program.starts_with("ladder") {
            return say(ladder::parts::single(program.parse()?, None, limits));
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

/// The models of the ladder.
fn ladder(options: &Options) -> Result<(), String> {
    let (hand, programs, chance) = if options.long {
        (1_000_000_000, 5_000, 2_000_000)
    } else {
        (5_000_000, 300, 50_000)
    };
    let programs = options.programs.unwrap_or(programs);
    let chance = options.states.unwrap_or(chance);
    let limits = |states, audit| Limits { states, audit };
    let say = |outcome: Outcome| outcome.map(|line| println!("{line}"));
    if let (Some(name), Some(model)) = (&options.hunt, options.model) {
        let mutant = ladder::mutants::EVERY
            .iter()
            .find(|mutant| format!("{mutant:?}") == *name);
        let mutant = *mutant.ok_or_else(|| format!("there is no mutant {name:?}"))?;
        let found = ladder::hunt::hunt(
            model,
            Some(mutant),
            options.seed,
            programs,
            limits(chance, false),
        );
        match found {
            Some((program, why)) => println!("{name} M{model}: {program}\n    {why}"),
            None => println!("{name} M{model}: survives {programs} programs"),
        }
        return Ok(());
    }
    let models = options.model.map_or(1..=7, |model| model..=model);
    for model in models {
        say(ladder::parts::by_hand(model, limits(hand, false)))?;
        say(ladder::parts::by_hand(model, limits(hand / 100, true)))?;
        say(ladder::parts::by_chance(
            model,
            options.seed,
            programs,
            limits(chance, false),
        ))?;
        say(ladder::parts::by_chance(
            model,
            !options.seed,
            programs / 4,
            limits(chance / 10, true),
        ))?;
    }
    Ok(())
}
