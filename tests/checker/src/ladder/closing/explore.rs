//! All states of a program.

use std::collections::HashSet;

use super::memory::{Memory, Phase, Word};
use super::programs::Program;
use super::steps::{At, Call, Mutant, Outcome, Step};

const THREADS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    memory: Memory,
    threads: [(u8, At); THREADS],
    /// The items that are in: their insert is over, and their remove has not begun.
    stored: u8,
}

/// Far more than a call needs that nobody disturbs.
const ALONE: usize = 60;

/// The number of states, or what is wrong in one of them.
pub(super) fn explore(program: &Program, mutant: Option<Mutant>) -> Result<usize, String> {
    let first = State {
        memory: Memory::new(program.tables),
        threads: [(0, At::Begin); THREADS],
        stored: 0,
    };
    let (mut seen, mut open) = (HashSet::from([first]), vec![first]);
    while let Some(state) = open.pop() {
        check(&state)?;
        let mut add = |next: State| {
            if seen.insert(next) {
                open.push(next);
            }
        };
        if state.memory.can_release() {
            let mut next = state;
            next.memory.release();
            add(next);
        }
        for thread in 0..THREADS {
            let mut next = state;
            if step(program, mutant, &mut next, thread)? {
                add(next);
                comes_to_an_end(program, mutant, state, thread)?;
            }
        }
    }
    Ok(seen.len())
}

/// Makes a step of a thread, if it has one to make.
fn step(
    program: &Program,
    mutant: Option<Mutant>,
    state: &mut State,
    thread: usize,
) -> Result<bool, String> {
    let (call, at) = state.threads[thread];
    let Some(&call) = program.threads[thread].get(usize::from(call)) else {
        return Ok(false);
    };
    if let (Call::Remove(item), At::Begin) = (call, at) {
        state.stored &= !(1 << item);
    }
    let made = Step {
        call,
        thread,
        mutant,
    };
    match made.make(&mut state.memory, at) {
        Outcome::Goes(at) => state.threads[thread].1 = at,
        Outcome::Ends(answer) => {
            let expected = match call {
                Call::Contains(item) => state.stored & 1 << item != 0,
                _ => true,
            };
            if answer != expected {
                return Err(format!("{call:?} returned {answer}"));
            }
            if let Call::Insert(item) = call {
                state.stored |= 1 << item;
            }
            state.threads[thread] = (state.threads[thread].0 + 1, At::Begin);
        }
    }
    Ok(true)
}

/// What holds in each state.
fn check(state: &State) -> Result<(), String> {
    let memory = &state.memory;
    let in_words = memory.words.iter().fold(0, |all, word| match word {
        Word::Items(items) => all | items,
        Word::Closed(_) | Word::Absent => all,
    });
    if memory.gate.is(Phase::Sealed) && in_words != 0 {
        return Err("a sealed generation has a token".into());
    }
    if state.stored & !(in_words | memory.next) != 0 {
        return Err("an item that is in has no token".into());
    }
    Ok(())
}

/// A thread ends its call while all others stand still.
fn comes_to_an_end(
    program: &Program,
    mutant: Option<Mutant>,
    mut state: State,
    thread: usize,
) -> Result<(), String> {
    let call = state.threads[thread].0;
    for _ in 0..ALONE {
        step(program, mutant, &mut state, thread)?;
        if state.threads[thread].0 != call {
            return Ok(());
        }
    }
    Err(format!("call {call} of thread {thread} does not end"))
}
