//! The machine of a fixed table for the explorer, and its views: the watched parts of the multiset
//! of tokens, and the role of a call in each view.
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

use std::ops::RangeInclusive;

use model::Value;

use crate::fixed::machine::{Answer, BUCKETS, Digits, Known, Memory, Run, STRANGERS, Word, World};
use crate::fixed::mutants::{MUTANTS, Mutant};
use crate::fixed::program;
use crate::fixed::program::{Call, Fixed, Item, Program, TOKENS};
use crate::machine;
use crate::machine::{Machine, STEPS, alone, audit};
use crate::monitor::{Code, Effect, Monitor, Role, Set, THREADS, Told};
use crate::notation::Kind;
use crate::replay::Step;
use crate::shared::{STRIPES, Stripe};

impl Machine for Fixed {
    type Mutant = Mutant;
    type Known = Known;
    type Word = u64;
    type Copied = Digits;
    type View = View;
    type Tokens = Numbers;

    const RACES: &'static str = include_str!("races.txt");
    const MUTANTS: &'static [(Mutant, &'static str)] = MUTANTS;

    /// The second model has tokens with values.
    const MODELS: RangeInclusive<u8> = 0..=1;

    fn name_of(model: u8) -> String {
        ["", "values, "][usize::from(model)].into()
    }

    fn random(model: u8, seed: u64, number: usize) -> Vec<Program> {
        program::programs(model == 1, seed, number)
    }

    fn known(program: &Program) -> Known {
        Known::new(program)
    }

    fn word<'a>(run: &'a mut Run<'_>, bucket: u8) -> &'a mut u64 {
        &mut run.memory.words[usize::from(bucket)]
    }

    fn show_word(world: &World, word: u64) -> String {
        Word(world.shape.layout, word).to_string()
    }

    fn stripes(memory: &mut Memory) -> &mut [Stripe; STRIPES] {
        &mut memory.stripes
    }

    fn call(run: &mut Run<'_>) -> Step<Answer> {
        run.make()
    }

    fn views(world: &World) -> &[View] {
        &world.known.views
    }

    fn is_known(world: &World, call: &Call, answer: Answer) -> bool {
        match answer {
            Answer::Value(Some(value)) => world.known.tokens.contains(&(call.item.class(), value)),
            Answer::Copy(Digits(copy)) => digit(copy, STRANGERS) == 0,
            _ => true,
        }
    }

    /// Returns the number of tokens in the words for each token that the program knows.
    fn tokens(world: &World, memory: &Memory) -> Result<Numbers, String> {
        let layout = world.shape.layout;
        let mut numbers = [0; TOKENS];
        for number in 0..BUCKETS.min(world.shape.buckets) {
            let content = memory
                .content(layout, number)
                .ok_or_else(|| format!("word {number} is frozen by a use that is over"))?;
            if !layout.is_packed(content) {
                return Err(format!(
                    "word {number} is no packed bucket: {content:#018x}"
                ));
            }
            for token in layout.tokens(content) {
                let known = world.token_of(number as u8, token).ok_or_else(|| {
                    format!("word {number} holds {token:x}, which no thread inserted")
                })?;
                numbers[known] += 1;
            }
        }
        Ok(numbers)
    }

    fn check(
        world: &World,
        memory: &Memory,
        _: &Numbers,
        calls_under_way: usize,
    ) -> Result<(), String> {
        let owned = memory.descriptors[..world.shape.descriptors].iter();
        if owned.filter(|descriptor| descriptor.owned).count() > calls_under_way {
            return Err("a descriptor was not given back".into());
        }
        Ok(())
    }

    fn left_on(world: &World, memory: &Memory) -> [(bool, &'static str); 3] {
        let layout = world.shape.layout;
        let frozen = memory.words.iter().any(|&w| layout.is_reference(w));
        let scanned = memory.stripes.iter().any(|stripe| stripe.scanned);
        [
            (frozen, "a word is left frozen"),
            (scanned, "a stripe still says that a scan is on"),
            (memory.scanning, "the right to scan was not given back"),
        ]
    }

    /// Lets a new thread audit each value, and then each class with the remaining tokens. It looks
    /// up the other bucket first, then the first.
    fn after_death(
        world: &World,
        memory: &Memory,
        sets: &[Set],
        monitor: &Monitor,
    ) -> Result<(), String> {
        let mut memory = *memory;
        if world.shape.layout.has_values() {
            check_values(world, &mut memory)?;
        }
        for (class, (&item, &set)) in world.known.classes.iter().zip(sets).enumerate() {
            let mut looked = false;
            let call = |kind| {
                let first = kind == Kind::Contains && !std::mem::replace(&mut looked, true);
                let item = if first { item.flipped() } else { item };
                newcomer(world, &mut memory, &Call::new(kind, item))
            };
            audit(call, |copies| monitor.allows(set, copies), &[Kind::Insert])
                .map_err(|why| format!("class {class}, after all threads died: {why}"))?;
        }
        Ok(())
    }

    fn show_words(world: &World, memory: &Memory) -> Vec<(usize, String)> {
        let words = memory.words[..world.shape.buckets].iter();
        let shown = words.map(|&word| Self::show_word(world, word));
        shown.enumerate().collect()
    }
}

fn newcomer(world: &World, memory: &mut Memory, call: &Call) -> Result<Answer, String> {
    alone::<Fixed>(world, memory, THREADS - 1, call, STEPS)
}

/// Lets a new thread read the values of each class, and replace one back and forth.
fn check_values(world: &World, memory: &mut Memory) -> Result<(), String> {
    for (at, &(item, value)) in world.known.tokens.iter().enumerate() {
        let mut call = |kind: Kind, value, new| {
            let call = Call {
                value,
                new,
                ..Call::new(kind, item)
            };
            newcomer(world, memory, &call)
        };
        let Answer::Copy(Digits(copy)) = call(Kind::Values, 0, 0)? else {
            unreachable!("a lookup of values returns them");
        };
        let present = copy >> (4 * at) & 0xf != 0;
        let Answer::Value(found) = call(Kind::Value, 0, 0)? else {
            unreachable!("a lookup of a value returns one");
        };
        if found.is_some() != (copy != 0) {
            return Err(format!("values contradict a lookup of {item:?}"));
        }
        let other = value ^ 1;
        let there = call(Kind::Replace, value, other)?;
        let back = present && call(Kind::Replace, other, value)? == Answer::Bool(true);
        if there != Answer::Bool(present)
            || back != present
            || call(Kind::Values, 0, 0)? != Answer::Copy(Digits(copy))
        {
            return Err(format!(
                "a newcomer cannot replace value {value} of {item:?}"
            ));
        }
    }
    Ok(())
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
            // A relocation is no call of the multiset.
            (Kind::Move, _) => None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Setting;
    use crate::monitor::Monitor;

    /// The only token of a class has one value after another. Each value alone and the number of
    /// tokens can be explained: 4 came after 9 was seen, and 9 was seen after 4.
    #[test]
    fn only_token_of_a_class() {
        let thread = "value f01, value f10";
        for (other, explained) in [("contains f01", false), ("insert f01=9", true)] {
            let text = format!("pair layout=4x12+4: f01=9 | replace f01 9>4 | {thread} | {other}");
            let program: Program = text.parse().expect("a program");
            let setting = Setting::new(&program, None);
            let monitor = &mut Monitor::default();
            let mut state = setting.start(monitor);
            setting.begin(&mut state, monitor, 0, &program.threads[0][0]);
            let mut sees = |nth: usize, value| {
                let (lookup, answer) = (&program.threads[1][nth], Answer::Value(value));
                setting.begin(&mut state, monitor, 1, lookup);
                let explained = setting.explain(&mut state, monitor, 1, lookup, answer);
                explained.is_ok()
            };
            assert!(sees(0, Some(4)));
            assert_eq!(sees(1, Some(9)), explained, "with {other}");
        }
    }
}
