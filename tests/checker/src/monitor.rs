//! The monitor: whether what the threads have seen so far can be explained by the multiset of tokens.
//!
//! Linearizability is decided class by class (Herlihy and Wing 1990, theorem 1), and a class is no more than a
//! number of tokens; so is a value of a class. (A [`View`](crate::machine::View) says which number, and what a call
//! is to it.) The monitor of a number keeps all explanations there are: how many tokens there are, and of each call
//! under way whether it has taken effect, and how. A call may take effect at any moment, so after each event all that
//! can follow is added; a result strikes out the explanations that have another one. If none is left, no order of the
//! calls explains the results.
//!
//! `count` and `snapshot` stand outside the multiset. They are held to bounds: no fewer tokens than at every
//! moment of the call, and no more than at its beginning with all that came in since and all whose remove was
//! under way. (The last are needed: an explanation may have to place a remove before the call that has yet to
//! clear its token.)
//!
//! Sets of explanations are numbered, and what follows one after an event is remembered. So the monitor is a
//! finite automaton, made as it is needed, and costs a state of the exploration one number for each.

use std::collections::{HashMap, HashSet};

/// Threads of a program, at most.
pub(crate) const THREADS: usize = 4;

/// The number of a set of explanations.
pub(crate) type Set = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Event {
    Call(usize, Role),
    Return(usize, Told),
}

/// What a call is to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It takes effect at one moment.
    Acts(Effect),
    /// It counts, and stands outside.
    Counts,
}

/// What a number learns of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Told {
    /// The call took effect, and this is its result.
    Bool(bool),
    /// It took effect, and saw this token, or none.
    Saw(Option<Code>),
    /// It took effect, and saw a token.
    SawOne,
    /// Nothing was done: an insert that was refused.
    Nothing,
    /// Nothing was changed.
    Unchanged,
    /// The result says nothing here.
    Any,
    /// How many a count found.
    Number(u8),
    /// A number was asked for, and not given.
    NoNumber,
}

/// A token, where there is one at most: a small number, not 0.
pub(crate) type Code = u8;

/// One explanation of what was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Explanation {
    /// How many there are; or the code of the only one, or 0.
    tokens: u8,
    calls: [Call; THREADS],
}

/// How far a call has come, in an explanation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Call {
    #[default]
    None,
    /// It has taken no effect yet.
    Open(Effect),
    /// It has, and this is its result: 0 or 1, or the code of the token that it saw.
    Done(Effect, Code),
    /// It counts: the fewest tokens there have been, and those there were with all that have come since.
    Counting(u8, u8),
}

/// What a call does at the moment that it takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    Insert,
    /// Adds one if there is none.
    Unique,
    /// Takes one if there is any.
    Remove,
    Contains,
    /// Adds this one if there is none, and sees which there was.
    Admit(Code),
    /// Sees which one there is.
    Look,
    /// Takes this one, if it is there.
    Take(Code),
    /// Takes whichever there is.
    Clear,
    /// Replaces one by another, if it is there.
    Replace(Code, Code),
    /// Adds a token that may be one, or not.
    InsertNear,
    /// The same, if there is none of another kind.
    UniqueNear,
    /// Takes a token that may be one, or not.
    RemoveNear,
}

/// The automaton of a number. The same for all programs.
#[derive(Debug, Default)]
pub struct Monitor {
    sets: Vec<Vec<Explanation>>,
    /// For each set, one bit for each number of tokens that it allows.
    numbers: Vec<u32>,
    known: HashMap<Vec<Explanation>, Set>,
    /// What follows; none if nothing explains it.
    next: HashMap<(Set, Event), Option<Set>>,
}

impl Monitor {
    /// The set that says that there are so many tokens.
    pub fn start(&mut self, tokens: usize) -> Set {
        self.number(vec![Explanation {
            tokens: tokens as u8,
            ..Explanation::default()
        }])
    }

    /// Whether a set allows so many tokens.
    pub fn allows(&self, set: Set, tokens: usize) -> bool {
        self.numbers[set as usize] >> tokens & 1 != 0
    }

    /// A thread begins a call.
    pub fn call(&mut self, set: &mut Set, thread: usize, role: Role) {
        // Nothing is ruled out by a call.
        *set = self.follow(*set, Event::Call(thread, role)).unwrap_or(*set);
    }

    /// A thread's call returns. False: nothing explains the result.
    #[must_use]
    pub fn answer(&mut self, set: &mut Set, thread: usize, told: Told) -> bool {
        let next = self.follow(*set, Event::Return(thread, told));
        *set = next.unwrap_or(*set);
        next.is_some()
    }

    fn follow(&mut self, set: Set, event: Event) -> Option<Set> {
        if let Some(&next) = self.next.get(&(set, event)) {
            return next;
        }
        let after: Vec<Explanation> = self.sets[set as usize]
            .iter()
            .filter_map(|explanation| explanation.after(event))
            .collect();
        let next = (!after.is_empty()).then(|| self.number(closure(after)));
        self.next.insert((set, event), next);
        next
    }

    fn number(&mut self, set: Vec<Explanation>) -> Set {
        if let Some(&number) = self.known.get(&set) {
            return number;
        }
        let number = self.sets.len() as Set;
        self.numbers
            .push(set.iter().fold(0, |mask, e| mask | 1 << e.tokens));
        self.known.insert(set.clone(), number);
        self.sets.push(set);
        number
    }
}

/// All explanations that follow from these when calls take effect.
fn closure(mut found: Vec<Explanation>) -> Vec<Explanation> {
    let mut seen: HashSet<Explanation> = found.iter().copied().collect();
    let mut at = 0;
    while at < found.len() {
        let explanation = found[at];
        for thread in 0..THREADS {
            let Call::Open(effect) = explanation.calls[thread] else {
                continue;
            };
            for (result, tokens) in effect.outcomes(explanation.tokens) {
                let next = explanation.with_outcome(thread, effect, result, tokens);
                if seen.insert(next) {
                    found.push(next);
                }
            }
        }
        at += 1;
    }
    found.sort();
    found.dedup();
    found
}

impl Effect {
    /// What it can result in, and leave, if there are so many tokens: one thing, where it does not depend on others.
    fn outcomes(self, tokens: u8) -> Vec<(Code, u8)> {
        let fewer = tokens.checked_sub(1).map(|fewer| (1, fewer));
        let one = match (self, tokens) {
            (Self::InsertNear, _) => return vec![(1, tokens), (1, tokens + 1)],
            (Self::UniqueNear, _) => return vec![(0, tokens), (1, tokens), (1, tokens + 1)],
            (Self::RemoveNear, _) => {
                return [(0, tokens), (1, tokens)]
                    .into_iter()
                    .chain(fewer)
                    .collect();
            }
            (Self::Insert, _) => (1, tokens + 1),
            (Self::Unique, 0) => (1, 1),
            (Self::Remove, 1..) => (1, tokens - 1),
            (Self::Unique | Self::Remove, _) => (0, tokens),
            (Self::Contains, _) => (u8::from(tokens > 0), tokens),
            (Self::Admit(new), 0) => (0, new),
            (Self::Admit(_) | Self::Look, seen) => (seen, tokens),
            (Self::Clear, 1..) => (1, 0),
            (Self::Take(old), _) if tokens == old => (1, 0),
            (Self::Replace(old, new), _) if tokens == old => (1, new),
            (Self::Clear | Self::Take(_) | Self::Replace(..), _) => (0, tokens),
        };
        vec![one]
    }

    /// Whether it changed the number, if this was its result.
    fn changes(self, result: bool) -> bool {
        result && self != Self::Contains
    }
}

impl Explanation {
    /// What is left of it after an event, if it agrees with it.
    fn after(self, event: Event) -> Option<Self> {
        let mut next = self;
        match event {
            Event::Call(thread, role) => {
                next.calls[thread] = match role {
                    Role::Acts(effect) => Call::Open(effect),
                    Role::Counts => {
                        Call::Counting(self.tokens, self.tokens + self.removes_under_way())
                    }
                };
            }
            Event::Return(thread, told) => {
                let agrees = match (self.calls[thread], told) {
                    (Call::Done(_, done), Told::Bool(result)) => (done != 0) == result,
                    (Call::Done(_, seen), Told::Saw(token)) => seen == token.unwrap_or(0),
                    (Call::Done(_, seen), Told::SawOne) => seen != 0,
                    (Call::Open(_), Told::Nothing | Told::Unchanged) => true,
                    (Call::Done(effect, done), Told::Unchanged) => !effect.changes(done != 0),
                    (Call::Open(_) | Call::Done(..), Told::Any) => true,
                    (Call::Counting(least, most), Told::Number(n)) => (least..=most).contains(&n),
                    (Call::Counting(..), Told::NoNumber) => true,
                    _ => false,
                };
                if !agrees {
                    return None;
                }
                next.calls[thread] = Call::None;
            }
        }
        Some(next)
    }

    /// Removes that have taken a token, and not returned.
    fn removes_under_way(&self) -> u8 {
        let removed =
            |call: &&Call| matches!(call, Call::Done(Effect::Remove | Effect::RemoveNear, 1));
        self.calls.iter().filter(removed).count() as u8
    }

    /// What follows if the call of a thread takes effect now, with this result, and leaves so many tokens.
    fn with_outcome(self, thread: usize, effect: Effect, result: Code, after: u8) -> Self {
        let tokens = self.tokens;
        let mut next = self;
        next.tokens = after;
        next.calls[thread] = Call::Done(effect, result);
        for call in &mut next.calls {
            if let Call::Counting(least, most) = call {
                *least = next.tokens.min(*least);
                *most += u8::from(after > tokens);
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSERT: Event = Event::Call(0, Role::Acts(Effect::Insert));
    const REMOVE: Event = Event::Call(0, Role::Acts(Effect::Remove));
    const OTHER_REMOVE: Event = Event::Call(1, Role::Acts(Effect::Remove));
    const LOOK: Event = Event::Call(1, Role::Acts(Effect::Contains));
    const COUNT: Event = Event::Call(1, Role::Counts);
    const DONE: Event = Event::Return(0, Told::Bool(true));

    /// The tokens of the beginning, what happens, what it is that returns at last, and whether that can be explained.
    #[test]
    fn a_result_needs_an_order_that_explains_it() {
        let found = |found| Event::Return(1, Told::Bool(found));
        let counted = |number| Event::Return(1, Told::Number(number));
        let removed = |told| Event::Return(0, told);
        for (tokens, events, last, explained) in [
            // Two racing removes of one token get one truth.
            (1, &[REMOVE, OTHER_REMOVE, DONE][..], found(true), false),
            (1, &[REMOVE, OTHER_REMOVE, DONE], found(false), true),
            // A lookup after an insert sees it, and one beside it may.
            (0, &[INSERT, DONE, LOOK], found(false), false),
            (0, &[LOOK, INSERT, DONE], found(false), true),
            (0, &[LOOK, INSERT, DONE, REMOVE, DONE], found(true), true),
            // A count is at least what was always there.
            (1, &[COUNT, INSERT, DONE], counted(0), false),
            (1, &[COUNT, INSERT, DONE], counted(1), true),
            (1, &[COUNT, INSERT, DONE], counted(2), true),
            (1, &[COUNT, INSERT, DONE], counted(3), false),
            // A call that changed nothing has not.
            (
                1,
                &[REMOVE, LOOK, found(false)],
                removed(Told::Unchanged),
                false,
            ),
            (
                1,
                &[REMOVE, LOOK, found(true)],
                removed(Told::Unchanged),
                true,
            ),
            (1, &[REMOVE, LOOK, found(false)], removed(Told::Any), true),
        ] {
            let mut monitor = Monitor::default();
            let start = monitor.start(tokens);
            let before = events
                .iter()
                .try_fold(start, |set, &event| monitor.follow(set, event));
            let after = monitor.follow(before.expect("it can be explained so far"), last);
            assert_eq!(after.is_some(), explained, "{tokens} {events:?} {last:?}");
        }
    }
}
