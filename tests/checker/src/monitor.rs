//! The monitor: whether what the threads have seen so far can be explained by the multiset of tokens.
//!
//! Linearizability is decided class by class (Herlihy and Wing 1990, theorem 1), and a class is no more than a
//! number of tokens. The monitor of a class keeps all explanations there are: how many tokens there are, and of
//! each call under way whether it has taken effect, and how. A call may take effect at any moment, so after each
//! event all that can follow is added; a result strikes out the explanations that have another one. If none is
//! left, no order of the calls explains the results.
//!
//! `count` and `snapshot` stand outside the multiset. They are held to bounds: no fewer tokens than at every
//! moment of the call, and no more than at its beginning with all that came in since and all whose remove was
//! under way. (The last are needed: an explanation may have to place a remove before the call that has yet to
//! clear its token.)
//!
//! Sets of explanations are numbered, and what follows one after an event is remembered. So the monitor is a
//! finite automaton, made as it is needed, and costs a state of the exploration one number for each class.

use std::collections::{HashMap, HashSet};

use crate::machine::Answer;
use crate::memory::THREADS;
use crate::program::Kind;

/// The number of a set of explanations.
pub type Set = u32;

/// What the monitor of one class is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Event {
    Call(usize, Kind),
    Return(usize, Told),
}

/// What one class learns of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Told {
    Bool(bool),
    /// Nothing was done: an insert that was refused.
    Nothing,
    Number(u8),
    /// A number was asked for, and not given.
    NoNumber,
}

/// One explanation of what was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Explanation {
    tokens: u8,
    calls: [Call; THREADS],
}

/// How far a call has come, in an explanation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Call {
    /// There is none.
    #[default]
    None,
    /// It has taken no effect yet.
    Open(Effect),
    /// It has, and this is its result.
    Done(Effect, bool),
    /// It counts: the fewest tokens there have been, and those there were with all that have come since.
    Counting(u8, u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Effect {
    Insert,
    Unique,
    Remove,
    Contains,
}

/// The automaton of a class. The same for all classes and programs.
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

    /// A thread begins a call. `class` is that of its item; a snapshot concerns all.
    pub fn call(&mut self, sets: &mut [Set], thread: usize, kind: Kind, class: Option<usize>) {
        for (_, set) in concerned(sets, kind, class) {
            // Nothing is ruled out by a call.
            *set = self.follow(*set, Event::Call(thread, kind)).unwrap_or(*set);
        }
    }

    /// A thread's call returns. False: nothing explains the result.
    #[must_use]
    pub fn answer(
        &mut self,
        sets: &mut [Set],
        thread: usize,
        kind: Kind,
        class: Option<usize>,
        answer: Answer,
    ) -> bool {
        for (class, set) in concerned(sets, kind, class) {
            let told = match answer {
                Answer::Bool(result) => Told::Bool(result),
                Answer::Full | Answer::TooManyCopies => Told::Nothing,
                Answer::Number(copies) => Told::Number(copies as u8),
                Answer::Copy(copy) => Told::Number((copy >> (4 * class) & 0xf) as u8),
                Answer::NoCopy => Told::NoNumber,
            };
            match self.follow(*set, Event::Return(thread, told)) {
                Some(next) => *set = next,
                None => return false,
            }
        }
        true
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

/// The classes that a call concerns.
fn concerned(
    sets: &mut [Set],
    kind: Kind,
    class: Option<usize>,
) -> impl Iterator<Item = (usize, &mut Set)> {
    sets.iter_mut()
        .enumerate()
        .filter(move |(at, _)| match kind {
            // A relocation is no call of the multiset.
            Kind::Move => false,
            Kind::Snapshot => true,
            _ => class == Some(*at),
        })
}

/// All explanations that follow from these when calls take effect.
fn closure(mut found: Vec<Explanation>) -> Vec<Explanation> {
    let mut seen: HashSet<Explanation> = found.iter().copied().collect();
    let mut at = 0;
    while at < found.len() {
        let explanation = found[at];
        for thread in 0..THREADS {
            let Some(next) = explanation.with_effect_of(thread) else {
                continue;
            };
            if seen.insert(next) {
                found.push(next);
            }
        }
        at += 1;
    }
    found.sort();
    found.dedup();
    found
}

impl Explanation {
    /// What is left of it after an event, if it agrees with it.
    fn after(self, event: Event) -> Option<Self> {
        let mut next = self;
        match event {
            Event::Call(thread, kind) => {
                next.calls[thread] = match kind {
                    Kind::Insert => Call::Open(Effect::Insert),
                    Kind::Unique => Call::Open(Effect::Unique),
                    Kind::Remove => Call::Open(Effect::Remove),
                    Kind::Contains => Call::Open(Effect::Contains),
                    Kind::Count | Kind::Snapshot => {
                        Call::Counting(self.tokens, self.tokens + self.removes_under_way())
                    }
                    Kind::Move => Call::None,
                };
            }
            Event::Return(thread, told) => {
                let agrees = match (self.calls[thread], told) {
                    (Call::Done(_, done), Told::Bool(result)) => done == result,
                    (Call::Open(_), Told::Nothing) => true,
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
        let removed = |call: &&Call| **call == Call::Done(Effect::Remove, true);
        self.calls.iter().filter(removed).count() as u8
    }

    /// What follows if the call of a thread takes effect now; none if it has, or there is none.
    fn with_effect_of(self, thread: usize) -> Option<Self> {
        let Call::Open(effect) = self.calls[thread] else {
            return None;
        };
        let present = self.tokens > 0;
        let (result, change) = match effect {
            Effect::Insert => (true, 1),
            Effect::Unique => (!present, i8::from(!present)),
            Effect::Remove => (present, -i8::from(present)),
            Effect::Contains => (present, 0),
        };
        let mut next = self;
        next.tokens = self.tokens.checked_add_signed(change)?;
        next.calls[thread] = Call::Done(effect, result);
        for call in &mut next.calls {
            if let Call::Counting(least, most) = call {
                *least = next.tokens.min(*least);
                *most += u8::from(change > 0);
            }
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASS: Option<usize> = Some(0);

    #[test]
    fn two_racing_removes_of_one_token_get_one_truth() {
        let mut monitor = Monitor::default();
        let mut sets = [monitor.start(1)];
        monitor.call(&mut sets, 0, Kind::Remove, CLASS);
        monitor.call(&mut sets, 1, Kind::Remove, CLASS);
        assert!(monitor.answer(&mut sets, 0, Kind::Remove, CLASS, Answer::Bool(true)));
        let mut other = sets;
        assert!(!monitor.answer(&mut other, 1, Kind::Remove, CLASS, Answer::Bool(true)));
        assert!(monitor.answer(&mut sets, 1, Kind::Remove, CLASS, Answer::Bool(false)));
        assert!(monitor.allows(sets[0], 0) && !monitor.allows(sets[0], 1));
    }

    #[test]
    fn a_lookup_after_an_insert_sees_it() {
        let mut monitor = Monitor::default();
        let mut sets = [monitor.start(0)];
        monitor.call(&mut sets, 0, Kind::Insert, CLASS);
        assert!(monitor.answer(&mut sets, 0, Kind::Insert, CLASS, Answer::Bool(true)));
        monitor.call(&mut sets, 1, Kind::Contains, CLASS);
        assert!(!monitor.answer(&mut sets, 1, Kind::Contains, CLASS, Answer::Bool(false)));
    }

    #[test]
    fn a_count_is_at_least_what_was_always_there() {
        let mut monitor = Monitor::default();
        let mut sets = [monitor.start(1)];
        monitor.call(&mut sets, 0, Kind::Count, CLASS);
        monitor.call(&mut sets, 1, Kind::Insert, CLASS);
        assert!(monitor.answer(&mut sets, 1, Kind::Insert, CLASS, Answer::Bool(true)));
        for (copies, possible) in [(0, false), (1, true), (2, true), (3, false)] {
            let mut sets = sets;
            let answer = Answer::Number(copies);
            assert_eq!(
                monitor.answer(&mut sets, 0, Kind::Count, CLASS, answer),
                possible
            );
        }
    }

    #[test]
    fn what_is_absent_and_present_in_turn_is_both() {
        let mut monitor = Monitor::default();
        let mut sets = [monitor.start(0)];
        monitor.call(&mut sets, 0, Kind::Contains, CLASS);
        for kind in [Kind::Unique, Kind::Remove] {
            monitor.call(&mut sets, 1, kind, CLASS);
            assert!(monitor.answer(&mut sets, 1, kind, CLASS, Answer::Bool(true)));
        }
        for result in [false, true] {
            let mut sets = sets;
            let answer = Answer::Bool(result);
            assert!(monitor.answer(&mut sets, 0, Kind::Contains, CLASS, answer));
        }
    }
}
