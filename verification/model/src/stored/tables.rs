//! The tables of a growing filter: their entries, and the meaning of their words.
//!
//! A table that is growing has two words for each bucket: its two children, or itself and
//! [`WHOLE`].

use super::{CHECKSUM, Field, TABLES, head, of_table, word};
use crate::layout::Layout;

/// The word after a bucket that is not split.
pub const WHOLE: u64 = 1;

/// Returns the field for the level at which a table began.
#[must_use]
pub const fn first(table: usize) -> Field {
    of_table("first level", table, 0, 1)
}

/// Returns the field for its present level.
#[must_use]
pub const fn level(table: usize) -> Field {
    of_table("level", table, 1, 1)
}

/// Returns the field that says whether it is growing.
#[must_use]
pub const fn growing(table: usize) -> Field {
    of_table("growing", table, 2, 1)
}

/// Returns the field for the number of its split buckets, from the first on.
#[must_use]
pub const fn cursor(table: usize) -> Field {
    of_table("cursor", table, 3, 5)
}

/// Returns the number of words of a table.
#[must_use]
pub fn words(bytes: &[u8], table: usize) -> usize {
    1 << (level(table).get(bytes) + growing(table).get(bytes))
}

/// An occupied slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The level at which its table began.
    pub first: u32,
    /// The level of its bucket.
    pub level: u32,
    /// The place of its bucket in this level.
    pub place: u64,
    /// The content of the slot.
    pub lane: u64,
}

/// Returns the bits by which the two index strings of a head differ.
fn offset(hash: u64) -> u64 {
    const SIDE: u64 = 1 << 62;
    (hash & 0xfc00).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1 | SIDE
}

impl Token {
    fn is_on_second_side(self) -> bool {
        self.place >> (self.level - 1) == 1
    }

    /// Returns the hash of an item that it may belong to.
    #[must_use]
    pub fn hash(self) -> u64 {
        let (head, tail) = (self.lane & 0xfc00, self.lane & 0x3ff);
        // After the tail there is a mark, unless the table has its first level.
        let tail = if self.first == self.level {
            tail
        } else {
            tail & tail.wrapping_sub(1)
        };
        let place = if self.is_on_second_side() {
            self.place ^ offset(head) >> (63 - self.level)
        } else {
            self.place
        };
        (place << (63 - self.level) | tail << (53 - self.level)) << 2 | head
    }

    /// Returns the number of index bits of its item that it has.
    #[must_use]
    pub fn known(self) -> u32 {
        let tail = if self.first == self.level {
            10
        } else {
            9 - (self.lane & 0x3ff).trailing_zeros()
        };
        self.level + tail
    }

    /// Whether it may belong to the item with this hash.
    #[must_use]
    pub fn covers(self, hash: u64) -> bool {
        let head = hash & 0xfc00;
        // A head is never 0.
        let head = if head == 0 { 1 << 10 } else { head };
        let differ = self.hash() ^ hash;
        head == self.lane & 0xfc00 && differ.leading_zeros() > self.known() - 2
    }

    /// Returns the token after a split, a level deeper.
    #[must_use]
    pub fn split(self) -> Self {
        let (hash, level) = (self.hash(), self.level + 1);
        let index = hash >> 2;
        let index = if self.is_on_second_side() {
            index ^ offset(hash)
        } else {
            index
        };
        let mark = u64::from(self.first == self.level);
        Self {
            level,
            place: index >> (63 - level),
            lane: self.lane & 0xfc00 | (self.lane << 1 & 0x3ff) | mark,
            ..self
        }
    }
}

/// Returns the tokens of a word, from the top slot down, whether or not it is packed.
fn of_word(first: u32, level: u32, place: usize, word: u64) -> impl Iterator<Item = Token> {
    let mut lanes = Layout::DEFAULT.lanes(word);
    lanes.reverse();
    let taken = lanes.into_iter().filter(|&lane| lane != 0);
    taken.map(move |lane| Token {
        first,
        level,
        place: place as u64,
        lane: lane.into(),
    })
}

/// Returns the occupied slots of each table.
///
/// # Panics
///
/// If the number of words is not that of the tables.
#[must_use]
pub fn tokens(bytes: &[u8]) -> Vec<Vec<Token>> {
    let mut next = 0;
    let of_table = |table| {
        let (first, level) = (
            first(table).get(bytes) as u32,
            level(table).get(bytes) as u32,
        );
        let (from, count) = (next, words(bytes, table));
        next += count;
        let word = move |index| word(bytes, from + index).get(bytes);
        let is_growing = growing(table).get(bytes) == 1;
        let of_index = move |index: usize| match is_growing {
            false => Some((level, index, word(index))),
            true if word(index | 1) != WHOLE => Some((level + 1, index, word(index))),
            true => index
                .is_multiple_of(2)
                .then(|| (level, index / 2, word(index))),
        };
        let contents = (0..count).filter_map(of_index);
        contents
            .flat_map(|(level, place, word)| of_word(first, level, place, word))
            .collect()
    };
    let tables = (0..TABLES.get(bytes) as usize).map(of_table).collect();
    let end = head(bytes) + 8 * next;
    assert_eq!(end, bytes.len() - CHECKSUM, "these are all words");
    tables
}

/// Splits a bucket of the only table, which is growing, if it is not split.
///
/// # Panics
///
/// If a token in it has no tail.
pub fn split(bytes: &mut [u8], place: usize) {
    let [content, mark] = [2 * place, 2 * place + 1].map(|index| word(bytes, index));
    if mark.get(bytes) != WHOLE {
        return;
    }
    let (first, level) = (first(0).get(bytes) as u32, level(0).get(bytes) as u32);
    let mut parts = [0; 2];
    for token in of_word(first, level, place, content.get(bytes)) {
        assert!(first == level || token.lane & 0x1ff != 0, "it has a tail");
        let token = token.split();
        assert_eq!(token.place / 2, place as u64);
        let part = &mut parts[token.place as usize % 2];
        *part = Layout::DEFAULT
            .with(*part, token.lane as u32)
            .expect("room");
    }
    content.set(bytes, parts[0]);
    mark.set(bytes, parts[1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token that is split may be of the same item. On both sides, with any head.
    #[test]
    fn split_token_covers_item() {
        for head in 1..64u64 {
            for place in 0..8 {
                for (first, lane) in [(3, head << 10 | 0x2b5), (2, head << 10 | 0x2b6)] {
                    let mut token = Token {
                        first,
                        level: 3,
                        place,
                        lane,
                    };
                    let hash = token.hash();
                    for level in 4..8 {
                        let parent = token.place;
                        token = token.split();
                        assert_eq!((token.level, token.place / 2), (level, parent));
                        assert_eq!(token.hash(), hash, "{token:?}");
                    }
                }
            }
        }
    }
}
