//! The parts of a run on ladders. Each says in one line what it did, or how it failed.

use std::time::Instant;

use super::mutants::Mutant;
use super::program::Program;
use super::programs::races;
use super::random;
use super::report;
use super::state::Setting;
use crate::explore::{End, Limits, explore};
use crate::jobs;
use crate::parts::Outcome;
use crate::report::Sum;

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
        None,
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
        None,
        limits,
    )
}

/// One program, or a mutant in it.
///
/// # Errors
///
/// The failure, step by step.
pub fn single(program: Program, mutant: Option<Mutant>, limits: Limits) -> Outcome {
    explored("program", &[program], mutant, limits)
}

pub(crate) fn explored(
    part: &str,
    programs: &[Program],
    mutant: Option<Mutant>,
    limits: Limits,
) -> Outcome {
    let start = Instant::now();
    let found = jobs::each(programs, |monitor, program| {
        explore(&Setting::new(program, mutant), limits, monitor)
    });
    let mut sum = Sum::default();
    for (program, found) in programs.iter().zip(&found) {
        if let End::Failure(schedule, why) = &found.end {
            return Err(report::failure(program, mutant, schedule, why));
        }
        sum.add(found);
    }
    Ok(sum.line(part, start))
}
