//! The views of a program: the watched parts of the multiset of tokens, and the role of a call in
//! each.
//!
//! Without values there is one view for each class: its number of tokens. With values there is one
//! more for each possible value of a class: the number of tokens that have it. Each is linearizable
//! by itself. Together they are not, if a class has several tokens at a time: a remove that was
//! under way before an equal token came may have to be placed before that insert, so that a lookup
//! can miss both tokens, while another one has seen the removed value beside the new one
//! (`model::history` has that schedule). A class that has at most one token, because all come by
//! `unique`, is also watched as a whole: which token it has.
//!
//! So each call has a role for the class, which ignores values, and a role for each value of it:
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

use model::Value;

use crate::fixed::memory::{Answer, Digits};
use crate::fixed::program::{Call, Fixed, Item, Program, TOKENS};
use crate::machine;
use crate::monitor::{Code, Effect, Role, Told};
use crate::notation::Kind;
use crate::types;

/// The classes and tokens of a program, and the views of them.
#[derive(Clone, Debug)]
pub struct Known {
    pub classes: Vec<Item>,
    /// The possible tokens: the class of each, and its value.
    pub tokens: Vec<(Item, Value)>,
    pub views: Vec<View>,
}

/// The constants of an exploration.
pub(super) type World = types::World<Fixed>;

impl Known {
    pub fn new(program: &Program) -> Self {
        let (classes, tokens) = (program.classes(), program.tokens());
        Self {
            views: views(program, &classes, &tokens),
            classes,
            tokens,
        }
    }
}

/// The number of tokens for each token that the program knows.
pub(super) type Numbers = [u8; TOKENS];

/// A watched part of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The number of the class.
    class: usize,
    /// The tokens that count, one bit for each that the program knows.
    tokens: u32,
    watched: Watched,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watched {
    Number,
    /// The number of tokens with this value.
    Value(Value),
    /// The only token.
    Token,
}

/// Returns the views of a program: first one for each class.
pub(super) fn views(program: &Program, classes: &[Item], tokens: &[(Item, Value)]) -> Vec<View> {
    let of_class = |watched| {
        move |(class, item): (usize, &Item)| {
            let tokens = tokens.iter().enumerate();
            let of_the_class = tokens.filter(|(_, (other, _))| other == item);
            View {
                class,
                tokens: of_the_class.map(|(at, _)| 1 << at).sum(),
                watched,
            }
        }
    };
    let mut views: Vec<View> = classes
        .iter()
        .enumerate()
        .map(of_class(Watched::Number))
        .collect();
    if program.shape.layout.has_values() {
        for (at, &(item, value)) in tokens.iter().enumerate() {
            let class = classes.iter().position(|&class| class == item);
            views.extend(class.map(|class| View {
                class,
                tokens: 1 << at,
                watched: Watched::Value(value),
            }));
        }
        let single = classes.iter().enumerate();
        let single = single.filter(|&(_, &class)| has_one_at_most(program, class));
        views.extend(single.map(of_class(Watched::Token)));
    }
    views
}

/// Whether no call can give a class a second token.
fn has_one_at_most(program: &Program, class: Item) -> bool {
    let mut calls = program.threads.iter().flatten();
    let filled = program
        .fill
        .iter()
        .filter(|(item, _)| item.class() == class);
    filled.count() < 2 && !calls.any(|call| call.kind == Kind::Insert && call.item.class() == class)
}

/// Returns the number of copies of a token in a snapshot.
pub(super) fn digit(copy: u64, at: usize) -> u8 {
    (copy >> (4 * at) & 0xf) as u8
}

/// Returns the code of a token of the call's class, for the view of the only token. Tokens that the
/// program does not know share a code.
fn code(world: &World, call: &Call, value: Value) -> Code {
    let token = (call.item.class(), value);
    let known = world.known.tokens.iter().position(|&known| known == token);
    known.map_or(Code::MAX, |at| at as Code + 1)
}

impl machine::View<Fixed> for View {
    fn number(&self, numbers: &Numbers) -> u8 {
        let counted = (0..TOKENS).filter(|at| self.tokens >> at & 1 != 0);
        match self.watched {
            Watched::Token => {
                let mut present = counted.filter(|&at| numbers[at] > 0);
                present.next().map_or(0, |at| at as Code + 1)
            }
            _ if self.tokens.is_power_of_two() => numbers[self.tokens.trailing_zeros() as usize],
            _ => counted.map(|at| numbers[at]).sum(),
        }
    }

    fn name(&self, world: &World) -> String {
        let Item { first, second, f } = world.known.classes[self.class];
        match self.watched {
            Watched::Value(value) => format!("of {f:x} with value {value} in {first} and {second}"),
            _ => format!("of {f:x} in {first} and {second}"),
        }
    }

    fn role(&self, world: &World, call: &Call) -> Option<Role> {
        let here = call.item.class() == world.known.classes[self.class];
        let code = |value| code(world, call, value);
        let effect = match (call.kind, self.watched) {
            // A relocation is no call of the multiset, and neither is a recovery.
            (Kind::Move | Kind::Recover, _) => None,
            (Kind::Snapshot | Kind::Values | Kind::Count, Watched::Token) => None,
            (Kind::Count, Watched::Value(_)) => None,
            (Kind::Snapshot, _) => return Some(Role::Counts),
            _ if !here => None,
            (Kind::Values | Kind::Count, _) => return Some(Role::Counts),
            (kind, Watched::Number) => Some(match kind {
                Kind::Insert => Effect::Insert,
                Kind::Unique | Kind::UniqueValue => Effect::Unique,
                Kind::Remove | Kind::Take => Effect::Remove,
                _ => Effect::Contains,
            }),
            (kind, Watched::Value(value)) => match (kind, value == call.value, value == call.new) {
                (Kind::Insert, true, _) | (Kind::Replace, false, true) => Some(Effect::Insert),
                (Kind::Insert | Kind::Take | Kind::Replace, false, _) => None,
                (Kind::Unique | Kind::UniqueValue, true, _) => Some(Effect::Unique),
                (Kind::Remove, ..) | (Kind::Take, ..) | (Kind::Replace, true, false) => {
                    Some(Effect::Remove)
                }
                _ => Some(Effect::Contains),
            },
            (kind, Watched::Token) => Some(match kind {
                Kind::Unique | Kind::UniqueValue => Effect::Admit(code(call.value)),
                Kind::Remove => Effect::Clear,
                Kind::Take => Effect::Take(code(call.value)),
                Kind::Replace => Effect::Replace(code(call.value), code(call.new)),
                _ => Effect::Look,
            }),
        };
        effect.map(Role::Acts)
    }

    fn told(&self, world: &World, call: &Call, answer: Answer) -> Told {
        match (answer, self.watched) {
            (Answer::Number(copies), _) => Told::Number(copies as u8),
            (Answer::Copy(Digits(copy)), _) => {
                Told::Number(self.number(&std::array::from_fn(|at| digit(copy, at))))
            }
            (Answer::NoCopy, _) => Told::NoNumber,
            (_, Watched::Number) => told_of_class(call.kind, answer),
            (_, Watched::Value(value)) => told_of_value(value, call, answer),
            (Answer::Value(found), Watched::Token) => {
                Told::Saw(found.map(|value| code(world, call, value)))
            }
            (Answer::Bool(inserted), _) if call.kind == Kind::Unique => match inserted {
                true => Told::Saw(None),
                false => Told::SawOne,
            },
            (Answer::Bool(result), _) => Told::Bool(result),
            (Answer::Full | Answer::NoDescriptor | Answer::TooManyCopies, _) => Told::Nothing,
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

fn told_of_value(value: Value, call: &Call, answer: Answer) -> Told {
    let own = value == call.value;
    match (call.kind, answer) {
        (Kind::Unique, Answer::Bool(false)) if own => Told::Unchanged,
        (Kind::Unique, Answer::Bool(inserted)) if own => Told::Bool(inserted),
        (Kind::Unique, Answer::Bool(true)) => Told::Bool(false),
        (Kind::UniqueValue, Answer::Value(None)) => Told::Bool(own),
        (Kind::UniqueValue, Answer::Value(Some(found))) if found == value => Told::Bool(!own),
        (Kind::UniqueValue, Answer::Value(Some(_))) if own => Told::Unchanged,
        (Kind::Unique | Kind::UniqueValue, Answer::Full | Answer::NoDescriptor) if own => {
            Told::Nothing
        }
        (Kind::Unique | Kind::UniqueValue, _) => Told::Any,
        (Kind::Value, Answer::Value(None)) => Told::Bool(false),
        (Kind::Value, Answer::Value(Some(found))) if found == value => Told::Bool(true),
        (Kind::Remove | Kind::Contains, Answer::Bool(false)) => Told::Bool(false),
        (Kind::Remove | Kind::Contains | Kind::Value, _) => Told::Any,
        // The new value of a token that is not replaced.
        (Kind::Replace, Answer::Bool(false)) if !own => Told::Nothing,
        (_, Answer::Bool(result)) => Told::Bool(result),
        _ => Told::Nothing,
    }
}
