//! Conformance: compares the machine with the shipping crate.
//!
//! Long random programs of one thread run on both. After each call the results must be equal, and
//! so must every word of the table, bit for bit. So the machine computes the same as the code:
//! where a token goes, which one is removed, which path a search finds, when it gives up.
//! `lockstep.rs` compares the order of the accesses, in another build.

use std::time::Instant;

use lockfree_cuckoo::testing::{Descriptors, Internals};
use lockfree_cuckoo::{
    Filter, FilterBuilder, InsertError,
    filter::Fixed,
    layout::{Lanes, Layout, SemiSorted, WithValues},
};
use model::hashers::AsGiven;
use model::{Token, stored};

use crate::fixed::memory::{Answer, Digits, Memory, STRANGERS};
use crate::fixed::mutants::Mutant;
use crate::fixed::program::{self, CLASSES, Call, Item, Program, Shape};
use crate::fixed::views::World;
use crate::machine::alone;
use crate::notation::{Kind, ShapeText};
use crate::parts::{Outcome, grouped};
use crate::random::Random;

/// All layouts but 8 x 8, where a class can have more copies than a snapshot of the machine can
/// count.
const LAYOUTS: [model::Layout; 8] = {
    let [default, _, six, five, three, two, rest @ ..] = model::Layout::EVERY;
    let [four, long, longer] = rest;
    [default, six, five, three, two, four, long, longer]
};

/// The number of calls of one program.
const CALLS: usize = 80;

/// More steps than any call makes in one thread.
const STEPS: usize = 10_000;

/// The number of attempts of an insert of the crate.
pub(crate) const ATTEMPTS: usize = 64;

/// Compares the machine with the crate, call by call, in this number of programs, with values or
/// without.
pub fn part(valued: bool, seed: u64, programs: usize) -> Outcome {
    let start = Instant::now();
    let layouts = if valued {
        &model::Layout::VALUED[..]
    } else {
        &LAYOUTS
    };
    let calls = each_seed(seed, programs, |seed| compare(None, seed, layouts))?;
    Ok(format!(
        "conformance{}: {} programs, {} calls, equal in results and in every word ({:.1} s)",
        of_values(valued),
        grouped(programs),
        grouped(calls.iter().sum()),
        start.elapsed().as_secs_f64()
    ))
}

pub(crate) fn of_values(valued: bool) -> &'static str {
    if valued { " of values" } else { "" }
}

/// Runs this number of comparisons, each with a seed of its own, and returns their counts.
pub(crate) fn each_seed(
    seed: u64,
    programs: usize,
    compare: impl Fn(u64) -> Result<usize, String> + Sync,
) -> Result<Vec<usize>, String> {
    let seeds: Vec<u64> = (0..programs as u64).map(|n| seed ^ n << 20).collect();
    let compare = |seed| compare(seed).map_err(|why| format!("seed {seed}: {why}"));
    crew::share(&seeds, drop, |(), &seed| compare(seed))
}

/// Runs one random program on both, with one of these layouts. Returns the number of calls; the
/// error is the call after which the two differ, and the difference.
fn compare(mutant: Option<Mutant>, seed: u64, layouts: &[model::Layout]) -> Result<usize, String> {
    let random = &mut Random::new(seed);
    let shape = Shape {
        layout: random.pick(layouts),
        descriptors: 1 + random.below(4),
        attempts: ATTEMPTS,
        budget: random.pick(&[2, 3, 4, 5, 8, 9, 10, 16, 300, 4096]),
        torn: random.below(2) == 0,
        ..Shape::of(random.pick(&[2, 4]))
    };
    let letters = match shape.layout.has_values() {
        true if shape.buckets > 2 => 1,
        _ => random.pick(&[1, 2, 3]),
    };
    let mut calls: Vec<Call> = (0..CALLS)
        .map(|_| program::call(random, &shape, letters))
        .collect();
    if shape.buckets > 2 {
        spare_classes(&mut calls);
    }
    fill_up(random, &mut calls);
    let program = Program {
        shape,
        fill: Vec::new(),
        threads: vec![calls],
    };
    let world = World::new(&program, mutant);
    let (mut memory, mut filter) = (Memory::new(shape.descriptors), empty(&shape)?);
    for (at, call) in program.threads[0].iter().enumerate() {
        let machine = alone::<program::Fixed>(&world, &mut memory, 0, call, STEPS)?;
        let crate_ = filter.call(&world, *call);
        let (words, expected) = (filter.words(), &memory.words[..shape.buckets]);
        if machine != crate_ || words != expected {
            return Err(format!(
                "{}: call {at}, {} {:?}: the machine says {machine} and {expected:x?}, \
                 the crate {crate_} and {words:x?}",
                ShapeText::<program::Fixed>(&shape),
                call.kind.name(),
                call.item
            ));
        }
    }
    Ok(CALLS)
}

/// Keeps as many classes as a snapshot of the machine can count.
fn spare_classes(calls: &mut [Call]) {
    let mut classes: Vec<Item> = Vec::new();
    for call in calls {
        let class = call.item.class();
        if call.kind == Kind::Snapshot || classes.contains(&class) {
            continue;
        }
        if classes.len() < CLASSES {
            classes.push(class);
        } else {
            call.item = classes[class.f as usize % CLASSES];
        }
    }
}

/// Turns some removes into inserts, so that tables become full.
fn fill_up(random: &mut Random, calls: &mut [Call]) {
    let share = random.below(4);
    for call in calls {
        if call.kind == Kind::Remove && random.below(4) < share {
            call.kind = Kind::Insert;
        }
    }
}

/// A filter of the crate with any layout.
pub(crate) trait Subject: Send + Sync {
    /// Makes a call.
    fn call(&self, world: &World, call: Call) -> Answer;
    /// Returns the words of the stored form.
    fn words(&mut self) -> Vec<u64>;
}

/// Returns a filter of this shape, if it has this layout.
type Make = fn(&Shape) -> Option<Result<Box<dyn Subject>, String>>;

/// Returns functions that make filters, one for each layout of a list.
macro_rules! makers {
    ($make:ident $($name:ident: $layout:ty;)*) => {
        [$($make::<$layout> as Make),*]
    };
}

/// Returns a filter of this shape.
pub(crate) fn empty(shape: &Shape) -> Result<Box<dyn Subject>, String> {
    let plain = model::layouts_without_values!(makers, of_layout);
    let valued = model::layouts_with_values!(makers, with_values);
    let mut makers = plain.into_iter().chain(valued);
    let made = makers.find_map(|make| make(shape));
    made.unwrap_or_else(|| Err(format!("the crate has no layout {:?}", shape.layout)))
}

fn of_layout<L: Layout>(shape: &Shape) -> Option<Result<Box<dyn Subject>, String>> {
    let make = |filter| Box::new(filter) as Box<dyn Subject>;
    is::<L>(shape.layout).then(|| built::<L>(shape).map(make))
}

fn with_values<L: WithValues>(shape: &Shape) -> Option<Result<Box<dyn Subject>, String>> {
    let make = |filter| Box::new(Valued(filter)) as Box<dyn Subject>;
    is::<L>(shape.layout).then(|| built::<L>(shape).map(make))
}

/// Whether these are the same layout.
fn is<L: Layout>(layout: model::Layout) -> bool {
    let model::Layout {
        slots,
        fingerprint_bits,
        value_bits,
        ..
    } = layout;
    (L::SLOTS, L::FINGERPRINT_BITS, L::VALUE_BITS) == (slots, fingerprint_bits, value_bits)
}

fn built<L: Layout>(shape: &Shape) -> Result<Filter<Fixed<L>, AsGiven>, String> {
    FilterBuilder::with_hasher(AsGiven)
        .buckets(shape.buckets)
        .descriptors(shape.descriptors)
        .search_budget(shape.budget)
        .build()
        .map_err(|error| error.to_string())
}

/// Returns the hash of an item for the crate.
fn hash(shape: &Shape, item: Item) -> u64 {
    shape.geometry().hash(item.first.into(), item.f, 0)
}

/// Returns the result of an insert of the crate in the machine's form.
fn inserted<T>(told: Result<T, InsertError>, answer: impl FnOnce(T) -> Answer) -> Answer {
    match told {
        Ok(told) => answer(told),
        Err(InsertError::TooManyCopies { .. }) => Answer::TooManyCopies,
        Err(InsertError::NoDescriptor) => Answer::NoDescriptor,
        Err(_) => Answer::Full,
    }
}

/// Returns a snapshot of the crate as the number of tokens of each class, as the machine counts
/// them.
fn copied(world: &World, tokens: impl Fn(Item) -> u64) -> Answer {
    let classes = world.known.classes.iter();
    Answer::Copy(Digits(classes.map(|&class| tokens(class)).sum()))
}

impl<L: Layout> Subject for Filter<Fixed<L>, AsGiven> {
    fn call(&self, world: &World, call: Call) -> Answer {
        let hash_of = |item| hash(&world.shape, item);
        let hash = hash_of(call.item);
        match call.kind {
            Kind::Insert => inserted(self.insert_hash(hash), |()| Answer::Bool(true)),
            Kind::Unique => inserted(self.insert_unique_hash(hash), Answer::Bool),
            Kind::Remove => Answer::Bool(self.remove_hash(hash)),
            Kind::Contains => Answer::Bool(self.contains_hash(hash)),
            Kind::Count => Answer::Number(self.count_hash(hash)),
            Kind::Move => Answer::Bool(self.relocate_hash(hash)),
            Kind::Snapshot => self.snapshot().map_or(Answer::NoCopy, |copy| {
                copied(world, |class| {
                    copy.count_hash(hash_of(class)) as u64 * digit(world, class, class.f)
                })
            }),
            _ => unreachable!("the notation knows no values without room for them"),
        }
    }

    fn words(&mut self) -> Vec<u64> {
        stored::words(&self.to_bytes().expect("quiet"))
    }
}

/// A filter whose tokens have values.
struct Valued<L: WithValues>(Filter<Fixed<L>, AsGiven>);

impl<L: WithValues> Subject for Valued<L> {
    fn call(&self, world: &World, call: Call) -> Answer {
        let Self(filter) = self;
        let Call { value, new, .. } = call;
        let hash = hash(&world.shape, call.item);
        match call.kind {
            Kind::Insert => {
                let told = filter.insert_value_hash(hash, value);
                inserted(told, |()| Answer::Bool(true))
            }
            Kind::UniqueValue => {
                inserted(filter.insert_unique_value_hash(hash, value), Answer::Value)
            }
            Kind::Value => Answer::Value(filter.value_hash(hash)),
            Kind::Values => Answer::Copy(Digits(digits(world, call.item, filter))),
            Kind::Replace => {
                let replaced = filter.replace_value_hash(hash, value, new);
                Answer::Bool(replaced.expect("the values of a program fit its layout"))
            }
            Kind::Take => Answer::Bool(filter.remove_value_hash(hash, value)),
            Kind::Snapshot => filter.snapshot().map_or(Answer::NoCopy, |copy| {
                copied(world, |class| digits(world, class, &copy))
            }),
            _ => filter.call(world, call),
        }
    }

    fn words(&mut self) -> Vec<u64> {
        self.0.words()
    }
}

/// Returns the number of tokens of a class, as a snapshot of the machine counts them.
fn digits<L: WithValues>(world: &World, item: Item, filter: &Filter<Fixed<L>, AsGiven>) -> u64 {
    let values = filter.values_hash(hash(&world.shape, item));
    let tokens = values.map(|value| world.shape.layout.token(item.f, value));
    tokens.map(|token| digit(world, item, token)).sum()
}

/// Returns the digit of one token.
fn digit(world: &World, item: Item, token: Token) -> u64 {
    1 << (4 * world.token_of(item.first, token).unwrap_or(STRANGERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two defects that one thread alone can show: the place of a token, and the time when an
    /// insert gives up.
    #[test]
    fn a_machine_that_errs_is_found_out() {
        for (mutant, layouts) in [
            (Mutant::OpenedSlotForAnybody, &LAYOUTS[..]),
            (Mutant::CommittedSourceStaysFrozen, &LAYOUTS),
            (Mutant::PathLosesItsValue, &model::Layout::VALUED),
            (Mutant::HopTakesAnyOfItsClass, &model::Layout::VALUED),
        ] {
            let errs = |seed: &u64| compare(Some(mutant), *seed, layouts).is_err();
            let found = (0..1_000).filter(errs).count();
            assert!(found > 10, "{mutant:?} was found out {found} times");
        }
    }
}
