//! The notation of tables that double.
//!
//! ```text
//! table tail=2 deepest=2 growing: f01/0 f00/1.1 | remove f01 = true | split f01/0 | contains f0111
//! ```
//!
//! A table whose first level has two words, one for each side, and tails of two bits; it grows to the second level. It
//! holds a token of the item with head `f` and the index bits `01` (those behind are 0) on side 0, and one on side 1 that
//! covers one bit of `f00`. A token with `^` behind it lies in the second table.

use std::fmt;
use std::str::{FromStr, SplitWhitespace};

use super::geometry::{BITS, DEEPEST, Item};
use super::program::{Call, Growing, ITEMS, Program, Shape, Token};
use crate::call::Kind;
use crate::notation::{Notation, write_settings};

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
    let (text, table) = match text.strip_suffix('^') {
        Some(text) => (text, 1),
        None => (text, 0),
    };
    let (text, len) = match text.split_once('.') {
        Some((text, len)) => (
            text,
            len.parse().ok().filter(|len| (1..=BITS).contains(len))?,
        ),
        None => (text, 0),
    };
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
    type Token = Token;

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

    fn fits(program: &Program) -> Result<(), String> {
        if program.items().len() > ITEMS {
            return Err(format!("use at most {ITEMS} items"));
        }
        let memory = program.memory().map(|_| ());
        memory.ok_or_else(|| "the tokens do not fit such a table".into())
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        if words.next() != Some("table") {
            return Err(format!("{text:?} is no table"));
        }
        let (mut shape, mut tail, mut deepest) = (Self::default(), 2, DEEPEST);
        for word in words {
            let unknown = || format!("{word:?} is not a setting");
            match word {
                "growing" => shape.growing = true,
                "contract" => shape.contract = true,
                "release" => shape.release = true,
                "sweeps" => shape.sweeps = true,
                "several" => shape.several = true,
                "both" => (shape.several, shape.both) = (true, true),
                _ => {
                    let (name, number) = word.split_once('=').ok_or_else(unknown)?;
                    let number: u8 = number.parse().map_err(|_| unknown())?;
                    match (name, number) {
                        ("tail", 2..=3) => tail = number,
                        ("deepest", 1..=DEEPEST) => deepest = number,
                        ("level", 1..=DEEPEST) => shape.level = number,
                        ("split", 2..8) => shape.split |= 1 << number,
                        ("slots", 1..=3) => shape.slots = number.into(),
                        ("attempts", 1..=9) => shape.attempts = number,
                        _ => return Err(unknown()),
                    }
                }
            }
        }
        shape.tables = Self::of(tail, deepest).tables;
        Ok(shape)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Self::default();
        write!(out, "table")?;
        let [levels, _] = self.tables;
        let settings = [
            ("tail", levels.tail, usual.tables[0].tail),
            ("deepest", levels.deepest, DEEPEST),
            ("level", self.level, usual.level),
            ("slots", self.slots as u8, usual.slots as u8),
            ("attempts", self.attempts, usual.attempts),
        ];
        let settings = settings.map(|(name, number, usual)| (name, number.into(), usual.into()));
        write_settings(&settings, out)?;
        for number in (2..8).filter(|number| self.split >> number & 1 != 0) {
            write!(out, " split={number}")?;
        }
        for (name, set) in [
            ("growing", self.growing),
            ("contract", self.contract),
            ("release", self.release),
            ("sweeps", self.sweeps),
            ("several", self.several && !self.both),
            ("both", self.both),
        ] {
            if set {
                write!(out, " {name}")?;
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
            "table deepest=2 growing: f0100/0 f0010/1.2 | remove f0100 = true | split f0100/0, contains f0111",
            "table tail=3 level=2 split=4 growing contract: | insert g1010 | sweep, double, snapshot",
            "table deepest=1 both: f0000/1^ f0100/0 | unique f0100, append | grow, release, count f0100",
        ] {
            let program: Program = text.parse().expect("a program");
            assert_eq!(program.to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "table",
            "table: x01/0 | sweep",
            "table: f01/2 | sweep",
            "table: f01/0.1 | sweep",
            "table: f01/0 f01/0 f01/0 | sweep",
            "table deepest=1 growing: | sweep",
            "table: | sweep f01",
            "table: | move f01",
        ] {
            assert!(text.parse::<Program>().is_err(), "{text}");
        }
    }
}
