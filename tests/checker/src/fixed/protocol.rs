//! The machine of a table of one size, as the explorer sees it.

use crate::fixed::audit;
use crate::fixed::machine::{Answer, Digits, Run, STRANGERS, World};
use crate::fixed::memory::{Access, BUCKETS, Memory, SCAN, Shown, Word};
use crate::fixed::mutants::{MUTANTS, Mutant};
use crate::fixed::program::{Call, Fixed, Program, TOKENS};
use crate::fixed::thread::Locals;
use crate::fixed::views::{Numbers, View, digit};
use crate::machine::{Machine, Step};
use crate::monitor::{Monitor, Set};
use crate::mutants::Killed;

impl Machine for Fixed {
    type Mutant = Mutant;
    type World = World;
    type Memory = Memory;
    type Locals = Locals;
    type Access = Access;
    type Copied = Digits;
    type View = View;
    type Tokens = Numbers;

    const RACES: &'static str = include_str!("races.txt");
    const MUTANTS: &'static [Killed<Mutant>] = MUTANTS;

    fn memory(program: &Program) -> Option<Memory> {
        program.memory()
    }

    fn world(program: &Program, mutant: Option<Mutant>) -> World {
        World::new(program, mutant)
    }

    fn locals(world: &World, call: &Call) -> Locals {
        Locals::before(call, world.shape.layout)
    }

    fn step(
        world: &World,
        memory: &mut Memory,
        locals: &mut Locals,
        thread: usize,
        _: &Call,
    ) -> Step<Self> {
        let run = Run::step(world, memory, locals, thread);
        Step {
            access: run.access,
            wrote: run.wrote,
            fault: None,
            answer: run.answer,
        }
    }

    fn views(world: &World) -> &[View] {
        &world.views
    }

    fn is_known(world: &World, call: &Call, answer: Answer) -> bool {
        match answer {
            Answer::Value(Some(value)) => world.tokens.contains(&(call.item.class(), value)),
            Answer::Copy(Digits(copy)) => digit(copy, STRANGERS) == 0,
            _ => true,
        }
    }

    /// How many of each token that the program knows the words hold.
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
                    format!("word {number} holds {token:x}, which nobody inserted")
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

    fn check_end(world: &World, memory: &Memory) -> Result<(), String> {
        let layout = world.shape.layout;
        let frozen = memory.words.iter().any(|&w| layout.is_reference(w));
        let scanned = memory.stripes.iter().any(|stripe| stripe & SCAN != 0);
        match (frozen, scanned, memory.scanning) {
            (true, ..) => Err("a word is left frozen".into()),
            (_, true, _) => Err("a stripe still says that a scan is on".into()),
            (_, _, true) => Err("the right to scan was not given back".into()),
            _ => Ok(()),
        }
    }

    fn after_death(
        world: &World,
        memory: &Memory,
        sets: &[Set],
        monitor: &Monitor,
    ) -> Result<(), String> {
        audit::after_death(world, *memory, sets, monitor)
    }

    fn show_access(world: &World, before: &Locals, access: &Access) -> String {
        format!("{:?}: {}", before.at, Shown(world.shape.layout, *access))
    }

    fn show_words(world: &World, memory: &Memory) -> Vec<(usize, String)> {
        let words = memory.words[..world.shape.buckets].iter();
        let shown = words.map(|&word| Word(world.shape.layout, word).to_string());
        shown.enumerate().collect()
    }
}
