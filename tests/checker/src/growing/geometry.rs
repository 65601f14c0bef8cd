//! Where the tokens of a table lie, and which items they cover.
//!
//! An item is a head and an endless string of index bits. A token holds the head and some index bits, its tail; those
//! before the tail are the number of its word. So a token stands for a *class*: a head and a prefix. The words of all
//! levels are one number line, as in a heap: level `k` has the words `2^k` to `2^(k+1)`, and word `n` is split into `2n`
//! and `2n + 1`. The bit behind the leading one is the side.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Index bits that an item of a program has.
pub(super) const BITS: u8 = 4;

/// The deepest level there can be.
pub(super) const DEEPEST: u8 = 3;

pub(super) const WORDS: usize = 2 << DEEPEST;

/// Bits of the tail field of a lane.
const FIELD: u8 = 3;

/// What a word holds of one token; 0 is a vacant slot.
pub(super) type Lane = u8;

/// An item: a head from 1 to 3, and its first index bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item {
    /// The part of the hash that never changes.
    pub head: u8,
    pub bits: u8,
}

/// The items with one head whose index bits begin alike.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Class {
    pub head: u8,
    /// The number of index bits that are known.
    pub len: u8,
    /// Those bits, from the top; the others are 0.
    pub bits: u8,
}

/// The levels of a table, and the bits of its tails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Levels {
    pub first: u8,
    /// The deepest level that the program allows.
    pub deepest: u8,
    /// The bits of a tail at the first level: one more than of new ones at the deeper levels.
    pub tail: u8,
}

/// By which the index bits of a side differ from those of the item: from the head alone.
const fn offset(side: u8, head: u8) -> u8 {
    match (side, head) {
        (0, _) => 0,
        (_, 1) => 0b1010,
        (_, 2) => 0b0101,
        _ => 0b1100,
    }
}

pub(super) const fn level_of(number: u8) -> u8 {
    number.ilog2() as u8
}

pub(super) const fn side_of(number: u8) -> u8 {
    number >> (level_of(number) - 1) & 1
}

/// The top `len` of the index bits.
const fn top(bits: u8, len: u8) -> u8 {
    bits & !((1 << (BITS - len)) - 1)
}

impl Item {
    /// The number of its word at a level.
    pub const fn number(self, side: u8, level: u8) -> u8 {
        let index = (self.bits ^ offset(side, self.head)) as u16 >> (BITS + 1 - level);
        1 << level | side << (level - 1) | index as u8
    }

    /// Its word below one that has been split.
    pub const fn child(self, number: u8) -> u8 {
        self.number(side_of(number), level_of(number) + 1)
    }
}

/// The other word of a token, of the same level.
pub(super) const fn alternate(number: u8, head: u8) -> u8 {
    let level = level_of(number);
    let apart = (offset(1, head) as u16 >> (BITS + 1 - level)) as u8;
    number ^ 1 << (level - 1) ^ apart
}

pub(super) const fn head_of(lane: Lane) -> u8 {
    lane >> FIELD
}

impl Levels {
    /// What is stored of an item at a level: as much as there is room for.
    pub const fn lane(&self, item: Item, level: u8) -> Lane {
        let behind = item.bits << (level - 1) & ((1 << BITS) - 1);
        let tail = behind >> (BITS - self.tail);
        let marker = if level == self.first { 0 } else { 1 };
        item.head << FIELD | tail | marker
    }

    /// The index bits that a token holds behind those of its word.
    pub const fn tail_of(&self, lane: Lane, level: u8) -> u8 {
        if level == self.first {
            self.tail
        } else {
            self.tail - 1 - lane.trailing_zeros() as u8
        }
    }

    /// A token after the split of its word, and the child that it goes to: 0 or 1. `None` if it has no tail.
    pub const fn split(&self, lane: Lane, number: u8) -> Option<(u8, Lane)> {
        let level = level_of(number);
        if self.tail_of(lane, level) == 0 {
            return None;
        }
        let mask = (1 << self.tail) - 1;
        let first = lane >> (self.tail - 1) & 1;
        let flip = offset(side_of(number), head_of(lane)) >> (BITS - level) & 1;
        let marker = if level == self.first { 1 } else { 0 };
        Some((
            first ^ flip,
            lane & !((1 << FIELD) - 1) | (lane << 1 & mask) | marker,
        ))
    }

    /// The class of a token that lies in a word.
    pub const fn class_of(&self, number: u8, lane: Lane) -> Class {
        let (level, head) = (level_of(number), head_of(lane));
        let index = (number & ((1 << (level - 1)) - 1)) << (BITS + 1 - level);
        let index = index ^ top(offset(side_of(number), head), level - 1);
        let tail = self.tail_of(lane, level);
        let known = lane & ((1 << self.tail) - 1);
        let known = known >> (self.tail - tail);
        let len = level - 1 + tail;
        Class {
            head,
            len,
            bits: index | known << (BITS - len),
        }
    }

    /// The lane of a token of a class, in a word of this level.
    pub const fn lane_of(&self, class: Class, level: u8) -> Option<Lane> {
        let Some(tail) = class.len.checked_sub(level - 1) else {
            return None;
        };
        let most = self.longest_tail(level);
        if tail > most || level == self.first && tail < most {
            return None;
        }
        let known = (class.bits >> (BITS - class.len)) & ((1 << tail) - 1);
        let field = known << (self.tail - tail);
        let marker = if level == self.first {
            0
        } else {
            1 << (self.tail - 1 - tail)
        };
        Some(class.head << FIELD | field | marker)
    }

    /// That of a new token: behind later ones is a marker.
    const fn longest_tail(&self, level: u8) -> u8 {
        self.tail - if level == self.first { 0 } else { 1 }
    }

    /// The bits of a new token's class at a level.
    pub const fn full_length(&self, level: u8) -> u8 {
        level - 1 + self.longest_tail(level)
    }
}

impl Class {
    /// The class of so many bits that an item is in.
    pub const fn of(item: Item, len: u8) -> Self {
        Self {
            head: item.head,
            len,
            bits: top(item.bits, len),
        }
    }

    /// Whether an item is in it.
    pub const fn covers(self, item: Item) -> bool {
        self.head == item.head && top(item.bits, self.len) == self.bits
    }

    /// Whether one of the two is within the other.
    pub fn nests(self, other: Self) -> bool {
        let len = self.len.min(other.len);
        self.head == other.head && top(self.bits, len) == top(other.bits, len)
    }
}

impl fmt::Display for Item {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = char::from(b'e' + self.head);
        write!(
            out,
            "{letter}{:0width$b}",
            self.bits,
            width = usize::from(BITS)
        )
    }
}

impl fmt::Display for Class {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", char::from(b'e' + self.head))?;
        (0..self.len).try_for_each(|at| write!(out, "{}", self.bits >> (BITS - 1 - at) & 1))?;
        write!(out, "*")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every() -> impl Iterator<Item = (Levels, Item)> {
        let levels = [(1, 2), (1, 3), (2, 2)].map(|(first, tail)| Levels {
            first,
            tail,
            deepest: DEEPEST,
        });
        let items = (1..=3).flat_map(|head| (0..1 << BITS).map(move |bits| Item { head, bits }));
        levels
            .into_iter()
            .flat_map(move |levels| items.clone().map(move |item| (levels, item)))
    }

    #[test]
    fn a_token_keeps_its_class_from_level_to_level_on_both_sides() {
        for (levels, item) in every() {
            for side in 0..2 {
                let mut number = item.number(side, levels.first);
                let mut lane = levels.lane(item, levels.first);
                let class = Class::of(item, levels.full_length(levels.first));
                loop {
                    assert_eq!(levels.class_of(number, lane), class);
                    assert_eq!(levels.lane_of(class, level_of(number)), Some(lane));
                    assert_eq!(item.number(side, level_of(number)), number);
                    let other = item.number(1 - side, level_of(number));
                    assert_eq!(other, alternate(number, item.head));
                    let Some((child, next)) = levels.split(lane, number) else {
                        break;
                    };
                    if level_of(number) == DEEPEST {
                        break;
                    }
                    (number, lane) = (2 * number + child, next);
                }
            }
        }
    }

    #[test]
    fn a_new_token_holds_as_much_as_there_is_room_for() {
        for (levels, item) in every() {
            for level in levels.first..=DEEPEST {
                let class = levels.class_of(item.number(0, level), levels.lane(item, level));
                assert_eq!(class, Class::of(item, levels.full_length(level)));
            }
        }
    }
}
