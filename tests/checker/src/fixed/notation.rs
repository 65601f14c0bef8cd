//! The notation of tables of one size.
//!
//! ```text
//! pair: f01 | insert f01, remove f01 | contains f10
//! ```
//!
//! A table of two buckets (`square`: four) that holds the token `f` in bucket 0; one thread inserts and removes
//! an item of that class, another looks for it, reading bucket 1 first. An item is a letter, its first bucket
//! and its second. In a square the letter stands for another fingerprint with each distance of the two.
//!
//! ```text
//! pair layout=4x12+4: f01=9 | move f01, insert f01=4 | unique f10=5, replace f10 9>4, take f10=4 | value f10, values f01
//! ```
//!
//! The same with values of four bits: tokens with the value 9; an insert, a unique insert and a remove of a value; a
//! replacement of 9 by 4; a lookup of one value, and of all. Where none is given it is 0.

use std::fmt;
use std::str::{FromStr, SplitWhitespace};

use model::{Fingerprint, Layout, Value};

use crate::call::Kind;
use crate::fixed::memory::{BUCKETS, NOTES};
use crate::fixed::program::{CLASSES, Call, Fixed, Item, Program, Shape, TOKENS};
use crate::monitor::THREADS;
use crate::notation::{Notation, write_settings};

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

impl Notation for Fixed {
    type Shape = Shape;
    type Item = Item;
    type Token = (Item, Value);

    fn knows(kind: Kind) -> bool {
        use Kind::{Append, Double, Grow, Release, Split, Sweep};
        ![Split, Sweep, Double, Grow, Release, Append].contains(&kind)
    }

    /// An item, its value, and how often it is there.
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
        if kind == Kind::Snapshot {
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
            // Else it would be a `unique`, or no `take`.
            Kind::UniqueValue | Kind::Take => write!(out, "={}", call.value),
            _ => write_value(call.value, out),
        }
    }

    fn show_item(item: Item) -> String {
        format!(" ({:x} in {} {})", item.f, item.first, item.second)
    }

    fn fits(program: &Program) -> Result<(), String> {
        if program.classes().len() > CLASSES || program.tokens().len() > TOKENS {
            return Err(format!("use at most {CLASSES} classes and {TOKENS} tokens"));
        }
        let memory = program.memory().map(|_| ());
        memory.ok_or_else(|| "the tokens do not fit such a table".into())
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

impl fmt::Display for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Self::of(self.buckets);
        write!(out, "{}", if self.buckets == 2 { "pair" } else { "square" })?;
        if self.layout != usual.layout {
            write!(out, " layout={}", name_of(self.layout))?;
        }
        let settings = [
            ("descriptors", self.descriptors, usual.descriptors),
            ("attempts", self.attempts.into(), usual.attempts.into()),
            ("budget", self.budget.into(), usual.budget.into()),
            ("notes", self.notes, usual.notes),
        ];
        write_settings(&settings, out)?;
        write!(out, "{}", if self.torn { " torn" } else { "" })
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
