//! Programs: the calls of the threads in one exploration, and their table; the notation; and random
//! programs from a seed.
//!
//! ```text
//! pair: f01 | insert f01, remove f01 | contains f10
//! ```
//!
//! A table of two buckets (`square`: four) that holds the token `f` in bucket 0. One thread inserts
//! and removes an item of that class. Another looks it up, reading bucket 1 first. An item is a
//! letter, its first bucket and its second. In a square the letter stands for another fingerprint
//! with each distance of the two.
//!
//! ```text
//! pair layout=4x12+4: f01=9 | move f01, insert f01=4 | unique f10=5, replace f10 9>4, take f10=4 | value f10, values f01
//! ```
//!
//! The same with values of four bits: tokens with the value 9; an insert, a unique insert and a
//! remove of a value; a replacement of 9 by 4; a lookup of one value, and of all. An omitted value
//! is 0.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::str::SplitWhitespace;

use model::geometry::Geometry;
use model::{Fingerprint, Layout, Value};

use crate::fixed::memory::{BUCKETS, Memory};
use crate::monitor::THREADS;
use crate::notation::{self, Flag, Kind, Notation, Number};
use crate::random::{Deal, Random, Shares, distinct, shares};
use crate::shared::NOTES;

/// The most classes of a program.
pub(super) const CLASSES: usize = 8;

/// The most tokens of a program that differ in class or value.
pub(super) const TOKENS: usize = 15;

/// An item for its operations: the bucket that they read first, the other one, and the fingerprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item {
    pub first: u8,
    pub second: u8,
    pub f: Fingerprint,
}

/// The machine of a fixed table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed;

/// The calls of the threads, and their table.
pub(super) type Program = notation::Program<Fixed>;

/// One call. A snapshot and a recovery ignore the item.
pub(super) type Call = notation::Call<Item>;

/// The shape of a table and the bounds of its operations, all of them small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub layout: Layout,
    pub buckets: usize,
    pub descriptors: usize,
    /// The attempts of one insert, and of one snapshot.
    pub attempts: usize,
    /// The number of buckets that one search examines.
    pub budget: usize,
    pub notes: usize,
    /// Whether each of the fields of a descriptor is a step of its own.
    pub torn: bool,
}

impl Shape {
    /// Returns the default shape.
    pub const fn of(buckets: usize) -> Self {
        Self {
            layout: Layout::DEFAULT,
            buckets,
            descriptors: 2,
            attempts: 2,
            budget: 16,
            notes: 1,
            torn: false,
        }
    }

    pub const fn geometry(&self) -> Geometry {
        Geometry::with_buckets(self.layout, self.buckets)
    }

    pub fn alternate(&self, bucket: u8, f: Fingerprint) -> u8 {
        self.geometry().alternate(bucket.into(), f) as u8
    }
}

impl Program {
    /// Returns the classes that the program knows, each as the item with the lower bucket first.
    pub fn classes(&self) -> Vec<Item> {
        let called = self.threads.iter().flatten();
        let called = called.filter(|call| call.kind.has_item());
        let filled = self.fill.iter().map(|&(item, _)| item);
        let items = called.map(|call| call.item).chain(filled);
        let classes: BTreeSet<Item> = items.map(Item::class).collect();
        classes.into_iter().collect()
    }

    /// Returns the possible tokens: the class of each, and its value. Without values, one of each
    /// class.
    pub fn tokens(&self) -> Vec<(Item, Value)> {
        if !self.shape.layout.has_values() {
            return self.classes().into_iter().map(|class| (class, 0)).collect();
        }
        let called = self.threads.iter().flatten();
        let inserted = called.filter_map(|call| Some((call.item, call.inserts()?)));
        let tokens = inserted.chain(self.fill.iter().copied());
        let tokens: BTreeSet<_> = tokens.map(|(item, value)| (item.class(), value)).collect();
        tokens.into_iter().collect()
    }
}

impl Item {
    /// Returns the item in the canonical order of its buckets.
    pub fn class(self) -> Self {
        if self.first > self.second {
            self.flipped()
        } else {
            self
        }
    }

    /// Returns the item for an operation that reads the other bucket first.
    pub fn flipped(self) -> Self {
        Self {
            first: self.second,
            second: self.first,
            f: self.f,
        }
    }
}

impl Call {
    /// Returns the value of the token that the call may add.
    fn inserts(&self) -> Option<Value> {
        match self.kind {
            Kind::Insert | Kind::Unique | Kind::UniqueValue => Some(self.value),
            Kind::Replace => Some(self.new),
            _ => None,
        }
    }
}

impl Shape {
    /// Returns the item of a letter and two buckets, if there is one.
    pub fn item(&self, letter: u8, first: u8, second: u8) -> Option<Item> {
        let f = self.fingerprint(letter, first ^ second)?;
        Some(Item { first, second, f })
    }

    /// Returns the fingerprint that a letter stands for, if its candidates can be this far apart.
    fn fingerprint(&self, letter: u8, distance: u8) -> Option<Fingerprint> {
        let suits = |&f: &Fingerprint| self.alternate(0, f) == distance;
        self.layout
            .fingerprints()
            .filter(suits)
            .nth((letter - b'a').into())
    }
}

/// Parses an item and the value after it: 0 if there is none.
fn parse_token(text: &str, shape: &Shape) -> Option<(Item, Option<Value>)> {
    let (item, value) = match text.split_once('=') {
        Some((item, value)) => (item, Some(parse_value(value, shape)?)),
        None => (text, None),
    };
    Some((Item::parse(item, shape)?, value))
}

fn parse_value(text: &str, shape: &Shape) -> Option<Value> {
    let value: Value = text.parse().ok()?;
    let fits = shape.layout.has_values() && value >> shape.layout.value_bits == 0;
    fits.then_some(value)
}

fn write_value(value: Value, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        0 => Ok(()),
        value => write!(out, "={value}"),
    }
}

impl Item {
    fn parse(text: &str, shape: &Shape) -> Option<Self> {
        let &[letter @ b'a'..=b'z', first, second] = text.as_bytes() else {
            return None;
        };
        let (first, second) = (first.checked_sub(b'0')?, second.checked_sub(b'0')?);
        let buckets = shape.buckets as u8;
        (first < buckets && second < buckets)
            .then(|| shape.item(letter, first, second))
            .flatten()
    }

    fn write(self, shape: &Shape, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let distance = self.first ^ self.second;
        let letter = (b'a'..=b'z').find(|&l| shape.fingerprint(l, distance) == Some(self.f));
        let letter = char::from(letter.unwrap_or(b'?'));
        write!(out, "{letter}{}{}", self.first, self.second)
    }
}

impl Notation for Fixed {
    type Shape = Shape;
    type Item = Item;
    type Memory = Memory;
    type Token = (Item, Value);

    const NUMBERS: &'static [Number<Shape>] = &[
        Number("descriptors", 1..=THREADS, |s| &mut s.descriptors),
        Number("attempts", 1..=255, |s| &mut s.attempts),
        Number("budget", 2..=usize::MAX, |s| &mut s.budget),
        Number("notes", 1..=NOTES, |s| &mut s.notes),
    ];
    const FLAGS: &'static [Flag<Shape>] = &[Flag("torn", |s| &mut s.torn)];

    fn usual(name: &str) -> Option<Shape> {
        match name {
            "pair" => Some(Shape::of(2)),
            "square" => Some(Shape::of(BUCKETS)),
            _ => None,
        }
    }

    fn name_of_shape(shape: &Shape) -> &'static str {
        if shape.buckets == 2 { "pair" } else { "square" }
    }

    fn set(shape: &mut Shape, name: &str, value: &str) -> Option<()> {
        shape.layout = layout(value).filter(|_| name == "layout")?;
        Some(())
    }

    fn write_others(shape: &Shape, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if shape.layout == Layout::DEFAULT {
            return Ok(());
        }
        write!(out, " layout={}", name_of(shape.layout))
    }

    /// Parses an item, its value, and its number of copies.
    fn parse_tokens(text: &str, shape: &Shape) -> Option<Vec<(Item, Value)>> {
        let (token, copies) = text.split_once('*').unwrap_or((text, "1"));
        let (item, value) = parse_token(token, shape)?;
        Some(vec![(item, value.unwrap_or(0)); copies.parse().ok()?])
    }

    fn write_token(
        &(item, value): &(Item, Value),
        shape: &Shape,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        item.write(shape, out)?;
        write_value(value, out)
    }

    fn parse_call(mut kind: Kind, words: &mut SplitWhitespace<'_>, shape: &Shape) -> Option<Call> {
        if !kind.has_item() {
            return Some(Call::new(kind, Item::default()));
        }
        let (item, value) = parse_token(words.next()?, shape)?;
        if kind == Kind::Unique && value.is_some() {
            kind = Kind::UniqueValue;
        }
        let (value, new) = match (kind, value) {
            (Kind::Insert, value) => (value.unwrap_or(0), 0),
            (Kind::Take | Kind::UniqueValue, Some(value)) => (value, 0),
            (Kind::Replace, None) => {
                let (old, new) = words.next()?.split_once('>')?;
                (parse_value(old, shape)?, parse_value(new, shape)?)
            }
            (Kind::Take | Kind::UniqueValue | Kind::Replace, _) => return None,
            (Kind::Value | Kind::Values, None) if !shape.layout.has_values() => return None,
            (_, None) => (0, 0),
            (_, Some(_)) => return None,
        };
        Some(Call {
            value,
            new,
            ..Call::new(kind, item)
        })
    }

    fn write_call(call: &Call, shape: &Shape, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if call.kind.has_item() {
            write!(out, " ")?;
            call.item.write(shape, out)?;
        }
        match call.kind {
            Kind::Replace => write!(out, " {}>{}", call.value, call.new),
            // Otherwise it would be a `unique`, or no `take`.
            Kind::UniqueValue | Kind::Take => write!(out, "={}", call.value),
            _ => write_value(call.value, out),
        }
    }

    fn show_item(item: Item) -> String {
        format!(" ({:x} in {} {})", item.f, item.first, item.second)
    }

    fn can_count(program: &Program) -> Result<(), String> {
        if program.classes().len() > CLASSES || program.tokens().len() > TOKENS {
            return Err(format!("use at most {CLASSES} classes and {TOKENS} tokens"));
        }
        Ok(())
    }

    fn memory(program: &Program) -> Option<Memory> {
        let mut memory = Memory::new(program.shape.descriptors);
        let layout = program.shape.layout;
        for &(item, value) in &program.fill {
            let word = &mut memory.words[usize::from(item.first)];
            *word = layout.with(*word, layout.token(item.f, value))?;
        }
        Some(memory)
    }
}

/// Parses a layout from its slots and bits: `2x31`, or `4x12+4` with those of its values.
fn layout(text: &str) -> Option<Layout> {
    let mut known = Layout::EVERY.into_iter().chain(Layout::VALUED);
    known.find(|&layout| name_of(layout) == text)
}

fn name_of(layout: Layout) -> String {
    let (slots, bits) = (layout.slots, layout.fingerprint_bits);
    match layout.value_bits {
        0 => format!("{slots}x{bits}"),
        values => format!("{slots}x{bits}+{values}"),
    }
}

/// The layouts of programs. Half the slots reach more of the protocol with as many states, and a
/// semi-sorted bucket has its tokens in another order.
pub(super) const LAYOUTS: [Layout; 3] = [Layout::DEFAULT, Layout::of(2, 31), Layout::of(4, 17)];

/// The layouts of programs whose tokens have values.
const VALUED: [Layout; 2] = [Layout::VALUED[0], Layout::VALUED[2]];

impl Random {
    /// Returns one of three values, if the layout has values.
    pub(crate) fn value(&mut self, shape: &Shape) -> Value {
        match shape.layout.value_bits {
            0 => 0,
            bits => self.pick(&[0, 4, Value::MAX >> (Value::BITS - bits)]),
        }
    }

    /// Returns an item of a small number of classes, in one of its two orders.
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

/// The share of each kind of call.
const KINDS: Shares =
    shares![Insert 5, Unique 4, Remove 5, Contains 4, Count 1, Move 5, Snapshot 1];

/// The same if tokens have values.
const KINDS_WITH_VALUES: Shares = shares![
    Insert 5, Unique 1, UniqueValue 4, Remove 2, Take 4, Replace 5, Contains 1, Value 4, Values 2, Count 1, Move 5,
    Snapshot 1
];

/// The most calls of a program.
const CALLS: usize = 6;

/// Returns this number of programs, distinct up to the order of their threads, with values or
/// without.
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

/// Whether the calls of a thread can disturb another thread.
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
    let threads: Vec<Vec<Call>> = (0..threads).map(calls_of_one).collect();
    let mut program = Program {
        shape,
        fill,
        threads,
    };
    if layout.has_values() && random.below(2) == 0 {
        keep_to_one(&mut program);
    }
    // In every fourth, one thread begins with a recovery: of a process that dies then.
    if random.below(4) == 0 {
        let recover = Call::new(Kind::Recover, Item::default());
        let thread = random.below(program.threads.len());
        program.threads[thread].insert(0, recover);
    }
    program.threads.sort();
    program
}

/// Reduces each class to at most one token: then its tokens are watched as a whole.
fn keep_to_one(program: &mut Program) {
    let mut known = HashSet::new();
    program.fill.retain(|(item, _)| known.insert(item.class()));
    for call in program.threads.iter_mut().flatten() {
        if call.kind == Kind::Insert {
            call.kind = Kind::UniqueValue;
        }
    }
}

/// Returns initial tokens: a few, or nearly as many as there is room for.
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

/// Returns a random call.
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
