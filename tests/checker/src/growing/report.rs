//! A failure as a text: the program, the schedule step by step, and what is wrong at its end.

use std::fmt::Write;

use super::mutants::Mutant;
use super::program::Program;
use super::state::Setting;
use crate::explore::Explored;
use crate::monitor::Monitor;
use crate::shortest;

/// The shortest such schedule, or this one.
pub fn failure(program: &Program, mutant: Option<Mutant>, schedule: &[u8], why: &str) -> String {
    let setting = Setting::new(program, mutant);
    let shorter = shortest::failure(&setting);
    let (schedule, why) = match &shorter {
        Some((schedule, why)) => (schedule.as_slice(), why.as_str()),
        None => (schedule, why),
    };
    let mut out = format!("{program}\n");
    let monitor = &mut Monitor::default();
    let mut state = setting.start(monitor);
    for (number, &thread) in schedule.iter().enumerate() {
        let (step, _) = setting.shown(&mut state, monitor, thread.into());
        let _ = write!(out, "{:>5}  thread {thread}  ", number + 1);
        if let Some(call) = step.begun {
            let _ = write!(out, "{call}: ");
        }
        if let Some(access) = step.access {
            let _ = write!(out, "{access}");
        }
        if let Some(answer) = step.answer {
            let _ = write!(out, "; returns {answer}");
        }
        out.push('\n');
    }
    let words = state.memory.words.iter().enumerate();
    for (number, word) in words.filter(|(_, word)| word.code() != 0) {
        let _ = writeln!(out, "       word {number} is {word}");
    }
    let _ = write!(out, "FAILED: {why}");
    out
}
