//! Programs: what the threads of one exploration do, and on what table; their notation, and those made by chance, from a seed.
//!
//! ```text
//! table tail=2 deepest=2 growing: f01/0 f00/1.1 | remove f01 = true | split f01/0 | contains f0111
//! ```
//!
//! A table whose first level has two words, one for each side, and tails of two bits; it grows to the second level. It
//! holds a token of the item with head `f` and the index bits `01` (those behind are 0) on side 0, and one on side 1 that
//! covers one bit of `f00`. A token with `^` behind it lies in the second table.

use std::collections::BTreeSet;
use std::fmt;
use std::str::SplitWhitespace;

use crate::growing::geometry::{BITS, Class, DEEPEST, Item, Levels, level_of};
use crate::growing::machine::{Memory, Root, SLOTS, Word};
use crate::notation::{self, Flag, Kind, Notation, Number, parse_shape};
use crate::random::{Deal, Random, Shares, distinct, shares};

/// Items a program has at most.
pub(super) const ITEMS: usize = 6;

/// The machine of tables that double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growing;

/// What the threads do, and on what.
pub(super) type Program = notation::Program<Growing>;

/// One call.
pub(super) type Call = notation::Call<Item>;

/// A token that is there from the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token {
    pub item: Item,
    pub side: u8,
    /// How many index bits it covers; 0 for as many as there is room for.
    pub len: u8,
    pub table: usize,
}

/// A table, and the bounds of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub tail: usize,
    /// The deepest level of the first table. A second one begins below it.
    pub deepest: usize,
    pub level: usize,
    pub growing: bool,
    /// The words that are split at the beginning, one bit each.
    pub split: u16,
    pub slots: usize,
    /// Attempts of one insert, and of one snapshot.
    pub attempts: usize,
    /// Whether only what was inserted is removed: then items are counted, and matched with tokens, and a thread that is
    /// refused makes no more calls.
    pub contract: bool,
    /// Whether blocks can be given back, so that helpers pin themselves.
    pub release: bool,
    pub sweeps: bool,
    /// Whether another can be appended.
    pub appends: bool,
    pub both: bool,
}

const USUAL: Shape = Shape {
    tail: 2,
    deepest: DEEPEST as usize,
    level: 1,
    growing: false,
    split: 0,
    slots: 2,
    attempts: 2,
    contract: false,
    release: false,
    sweeps: false,
    appends: false,
    both: false,
};

impl Shape {
    /// The levels of the first table, or of the one that can be appended.
    pub fn levels(&self, table: usize) -> Levels {
        let deepest = self.deepest as u8;
        let (first, deepest) = match table {
            0 => (1, deepest),
            _ => (deepest + 1, DEEPEST),
        };
        let tail = self.tail as u8;
        Levels {
            first,
            deepest,
            tail,
        }
    }

    /// Whether there can be two tables.
    pub fn several(&self) -> bool {
        self.appends || self.both
    }

    /// The class of a token, and where it lies at the beginning.
    fn place(&self, token: &Token) -> Option<(u8, u8)> {
        let levels = self.levels(token.table);
        let level = if token.table == 0 {
            self.level as u8
        } else {
            levels.first
        };
        let mut number = token.item.number(token.side, level);
        if self.split >> number & 1 != 0 {
            number = token.item.child(number);
        }
        let level = level_of(number);
        let len = if token.len == 0 {
            levels.full_length(level)
        } else {
            token.len
        };
        Some((number, levels.lane_of(Class::of(token.item, len), level)?))
    }
}

impl Program {
    pub fn items(&self) -> Vec<Item> {
        let called = self.threads.iter().flatten();
        let called = called.filter(|call| call.kind.has_item());
        let items = self.fill.iter().map(|token| token.item);
        let items: BTreeSet<Item> = items.chain(called.map(|call| call.item)).collect();
        items.into_iter().collect()
    }
}

fn parse_item(text: &str) -> Option<Item> {
    let (&letter, bits) = text.as_bytes().split_first()?;
    let head = letter
        .checked_sub(b'e')
        .filter(|head| (1..=3).contains(head))?;
    if bits.len() > BITS.into() {
        return None;
    }
    let mut item = Item { head, bits: 0 };
    for (at, bit) in bits.iter().enumerate() {
        let bit = bit.checked_sub(b'0').filter(|&bit| bit < 2)?;
        item.bits |= bit << (BITS - 1 - at as u8);
    }
    Some(item)
}

fn parse_sided(text: &str) -> Option<(Item, u8)> {
    let (item, side) = text.split_once('/')?;
    let side = side.parse().ok().filter(|&side| side < 2)?;
    Some((parse_item(item)?, side))
}

fn parse_token(text: &str) -> Option<Token> {
    let second = text.strip_suffix('^');
    let (text, table) = second.map_or((text, 0), |text| (text, 1));
    let (text, len) = text.split_once('.').unwrap_or((text, "0"));
    let len = len.parse().ok().filter(|&len| len <= BITS)?;
    let (item, side) = parse_sided(text)?;
    Some(Token {
        item,
        side,
        len,
        table,
    })
}

impl Notation for Growing {
    type Shape = Shape;
    type Item = Item;
    type Memory = Memory;
    type Token = Token;

    const NUMBERS: &'static [Number<Shape>] = &[
        Number("tail", 2..=3, |s| &mut s.tail),
        Number("deepest", 1..=DEEPEST as usize, |s| &mut s.deepest),
        Number("level", 1..=DEEPEST as usize, |s| &mut s.level),
        Number("slots", 1..=SLOTS, |s| &mut s.slots),
        Number("attempts", 1..=9, |s| &mut s.attempts),
    ];
    const FLAGS: &'static [Flag<Shape>] = &[
        Flag("growing", |s| &mut s.growing),
        Flag("contract", |s| &mut s.contract),
        Flag("release", |s| &mut s.release),
        Flag("sweeps", |s| &mut s.sweeps),
        Flag("several", |s| &mut s.appends),
        Flag("both", |s| &mut s.both),
    ];

    fn usual(name: &str) -> Option<Shape> {
        (name == "table").then_some(USUAL)
    }

    fn name_of_shape(_: &Shape) -> &'static str {
        "table"
    }

    fn set(shape: &mut Shape, name: &str, value: &str) -> Option<()> {
        let number = value.parse().ok().filter(|number| (2..8).contains(number));
        let word: u8 = number.filter(|_| name == "split")?;
        shape.split |= 1 << word;
        Some(())
    }

    fn write_others(shape: &Shape, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut split = (2..8).filter(|number| shape.split >> number & 1 != 0);
        split.try_for_each(|number| write!(out, " split={number}"))
    }

    fn knows(kind: Kind) -> bool {
        use Kind::{Replace, Take, UniqueValue, Value, Values};
        ![UniqueValue, Value, Values, Replace, Take].contains(&kind)
    }

    fn parse_tokens(text: &str, _: &Shape) -> Option<Vec<Token>> {
        Some(vec![parse_token(text)?])
    }

    fn write_token(token: &Token, _: &Shape, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", token.item, token.side)?;
        if token.len > 0 {
            write!(out, ".{}", token.len)?;
        }
        write!(out, "{}", if token.table == 1 { "^" } else { "" })
    }

    fn parse_call(kind: Kind, words: &mut SplitWhitespace<'_>, _: &Shape) -> Option<Call> {
        let (item, side) = match (kind.has_item(), kind.has_side()) {
            (true, true) => parse_sided(words.next()?)?,
            (true, false) => (parse_item(words.next()?)?, 0),
            _ => (Item::default(), 0),
        };
        Some(Call {
            side,
            ..Call::new(kind, item)
        })
    }

    fn write_call(call: &Call, _: &Shape, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if call.kind.has_item() {
            write!(out, " {}", call.item)?;
        }
        if call.kind.has_side() {
            write!(out, "/{}", call.side)?;
        }
        Ok(())
    }

    fn can_count(program: &Program) -> Result<(), String> {
        if program.items().len() > ITEMS {
            return Err(format!("use at most {ITEMS} items"));
        }
        Ok(())
    }

    fn memory(program: &Program) -> Option<Memory> {
        let shape = &program.shape;
        let mut memory = Memory {
            tables: 1 + u8::from(shape.both),
            ..Memory::default()
        };
        for table in 0..=usize::from(shape.several()) {
            let levels = shape.levels(table);
            let (level, growing) = match table {
                0 => (shape.level as u8, shape.growing),
                _ => (levels.first, false),
            };
            if level > levels.deepest || growing && level == levels.deepest {
                return None;
            }
            memory.roots[table] = Root { level, growing };
            memory.cursors[table] = 1 << level;
            memory.blocks |= (1 | u8::from(growing) << 1) << level;
            for number in 1 << level..2 << level {
                let word = &mut memory.words[usize::from(number)];
                *word = Word::EMPTY;
                if shape.split >> number & 1 == 0 {
                    continue;
                }
                *word = Word::Gone;
                for child in [2 * number, 2 * number + 1] {
                    *memory.words.get_mut(usize::from(child))? = Word::EMPTY;
                }
                if memory.cursors[table] == number {
                    memory.cursors[table] += 1;
                }
            }
        }
        for token in &program.fill {
            let (number, lane) = shape.place(token)?;
            let word = &mut memory.words[usize::from(number)];
            *word = word.with(lane, shape.slots)?;
            if shape.contract {
                let at = program
                    .items()
                    .iter()
                    .position(|&item| item == token.item)?;
                memory.items[at] += 1;
            }
        }
        Some(memory)
    }
}

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
