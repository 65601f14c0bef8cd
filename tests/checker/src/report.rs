//! What is printed: one line for each part, and a schedule step by step if there is a failure.

use std::collections::HashSet;
use std::fmt::Write;
use std::time::Instant;

use crate::explore::{End, Found};
use crate::machine::Machine;
use crate::monitor::{Monitor, THREADS};
use crate::notation::CallText;
use crate::state::{Setting, State};

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

/// A number with a comma for each thousand.
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

/// A failure as a text: the program, the shortest schedule that leads to it, or this one, and what is wrong at its end.
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

/// States after which the search is given up.
const MOST: usize = 2_000_000;

/// How a state was come by: from which, by a step of which thread.
type Origin = (u32, u8);

/// The shortest schedule that leads to a wrong state, and what is wrong. `None` if there is none within reach:
/// what only a cycle or an endless schedule shows has no shortest one.
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

/// The steps that lead to a state.
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
    #[test]
    fn thousands_are_grouped() {
        let grouped = [0, 999, 1_000, 1_234_567].map(super::grouped);
        assert_eq!(grouped, ["0", "999", "1,000", "1,234,567"]);
    }
}
