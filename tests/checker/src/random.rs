//! Programs made by chance, from a seed.

use std::collections::HashSet;

use model::{Layout, Value};

use crate::layout::{EXPLORED, VALUED};
use crate::program::{CLASSES, Item, Kind, Operation, Program, Shape, TOKENS};

/// A generator of random numbers: SplitMix64 (Steele, Lea, Flood 2014). The same on every machine, for ever.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// One of three values, if there are any.
    pub fn value(&mut self, shape: &Shape) -> Value {
        match shape.layout.value_bits {
            0 => 0,
            bits => self.pick(&[0, 4, Value::MAX >> (Value::BITS - bits)]),
        }
    }

    /// An item of a small number of classes, in one of its two orders.
    pub fn item(&mut self, shape: &Shape, letters: u8) -> Item {
        let letter = b'a' + self.below(letters.into()) as u8;
        let first = self.below(shape.buckets) as u8;
        let distances: &[u8] = if shape.buckets == 2 { &[1] } else { &[2, 3] };
        let second = first ^ self.pick(distances);
        shape
            .item(letter, first, second)
            .expect("each distance has fingerprints")
    }
}

/// So often each, as a share of the sum.
const KINDS: [(Kind, usize); 7] = [
    (Kind::Insert, 5),
    (Kind::Unique, 4),
    (Kind::Remove, 5),
    (Kind::Contains, 4),
    (Kind::Count, 1),
    (Kind::Move, 5),
    (Kind::Snapshot, 1),
];

/// The same if tokens carry values.
const KINDS_WITH_VALUES: [(Kind, usize); 12] = [
    (Kind::Insert, 5),
    (Kind::Unique, 1),
    (Kind::UniqueValue, 4),
    (Kind::Remove, 2),
    (Kind::Take, 4),
    (Kind::Replace, 5),
    (Kind::Contains, 1),
    (Kind::Value, 4),
    (Kind::Values, 2),
    (Kind::Count, 1),
    (Kind::Move, 5),
    (Kind::Snapshot, 1),
];

/// Calls that a program has in all, at most.
const CALLS: usize = 6;

/// So many programs, no two alike but for the order of their threads.
pub fn programs(seed: u64, number: usize) -> Vec<Program> {
    // The default layout in every other program.
    generated(seed, number, |random| EXPLORED[random.pick(&[0, 0, 1, 2])])
}

/// The same with tokens that carry values.
pub fn programs_with_values(seed: u64, number: usize) -> Vec<Program> {
    generated(seed, number, |random| random.pick(&VALUED))
}

fn generated(seed: u64, number: usize, layout: impl Fn(&mut Random) -> Layout) -> Vec<Program> {
    let mut random = Random::new(seed);
    let mut known = HashSet::new();
    let mut programs = Vec::new();
    while programs.len() < number {
        let layout = layout(&mut random);
        let program = program(&mut random, layout);
        if is_a_race(&program) && known.insert(program.to_string()) {
            programs.push(program);
        }
    }
    programs
}

/// Whether two threads can be in each other's way.
fn is_a_race(program: &Program) -> bool {
    let reads = [Kind::Contains, Kind::Count, Kind::Value, Kind::Values];
    let writes = |call: &Operation| !reads.contains(&call.kind);
    program.threads.iter().flatten().any(writes)
        && program.classes().len() <= CLASSES
        && program.tokens().len() <= TOKENS
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
    let mut left = random.pick(&[CALLS - 2, CALLS - 1, CALLS]).max(threads);
    let mut threads: Vec<Vec<Operation>> = (1..=threads)
        .rev()
        .map(|threads| {
            let most = (left + 1 - threads).min(3);
            let calls = 1 + random.below(most);
            left -= calls;
            (0..calls).map(|_| call(random, &shape, letters)).collect()
        })
        .collect();
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
pub fn call(random: &mut Random, shape: &Shape, letters: u8) -> Operation {
    let kinds: &[(Kind, usize)] = if shape.layout.has_values() {
        &KINDS_WITH_VALUES
    } else {
        &KINDS
    };
    let mut at = random.below(kinds.iter().map(|(_, share)| share).sum());
    let kind = kinds.iter().find_map(|&(kind, share)| {
        let here = at < share;
        at = at.wrapping_sub(share);
        here.then_some(kind)
    });
    match kind.expect("the shares add up") {
        Kind::Snapshot => Operation::new(Kind::Snapshot, Item::default()),
        kind => {
            let mut call = Operation::new(kind, random.item(shape, letters));
            if matches!(
                kind,
                Kind::Insert | Kind::UniqueValue | Kind::Take | Kind::Replace
            ) {
                call.value = random.value(shape);
            }
            if kind == Kind::Replace {
                call.new = random.value(shape);
            }
            call
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_programs_and_each_survives_its_text() {
        for made in [programs, programs_with_values] {
            let once = made(7, 300);
            assert_eq!(once, made(7, 300));
            for program in once {
                assert_eq!(program.to_string().parse(), Ok(program));
            }
        }
    }
}
