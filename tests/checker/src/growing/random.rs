//! Programs for a table made by chance, from a seed.

use super::geometry::{BITS, Item};
use super::program::{Call, Growing, Program, Shape, Token};
use crate::notation::{Kind, parse_shape};
use crate::random::{Deal, Random, Shares, distinct, shares};

/// What the programs of a model are made of: how often each kind of call, and the settings of the tables, of which one
/// is picked for each program.
type Recipe = (Shares, &'static [&'static str]);

/// The recipe of a model.
fn recipe(model: u8) -> Recipe {
    const GROWING: &[&str] = &[
        "table tail=2 deepest=2 growing",
        "table tail=3 deepest=2 growing",
        "table tail=2 deepest=2 growing split=2",
        "table tail=2 deepest=2 growing split=3",
        "table tail=3 level=2 growing",
        "table tail=3 level=2 growing split=4",
        "table tail=3 level=2 growing split=6",
        "table tail=2 deepest=2 growing sweeps",
    ];
    match model {
        1 => (
            shares![Insert 4, Remove 4, Contains 5, Count 1, Move 4, Split 6],
            GROWING,
        ),
        2 => (
            shares![Insert 4, Remove 8, Contains 4, Count 1, Move 4, Split 2],
            GROWING,
        ),
        3 => (
            shares![Insert 1, Remove 3, Contains 2, Unique 8, Move 2, Split 5],
            GROWING,
        ),
        4 => (
            shares![Insert 3, Remove 3, Contains 3, Unique 1, Move 8, Split 4, Sweep 2],
            GROWING,
        ),
        5 => (
            shares![Insert 6, Remove 3, Contains 4, Unique 2, Grow 4, Sweep 4, Double 2],
            &[
                "table tail=2 deepest=2 slots=1 sweeps",
                "table tail=2 slots=1",
                "table tail=3 slots=1 sweeps",
                "table tail=2 deepest=2 growing split=2",
                "table tail=2 deepest=2 growing split=2 split=3",
            ],
        ),
        6 => (
            shares![
                Insert 4, Remove 3, Contains 4, Unique 2, Grow 1, Split 4, Double 3, Release 5, Snapshot 1
            ],
            &[
                "table tail=2 deepest=2 growing split=2 release",
                "table tail=2 deepest=2 growing release",
                "table tail=2 level=2 growing split=4 split=5 split=6 release",
            ],
        ),
        _ => (
            shares![
                Insert 4, Remove 5, Contains 3, Unique 3, Count 1, Move 4, Split 4, Snapshot 6, Append 2
            ],
            &[
                "table tail=2 deepest=2 growing",
                "table tail=3 deepest=2 growing split=2",
                "table deepest=1 several",
                "table deepest=1 both",
                "table deepest=2 several growing",
                "table deepest=2 both growing",
                "table deepest=2 both growing sweeps",
            ],
        ),
    }
}

/// So many programs of a model.
pub(super) fn programs(model: u8, seed: u64, number: usize) -> Vec<Program> {
    let (kinds, shapes) = recipe(model);
    let random = &mut Random::new(seed ^ u64::from(model) << 32);
    distinct(number, || Some(program(random, kinds, shapes)))
}

fn program(random: &mut Random, kinds: Shares, shapes: &[&str]) -> Program {
    let shape = parse_shape::<Growing>(random.pick(shapes));
    let mut shape = shape.expect("the shapes of a recipe");
    shape.contract = random.below(2) == 0;
    if shape.slots > 1 {
        shape.slots = random.pick(&[1, 2, 2, 3]);
    }
    shape.attempts = random.pick(&[1, 2]);
    let pool = items(random);
    let threads = random.pick(&[2, 2, 3, 3, 3, 4]);
    let deal = Deal::new(threads, random.pick(&[4, 5, 6]));
    let make = if shape.contract { by_contract } else { freely };
    let mut program = Program {
        shape,
        fill: Vec::new(),
        threads: vec![Vec::new(); threads],
    };
    make(random, kinds, &pool, deal, &mut program);
    program.fill.sort();
    program.threads.sort();
    program
}

/// A few items, most of one head, that differ in few bits.
fn items(random: &mut Random) -> Vec<Item> {
    let number = random.pick(&[1, 2, 2, 3]);
    let base = random.below(1 << BITS) as u8;
    let apart = [0, 1, 2, 4, 8, 3, 6, 12];
    (0..number)
        .map(|_| Item {
            head: random.pick(&[1, 1, 1, 2]),
            bits: base ^ random.pick(&apart),
        })
        .collect()
}

fn token(random: &mut Random, shape: &Shape, item: Item) -> Token {
    let most = shape.levels(0).full_length(shape.level as u8);
    let len = if shape.level == 1 {
        0
    } else {
        random.pick(&[0, most, most - 1])
    };
    let table = usize::from(shape.both && random.below(2) == 0);
    Token {
        item,
        side: random.below(2) as u8,
        len: if table == 1 { 0 } else { len },
        table,
    }
}

fn call(random: &mut Random, kind: Kind, item: Item) -> Call {
    let item = if kind.has_item() {
        item
    } else {
        Item::default()
    };
    let mut call = Call::new(kind, item);
    if kind.has_side() {
        call.side = random.below(2) as u8;
    }
    call
}

/// Any call with any item.
fn freely(
    random: &mut Random,
    kinds: Shares,
    pool: &[Item],
    mut deal: Deal,
    program: &mut Program,
) {
    for _ in 0..random.below(4) {
        let item = random.pick(pool);
        program.fill.push(token(random, &program.shape, item));
    }
    for thread in &mut program.threads {
        for _ in 0..deal.next(random) {
            let item = random.pick(pool);
            let kind = random.kind(kinds);
            thread.push(call(random, kind, item));
        }
    }
}

/// Each thread removes what it inserted itself, or what was there for it from the beginning.
fn by_contract(
    random: &mut Random,
    kinds: Shares,
    pool: &[Item],
    mut deal: Deal,
    program: &mut Program,
) {
    for thread in &mut program.threads {
        let item = random.pick(pool);
        let mut owned = 0;
        for _ in 0..random.pick(&[0, 1, 1, 2]) {
            program.fill.push(token(random, &program.shape, item));
            owned += 1;
        }
        let calls = deal.next(random);
        while thread.len() < calls {
            let kind = random.kind(kinds);
            let mut next = call(random, kind, item);
            match kind {
                Kind::Remove if owned == 0 => continue,
                Kind::Remove => (owned, next.expected) = (owned - 1, Some(true)),
                Kind::Contains if owned > 0 => next.expected = Some(true),
                Kind::Contains | Kind::Count | Kind::Move | Kind::Split => {
                    next.item = random.pick(pool);
                }
                Kind::Unique if owned > 0 => next.expected = Some(false),
                Kind::Insert | Kind::Unique => owned += 1,
                _ => {}
            }
            let ends = next.expected == Some(false);
            thread.push(next);
            if ends {
                break;
            }
        }
    }
}
