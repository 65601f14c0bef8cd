//! The parts of a run on tables that double: for each model the same ones.

use std::time::Instant;

use super::program::{Growing, Program};
use super::random;
use crate::explore::Limits;
use crate::parts::{self, Outcome, explored};
use crate::races::races;

fn deaths(limits: Limits) -> &'static str {
    if limits.audit { ", deaths" } else { "" }
}

/// The races of a model, each explored to its end.
pub fn by_hand(model: u8, limits: Limits) -> Outcome {
    let races = races()?.into_iter().filter(|race| race.model == model);
    let programs: Vec<Program> = races.map(|race| race.program).collect();
    let part = format!("M{model} written races{}", deaths(limits));
    explored(&part, &programs, limits)
}

/// Programs of a model made by chance. Those with deaths are others than those without.
pub fn by_chance(model: u8, seed: u64, programs: usize, limits: Limits) -> Outcome {
    let seed = if limits.audit { !seed } else { seed };
    let part = format!("M{model} random, seed {seed}{}", deaths(limits));
    explored(&part, &random::programs(model, seed, programs), limits)
}

/// The mutants whose programs belong to a model: each must die, of its program.
pub fn mutants(model: u8, verbose: bool) -> Outcome {
    let start = Instant::now();
    let killed = parts::mutants::<Growing>(model, verbose)?;
    Ok(format!(
        "M{model} mutants: {killed} killed, each by its program ({:.1} s)",
        start.elapsed().as_secs_f64()
    ))
}
