//! The notation: the text of a program, so that one found by chance can be run again.
//!
//! ```text
//! pair: f01 | insert f01, remove f01 | contains f10
//! ```
//!
//! A table of two buckets (`square`: four) that holds the token `f` in bucket 0; one thread inserts and removes
//! an item of that class, another looks for it, reading bucket 1 first. An item is a letter, its first bucket
//! and its second. In a square the letter stands for another fingerprint with each distance of the two. `= true`
//! or `= false` behind a call says that it must succeed, or fail, in every schedule, where that is more than the
//! tokens alone would say.

use std::fmt;
use std::str::FromStr;

use model::{Fingerprint, Layout};

use crate::memory::{BUCKETS, NOTES, THREADS};
use crate::program::{CLASSES, Item, Kind, Operation, Program, Shape};

const KINDS: [(&str, Kind); 7] = [
    ("insert", Kind::Insert),
    ("unique", Kind::Unique),
    ("remove", Kind::Remove),
    ("contains", Kind::Contains),
    ("count", Kind::Count),
    ("move", Kind::Move),
    ("snapshot", Kind::Snapshot),
];

impl Kind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        KINDS
            .iter()
            .find(|(_, kind)| *kind == self)
            .map_or("", |(name, _)| name)
    }
}

impl Shape {
    /// The item of a letter and two buckets, if there is one.
    pub fn item(&self, letter: u8, first: u8, second: u8) -> Option<Item> {
        let f = self.fingerprint(letter, first ^ second)?;
        Some(Item { first, second, f })
    }

    /// The fingerprint that a letter stands for, if its candidates are so far apart.
    fn fingerprint(&self, letter: u8, distance: u8) -> Option<Fingerprint> {
        let suits = |&f: &Fingerprint| self.alternate(0, f) == distance;
        self.layout
            .fingerprints()
            .filter(suits)
            .nth((letter - b'a').into())
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

impl Operation {
    fn parse(text: &str, shape: &Shape) -> Option<Self> {
        let mut words = text.split_whitespace();
        let name = words.next()?;
        let (_, kind) = *KINDS.iter().find(|(known, _)| *known == name)?;
        let item = match words.next() {
            Some(item) => Item::parse(item, shape)?,
            None if kind == Kind::Snapshot => Item::default(),
            None => return None,
        };
        let expected = match (words.next(), words.next()) {
            (None, None) => None,
            (Some("="), Some("true")) => Some(true),
            (Some("="), Some("false")) => Some(false),
            _ => return None,
        };
        Some(Self {
            kind,
            item,
            expected,
        })
    }
}

/// A layout by its slots and bits: `2x31`.
fn layout(text: &str) -> Option<Layout> {
    let (slots, bits) = text.split_once('x')?;
    let wanted = (slots.parse().ok()?, bits.parse().ok()?);
    let mut known = Layout::EVERY.into_iter();
    known.find(|layout| (layout.slots, layout.fingerprint_bits) == wanted)
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let mut shape = match words.next() {
            Some("pair") => Self::of(2),
            Some("square") => Self::of(BUCKETS),
            other => return Err(format!("{other:?} is neither pair nor square")),
        };
        for word in words {
            let unknown = || format!("{word:?} is not a setting");
            if word == "torn" {
                shape.torn = true;
                continue;
            }
            let (name, number) = word.split_once('=').ok_or_else(unknown)?;
            if name == "layout" {
                shape.layout = layout(number).ok_or_else(unknown)?;
                continue;
            }
            let number: u16 = number.parse().map_err(|_| unknown())?;
            match (name, number) {
                ("descriptors", 1..=4) => shape.descriptors = number.into(),
                ("attempts", 1..=255) => shape.attempts = number as u8,
                ("budget", 2..) => shape.budget = number,
                ("notes", 1..=2) => shape.notes = number.into(),
                _ => return Err(unknown()),
            }
        }
        debug_assert!(shape.descriptors <= THREADS && shape.notes <= NOTES);
        Ok(shape)
    }
}

impl FromStr for Program {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('|');
        let head = parts.next().unwrap_or_default();
        let (shape, filled) = head.split_once(':').ok_or("no `:` after the shape")?;
        let shape: Shape = shape.parse()?;
        let mut fill = Vec::new();
        for word in filled.split_whitespace() {
            let (item, copies) = word.split_once('*').unwrap_or((word, "1"));
            let unknown = || format!("{word:?} is not an item");
            let copies: usize = copies.parse().map_err(|_| unknown())?;
            let item = Item::parse(item, &shape).ok_or_else(unknown)?;
            fill.extend((0..copies).map(|_| item));
        }
        let threads = parts
            .map(|thread| {
                let calls = thread.split(',');
                calls
                    .map(|call| {
                        Operation::parse(call, &shape)
                            .ok_or_else(|| format!("{call:?} is not an operation"))
                    })
                    .collect()
            })
            .collect::<Result<Vec<Vec<_>>, _>>()?;
        if !(1..=THREADS).contains(&threads.len()) {
            return Err(format!(
                "{} threads are not possible; use 1 to {THREADS}",
                threads.len()
            ));
        }
        let program = Self {
            shape,
            fill,
            threads,
        };
        match program.classes().len() {
            0..=CLASSES => Ok(program),
            many => Err(format!(
                "{many} classes are not possible; use at most {CLASSES}"
            )),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Self::of(self.buckets);
        write!(out, "{}", if self.buckets == 2 { "pair" } else { "square" })?;
        if self.layout != usual.layout {
            let layout = self.layout;
            write!(out, " layout={}x{}", layout.slots, layout.fingerprint_bits)?;
        }
        for (name, number, usual) in [
            ("descriptors", self.descriptors, usual.descriptors),
            ("attempts", self.attempts.into(), usual.attempts.into()),
            ("budget", self.budget.into(), usual.budget.into()),
            ("notes", self.notes, usual.notes),
        ] {
            if number != usual {
                write!(out, " {name}={number}")?;
            }
        }
        write!(out, "{}", if self.torn { " torn" } else { "" })
    }
}

impl fmt::Display for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:", self.shape)?;
        for item in &self.fill {
            write!(out, " ")?;
            item.write(&self.shape, out)?;
        }
        for thread in &self.threads {
            for (at, operation) in thread.iter().enumerate() {
                write!(out, "{} ", if at == 0 { " |" } else { "," })?;
                write!(out, "{}", operation.kind.name())?;
                if operation.kind != Kind::Snapshot {
                    write!(out, " ")?;
                    operation.item.write(&self.shape, out)?;
                }
                if let Some(expected) = operation.expected {
                    write!(out, " = {expected}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_survives_its_text() {
        for text in [
            "pair: f01 | insert f01, remove f01 = true | contains f10",
            "square descriptors=1 budget=16 torn: a03 b02 | move a03 | snapshot, count b20",
        ] {
            let program: Program = text.parse().expect("a program");
            assert_eq!(program.to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "pair",
            "pair: f02 | insert f01",
            "ring: | insert f01",
            "pair: | hop f01",
        ] {
            assert!(text.parse::<Program>().is_err(), "{text}");
        }
    }
}
