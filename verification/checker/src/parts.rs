//! The parts of a run: programs that must not fail, and mutants that must. Each prints one line
//! with its result, or a failing schedule step by step.

use std::collections::HashSet;
use std::fmt::Write;
use std::time::Instant;

use crate::explore::{End, Found, Limits, Setting, State, explore};
use crate::machine::Machine;
use crate::monitor::{Monitor, THREADS};
use crate::notation::{CallText, Program};

/// The result of a part: its line, or its failure.
pub type Outcome = Result<String, String>;

/// More states of one mutant's program than any needs.
const OF_A_MUTANT: Limits = Limits::all(20_000_000);

/// A program written by hand, with a description of the race.
pub(crate) struct Race<M: Machine> {
    name: &'static str,
    pub(crate) program: Program<M>,
    kills: Vec<Kill<M::Mutant>>,
}

/// A mutant that fails in a race, and the message of its failure.
struct Kill<Mutant> {
    mutant: Mutant,
    name: &'static str,
    says: &'static str,
}

/// Returns all races of a machine from its `races.txt`. Each mutant fails in one.
pub(crate) fn races<M: Machine>() -> Result<Vec<Race<M>>, String> {
    let mut races: Vec<Race<M>> = Vec::new();
    let mut lines = M::RACES.lines().filter(|line| !line.is_empty());
    while let Some(name) = lines.next() {
        if name.starts_with('#') {
            continue;
        }
        if let Some(text) = name.strip_prefix("    kills ") {
            let race = races.last_mut().ok_or("a kill without a race")?;
            let kill = parse_kill::<M>(text).ok_or_else(|| format!("{text:?} is no kill"))?;
            race.kills.push(kill);
            continue;
        }
        let text = lines.next().and_then(|line| line.strip_prefix("    "));
        let program = text.ok_or("no program")?.parse();
        races.push(Race {
            name,
            program: program.map_err(|why: String| format!("{name}: {why}"))?,
            kills: Vec::new(),
        });
    }
    let kills = |name| {
        let kills = races.iter().flat_map(|race| &race.kills);
        kills.filter(|kill| kill.name == name).count()
    };
    match M::MUTANTS.iter().find(|(_, name)| kills(*name) != 1) {
        Some((_, name)) => Err(format!("{name} is not killed by one race")),
        None => Ok(races),
    }
}

/// Parses the name of a mutant, and the message of its failure.
fn parse_kill<M: Machine>(text: &'static str) -> Option<Kill<M::Mutant>> {
    let (name, says) = text.split_once(": ")?;
    let &(mutant, name) = M::MUTANTS.iter().find(|(_, known)| *known == name)?;
    Some(Kill { mutant, name, says })
}

/// Explores programs, each to its end or the limits.
pub(crate) fn explored<M: Machine>(part: &str, programs: &[Program<M>], limits: Limits) -> Outcome {
    let start = Instant::now();
    let begin = |_| Monitor::default();
    let found = crew::share(programs, begin, |monitor, program| {
        let found = explore(&Setting::new(program, None), limits, monitor);
        match &found.end {
            End::Failure(schedule, why) => Err(failure(Setting::new(program, None), schedule, why)),
            _ => Ok(found),
        }
    })?;
    let mut sum = Sum::default();
    found.iter().for_each(|found| sum.add(found));
    let deaths = if limits.audit { ", deaths" } else { "" };
    Ok(sum.line(&format!("{part}{deaths}"), start))
}

/// The size of the exploration of a model.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The limits for each race.
    pub races: [Limits; 2],
    /// The number of random programs, and the limits for each.
    pub random: [(usize, Limits); 2],
}

/// Prints the line of a part.
pub fn say(outcome: Outcome) -> Result<(), String> {
    outcome.map(|line| println!("{line}"))
}

/// Runs the mutants, and the races.
pub fn written<M: Machine>(verbose: bool, sizes: Sizes) -> Result<(), String> {
    say(mutants::<M>(verbose))?;
    let mut races = sizes.races.into_iter();
    races.try_for_each(|limits| say(by_hand::<M>(limits)))
}

/// Runs random programs of a model: a fraction of the usual number.
pub fn random<M: Machine>(model: u8, seed: u64, sizes: Sizes, one_of: usize) -> Result<(), String> {
    let mut random = sizes.random.into_iter();
    random.try_for_each(|(programs, limits)| {
        say(by_chance::<M>(model, seed, programs / one_of, limits))
    })
}

/// Runs one program.
pub fn single<M: Machine>(program: &str, limits: Limits) -> Outcome {
    explored::<M>("program", &[program.parse()?], limits)
}

/// Runs the races.
pub fn by_hand<M: Machine>(limits: Limits) -> Outcome {
    let races = races()?.into_iter();
    let programs: Vec<Program<M>> = races.map(|race| race.program).collect();
    explored("written races", &programs, limits)
}

/// Runs random programs of a model. Those with deaths are others than those without.
pub fn by_chance<M: Machine>(model: u8, seed: u64, programs: usize, limits: Limits) -> Outcome {
    let part = format!("{}random, seed {seed}", M::name_of(model));
    let seed = if limits.audit { !seed } else { seed };
    explored(&part, &M::random(model, seed, programs), limits)
}

/// Runs the mutants: each must fail in its race.
pub fn mutants<M: Machine>(verbose: bool) -> Outcome {
    let start = Instant::now();
    let races = races::<M>()?;
    let kills = races.iter();
    let kills = kills.flat_map(|race| race.kills.iter().map(move |kill| (race, kill)));
    let kills: Vec<_> = kills.collect();
    let lines = crew::share(&kills, drop, |(), &(race, kill)| {
        let start = Instant::now();
        let states = grouped(death(race, kill)?.0);
        let seconds = start.elapsed().as_secs_f64();
        let (name, killer) = (kill.name, race.name);
        Ok::<_, String>(format!(
            "    {name}: {killer} ({states} states, {seconds:.3} s)"
        ))
    })?;
    if verbose {
        println!("{}", lines.join("\n"));
    }
    Ok(format!(
        "mutants: {} of {} killed, each by its program ({:.1} s)",
        lines.len(),
        M::MUTANTS.len(),
        start.elapsed().as_secs_f64()
    ))
}

/// Returns the failure of a mutant in its race: the number of states, the schedule, and the
/// message.
fn death<M: Machine>(
    race: &Race<M>,
    kill: &Kill<M::Mutant>,
) -> Result<(usize, Vec<u8>, String), String> {
    let setting = Setting::new(&race.program, Some(kill.mutant));
    let found = explore(&setting, OF_A_MUTANT, &mut Monitor::default());
    match found.end {
        End::Failure(schedule, why) if why.contains(kill.says) => Ok((found.states, schedule, why)),
        End::Failure(_, why) => Err(format!("{} dies of something else: {why}", kill.name)),
        End::Complete | End::CutShort => Err(format!("{} survives {}", kill.name, race.name)),
    }
}

/// Returns the schedule on which a mutant fails; `None` if the machine has no such mutant.
pub fn death_of<M: Machine>(name: &str) -> Option<Outcome> {
    M::MUTANTS.iter().find(|(_, known)| *known == name)?;
    let races = match races::<M>() {
        Ok(races) => races,
        Err(why) => return Some(Err(why)),
    };
    races.iter().find_map(|race| {
        let kill = race.kills.iter().find(|kill| kill.name == name)?;
        Some(death(race, kill).map(|(_, schedule, why)| {
            let setting = Setting::new(&race.program, Some(kill.mutant));
            failure(setting, &schedule, &why)
        }))
    })
}

/// Returns the schedules on which all mutants fail.
pub fn deaths<M: Machine>() -> Outcome {
    let deaths = M::MUTANTS.iter();
    deaths.filter_map(|(_, name)| death_of::<M>(name)).collect()
}

/// Sums over the programs of a part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    programs: usize,
    states: usize,
    transitions: usize,
    audits: usize,
    longest: usize,
    cut_short: usize,
}

impl Sum {
    pub(crate) fn add(&mut self, found: &Found) {
        self.programs += 1;
        self.states += found.states;
        self.transitions += found.transitions;
        self.audits += found.audits;
        self.longest = self.longest.max(found.longest);
        self.cut_short += usize::from(found.end == End::CutShort);
    }

    pub(crate) fn line(&self, part: &str, start: Instant) -> String {
        let mut line = format!(
            "{part}: {} programs, {} states, {} transitions, longest schedule {} steps",
            grouped(self.programs),
            grouped(self.states),
            grouped(self.transitions),
            self.longest
        );
        if self.audits > 0 {
            let _ = write!(line, ", {} audits", grouped(self.audits));
        }
        if self.cut_short > 0 {
            let _ = write!(line, ", {} cut short", grouped(self.cut_short));
        }
        let _ = write!(line, " ({:.1} s)", start.elapsed().as_secs_f64());
        line
    }
}

/// Formats a number with a comma for each thousand.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a failure: the program, the shortest schedule that leads to it, or this one, and the
/// error at its end.
pub(crate) fn failure<M: Machine>(
    mut setting: Setting<'_, M>,
    schedule: &[u8],
    why: &str,
) -> String {
    let shorter = shortest(&setting);
    setting.shows = true;
    let (schedule, why) = match &shorter {
        Some((schedule, why)) => (schedule.as_slice(), why.as_str()),
        None => (schedule, why),
    };
    let mut out = format!("{}\n", setting.program);
    let monitor = &mut Monitor::default();
    let mut state = setting.start(monitor);
    for (number, &thread) in schedule.iter().enumerate() {
        let (step, _) = setting.step(&mut state, monitor, thread.into());
        let _ = write!(out, "{:>5}  thread {thread}  ", number + 1);
        if let Some(call) = step.begun {
            let text = CallText::<M>(&call, &setting.program.shape);
            let _ = write!(out, "{text}{}: ", M::show_item(call.item));
        }
        let _ = write!(out, "{}", step.made.text);
        if let Some(answer) = step.answer {
            let _ = write!(out, "; returns {answer}");
        }
        out.push('\n');
    }
    for (number, word) in M::show_words(&setting.world, &state.memory) {
        let _ = writeln!(out, "       word {number} is {word}");
    }
    let _ = write!(out, "FAILED: {why}");
    out
}

/// The number of states after which the search gives up.
const MOST: usize = 2_000_000;

/// The origin of a state: the state before, and the thread that made the step.
type Origin = (u32, u8);

/// Returns the shortest schedule that leads to a wrong state, and the error. `None` if there is
/// none within the limit: an error that only a cycle or an endless schedule shows has no shortest
/// one.
fn shortest<M: Machine>(setting: &Setting<'_, M>) -> Option<(Vec<u8>, String)> {
    let monitor = &mut Monitor::default();
    let start = setting.start(monitor);
    let mut known = HashSet::from([start.hash()]);
    let mut origins: Vec<Origin> = vec![(0, 0)];
    let mut level = vec![(0, start)];
    while !level.is_empty() && origins.len() < MOST {
        let mut next = Vec::new();
        for (origin, state) in level {
            for thread in (0..THREADS).filter(|&thread| state.is_under_way(thread)) {
                let mut state: State<M> = state;
                let mut verdict = setting.step(&mut state, monitor, thread).1;
                if (0..THREADS).all(|thread| !state.is_under_way(thread)) {
                    verdict = verdict.and_then(|()| setting.check_end(&state, monitor));
                }
                if let Err(why) = verdict {
                    let mut schedule = schedule(&origins, origin);
                    schedule.push(thread as u8);
                    return Some((schedule, why));
                }
                if known.insert(state.hash()) {
                    next.push((origins.len() as u32, state));
                    origins.push((origin, thread as u8));
                }
            }
        }
        level = next;
    }
    None
}

/// Returns the steps that lead to a state.
fn schedule(origins: &[Origin], mut state: u32) -> Vec<u8> {
    let mut schedule = Vec::new();
    while state != 0 {
        let (origin, thread) = origins[state as usize];
        schedule.push(thread);
        state = origin;
    }
    schedule.reverse();
    schedule
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::Fixed;
    use std::collections::HashSet;

    #[test]
    fn every_race_has_a_name_of_its_own() {
        let races = races::<Fixed>().expect("programs");
        let names: HashSet<&str> = races.iter().map(|race| race.name).collect();
        assert_eq!(names.len(), races.len());
        assert!(races.len() > 70, "the text is read to its end");
    }

    /// A seed gives the same programs, and each survives its text.
    #[test]
    fn seed_gives_same_programs() {
        for model in Fixed::MODELS {
            let once = Fixed::random(model, 7, 200);
            assert_eq!(once, Fixed::random(model, 7, 200));
            for program in once {
                assert_eq!(program.to_string().parse(), Ok(program));
            }
        }
    }

    #[test]
    fn thousands_are_grouped() {
        let grouped = [0, 999, 1_000, 1_234_567].map(grouped);
        assert_eq!(grouped, ["0", "999", "1,000", "1,234,567"]);
    }
}
