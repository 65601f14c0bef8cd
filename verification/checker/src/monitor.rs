//! The monitor: decides whether the multiset of tokens can explain the results so far.
//!
//! Linearizability is decided class by class (Herlihy and Wing 1990, theorem 1), and a class is
//! just a number of tokens; so is a value of a class. (A [`View`](crate::machine::View) defines
//! which number, and the role of a call in it.) The monitor of a number keeps all possible
//! explanations: the number of tokens, and for each call under way whether it has taken effect, and
//! how. A call may take effect at any time, so after each event all possible continuations are
//! added; a result removes the explanations with another one. If none is left, no order of the
//! calls explains the results.
//!
//! `count` and `snapshot` are not operations of the multiset. Their results have bounds: at least
//! the fewest tokens during the call, and at most those at its beginning, all inserted since, and
//! all whose remove was under way. (The last are necessary: an explanation may have to place a
//! remove before the call that has yet to clear its token.)
//!
//! Sets of explanations are numbered, and the successor of one after an event is remembered. So the
//! monitor is a finite automaton, built on demand, and costs one number per view in a state of the
//! exploration.

use std::collections::{HashMap, HashSet};

/// The most threads of a program.
pub(crate) const THREADS: usize = 4;

/// The number of a set of explanations.
pub(crate) type Set = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Event {
    Call(usize, Role),
    Return(usize, Told),
    Over(usize),
}

/// The role of a call for a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It takes effect at one time.
    Acts(Effect),
    /// It counts, and is not an operation.
    Counts,
}

/// The meaning of a result for a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Told {
    /// The call took effect, and this is its result.
    Bool(bool),
    /// It took effect, and saw this token, or none.
    Saw(Option<Code>),
    /// It took effect, and saw a token.
    SawOne,
    /// Nothing was done: an insert was refused.
    Nothing,
    /// Nothing was changed.
    Unchanged,
    /// The result has no meaning here.
    Any,
    /// The number that a count found.
    Number(u8),
    /// A count that returned no number.
    NoNumber,
}

/// A token, if there is at most one: a small number, not 0.
pub(crate) type Code = u8;

/// One explanation of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Explanation {
    /// The number of tokens; or the code of the only one, or 0.
    tokens: u8,
    calls: [Call; THREADS],
}

/// The progress of a call in an explanation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Call {
    #[default]
    None,
    /// It has taken no effect yet.
    Open(Effect),
    /// It has, with this result: 0 or 1, or the code of the token that it saw.
    Done(Effect, Code),
    /// It counts: the fewest tokens so far, and the initial ones with all inserted since.
    Counting(u8, u8),
}

/// The effect of a call at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    Insert,
    /// Adds one if there is none.
    Unique,
    /// Takes one if there is any.
    Remove,
    Contains,
    /// Adds this one if there is none, and sees the token before.
    Admit(Code),
    /// Sees the token.
    Look,
    /// Removes this one, if it is there.
    Take(Code),
    /// Removes any token.
    Clear,
    /// Replaces one by another, if it is there.
    Replace(Code, Code),
    /// Adds a token that may count, or not.
    InsertNear,
    /// Does the same, if there is none of another kind.
    UniqueNear,
    /// Removes a token that may count, or not.
    RemoveNear,
}

/// The automaton of a number, the same for all programs.
#[derive(Debug, Default)]
pub struct Monitor {
    sets: Vec<Vec<Explanation>>,
    /// For each set, one bit for each number of tokens that it allows.
    numbers: Vec<u32>,
    known: HashMap<Vec<Explanation>, Set>,
    /// The successors; `None` if there is no explanation.
    next: HashMap<(Set, Event), Option<Set>>,
}

impl Monitor {
    /// Returns the set for this number of tokens.
    pub fn start(&mut self, tokens: usize) -> Set {
        self.number(vec![Explanation {
            tokens: tokens as u8,
            ..Explanation::default()
        }])
    }

    /// Whether a set allows this number of tokens.
    pub fn allows(&self, set: Set, tokens: usize) -> bool {
        self.numbers[set as usize] >> tokens & 1 != 0
    }

    /// Records that a thread begins a call.
    pub fn call(&mut self, set: &mut Set, thread: usize, role: Role) {
        // A call excludes nothing.
        *set = self.follow(*set, Event::Call(thread, role)).unwrap_or(*set);
    }

    /// Records that a thread's call returns. False if there is no explanation for the result.
    #[must_use]
    pub fn answer(&mut self, set: &mut Set, thread: usize, told: Told) -> bool {
        let next = self.follow(*set, Event::Return(thread, told));
        *set = next.unwrap_or(*set);
        next.is_some()
    }

    /// Records that a thread's call, if it is in one, has taken effect by now, or never will.
    pub fn over(&mut self, set: &mut Set, thread: usize) {
        // It excludes nothing that is so already.
        *set = self.follow(*set, Event::Over(thread)).unwrap_or(*set);
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

/// Returns all explanations that follow from these when calls take effect.
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
    /// Returns its possible results for this number of tokens, with the number afterwards: one, if
    /// it does not depend on others.
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
    /// Returns the explanation after an event, if it agrees with it.
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
            Event::Over(thread) => next.calls[thread] = Call::None,
        }
        Some(next)
    }

    /// Returns the number of removes that have taken a token, and not returned.
    fn removes_under_way(&self) -> u8 {
        let removed =
            |call: &&Call| matches!(call, Call::Done(Effect::Remove | Effect::RemoveNear, 1));
        self.calls.iter().filter(removed).count() as u8
    }

    /// Returns the explanation in which the call of a thread takes effect now, with this result and
    /// number of tokens afterwards.
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

    /// The initial number of tokens, the events, the final result, and whether it can be explained.
    #[test]
    fn a_result_needs_an_order_that_explains_it() {
        let found = |found| Event::Return(1, Told::Bool(found));
        let counted = |number| Event::Return(1, Told::Number(number));
        let removed = |told| Event::Return(0, told);
        for (tokens, events, last, explained) in [
            // Of two racing removes of one token, one succeeds.
            (1, &[REMOVE, OTHER_REMOVE, DONE][..], found(true), false),
            (1, &[REMOVE, OTHER_REMOVE, DONE], found(false), true),
            // A lookup after an insert sees it, and one during it may.
            (0, &[INSERT, DONE, LOOK], found(false), false),
            (0, &[LOOK, INSERT, DONE], found(false), true),
            (0, &[LOOK, INSERT, DONE, REMOVE, DONE], found(true), true),
            // A count is at least the number of tokens that were always there.
            (1, &[COUNT, INSERT, DONE], counted(0), false),
            (1, &[COUNT, INSERT, DONE], counted(1), true),
            (1, &[COUNT, INSERT, DONE], counted(2), true),
            (1, &[COUNT, INSERT, DONE], counted(3), false),
            // A call without effect has not changed anything.
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
