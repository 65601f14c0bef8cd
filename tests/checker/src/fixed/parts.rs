//! The parts of a run on tables of one size.

use std::time::Instant;

use crate::explore::Limits;
use crate::fixed::layout::EXPLORED;
use crate::fixed::mutants::NOT_APPLICABLE;
use crate::fixed::program::{Fixed, Program};
use crate::fixed::{conformance, random};
use crate::jobs;
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
    let usual = races.filter(|program| program.shape.layout == EXPLORED[0]);
    let others = usual.flat_map(|program| {
        EXPLORED[1..].iter().map(move |&layout| {
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

/// Programs made by chance. Those with deaths are others than those without.
pub fn by_chance(seed: u64, programs: usize, limits: Limits) -> Outcome {
    let (part, seed) = if limits.audit {
        ("deaths in random programs".into(), !seed)
    } else {
        (format!("random, seed {seed}"), seed)
    };
    explored(&part, &random::programs(seed, programs), limits)
}

/// The same with tokens that carry values.
pub fn values_by_chance(seed: u64, programs: usize, limits: Limits) -> Outcome {
    let (part, seed) = if limits.audit {
        ("deaths with random values", !seed)
    } else {
        ("random values", seed)
    };
    explored(part, &random::programs_with_values(seed, programs), limits)
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

/// The machine against the crate.
pub fn conformance(seed: u64, programs: usize) -> Outcome {
    conforms("conformance", conformance::compare, seed, programs)
}

/// The same with tokens that carry values.
pub fn conformance_of_values(seed: u64, programs: usize) -> Outcome {
    let compare = conformance::compare_values;
    conforms("conformance of values", compare, seed, programs)
}

fn conforms(
    part: &str,
    compare: impl Fn(u64) -> Result<usize, String> + Sync,
    seed: u64,
    programs: usize,
) -> Outcome {
    let start = Instant::now();
    let seeds: Vec<u64> = (0..programs as u64).map(|n| seed ^ n << 20).collect();
    let calls = jobs::each(&seeds, |_, &seed| {
        compare(seed).map_err(|why| format!("seed {seed}: {why}"))
    });
    let calls: usize = calls.into_iter().sum::<Result<_, _>>()?;
    Ok(format!(
        "{part}: {} programs, {} calls, equal in results and in every word ({:.1} s)",
        grouped(programs),
        grouped(calls),
        start.elapsed().as_secs_f64()
    ))
}

/// The machine and the crate in lockstep.
#[cfg(lockfree_cuckoo_steps)]
pub fn lockstep(seed: u64, programs: usize) -> Outcome {
    in_lockstep("lockstep", crate::fixed::lockstep::compare, seed, programs)
}

/// The same with tokens that carry values.
#[cfg(lockfree_cuckoo_steps)]
pub fn lockstep_of_values(seed: u64, programs: usize) -> Outcome {
    let compare = crate::fixed::lockstep::compare_values;
    in_lockstep("lockstep of values", compare, seed, programs)
}

#[cfg(lockfree_cuckoo_steps)]
fn in_lockstep(
    part: &str,
    compare: impl Fn(u64, usize) -> Result<usize, String> + Sync,
    seed: u64,
    programs: usize,
) -> Outcome {
    const SCHEDULES: usize = 5;
    let start = Instant::now();
    let seeds: Vec<u64> = (0..programs as u64).map(|n| seed ^ n << 20).collect();
    let accesses = jobs::each(&seeds, |_, &seed| {
        compare(seed, SCHEDULES).map_err(|why| format!("seed {seed}: {why}"))
    });
    let accesses = accesses.into_iter().collect::<Result<Vec<_>, _>>()?;
    let suited = accesses.iter().filter(|&&accesses| accesses > 0).count();
    Ok(format!(
        "{part}: {} programs, {} schedules, {} accesses, made alike by the crate ({:.1} s)",
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
