//! Views: the numbers that the multiset of tokens is watched by, and what a call is to each of them.
//!
//! Without values there is one for each class: how many tokens it has. With values there is one more for each value that
//! a class can have: how many tokens have it. Each is linearizable by itself. Together they are not, if a class has
//! several tokens at a time: a remove that was under way before an equal token came may have to be placed before that,
//! so that a lookup can miss both tokens, while another one has seen the value that is removed beside the one that came.
//!
//! So each call is something to the class, which knows nothing of values, and something to each value of it:
//!
//! | call | to its class | to its value | to another value |
//! |---|---|---|---|
//! | insert | insert | insert | |
//! | unique | unique | unique | sees that there is none, if it inserts |
//! | remove | remove | takes one, or not | takes one, or not |
//! | contains, value | contains | contains, if it says so | contains, if it says so |
//! | take | remove, if it succeeds | remove | |
//! | replace | contains, if it succeeds | remove | insert, if that is the new one |
//! | values, snapshot | counts | counts | counts |

use model::{Layout, Value};

use crate::machine::{Answer, STRANGERS, World};
use crate::monitor::{Effect, Monitor, Role, Set, Told};
use crate::program::{CLASSES, Item, Kind, Operation, TOKENS};

/// Views a program has at most.
pub const VIEWS: usize = CLASSES + TOKENS;

/// How many of each token that the program knows there are.
pub type Numbers = [u8; TOKENS];

/// A number that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The class, by its number.
    class: usize,
    /// The tokens that count, one bit for each that the program knows.
    tokens: u32,
    /// The value that they have, if it matters.
    value: Option<Value>,
}

/// Those of a program.
pub fn views(layout: Layout, classes: &[Item], tokens: &[(Item, Value)]) -> Vec<View> {
    let class_of = |item| classes.iter().position(|&class| class == item);
    let views_of_classes = classes.iter().enumerate().map(|(class, item)| {
        let tokens = tokens.iter().enumerate();
        let of_the_class = tokens.filter(|(_, (other, _))| other == item);
        View {
            class,
            tokens: of_the_class.map(|(at, _)| 1 << at).sum(),
            value: None,
        }
    });
    let values = tokens.iter().enumerate().filter(|_| layout.has_values());
    let views_of_values = values.filter_map(|(at, &(item, value))| {
        Some(View {
            class: class_of(item)?,
            tokens: 1 << at,
            value: Some(value),
        })
    });
    views_of_classes.chain(views_of_values).collect()
}

/// A thread begins a call.
pub fn call(
    world: &World,
    monitor: &mut Monitor,
    sets: &mut [Set],
    thread: usize,
    call: &Operation,
) {
    let class = world.class_of(call.item.first, call.item.f);
    for (view, set) in world.views.iter().zip(sets) {
        if let Some(role) = view.role(class, call) {
            monitor.call(set, thread, role);
        }
    }
}

/// A thread's call returns. False: nothing explains the result.
#[must_use]
pub fn answer(
    world: &World,
    monitor: &mut Monitor,
    sets: &mut [Set],
    thread: usize,
    call: &Operation,
    answer: Answer,
) -> bool {
    let class = world.class_of(call.item.first, call.item.f);
    let known = match answer {
        Answer::Value(Some(value)) => {
            let token = (call.item.class(), value);
            world.tokens.contains(&token)
        }
        Answer::Copy(copy) => digit(copy, STRANGERS) == 0,
        _ => true,
    };
    let mut views = world.views.iter().zip(sets);
    known
        && views.all(|(view, set)| {
            view.role(class, call).is_none() || monitor.answer(set, thread, view.told(call, answer))
        })
}

fn digit(copy: u64, at: usize) -> u8 {
    (copy >> (4 * at) & 0xf) as u8
}

impl View {
    /// What it says of so many tokens.
    pub fn number(&self, numbers: &Numbers) -> u8 {
        if self.tokens.is_power_of_two() {
            return numbers[self.tokens.trailing_zeros() as usize];
        }
        let counted = numbers.iter().enumerate();
        let counted = counted.filter(|(at, _)| self.tokens >> at & 1 != 0);
        counted.map(|(_, number)| number).sum()
    }

    /// What is watched, for those who read a failure.
    pub fn name(&self, world: &World) -> String {
        let class = world.classes[self.class];
        let value = self.value.map(|value| format!(" with value {value}"));
        format!(
            "{:x}{} in {} and {}",
            class.f,
            value.unwrap_or_default(),
            class.first,
            class.second
        )
    }

    /// What a call is to it; `None` if nothing.
    fn role(&self, class: Option<usize>, call: &Operation) -> Option<Role> {
        let here = class == Some(self.class);
        match call.kind {
            // A relocation is no call of the multiset.
            Kind::Move => return None,
            Kind::Snapshot => return Some(Role::Counts),
            _ if !here => return None,
            Kind::Values => return Some(Role::Counts),
            Kind::Count => return self.value.is_none().then_some(Role::Counts),
            _ => {}
        }
        let effect = match self.value {
            None => match call.kind {
                Kind::Insert => Effect::Insert,
                Kind::Unique | Kind::UniqueValue => Effect::Unique,
                Kind::Remove | Kind::Take => Effect::Remove,
                _ => Effect::Contains,
            },
            Some(value) => match (call.kind, value == call.value, value == call.new) {
                (Kind::Insert, true, _) | (Kind::Replace, false, true) => Effect::Insert,
                (Kind::Insert | Kind::Take | Kind::Replace, false, _) => return None,
                (Kind::Unique | Kind::UniqueValue, true, _) => Effect::Unique,
                (Kind::Remove, ..) | (Kind::Take, true, _) | (Kind::Replace, true, false) => {
                    Effect::Remove
                }
                _ => Effect::Contains,
            },
        };
        Some(Role::Acts(effect))
    }

    /// What a result of a call that is something to it says.
    fn told(&self, call: &Operation, answer: Answer) -> Told {
        match answer {
            Answer::Number(copies) => Told::Number(copies as u8),
            Answer::Copy(copy) => {
                Told::Number(self.number(&std::array::from_fn(|at| digit(copy, at))))
            }
            Answer::NoCopy => Told::NoNumber,
            Answer::Bool(_) | Answer::Value(_) | Answer::Full | Answer::TooManyCopies => {
                match self.value {
                    None => told_of_class(call.kind, answer),
                    Some(value) => told_of_value(value, call, answer),
                }
            }
        }
    }
}

fn told_of_class(kind: Kind, answer: Answer) -> Told {
    match (kind, answer) {
        (Kind::Take, Answer::Bool(false)) => Told::Unchanged,
        (Kind::Replace, Answer::Bool(false)) => Told::Any,
        (_, Answer::Bool(result)) => Told::Bool(result),
        (Kind::UniqueValue, Answer::Value(found)) => Told::Bool(found.is_none()),
        (_, Answer::Value(found)) => Told::Bool(found.is_some()),
        _ => Told::Nothing,
    }
}

fn told_of_value(value: Value, call: &Operation, answer: Answer) -> Told {
    let own = value == call.value;
    match (call.kind, answer) {
        (Kind::Unique, Answer::Bool(false)) if own => Told::Unchanged,
        (Kind::Unique, Answer::Bool(inserted)) if own => Told::Bool(inserted),
        (Kind::Unique, Answer::Bool(true)) => Told::Bool(false),
        (Kind::UniqueValue, Answer::Value(None)) => Told::Bool(own),
        (Kind::UniqueValue, Answer::Value(Some(found))) if found == value => Told::Bool(!own),
        (Kind::UniqueValue, Answer::Value(Some(_))) if own => Told::Unchanged,
        (Kind::Unique | Kind::UniqueValue, Answer::Full) if own => Told::Nothing,
        (Kind::Unique | Kind::UniqueValue, _) => Told::Any,
        (Kind::Value, Answer::Value(None)) => Told::Bool(false),
        (Kind::Value, Answer::Value(Some(found))) if found == value => Told::Bool(true),
        (Kind::Remove | Kind::Contains, Answer::Bool(false)) => Told::Bool(false),
        (Kind::Remove | Kind::Contains | Kind::Value, _) => Told::Any,
        // The new value of one that is not replaced.
        (Kind::Replace, Answer::Bool(false)) if !own => Told::Nothing,
        (_, Answer::Bool(result)) => Told::Bool(result),
        _ => Told::Nothing,
    }
}
