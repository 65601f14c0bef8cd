//! A shorter schedule for the same failure: breadth first, level by level. Only the levels are kept, and of each
//! state how it was come by.

use std::collections::HashSet;

use crate::machine::Machine;
use crate::monitor::{Monitor, THREADS};
use crate::state::{Setting, State};

/// States after which the search is given up.
const MOST: usize = 2_000_000;

/// How a state was come by: from which, by a step of which thread.
type Origin = (u32, u8);

/// The shortest schedule that leads to a wrong state, and what is wrong. `None` if there is none within reach:
/// what only a cycle or an endless schedule shows has no shortest one.
pub(crate) fn failure<M: Machine>(setting: &Setting<'_, M>) -> Option<(Vec<u8>, String)> {
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
