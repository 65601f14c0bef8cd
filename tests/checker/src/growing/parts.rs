//! The parts of a run on tables. Each says in one line what it did, or how it failed.

use std::time::Instant;

use super::mutants::{Killed, MUTANTS};
use super::program::Program;
use super::programs::{Race, races};
use super::random;
use super::report;
use super::state::Setting;
use crate::explore::{End, Found, Limits, explore};
use crate::jobs;
use crate::parts::Outcome;
use crate::report::{Sum, grouped};

/// The races of a model, each explored to its end.
///
/// # Errors
///
/// The first failure, step by step.
pub fn by_hand(model: u8, limits: Limits) -> Outcome {
    let races = races()?.into_iter().filter(|race| race.model == model);
    let programs: Vec<Program> = races.map(|race| race.program).collect();
    let deaths = if limits.audit { ", deaths" } else { "" };
    explored(
        &format!("M{model} written races{deaths}"),
        &programs,
        limits,
    )
}

/// Programs of a model made by chance.
///
/// # Errors
///
/// The first failure, step by step.
pub fn by_chance(model: u8, seed: u64, programs: usize, limits: Limits) -> Outcome {
    let programs = random::programs(model, seed, programs);
    let deaths = if limits.audit { ", deaths" } else { "" };
    explored(
        &format!("M{model} random, seed {seed}{deaths}"),
        &programs,
        limits,
    )
}

/// One program.
///
/// # Errors
///
/// The failure, step by step.
pub fn single(program: Program, limits: Limits) -> Outcome {
    explored("program", &[program], limits)
}

fn explored(part: &str, programs: &[Program], limits: Limits) -> Outcome {
    let start = Instant::now();
    let found = jobs::each(programs, |monitor, program| {
        explore(&Setting::new(program, None), limits, monitor)
    });
    let mut sum = Sum::default();
    for (program, found) in programs.iter().zip(&found) {
        if let End::Failure(schedule, why) = &found.end {
            return Err(report::failure(program, None, schedule, why));
        }
        sum.add(found);
    }
    Ok(sum.line(part, start))
}

/// States of one mutant's program: far more than any needs.
const MUTANT_STATES: Limits = Limits {
    states: 20_000_000,
    audit: false,
};

/// The mutants whose programs belong to a model: each must die, of its program.
///
/// # Errors
///
/// Those that survive, or die of something else.
pub fn mutants(model: u8, verbose: bool) -> Outcome {
    let start = Instant::now();
    let races = races()?;
    let mut known = Vec::new();
    for killed in MUTANTS {
        let race = killer(&races, killed)?;
        known.extend((race.model == model).then_some((killed, race)));
    }
    let deaths = jobs::each(&known, |monitor, (killed, race)| {
        let start = Instant::now();
        let setting = Setting::new(&race.program, Some(killed.mutant));
        let found = explore(&setting, MUTANT_STATES, monitor);
        is_dead(killed, &found)?;
        let seconds = start.elapsed().as_secs_f64();
        let states = grouped(found.states);
        let (name, killer) = (killed.name, killed.killer);
        Ok::<_, String>(format!(
            "    {name}: {killer} ({states} states, {seconds:.3} s)"
        ))
    });
    let lines = deaths.into_iter().collect::<Result<Vec<_>, _>>()?;
    if verbose {
        println!("{}", lines.join("\n"));
    }
    Ok(format!(
        "M{model} mutants: {} killed, each by its program ({:.1} s)",
        lines.len(),
        start.elapsed().as_secs_f64()
    ))
}

fn killer<'a>(races: &'a [Race], killed: &Killed) -> Result<&'a Race, String> {
    let found = races.iter().find(|race| race.name == killed.killer);
    found.ok_or_else(|| format!("there is no race {:?}", killed.killer))
}

fn is_dead(killed: &Killed, found: &Found) -> Result<(), String> {
    match &found.end {
        End::Failure(_, why) if why.contains(killed.message) => Ok(()),
        End::Failure(_, why) => Err(format!("{} dies of something else: {why}", killed.name)),
        End::Complete | End::CutShort => Err(format!("{} survives {}", killed.name, killed.killer)),
    }
}

/// The schedule on which a mutant dies.
///
/// # Errors
///
/// If there is no such mutant, or it survives.
pub fn death_of(name: &str) -> Outcome {
    let killed = named(name)?;
    let race = killer(&races()?, killed)?.clone();
    let mutant = Some(killed.mutant);
    let setting = Setting::new(&race.program, mutant);
    let found = explore(&setting, MUTANT_STATES, &mut Default::default());
    is_dead(killed, &found)?;
    match found.end {
        End::Failure(schedule, why) => Ok(report::failure(&race.program, mutant, &schedule, &why)),
        End::Complete | End::CutShort => unreachable!("it is dead"),
    }
}

/// The mutant of a name.
///
/// # Errors
///
/// If there is none.
pub fn named(name: &str) -> Result<&'static Killed, String> {
    let found = MUTANTS.iter().find(|mutant| mutant.name == name);
    found.ok_or_else(|| format!("there is no mutant {name:?} of the table"))
}
