//! The hunt for a program on which a mutant dies, as small as it can be made.

use super::mutants::Mutant;
use super::program::Program;
use super::random;
use crate::explore::{End, Limits, explore};
use crate::jobs;
use crate::monitor::Monitor;
use crate::parts::Outcome;
use crate::state::Setting;

/// Programs that are tried at a time.
const BATCH: usize = 200;

/// Looks for a small program of a model on which a mutant dies.
pub fn part(model: u8, mutant: Mutant, seed: u64, programs: usize, limits: Limits) -> Outcome {
    Ok(match hunt(model, mutant, seed, programs, limits) {
        Some((program, why)) => format!("{program}\n    {why}"),
        None => format!("it survives {programs} programs of M{model}"),
    })
}

/// The first of so many random programs of a model that fails, without all that it does not need for that, and how it
/// fails.
fn hunt(
    model: u8,
    mutant: Mutant,
    seed: u64,
    programs: usize,
    limits: Limits,
) -> Option<(Program, String)> {
    for batch in 0..programs.div_ceil(BATCH) as u64 {
        let programs = random::programs(model, seed + (batch << 16), BATCH);
        let fails = |monitor: &mut Monitor, program: &Program| {
            is_killer(program, mutant, limits, monitor).is_some()
        };
        let found = jobs::each(&programs, fails);
        let dead = found
            .iter()
            .zip(programs)
            .filter(|(dead, _)| **dead)
            .map(|(_, program)| program);
        let smallest = dead
            .map(|program| shrunk(program, mutant, limits))
            .min_by_key(|(program, _)| size(program));
        if smallest.is_some() {
            return smallest;
        }
    }
    None
}

fn size(program: &Program) -> usize {
    3 * program.threads.iter().map(Vec::len).sum::<usize>()
        + program.threads.len()
        + program.fill.len()
}

/// What is wrong with the mutant, and not without it.
fn is_killer(
    program: &Program,
    mutant: Mutant,
    limits: Limits,
    monitor: &mut Monitor,
) -> Option<String> {
    let mut end = |mutant| explore(&Setting::new(program, mutant), limits, monitor).end;
    match (end(Some(mutant)), end(None)) {
        (End::Failure(_, why), End::Complete | End::CutShort) => Some(why),
        _ => None,
    }
}

/// Takes out call after call and token after token, as long as it fails.
fn shrunk(mut program: Program, mutant: Mutant, limits: Limits) -> (Program, String) {
    let monitor = &mut Monitor::default();
    let mut why = is_killer(&program, mutant, limits, monitor).expect("it has failed");
    'again: loop {
        for smaller in smaller(&program) {
            if let Some(reason) = is_killer(&smaller, mutant, limits, monitor) {
                (program, why) = (smaller, reason);
                continue 'again;
            }
        }
        return (program, why);
    }
}

fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for thread in 0..program.threads.len() {
        for call in 0..program.threads[thread].len() {
            let mut less = program.clone();
            less.threads[thread].remove(call);
            less.threads.retain(|calls| !calls.is_empty());
            all.push(less);
        }
    }
    for token in 0..program.fill.len() {
        let mut less = program.clone();
        less.fill.remove(token);
        all.push(less);
    }
    let mut plain = program.clone();
    plain.shape.contract = false;
    plain
        .threads
        .iter_mut()
        .flatten()
        .for_each(|call| call.expected = None);
    if plain.shape != program.shape {
        all.push(plain);
    }
    all.retain(|less| !less.threads.is_empty() && less.memory().is_some());
    all
}
