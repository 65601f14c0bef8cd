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
//!
//! ```text
//! pair layout=4x12+4: f01=9 | move f01, insert f01=4 | unique f10=5, replace f10 9>4, take f10=4 | value f10, values f01
//! ```
//!
//! The same with values of four bits: tokens with the value 9; an insert, a unique insert and a remove of a value; a
//! replacement of 9 by 4; a lookup of one value, and of all. Where none is given it is 0.

use std::fmt;
use std::str::FromStr;

use model::{Fingerprint, Layout, Value};

use crate::memory::{BUCKETS, NOTES, THREADS};
use crate::program::{CLASSES, Item, Kind, Operation, Program, Shape, TOKENS};

const KINDS: [(&str, Kind); 12] = [
    ("insert", Kind::Insert),
    ("unique", Kind::Unique),
    ("remove", Kind::Remove),
    ("contains", Kind::Contains),
    ("count", Kind::Count),
    ("move", Kind::Move),
    ("snapshot", Kind::Snapshot),
    // With a value, `unique` is this.
    ("unique", Kind::UniqueValue),
    ("value", Kind::Value),
    ("values", Kind::Values),
    ("replace", Kind::Replace),
    ("take", Kind::Take),
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

/// An item and, behind it, its value: 0 if there is none.
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

impl Operation {
    fn parse(text: &str, shape: &Shape) -> Option<Self> {
        let mut words = text.split_whitespace();
        let name = words.next()?;
        let (_, mut kind) = *KINDS.iter().find(|(known, _)| *known == name)?;
        let (item, value) = match words.next() {
            Some(token) => parse_token(token, shape)?,
            None if kind == Kind::Snapshot => (Item::default(), None),
            None => return None,
        };
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
        let expected = match (words.next(), words.next()) {
            (None, None) => None,
            (Some("="), Some("true")) => Some(true),
            (Some("="), Some("false")) => Some(false),
            _ => return None,
        };
        Some(Self {
            kind,
            item,
            value,
            new,
            expected,
        })
    }
}

/// A layout by its slots and bits: `2x31`, or `4x12+4` with those of its values.
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
            let (item, value) = parse_token(item, &shape).ok_or_else(unknown)?;
            fill.extend((0..copies).map(|_| (item, value.unwrap_or(0))));
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
        match (program.classes().len(), program.tokens().len()) {
            (0..=CLASSES, 0..=TOKENS) => Ok(program),
            (0..=CLASSES, many) => Err(format!(
                "{many} tokens are not possible; use at most {TOKENS}"
            )),
            (many, _) => Err(format!(
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
            write!(out, " layout={}", name_of(self.layout))?;
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
        for &(item, value) in &self.fill {
            write!(out, " ")?;
            item.write(&self.shape, out)?;
            write_value(value, out)?;
        }
        for thread in &self.threads {
            for (at, operation) in thread.iter().enumerate() {
                write!(out, "{} ", if at == 0 { " |" } else { "," })?;
                write!(out, "{}", operation.kind.name())?;
                if operation.kind != Kind::Snapshot {
                    write!(out, " ")?;
                    operation.item.write(&self.shape, out)?;
                }
                match operation.kind {
                    Kind::Replace => write!(out, " {}>{}", operation.value, operation.new)?,
                    // Else it would be a `unique`, or no `take`.
                    Kind::UniqueValue | Kind::Take => write!(out, "={}", operation.value)?,
                    _ => write_value(operation.value, out)?,
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
            "pair layout=4x12+4: f01=9 f01 | insert f01=9, replace f01 9>4 = true | unique f10=0, unique f10",
            "pair layout=2x16+15: | take f01=0, value f01, values f10, snapshot",
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
            "pair: f01=9 | insert f01",
            "pair: | value f01",
            "pair layout=4x12+4: f01=16 | insert f01",
            "pair layout=4x12+4: | take f01",
            "pair layout=4x12+4: | value f01=9",
            "pair layout=4x12+4: | replace f01=9",
        ] {
            assert!(text.parse::<Program>().is_err(), "{text}");
        }
    }
}
