//! Programs made by chance, from a seed.

use std::collections::HashSet;

use model::{Layout, Value};

use crate::fixed::program::{Call, Item, Program, Shape};
use crate::notation::Kind;
use crate::random::{Deal, Random, Shares, distinct, shares};

/// The layouts of programs: half the slots are more of the protocol for the same states, and a semi-sorted bucket has its
/// tokens in another order.
pub(super) const LAYOUTS: [Layout; 3] = [Layout::DEFAULT, Layout::of(2, 31), Layout::of(4, 17)];

/// Those of programs whose tokens carry values.
const VALUED: [Layout; 2] = [Layout::VALUED[0], Layout::VALUED[2]];

impl Random {
    /// One of three values, if there are any.
    pub(crate) fn value(&mut self, shape: &Shape) -> Value {
        match shape.layout.value_bits {
            0 => 0,
            bits => self.pick(&[0, 4, Value::MAX >> (Value::BITS - bits)]),
        }
    }

    /// An item of a small number of classes, in one of its two orders.
    pub(crate) fn item(&mut self, shape: &Shape, letters: u8) -> Item {
        let letter = b'a' + self.below(letters.into()) as u8;
        let first = self.below(shape.buckets) as u8;
        let distances: &[u8] = if shape.buckets == 2 { &[1] } else { &[2, 3] };
        let second = first ^ self.pick(distances);
        shape
            .item(letter, first, second)
            .expect("each distance has fingerprints")
    }
}

/// So often each.
const KINDS: Shares =
    shares![Insert 5, Unique 4, Remove 5, Contains 4, Count 1, Move 5, Snapshot 1];

/// The same if tokens carry values.
const KINDS_WITH_VALUES: Shares = shares![
    Insert 5, Unique 1, UniqueValue 4, Remove 2, Take 4, Replace 5, Contains 1, Value 4, Values 2, Count 1, Move 5,
    Snapshot 1
];

/// Calls that a program has in all, at most.
const CALLS: usize = 6;

/// So many programs, no two alike but for the order of their threads; or such whose tokens carry values.
pub(crate) fn programs(valued: bool, seed: u64, number: usize) -> Vec<Program> {
    let random = &mut Random::new(seed);
    distinct(number, || {
        // The default layout in every other program.
        let layout = match valued {
            true => random.pick(&VALUED),
            false => LAYOUTS[random.pick(&[0, 0, 1, 2])],
        };
        Some(program(random, layout)).filter(writes)
    })
}

/// Whether a thread can be in the way of another.
fn writes(program: &Program) -> bool {
    let reads = [Kind::Contains, Kind::Count, Kind::Value, Kind::Values];
    let mut calls = program.threads.iter().flatten();
    calls.any(|call| !reads.contains(&call.kind))
}

fn program(random: &mut Random, layout: Layout) -> Program {
    let shape = Shape {
        layout,
        descriptors: random.pick(&[1, 2, 2, 3]),
        attempts: random.pick(&[1, 2, 2]),
        budget: random.pick(&[3, 4, 8, 16]),
        notes: random.pick(&[1, 2]),
        torn: random.below(4) == 0,
        ..Shape::of(random.pick(&[2, 2, 2, 4]))
    };
    let letters = random.pick(&[1, 1, 2, 2, 3]);
    let fill = fill(random, &shape, letters);
    let threads = random.pick(&[2, 2, 3, 3, 3, 4]);
    let mut deal = Deal::new(threads, random.pick(&[CALLS - 2, CALLS - 1, CALLS]));
    let calls_of_one = |_| {
        let calls = deal.next(random);
        (0..calls).map(|_| call(random, &shape, letters)).collect()
    };
    let mut threads: Vec<Vec<Call>> = (0..threads).map(calls_of_one).collect();
    threads.sort();
    let mut program = Program {
        shape,
        fill,
        threads,
    };
    if layout.has_values() && random.below(2) == 0 {
        keep_to_one(&mut program);
    }
    program
}

/// Leaves each class one token at most: then its tokens are watched as a whole.
fn keep_to_one(program: &mut Program) {
    let mut known = HashSet::new();
    program.fill.retain(|(item, _)| known.insert(item.class()));
    for call in program.threads.iter_mut().flatten() {
        if call.kind == Kind::Insert {
            call.kind = Kind::UniqueValue;
        }
    }
    program.threads.sort();
}

/// Tokens to begin with: a few, or nearly as many as there is room for.
fn fill(random: &mut Random, shape: &Shape, letters: u8) -> Vec<(Item, Value)> {
    let slots = shape.buckets * shape.layout.slots;
    let few = 1 + random.below(3);
    let wanted = random.pick(&[0, few, few, slots - few]);
    let mut rooms = vec![shape.layout.slots; shape.buckets];
    let mut fill = Vec::new();
    while fill.len() < wanted {
        let item = random.item(shape, letters);
        let room = &mut rooms[usize::from(item.first)];
        if *room > 0 {
            *room -= 1;
            fill.push((item, random.value(shape)));
        }
    }
    fill.sort();
    fill
}

/// A call that chance has picked.
pub(super) fn call(random: &mut Random, shape: &Shape, letters: u8) -> Call {
    let kinds = if shape.layout.has_values() {
        KINDS_WITH_VALUES
    } else {
        KINDS
    };
    let kind = random.kind(kinds);
    if kind == Kind::Snapshot {
        return Call::new(kind, Item::default());
    }
    let mut call = Call::new(kind, random.item(shape, letters));
    if [Kind::Insert, Kind::UniqueValue, Kind::Take, Kind::Replace].contains(&kind) {
        call.value = random.value(shape);
    }
    if kind == Kind::Replace {
        call.new = random.value(shape);
    }
    call
}
