//! The parts of a run: programs that must not fail, and mutants that must. Each says in one line what it did, or how it
//! failed.

use std::time::Instant;

use rayon::prelude::*;

use crate::explore::{End, Found, Limits, explore};
use crate::machine::{Killed, Machine};
use crate::monitor::Monitor;
use crate::notation::Program;
use crate::report::{Sum, failure, grouped};
use crate::state::Setting;

/// What a part returns: its line, or its failure.
pub type Outcome = Result<String, String>;

/// States of one mutant's program: far more than any needs.
const OF_A_MUTANT: Limits = Limits::all(20_000_000);

/// A program written by hand: the model that it belongs to, what races, and how.
pub(crate) struct Race<M: Machine> {
    pub(crate) model: u8,
    name: &'static str,
    pub(crate) program: Program<M>,
}

/// All races of a machine: its `races.txt`, taken apart.
pub(crate) fn races<M: Machine>() -> Result<Vec<Race<M>>, String> {
    let mut races = Vec::new();
    let mut model = 0;
    let mut lines = M::RACES.lines().filter(|line| !line.is_empty());
    while let Some(name) = lines.next() {
        if let Some(number) = name.strip_prefix("#M") {
            model = number
                .parse()
                .map_err(|_| format!("{name:?} is no model"))?;
        }
        if name.starts_with('#') {
            continue;
        }
        let text = lines.next().and_then(|line| line.strip_prefix("    "));
        let program = text.ok_or("no program")?.parse();
        let program = program.map_err(|why: String| format!("{name}: {why}"))?;
        races.push(Race {
            model,
            name,
            program,
        });
    }
    Ok(races)
}

/// Programs, each explored to its end or the limits.
pub(crate) fn explored<M: Machine>(part: &str, programs: &[Program<M>], limits: Limits) -> Outcome {
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
    let deaths = if limits.audit { ", deaths" } else { "" };
    Ok(sum.line(&format!("{part}{deaths}"), start))
}

/// How much of a model is explored.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// How far each race.
    pub races: [Limits; 2],
    /// How many programs made by chance, and each how far.
    pub random: [(usize, Limits); 2],
}

/// Prints the line of a part.
pub fn say(outcome: Outcome) -> Result<(), String> {
    outcome.map(|line| println!("{line}"))
}

/// The mutants of a model, and its races.
pub fn written<M: Machine>(model: u8, verbose: bool, sizes: Sizes) -> Result<(), String> {
    say(mutants::<M>(model, verbose))?;
    let mut races = sizes.races.into_iter();
    races.try_for_each(|limits| say(by_hand::<M>(model, limits)))
}

/// Programs of a model made by chance: one of so many that there could be.
pub fn random<M: Machine>(model: u8, seed: u64, sizes: Sizes, one_of: usize) -> Result<(), String> {
    let mut random = sizes.random.into_iter();
    random.try_for_each(|(programs, limits)| {
        say(by_chance::<M>(model, seed, programs / one_of, limits))
    })
}

/// One program.
pub fn single<M: Machine>(program: &str, limits: Limits) -> Outcome {
    explored::<M>("program", &[program.parse()?], limits)
}

/// The races of a model.
pub fn by_hand<M: Machine>(model: u8, limits: Limits) -> Outcome {
    let races = races()?.into_iter().filter(|race| race.model == model);
    let programs: Vec<Program<M>> = races.map(|race| race.program).collect();
    explored(
        &format!("{}written races", M::name_of(model)),
        &programs,
        limits,
    )
}

/// Programs of a model made by chance. Those with deaths are others than those without.
pub fn by_chance<M: Machine>(model: u8, seed: u64, programs: usize, limits: Limits) -> Outcome {
    let part = format!("{}random, seed {seed}", M::name_of(model));
    let seed = if limits.audit { !seed } else { seed };
    explored(&part, &M::random(model, seed, programs), limits)
}

/// The mutants whose programs belong to a model: each must die, of its program.
pub fn mutants<M: Machine>(model: u8, verbose: bool) -> Outcome {
    let start = Instant::now();
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
    Ok(format!(
        "{}mutants: {} of {} killed, each by its program ({:.1} s)",
        M::name_of(model),
        lines.len(),
        M::MUTANTS.len(),
        start.elapsed().as_secs_f64()
    ))
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

/// The schedule on which a mutant dies; `None` if the machine has none of this name.
pub fn death_of<M: Machine>(name: &str) -> Option<Outcome> {
    let killed = M::MUTANTS.iter().find(|mutant| mutant.name == name)?;
    Some(races::<M>().and_then(|races| {
        let setting = Setting::new(&killer(&races, killed)?.program, Some(killed.mutant));
        let found = explore(&setting, OF_A_MUTANT, &mut Default::default());
        let (schedule, why) = death(killed, &found)?;
        Ok(failure(setting, schedule, why))
    }))
}

/// The schedules on which all mutants die.
pub fn deaths<M: Machine>() -> Outcome {
    let deaths = M::MUTANTS.iter();
    deaths
        .filter_map(|killed| death_of::<M>(killed.name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::Fixed;
    use crate::growing::Growing;
    use std::collections::HashSet;

    fn every_race_has_a_name_of_its_own<M: Machine>() {
        let races = races::<M>().expect("programs");
        let names: HashSet<&str> = races.iter().map(|race| race.name).collect();
        assert_eq!(names.len(), races.len());
        assert!(races.len() > 70, "the text is read to its end");
    }

    fn a_seed_gives_the_same_programs_and_each_survives_its_text<M: Machine>() {
        for model in M::MODELS {
            let once = M::random(model, 7, 200);
            assert_eq!(once, M::random(model, 7, 200));
            for program in once {
                assert_eq!(program.to_string().parse(), Ok(program));
            }
        }
    }

    #[test]
    fn the_programs_of_each_machine_are_in_order() {
        every_race_has_a_name_of_its_own::<Fixed>();
        every_race_has_a_name_of_its_own::<Growing>();
        a_seed_gives_the_same_programs_and_each_survives_its_text::<Fixed>();
        a_seed_gives_the_same_programs_and_each_survives_its_text::<Growing>();
    }
}
