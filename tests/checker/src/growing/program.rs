//! Programs: what the threads of one exploration do, and on what table.

use super::geometry::{Class, DEEPEST, Item, Levels, level_of};
use super::memory::{Descriptor, Epoch, Hint, Memory, STRIPES, Scan, Stripe, TABLES};
use super::word::Word;
use crate::call;
use crate::notation;

/// Items a program has at most.
pub(super) const ITEMS: usize = 6;

/// The machine of tables that double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growing;

/// What the threads do, and on what.
pub(super) type Program = notation::Program<Growing>;

/// One call.
pub(super) type Call = call::Call<Item>;

/// A token that is there from the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token {
    /// The item that it was stored of.
    pub item: Item,
    /// On which side.
    pub side: u8,
    /// How many index bits it covers; 0 for as many as there is room for.
    pub len: u8,
    /// In which table.
    pub table: usize,
}

/// A table, and the bounds of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The first table, and the one that can be appended.
    pub tables: [Levels; TABLES],
    /// The level at the beginning.
    pub level: u8,
    /// Whether it grows at the beginning.
    pub growing: bool,
    /// The words that are split at the beginning, one bit each.
    pub split: u16,
    /// Slots of a word.
    pub slots: usize,
    /// Attempts of one insert, and of one snapshot.
    pub attempts: u8,
    /// Whether only what was inserted is removed: then items are counted, and matched with tokens, and a thread that is
    /// refused makes no more calls.
    pub contract: bool,
    /// Whether blocks can be given back, so that helpers pin themselves.
    pub release: bool,
    /// Whether inserts and removes sweep.
    pub sweeps: bool,
    /// Whether there can be two tables.
    pub several: bool,
    /// Whether there are two at the beginning.
    pub both: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self::of(2, DEEPEST)
    }
}

impl Shape {
    /// The shape unless the text says otherwise.
    pub const fn of(tail: u8, deepest: u8) -> Self {
        let levels = Levels {
            first: 1,
            deepest,
            tail,
        };
        Self {
            tables: [
                levels,
                Levels {
                    first: deepest + 1,
                    deepest: DEEPEST,
                    tail,
                },
            ],
            level: 1,
            growing: false,
            split: 0,
            slots: 2,
            attempts: 2,
            contract: false,
            release: false,
            sweeps: false,
            several: false,
            both: false,
        }
    }

    /// The class of a token, and where it lies at the beginning.
    fn place(&self, token: &Token) -> Option<(u8, u8)> {
        let levels = self.tables[token.table];
        let level = if token.table == 0 {
            self.level
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
    /// The memory before the first step; `None` if the tokens do not fit, or there is no such table.
    pub fn memory(&self) -> Option<Memory> {
        let shape = &self.shape;
        let mut memory = Memory {
            words: Default::default(),
            blocks: 0,
            hints: Default::default(),
            cursors: Default::default(),
            tables: 1 + u8::from(shape.both),
            stripes: [Stripe::default(); STRIPES],
            descriptors: [Descriptor::default(); _],
            scan: Scan::default(),
            epoch: Epoch::default(),
            items: Default::default(),
            throughout: Default::default(),
        };
        let tables = if shape.several { TABLES } else { 1 };
        for (table, levels) in shape.tables[..tables].iter().enumerate() {
            let (level, growing) = match table {
                0 => (shape.level, shape.growing),
                _ => (levels.first, false),
            };
            if level > levels.deepest || growing && level == levels.deepest {
                return None;
            }
            memory.hints[table] = Hint { level, growing };
            memory.cursors[table] = 1 << level;
            memory.blocks |= (1 | u8::from(growing) << 1) << level;
            for number in 1 << level..2 << level {
                let word = &mut memory.words[usize::from(number)];
                *word = Word::EMPTY;
                if shape.split >> number & 1 == 0 {
                    continue;
                }
                *word = Word::GONE;
                for child in [2 * number, 2 * number + 1] {
                    *memory.words.get_mut(usize::from(child))? = Word::EMPTY;
                }
                if memory.cursors[table] == number {
                    memory.cursors[table] += 1;
                }
            }
        }
        for token in &self.fill {
            let (number, lane) = shape.place(token)?;
            let word = &mut memory.words[usize::from(number)];
            *word = word.with(lane, shape.slots)?;
            if shape.contract {
                let at = self.items().iter().position(|&item| item == token.item)?;
                memory.items[at] += 1;
            }
        }
        Some(memory)
    }

    /// The items that the program knows.
    pub fn items(&self) -> Vec<Item> {
        let called = self
            .threads
            .iter()
            .flatten()
            .filter(|call| call.kind.has_item());
        let called = called.map(|call| call.item);
        let mut items: Vec<Item> = self
            .fill
            .iter()
            .map(|token| token.item)
            .chain(called)
            .collect();
        items.sort();
        items.dedup();
        items
    }
}
