//! The parts of a run on tables of one size.

use std::time::Instant;

use rayon::prelude::*;

use crate::explore::Limits;
use crate::fixed::mutants::NOT_APPLICABLE;
use crate::fixed::program::{Fixed, Program};
use crate::fixed::{conformance, random};
use crate::machine::Machine;
use crate::parts::{self, Outcome, explored};
use crate::races::races;
use crate::report::grouped;

/// The races; or their deaths, if in each state all threads under way die, and a newcomer audits the table.
pub fn by_hand(limits: Limits) -> Outcome {
    let programs: Vec<Program> = races()?.into_iter().map(|race| race.program).collect();
    let part = if limits.audit {
        "deaths in races"
    } else {
        "written races"
    };
    explored(part, &programs, limits)
}

/// The races with buckets of the other layouts, where the tokens of the beginning fit them.
pub fn by_hand_in_other_layouts(limits: Limits) -> Outcome {
    let races = races::<Fixed>()?.into_iter().map(|race| race.program);
    let usual = races.filter(|program| program.shape.layout == random::LAYOUTS[0]);
    let others = usual.flat_map(|program| {
        random::LAYOUTS[1..].iter().map(move |&layout| {
            let mut other = program.clone();
            other.shape.layout = layout;
            other
        })
    });
    let programs: Vec<Program> = others
        .filter(|program| program.memory().is_some())
        .collect();
    explored("written races in other layouts", &programs, limits)
}

/// Programs made by chance, or such whose tokens carry values. Those with deaths are others than those without.
pub fn by_chance(valued: bool, seed: u64, programs: usize, limits: Limits) -> Outcome {
    let part = match (limits.audit, valued) {
        (false, false) => format!("random, seed {seed}"),
        (false, true) => "random values".into(),
        (true, false) => "deaths in random programs".into(),
        (true, true) => "deaths with random values".into(),
    };
    let seed = if limits.audit { !seed } else { seed };
    explored(&part, &made(valued)(seed, programs), limits)
}

fn made(valued: bool) -> fn(u64, usize) -> Vec<Program> {
    if valued {
        random::programs_with_values
    } else {
        random::programs
    }
}

/// The mutants: each must die, of its program.
pub fn mutants(verbose: bool) -> Outcome {
    let start = Instant::now();
    let killed = parts::mutants::<Fixed>(0, verbose)?;
    Ok(format!(
        "mutants: {killed} of {} killed, each by its program; {} more of loom's do not apply here ({:.1} s)",
        Fixed::MUTANTS.len(),
        NOT_APPLICABLE.len(),
        start.elapsed().as_secs_f64()
    ))
}

fn of_values(valued: bool) -> &'static str {
    if valued { " of values" } else { "" }
}

/// The machine against the crate, call by call.
pub fn conformance(valued: bool, seed: u64, programs: usize) -> Outcome {
    let start = Instant::now();
    let layouts = if valued {
        &model::Layout::VALUED[..]
    } else {
        &conformance::LAYOUTS
    };
    let calls = each_seed(seed, programs, |seed| {
        conformance::compare(None, seed, layouts)
    })?;
    Ok(format!(
        "conformance{}: {} programs, {} calls, equal in results and in every word ({:.1} s)",
        of_values(valued),
        grouped(programs),
        grouped(calls.iter().sum()),
        start.elapsed().as_secs_f64()
    ))
}

/// What is counted in each of so many programs of the machine and the crate.
fn each_seed(
    seed: u64,
    programs: usize,
    compare: impl Fn(u64) -> Result<usize, String> + Sync,
) -> Result<Vec<usize>, String> {
    let seeds = (0..programs as u64).into_par_iter();
    let seeds = seeds.map(|n| seed ^ n << 20);
    let counts = seeds.map(|seed| compare(seed).map_err(|why| format!("seed {seed}: {why}")));
    counts.collect()
}

/// The machine and the crate in lockstep.
#[cfg(lockfree_cuckoo_steps)]
pub fn lockstep(valued: bool, seed: u64, programs: usize) -> Outcome {
    const SCHEDULES: usize = 5;
    let start = Instant::now();
    let accesses = each_seed(seed, programs, |seed| {
        crate::fixed::lockstep::compare(None, made(valued), seed, SCHEDULES)
    })?;
    let suited = accesses.iter().filter(|&&accesses| accesses > 0).count();
    Ok(format!(
        "lockstep{}: {} programs, {} schedules, {} accesses, made alike by the crate ({:.1} s)",
        of_values(valued),
        grouped(suited),
        grouped(suited * SCHEDULES),
        grouped(accesses.iter().sum()),
        start.elapsed().as_secs_f64()
    ))
}

/// Machines that err, in lockstep with the crate.
#[cfg(lockfree_cuckoo_steps)]
pub fn lockstep_mutants() -> Outcome {
    use crate::fixed::lockstep::{MUTANTS, found_out};
    /// Fewer would be an accident of the seeds.
    const LEAST: usize = 10;
    let start = Instant::now();
    for (mutant, made, programs) in MUTANTS {
        let found = found_out(mutant, made, programs);
        if found < LEAST {
            return Err(format!(
                "{mutant:?} is found out by {found} of {programs} programs in lockstep"
            ));
        }
    }
    Ok(format!(
        "lockstep mutants: {} found out ({:.1} s)",
        MUTANTS.len(),
        start.elapsed().as_secs_f64()
    ))
}
