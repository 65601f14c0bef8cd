//! The machine of tables that double, as the explorer sees it.

use std::cmp::Reverse;
use std::ops::RangeInclusive;

use crate::growing::geometry::{Class, Item, WORDS, level_of};
use crate::growing::machine::{Answer, Change, Classes, Memory, Run, Word, World};
use crate::growing::mutants::{MUTANTS, Mutant};
use crate::growing::program;
use crate::growing::program::{Call, Growing, Program};
use crate::machine::{Machine, STEPS, Shown, View, alone, audit};
use crate::monitor::{Effect, Monitor, Role, Set, THREADS, Told};
use crate::notation::Kind;
use crate::replay::Step;
use crate::shared::{STRIPES, Stripe};

impl Machine for Growing {
    type Mutant = Mutant;
    type Known = Vec<Item>;
    type Word = Word;
    type Copied = Classes;
    type View = Item;
    type Tokens = Vec<Class>;

    const RACES: &'static str = include_str!("races.txt");
    const MUTANTS: &'static [(Mutant, &'static str)] = MUTANTS;

    const MODELS: RangeInclusive<u8> = 1..=7;

    fn name_of(model: u8) -> String {
        format!("M{model} ")
    }

    fn random(model: u8, seed: u64, number: usize) -> Vec<Program> {
        program::programs(model, seed, number)
    }

    fn known(program: &Program) -> Vec<Item> {
        program.items()
    }

    /// It is in a block that is there.
    fn word<'a>(run: &'a mut Run<'_>, number: u8) -> &'a mut Word {
        if run.memory.blocks >> level_of(number) & 1 == 0 {
            run.made.fault = Some("an access to a block that is not there");
        }
        &mut run.memory.words[usize::from(number) % WORDS]
    }

    fn show_word(_: &World, word: Word) -> String {
        word.to_string()
    }

    fn stripes(memory: &mut Memory) -> &mut [Stripe; STRIPES] {
        &mut memory.stripes
    }

    fn call(run: &mut Run<'_>) -> Step<Answer> {
        run.make()
    }

    /// Who is refused owns nothing that it could remove.
    fn ends(world: &World, call: &Call, answer: Answer) -> bool {
        let owns = call.kind.has_item() && !call.kind.has_side();
        world.shape.contract && owns && answer != Answer::Bool(true)
    }

    fn views(world: &World) -> &[Item] {
        &world.known
    }

    /// The classes of all tokens: those in the live words. What a split has frozen is the truth until the word is gone.
    fn tokens(world: &World, memory: &Memory) -> Result<Vec<Class>, String> {
        let mut tokens = Vec::new();
        for table in 0..usize::from(memory.tables) {
            let level = memory.roots[table].level;
            let mut next: Vec<u8> = (1 << level..2 << level).collect();
            while let Some(number) = next.pop() {
                match content(memory, number)? {
                    Word::Gone if level_of(number) > level => {
                        return Err(format!("word {number} is split too early"));
                    }
                    Word::Gone => next.extend([2 * number, 2 * number + 1]),
                    Word::Unborn => return Err(format!("word {number} is live, and not there")),
                    word => tokens.extend(word.classes(world.levels_at(number), number)),
                }
            }
        }
        Ok(tokens)
    }

    /// Notes for each scan how often each item has been in throughout. Where a remove is under way, it may be explained
    /// as over.
    fn follow<'a>(
        world: &World,
        memory: &mut Memory,
        shown: &Shown<Self>,
        under_way: impl Iterator<Item = &'a Call>,
    ) -> Result<(), String> {
        if !world.shape.contract {
            return Ok(());
        }
        let throughout = &mut memory.throughout[shown.thread];
        if shown.begun.is_some_and(|call| call.kind == Kind::Snapshot) {
            *throughout = memory.items;
        }
        let mut verdict = Ok(());
        if let Some(answer) = shown.answer {
            let least = std::mem::take(throughout);
            if let Answer::Copy(copy) = answer {
                let copy: Vec<Class> = copy.iter().collect();
                if !matches(&world.known, &least, &copy) {
                    verdict = Err("a copy has no token for an item that was in throughout".into());
                }
            }
        }
        let mut stays = memory.items;
        for call in under_way.filter(|call| call.kind == Kind::Remove) {
            let stays = &mut stays[usize::from(world.id_of(call.item))];
            *stays = stays.saturating_sub(1);
        }
        for throughout in &mut memory.throughout {
            for (least, now) in throughout.iter_mut().zip(&stays) {
                *least = (*least).min(*now);
            }
        }
        verdict
    }

    /// Each item that is in can have a token.
    fn check(world: &World, memory: &Memory, tokens: &Vec<Class>, _: usize) -> Result<(), String> {
        if world.shape.contract {
            let items = memory.items.iter().map(|&number| usize::from(number));
            if items.sum::<usize>() != tokens.len() {
                return Err("there are not as many tokens as items".into());
            }
            if !matches(&world.known, &memory.items, tokens) {
                return Err("an item that is in has no token".into());
            }
        }
        Ok(())
    }

    fn left_on(_: &World, memory: &Memory) -> [(bool, &'static str); 3] {
        let frozen = memory.words.iter().any(|word| word.is_reference());
        let scanned = memory.stripes.iter().any(|stripe| stripe.scanned);
        [
            (frozen, "a word is left frozen"),
            (scanned || memory.scan.taken, "a scan is left on"),
            (memory.epoch.pinned > 0, "a thread is left pinned"),
        ]
    }

    /// A newcomer audits each item by itself: what covers one may cover another.
    fn after_death(
        world: &World,
        memory: &Memory,
        sets: &[Set],
        monitor: &Monitor,
    ) -> Result<(), String> {
        let mut newcomers = world.clone();
        newcomers.shape.contract = false;
        for (&item, &set) in world.known.iter().zip(sets) {
            let mut memory = *memory;
            let mut call = |kind| {
                let call = Call::new(kind, item);
                alone::<Growing>(&newcomers, &mut memory, THREADS, &call, STEPS)
            };
            let is_allowed = |copies| monitor.allows(set, copies);
            audit(&mut call, is_allowed, &[Kind::Insert, Kind::Unique])
                .map_err(|why| format!("{item}, after all threads died: {why}"))?;
            call(Kind::Double)?;
            if call(Kind::Contains)? != Answer::Bool(false) {
                return Err(format!(
                    "the end of the growth brings back {item} after all threads died"
                ));
            }
        }
        Ok(())
    }

    fn show_words(_: &World, memory: &Memory) -> Vec<(usize, String)> {
        let words = memory.words.iter().enumerate();
        let there = words.filter(|(_, word)| **word != Word::Unborn);
        there
            .map(|(number, word)| (number, word.to_string()))
            .collect()
    }
}

/// What is watched of each item is the number of tokens that cover it. A call with the item changes it as in a filter of one
/// size. A call with another item of its head may change it by one too, because a token can cover both.
impl View<Growing> for Item {
    fn role(&self, _: &World, call: &Call) -> Option<Role> {
        if call.kind == Kind::Snapshot {
            return Some(Role::Counts);
        }
        if !call.kind.has_item() || call.item.head != self.head {
            return None;
        }
        Some(Role::Acts(match (call.kind, call.item == *self) {
            (Kind::Insert, true) => Effect::Insert,
            (Kind::Insert, false) => Effect::InsertNear,
            (Kind::Unique, true) => Effect::Unique,
            (Kind::Unique, false) => Effect::UniqueNear,
            (Kind::Remove, true) => Effect::Remove,
            (Kind::Remove, false) => Effect::RemoveNear,
            (Kind::Contains, true) => Effect::Contains,
            (Kind::Count, true) => return Some(Role::Counts),
            _ => return None,
        }))
    }

    fn told(&self, _: &World, _: &Call, answer: Answer) -> Told {
        match answer {
            Answer::Bool(result) => Told::Bool(result),
            Answer::Number(copies) => Told::Number(copies as u8),
            Answer::Copy(classes) => Told::Number(covering(classes.iter(), *self)),
            Answer::NoCopy => Told::NoNumber,
            _ => Told::Nothing,
        }
    }

    fn number(&self, tokens: &Vec<Class>) -> u8 {
        covering(tokens.iter().copied(), *self)
    }

    fn name(&self, _: &World) -> String {
        format!("that cover {self}")
    }
}

fn covering(tokens: impl Iterator<Item = Class>, item: Item) -> u8 {
    tokens.filter(|class| class.covers(item)).count() as u8
}

/// What a word holds logically.
fn content(memory: &Memory, number: u8) -> Result<Word, String> {
    let word = memory.words[usize::from(number)];
    if !word.is_reference() {
        return Ok(word);
    }
    let (index, uses) = word.named();
    let descriptor = memory.descriptors[index];
    if descriptor.uses != uses {
        return Err(format!("word {number} is frozen by a use that is over"));
    }
    Ok(match descriptor.transfer.kind {
        Change::Split => descriptor.transfer.old_source,
        _ => descriptor.transfer.content(number),
    })
}

/// Whether so many of each item can be matched with tokens that cover them, one each. Classes are nested or apart, so it is
/// enough that the longest token takes any item first: whoever covers that item later covers the others too.
fn matches(items: &[Item], numbers: &[u8], tokens: &[Class]) -> bool {
    let mut numbers = numbers.to_vec();
    let mut tokens = tokens.to_vec();
    tokens.sort_by_key(|token| Reverse(token.len));
    for token in tokens {
        let covered = items.iter().zip(&mut numbers);
        let mut wanted = covered.filter(|(item, number)| **number > 0 && token.covers(**item));
        if let Some((_, number)) = wanted.next() {
            *number -= 1;
        }
    }
    numbers.iter().all(|&number| number == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_token_serves_whom_no_long_one_covers() {
        let [x, y] = [0b0000, 0b0100].map(|bits| Item { head: 1, bits });
        let short = Class::of(x, 1);
        let long = Class::of(x, 2);
        assert!(matches(&[x, y], &[1, 1], &[short, long]));
        assert!(!matches(&[x, y], &[1, 1], &[long, long]));
        assert!(!matches(&[x, y], &[1, 2], &[short, long]));
        assert!(matches(&[x, y], &[2, 0], &[short, long]));
    }
}
