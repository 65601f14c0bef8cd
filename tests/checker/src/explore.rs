//! The exploration: every interleaving of a program, depth first.
//!
//! There is no bound on preemptions and no reduction: from each state every thread that is under way makes its
//! next step. States are remembered by a hash of 128 bits ([`state`](crate::state) says at what risk).
//!
//! **Progress.** No step waits, so a schedule ends only when all calls have returned. A state says how many calls
//! each thread has finished, so a way from a state back to itself is a schedule in which threads step for ever
//! and no call returns: the exploration fails if there is one, or if it comes deeper than `DEEPEST`, as it does
//! if the numbers of uses and versions grow without end. If there is none, the states are finitely many and in no
//! circle: every schedule of the program ends, fair or not, whichever threads are stopped and whenever. So in it
//! the protocol is lock-free, and from every state a thread that runs alone finishes its call. The longest
//! schedule is known exactly. (That each call of a finite program returns says nothing about a call among
//! endlessly many others: none is claimed to be wait-free.)
//!
//! **Death.** A thread that stops for good leaves no trace but that it steps no more. So each state is also one in
//! which any of the threads under way are dead, and what holds in every state holds after every death. What the
//! dead leave behind for those who come later is the matter of the audits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::machine::Machine;
use crate::monitor::{Monitor, THREADS};
use crate::state::{Setting, State};

/// Deeper than the exploration of any program comes that ends.
const DEEPEST: usize = 4_000;

/// How an exploration is done.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// States after which it is cut short.
    pub states: usize,
    /// Whether, in each state, all threads die and a newcomer audits the table.
    pub audit: bool,
}

impl Limits {
    /// So many states, in which nobody dies.
    pub const fn all(states: usize) -> Self {
        let audit = false;
        Self { states, audit }
    }

    /// So many states, in each of which all die.
    pub const fn deaths(states: usize) -> Self {
        let audit = true;
        Self { states, audit }
    }
}

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Distinct states.
    pub states: usize,
    /// Steps from one to another.
    pub transitions: usize,
    /// Steps of the longest schedule; of those seen, if it was cut short.
    pub longest: usize,
    /// Tables that a newcomer audited.
    pub audits: usize,
    /// How it ended.
    pub end: End,
}

/// How an exploration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All states have been seen.
    Complete,
    /// There are more than it was allowed to see.
    CutShort,
    /// A schedule, as the number of the thread at each step, and what is wrong at its end.
    Failure(Vec<u8>, String),
}

/// The states that have been visited, by their hashes: the number of steps of the longest schedule from there, or `ON_PATH`.
type Visited = HashMap<u128, u16>;

/// The mark of a state on the path that is being followed.
const ON_PATH: u16 = u16::MAX;

/// A state on the path, and the thread that steps next.
struct Frame<M: Machine> {
    state: State<M>,
    hash: u128,
    next: usize,
    /// Steps of the longest schedule from here that is known.
    ahead: u16,
}

/// Explores all interleavings of a program.
pub fn explore<M: Machine>(
    setting: &Setting<'_, M>,
    limits: Limits,
    monitor: &mut Monitor,
) -> Found {
    let mut visited = Visited::default();
    let state = setting.start(monitor);
    let hash = state.hash();
    visited.insert(hash, ON_PATH);
    let mut path = vec![Frame {
        state,
        hash,
        next: 0,
        ahead: 0,
    }];
    let mut found = Found {
        states: 0,
        transitions: 0,
        longest: 0,
        audits: 0,
        end: End::Complete,
    };
    let failure = loop {
        let Some(frame) = path.last_mut() else {
            break None;
        };
        let ready = (frame.next..THREADS).find(|&thread| frame.state.is_under_way(thread));
        let Some(thread) = ready else {
            let ahead = frame.ahead;
            visited.insert(frame.hash, ahead);
            path.pop();
            match path.last_mut() {
                Some(parent) => parent.ahead = parent.ahead.max(ahead + 1),
                None => found.longest = ahead.into(),
            }
            continue;
        };
        frame.next = thread + 1;
        let mut state = frame.state;
        let mut verdict = setting.step(&mut state, monitor, thread).1;
        found.transitions += 1;
        let hash = state.hash();
        let entry = visited.entry(hash);
        let is_new = matches!(entry, Entry::Vacant(_));
        match *entry.or_insert(ON_PATH) {
            _ if is_new => {}
            ON_PATH => {
                verdict = verdict.and(Err("threads step for ever and no call returns".into()));
            }
            ahead => frame.ahead = frame.ahead.max(ahead + 1),
        }
        if verdict.is_ok() && is_new {
            if (0..THREADS).all(|thread| !state.is_under_way(thread)) {
                verdict = setting.check_end(&state, monitor);
            } else if limits.audit {
                found.audits += 1;
                verdict = setting.after_death(&state, monitor);
            }
            if path.len() >= DEEPEST {
                verdict = verdict.and(Err(format!("no end after {DEEPEST} steps")));
            }
        }
        if let Err(why) = verdict {
            break Some((thread, why));
        }
        if is_new {
            path.push(Frame {
                state,
                hash,
                next: 0,
                ahead: 0,
            });
            if visited.len() >= limits.states {
                found.end = End::CutShort;
                found.longest = path.len() - 1;
                break None;
            }
        }
    };
    found.states = visited.len();
    if let Some((last, why)) = failure {
        // Each frame but the last has taken the step before its `next` to the one above it.
        let below = &path[..path.len() - 1];
        let steps = below.iter().map(|frame| frame.next as u8 - 1);
        found.end = End::Failure(steps.chain([last as u8]).collect(), why);
    }
    found
}
