//! The parts of a run. Each says in one line what it did, or how it failed.

use std::time::Instant;

use crate::conformance;
use crate::explore::{End, Found, Limits, explore};
use crate::jobs;
use crate::mutants::{Killed, MUTANTS, NOT_APPLICABLE};
use crate::program::Program;
use crate::programs::{Race, races, races_of_other_layouts};
use crate::random;
use crate::report::{self, Sum, grouped};
use crate::state::Setting;

/// What a part returns: its line, or its failure.
pub type Outcome = Result<String, String>;

/// States of one mutant's program: far more than any needs.
const MUTANT_STATES: usize = 20_000_000;

/// The races, each explored to its end.
///
/// # Errors
///
/// The first failure, step by step.
pub fn by_hand(states: usize) -> Outcome {
    let programs: Vec<Program> = races()?.into_iter().map(|race| race.program).collect();
    let limits = Limits {
        states,
        audit: false,
    };
    explored("written races", &programs, limits)
}

/// The races with buckets of the other layouts.
///
/// # Errors
///
/// The first failure, step by step.
pub fn by_hand_in_other_layouts(states: usize) -> Outcome {
    let limits = Limits {
        states,
        audit: false,
    };
    explored(
        "written races in other layouts",
        &races_of_other_layouts()?,
        limits,
    )
}

/// The races once more; in each state all threads under way die, and a newcomer audits the table.
///
/// # Errors
///
/// The first failure, step by step.
pub fn deaths_by_hand(states: usize) -> Outcome {
    let programs: Vec<Program> = races()?.into_iter().map(|race| race.program).collect();
    let limits = Limits {
        states,
        audit: true,
    };
    explored("deaths in races", &programs, limits)
}

/// The same in programs made by chance, others than those that are explored without deaths.
///
/// # Errors
///
/// The first failure, step by step.
pub fn deaths_by_chance(seed: u64, programs: usize, states: usize) -> Outcome {
    let limits = Limits {
        states,
        audit: true,
    };
    explored(
        "deaths in random programs",
        &random::programs(!seed, programs),
        limits,
    )
}

/// Programs made by chance.
///
/// # Errors
///
/// The first failure, step by step.
pub fn by_chance(seed: u64, programs: usize, states: usize) -> Outcome {
    let limits = Limits {
        states,
        audit: false,
    };
    let name = format!("random, seed {seed}");
    explored(&name, &random::programs(seed, programs), limits)
}

/// The same with tokens that carry values.
///
/// # Errors
///
/// The first failure, step by step.
pub fn values_by_chance(seed: u64, programs: usize, states: usize) -> Outcome {
    let limits = Limits {
        states,
        audit: false,
    };
    let programs = random::programs_with_values(seed, programs);
    explored("random values", &programs, limits)
}

/// The same; in each state all threads under way die.
///
/// # Errors
///
/// The first failure, step by step.
pub fn deaths_with_values(seed: u64, programs: usize, states: usize) -> Outcome {
    let limits = Limits {
        states,
        audit: true,
    };
    let programs = random::programs_with_values(!seed, programs);
    explored("deaths with random values", &programs, limits)
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

/// The mutants: each must die, of its program.
///
/// # Errors
///
/// Those that survive, or die of something else.
pub fn mutants(verbose: bool) -> Outcome {
    let start = Instant::now();
    let races = races()?;
    let deaths = jobs::each(MUTANTS, |monitor, killed| {
        let start = Instant::now();
        let race = killer(&races, killed)?;
        let limits = Limits {
            states: MUTANT_STATES,
            audit: false,
        };
        let setting = Setting::new(&race.program, Some(killed.mutant));
        let found = explore(&setting, limits, monitor);
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
        "mutants: {} of {} killed, each by its program; {} more of loom's do not apply here ({:.1} s)",
        lines.len(),
        MUTANTS.len(),
        NOT_APPLICABLE.len(),
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
    let killed = MUTANTS.iter().find(|mutant| mutant.name == name);
    let killed = killed.ok_or_else(|| format!("there is no mutant {name:?}"))?;
    let race = killer(&races()?, killed)?.clone();
    let limits = Limits {
        states: MUTANT_STATES,
        audit: false,
    };
    let mutant = Some(killed.mutant);
    let found = explore(
        &Setting::new(&race.program, mutant),
        limits,
        &mut Default::default(),
    );
    is_dead(killed, &found)?;
    match found.end {
        End::Failure(schedule, why) => Ok(report::failure(&race.program, mutant, &schedule, &why)),
        End::Complete | End::CutShort => unreachable!("it is dead"),
    }
}

/// The machine against the crate.
///
/// # Errors
///
/// The first call after which they differ.
pub fn conformance(seed: u64, programs: usize) -> Outcome {
    conforms("conformance", conformance::compare, seed, programs)
}

/// The same with tokens that carry values.
///
/// # Errors
///
/// The first call after which they differ.
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
///
/// # Errors
///
/// The first step at which they differ.
#[cfg(lockfree_cuckoo_steps)]
pub fn lockstep(seed: u64, programs: usize) -> Outcome {
    in_lockstep("lockstep", crate::lockstep::compare, seed, programs)
}

/// The same with tokens that carry values.
///
/// # Errors
///
/// The first step at which they differ.
#[cfg(lockfree_cuckoo_steps)]
pub fn lockstep_of_values(seed: u64, programs: usize) -> Outcome {
    let compare = crate::lockstep::compare_values;
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
///
/// # Errors
///
/// One that is taken for the crate.
#[cfg(lockfree_cuckoo_steps)]
pub fn lockstep_mutants() -> Outcome {
    use crate::lockstep::{MUTANTS, found_out};
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
