//! The machine of a fixed table for the explorer.

use std::ops::RangeInclusive;

use crate::fixed::machine::Run;
use crate::fixed::memory::{Answer, BUCKETS, Digits, Memory, STRANGERS, Word};
use crate::fixed::mutants::{MUTANTS, Mutant};
use crate::fixed::program;
use crate::fixed::program::{Call, Fixed, Item, Program, TOKENS};
use crate::fixed::views::{Known, Numbers, View, World, digit};
use crate::machine::{Machine, STEPS, alone, audit, check_left_on};
use crate::monitor::{Monitor, Set, THREADS};
use crate::notation::Kind;
use crate::replay::Step;
use crate::shared::{STRIPES, Shared, Stripe};
use crate::types::Types;

impl Types for Fixed {
    type Mutant = Mutant;
    type Known = Known;
    type Word = u64;
    type Copied = Digits;
}

impl Shared for Fixed {
    fn word<'a>(run: &'a mut Run<'_>, bucket: u8) -> &'a mut u64 {
        &mut run.memory.words[usize::from(bucket)]
    }

    fn show_word(world: &World, word: u64) -> String {
        Word(world.shape.layout, word).to_string()
    }

    fn stripes(memory: &mut Memory) -> &mut [Stripe; STRIPES] {
        &mut memory.stripes
    }
}

impl Machine for Fixed {
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
        if owned.filter(|descriptor| descriptor.owner != 0).count() > calls_under_way {
            return Err("a descriptor was not given back".into());
        }
        Ok(())
    }

    fn is_dead(memory: &Memory, thread: usize) -> bool {
        memory.dead >> thread & 1 != 0
    }

    fn left_on(world: &World, memory: &Memory) -> [(bool, &'static str); 4] {
        let layout = world.shape.layout;
        let mut descriptors = memory.descriptors[..world.shape.descriptors].iter();
        let frozen = memory.words.iter().any(|&w| layout.is_reference(w));
        let scanned = memory.stripes.iter().any(|stripe| stripe.scanned);
        [
            (frozen, "a word is left frozen"),
            (scanned, "a stripe still says that a scan is on"),
            (memory.scanner != 0, "the right to scan was not given back"),
            (
                descriptors.any(|descriptor| descriptor.owner != 0),
                "a descriptor of the dead was not taken back",
            ),
        ]
    }

    /// Lets a new process recover what all held, which must leave nothing on. Without a recovery,
    /// lets a new thread audit each value, and then each class with the remaining tokens. It looks
    /// up the other bucket first, then the first.
    fn after_death(
        world: &World,
        memory: &Memory,
        sets: &[Set],
        monitor: &Monitor,
    ) -> Result<(), String> {
        let mut recovered = *memory;
        recovered.dead = (1 << THREADS) - 1;
        let recover = Call::new(Kind::Recover, Item::default());
        alone::<Fixed>(world, &mut recovered, THREADS, &recover, STEPS)?;
        check_left_on::<Fixed>(world, &recovered)?;
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
