//! The notation: the text of a program for a table, so that one found by chance can be run again.
//!
//! ```text
//! table tail=2 deepest=2 growing: f01/0 f00/1.1 | remove f01 = true | split f01/0 | contains f0111
//! ```
//!
//! A table whose first level has two words, one for each side, and tails of two bits; it grows to the second level. It
//! holds a token of the item with head `f` and the index bits `01` (those behind are 0) on side 0, and one on side 1 that
//! covers one bit of `f00`. A token with `^` behind it lies in the second table. `= true` or `= false` behind a call says
//! that it must succeed, or fail, in every schedule.

use std::fmt;
use std::str::FromStr;

use super::geometry::{BITS, DEEPEST, Item};
use super::program::{Call, ITEMS, Kind, Program, Shape, Token};
use crate::memory::THREADS;

const KINDS: [(&str, Kind); 13] = [
    ("insert", Kind::Insert),
    ("unique", Kind::Unique),
    ("remove", Kind::Remove),
    ("contains", Kind::Contains),
    ("count", Kind::Count),
    ("move", Kind::Move),
    ("split", Kind::Split),
    ("sweep", Kind::Sweep),
    ("double", Kind::Double),
    ("grow", Kind::Grow),
    ("release", Kind::Release),
    ("append", Kind::Append),
    ("snapshot", Kind::Snapshot),
];

impl Kind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        let found = KINDS.iter().find(|(_, kind)| *kind == self);
        found.map_or("", |(name, _)| name)
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

fn parse_call(text: &str) -> Option<Call> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let (_, kind) = *KINDS.iter().find(|(known, _)| *known == name)?;
    let (item, side) = match (kind.has_item(), kind.has_side()) {
        (true, true) => parse_sided(words.next()?)?,
        (true, false) => (parse_item(words.next()?)?, 0),
        _ => (Item::default(), 0),
    };
    let expected = match (words.next(), words.next()) {
        (None, None) => None,
        (Some("="), Some("true")) => Some(true),
        (Some("="), Some("false")) => Some(false),
        _ => return None,
    };
    Some(Call {
        kind,
        item,
        side,
        expected,
    })
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

impl FromStr for Program {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('|');
        let head = parts.next().unwrap_or_default();
        let (shape, filled) = head.split_once(':').ok_or("no `:` after the shape")?;
        let tokens = filled.split_whitespace();
        let tokens = tokens.map(|text| parse_token(text).ok_or(format!("{text:?} is no token")));
        let fill = tokens.collect::<Result<_, _>>()?;
        let threads = parts.map(|thread| {
            let calls = thread.split(',');
            let calls = calls.map(|text| parse_call(text).ok_or(format!("{text:?} is no call")));
            calls.collect()
        });
        let threads = threads.collect::<Result<Vec<Vec<_>>, _>>()?;
        let program = Self {
            shape: shape.parse()?,
            fill,
            threads,
        };
        if !(1..=THREADS).contains(&program.threads.len()) || program.items().len() > ITEMS {
            return Err(format!(
                "use 1 to {THREADS} threads and at most {ITEMS} items"
            ));
        }
        if program.memory().is_none() {
            return Err("the tokens do not fit such a table".into());
        }
        Ok(program)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Self::default();
        write!(out, "table")?;
        let [levels, _] = self.tables;
        for (name, number, usual) in [
            ("tail", levels.tail, usual.tables[0].tail),
            ("deepest", levels.deepest, DEEPEST),
            ("level", self.level, usual.level),
            ("slots", self.slots as u8, usual.slots as u8),
            ("attempts", self.attempts, usual.attempts),
        ] {
            if number != usual {
                write!(out, " {name}={number}")?;
            }
        }
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

impl fmt::Display for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:", self.shape)?;
        for token in &self.fill {
            write!(out, " {}/{}", token.item, token.side)?;
            if token.len > 0 {
                write!(out, ".{}", token.len)?;
            }
            write!(out, "{}", if token.table == 1 { "^" } else { "" })?;
        }
        for thread in &self.threads {
            for (at, call) in thread.iter().enumerate() {
                write!(out, "{} {call}", if at == 0 { " |" } else { "," })?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Call {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.kind.name())?;
        if self.kind.has_item() {
            write!(out, " {}", self.item)?;
        }
        if self.kind.has_side() {
            write!(out, "/{}", self.side)?;
        }
        self.expected
            .map_or(Ok(()), |expected| write!(out, " = {expected}"))
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
