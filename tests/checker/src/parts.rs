//! What the parts of a run are made of: programs that must not fail, and mutants that must. Each says in one line what
//! it did, or how it failed.

use std::time::Instant;

use rayon::prelude::*;

use crate::explore::{End, Found, Limits, explore};
use crate::machine::Machine;
use crate::monitor::Monitor;
use crate::mutants::Killed;
use crate::notation::Program;
use crate::races::{Race, races};
use crate::report::{Sum, failure, grouped};
use crate::state::Setting;

/// What a part returns: its line, or its failure.
pub type Outcome = Result<String, String>;

/// States of one mutant's program: far more than any needs.
const OF_A_MUTANT: Limits = Limits::all(20_000_000);

/// Programs, each explored to its end or the limits.
pub fn explored<M: Machine>(part: &str, programs: &[Program<M>], limits: Limits) -> Outcome {
    let start = Instant::now();
    let found: Vec<Found> = programs
        .par_iter()
        .map_init(Monitor::default, |monitor, program| {
            explore(&Setting::new(program, None), limits, monitor)
        })
        .collect();
    let mut sum = Sum::default();
    for (program, found) in programs.iter().zip(&found) {
        if let End::Failure(schedule, why) = &found.end {
            return Err(failure(Setting::new(program, None), schedule, why));
        }
        sum.add(found);
    }
    Ok(sum.line(part, start))
}

/// One program.
pub fn single<M: Machine>(program: &str, limits: Limits) -> Outcome {
    explored::<M>("program", &[program.parse()?], limits)
}

/// The mutants whose programs belong to a model: each must die, of its program. Returns how many there are, and of how
/// many of the machine.
pub fn mutants<M: Machine>(model: u8, verbose: bool) -> Result<usize, String> {
    let races = races::<M>()?;
    let mut known = Vec::new();
    for killed in M::MUTANTS {
        let race = killer(&races, killed)?;
        known.extend((race.model == model).then_some((killed, race)));
    }
    let deaths = known.par_iter().map(|(killed, race)| {
        let start = Instant::now();
        let setting = Setting::new(&race.program, Some(killed.mutant));
        let found = explore(&setting, OF_A_MUTANT, &mut Monitor::default());
        death(killed, &found)?;
        let seconds = start.elapsed().as_secs_f64();
        let states = grouped(found.states);
        let (name, killer) = (killed.name, killed.killer);
        Ok::<_, String>(format!(
            "    {name}: {killer} ({states} states, {seconds:.3} s)"
        ))
    });
    let lines = deaths.collect::<Result<Vec<_>, _>>()?;
    if verbose {
        println!("{}", lines.join("\n"));
    }
    Ok(lines.len())
}

fn killer<'a, M: Machine>(
    races: &'a [Race<M>],
    killed: &Killed<M::Mutant>,
) -> Result<&'a Race<M>, String> {
    let found = races.iter().find(|race| race.name == killed.killer);
    found.ok_or_else(|| format!("there is no race {:?}", killed.killer))
}

/// The schedule on which a mutant dies, and of what.
fn death<'a, T>(killed: &Killed<T>, found: &'a Found) -> Result<(&'a [u8], &'a str), String> {
    match &found.end {
        End::Failure(schedule, why) if why.contains(killed.message) => Ok((schedule, why)),
        End::Failure(_, why) => Err(format!("{} dies of something else: {why}", killed.name)),
        End::Complete | End::CutShort => Err(format!("{} survives {}", killed.name, killed.killer)),
    }
}

/// The mutant of a name.
pub fn named<M: Machine>(name: &str) -> Result<&'static Killed<M::Mutant>, String> {
    let found = M::MUTANTS.iter().find(|mutant| mutant.name == name);
    found.ok_or_else(|| format!("there is no mutant {name:?}"))
}

/// The schedule on which a mutant dies.
pub fn death_of<M: Machine>(name: &str) -> Outcome {
    let killed = named::<M>(name)?;
    let races = races::<M>()?;
    let setting = Setting::new(&killer(&races, killed)?.program, Some(killed.mutant));
    let found = explore(&setting, OF_A_MUTANT, &mut Default::default());
    let (schedule, why) = death(killed, &found)?;
    Ok(failure(setting, schedule, why))
}
