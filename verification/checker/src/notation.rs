//! The notation: programs as texts, so that a random program that fails can be run again.
//!
//! ```text
//! SHAPE: TOKEN TOKEN | CALL, CALL = true | CALL
//! ```
//!
//! Each machine defines its shapes, tokens and calls. `= true` or `= false` after a call says that
//! it must succeed, or fail, in every schedule, if the tokens alone do not imply that.

use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::ops::RangeInclusive;
use std::str::{FromStr, SplitWhitespace};

use clap::ValueEnum;

use model::Value;

use crate::monitor::THREADS;

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum)]
pub enum Kind {
    Insert,
    Unique,
    Remove,
    Contains,
    Count,
    /// One relocation, from a candidate to the other.
    Move,
    Snapshot,
    /// `insert_unique_value`: a `unique` with a value is another kind than one without.
    #[value(name = "unique")]
    UniqueValue,
    Value,
    Values,
    /// `replace_value`
    Replace,
    /// `remove_value`
    Take,
    /// The death of another process, the [victim](victim), and the recovery of what the dead held.
    Recover,
}

/// One call. Not all kinds have an item, and few have the other fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call<Item> {
    pub kind: Kind,
    pub item: Item,
    pub value: Value,
    /// The replacement value.
    pub new: Value,
    /// The result that it must have in every schedule, if there is one.
    pub expected: Option<bool>,
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<Copied> {
    /// Whether it succeeded, or found its item.
    Bool(bool),
    /// An insert that found no room, or was disturbed too often.
    Full,
    /// An insert that found all descriptors taken.
    NoDescriptor,
    /// An insert that found both buckets full of copies.
    TooManyCopies,
    Number(usize),
    /// The result of `value`, or of an `insert_unique` with a value.
    Value(Option<Value>),
    Copy(Copied),
    NoCopy,
}

impl Kind {
    /// Returns the word for it.
    pub fn name(self) -> String {
        let value = self.to_possible_value().expect("none is left out");
        value.get_name().into()
    }

    pub fn has_item(self) -> bool {
        ![Self::Snapshot, Self::Recover].contains(&self)
    }
}

/// Returns the thread that dies as this one begins to recover.
pub(crate) fn victim(recoverer: usize) -> usize {
    usize::from(recoverer == 0)
}

impl<Item> Call<Item> {
    /// Makes a call without an expected result.
    pub fn new(kind: Kind, item: Item) -> Self {
        Self {
            kind,
            item,
            value: 0,
            new: 0,
            expected: None,
        }
    }
}

impl<Copied: Display> Display for Answer<Copied> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(answer) => write!(out, "{answer}"),
            Self::Full => write!(out, "\"full\""),
            Self::NoDescriptor => write!(out, "\"no descriptor\""),
            Self::TooManyCopies => write!(out, "\"too many copies\""),
            Self::Number(copies) => write!(out, "{copies}"),
            Self::Value(Some(value)) => write!(out, "value {value}"),
            Self::Value(None) => write!(out, "no value"),
            Self::Copy(copy) => write!(out, "a copy {copy}"),
            Self::NoCopy => write!(out, "no copy"),
        }
    }
}

/// A numeric setting of a shape: its name, its range, and its field.
pub struct Number<S>(
    pub &'static str,
    pub RangeInclusive<usize>,
    pub fn(&mut S) -> &mut usize,
);

/// A setting without a value.
pub struct Flag<S>(pub &'static str, pub fn(&mut S) -> &mut bool);

/// The parts of the programs of a machine, and their texts.
pub trait Notation: Copy + Debug + Eq + 'static {
    /// The shape of the tables and the bounds of their operations, all of them small.
    type Shape: Copy + Debug + Eq + Send + Sync + 'static;
    type Item: Copy + Debug + Default + Ord + Send + Sync;
    /// An initial token.
    type Token: Copy + Debug + Ord + Send + Sync;
    /// The memory that threads share.
    type Memory: Copy + Debug + Hash;

    const NUMBERS: &'static [Number<Self::Shape>];
    const FLAGS: &'static [Flag<Self::Shape>];

    /// Returns the default shape for a name.
    fn usual(name: &str) -> Option<Self::Shape>;

    fn name_of_shape(shape: &Self::Shape) -> &'static str;

    /// Sets a setting that is not a number; `None` if there is no such setting.
    fn set(shape: &mut Self::Shape, name: &str, value: &str) -> Option<()>;

    fn write_others(shape: &Self::Shape, out: &mut fmt::Formatter<'_>) -> fmt::Result;

    fn parse_tokens(text: &str, shape: &Self::Shape) -> Option<Vec<Self::Token>>;

    fn write_token(
        token: &Self::Token,
        shape: &Self::Shape,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result;

    /// Parses a call of a kind from the words after it.
    fn parse_call(
        kind: Kind,
        words: &mut SplitWhitespace<'_>,
        shape: &Self::Shape,
    ) -> Option<CallOf<Self>>;

    /// Returns the arguments of a call as a text.
    fn write_call(
        call: &CallOf<Self>,
        shape: &Self::Shape,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result;

    /// Returns the text of an item.
    fn show_item(item: Self::Item) -> String;

    /// Checks that the machine can count the items of the program.
    fn can_count(program: &Program<Self>) -> Result<(), String>;

    /// Returns the memory before the first step; `None` if the tokens do not fit, or there is no
    /// such table.
    fn memory(program: &Program<Self>) -> Option<Self::Memory>;

    /// Checks that the machine can count the items, and that the initial tokens fit the tables.
    fn fits(program: &Program<Self>) -> Result<(), String> {
        Self::can_count(program)?;
        let memory = Self::memory(program).map(drop);
        memory.ok_or_else(|| "the tokens do not fit such a table".into())
    }
}

/// The calls of the threads, and their table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<M: Notation> {
    pub shape: M::Shape,
    /// The initial tokens.
    pub fill: Vec<M::Token>,
    pub threads: Vec<Vec<CallOf<M>>>,
}

/// A call of a machine.
pub(crate) type CallOf<M> = Call<<M as Notation>::Item>;

fn parse_call<M: Notation>(text: &str, shape: &M::Shape) -> Option<CallOf<M>> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let mut known = Kind::value_variants().iter();
    let kind = *known.find(|kind| kind.name() == name)?;
    let mut call = M::parse_call(kind, &mut words, shape)?;
    call.expected = match (words.next(), words.next(), words.next()) {
        (None, ..) => None,
        (Some("="), Some("true"), None) => Some(true),
        (Some("="), Some("false"), None) => Some(false),
        _ => return None,
    };
    Some(call)
}

impl<M: Notation> FromStr for Program<M> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split('|');
        let head = parts.next().unwrap_or_default();
        let (shape, filled) = head.split_once(':').ok_or("no `:` after the shape")?;
        let shape = parse_shape::<M>(shape)?;
        let mut fill = Vec::new();
        for text in filled.split_whitespace() {
            let tokens = M::parse_tokens(text, &shape);
            fill.extend(tokens.ok_or_else(|| format!("{text:?} is no token"))?);
        }
        let threads = parts.map(|thread| {
            let calls = thread.split(',').map(|text| {
                let call = parse_call::<M>(text, &shape);
                call.ok_or_else(|| format!("{text:?} is no call"))
            });
            calls.collect()
        });
        let program = Self {
            shape,
            fill,
            threads: threads.collect::<Result<Vec<Vec<_>>, _>>()?,
        };
        if !(1..=THREADS).contains(&program.threads.len()) {
            return Err(format!("use 1 to {THREADS} threads"));
        }
        M::fits(&program)?;
        Ok(program)
    }
}

impl<M: Notation> Display for Program<M> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:", ShapeText::<M>(&self.shape))?;
        for token in &self.fill {
            write!(out, " ")?;
            M::write_token(token, &self.shape, out)?;
        }
        for thread in &self.threads {
            for (at, call) in thread.iter().enumerate() {
                let before = if at == 0 { " |" } else { "," };
                write!(out, "{before} {}", CallText::<M>(call, &self.shape))?;
            }
        }
        Ok(())
    }
}

pub(crate) struct CallText<'a, M: Notation>(pub &'a CallOf<M>, pub &'a M::Shape);

impl<M: Notation> Display for CallText<'_, M> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(call, shape) = *self;
        write!(out, "{}", call.kind.name())?;
        M::write_call(call, shape, out)?;
        match call.expected {
            Some(expected) => write!(out, " = {expected}"),
            None => Ok(()),
        }
    }
}

/// Parses a shape from its name and its settings.
pub(crate) fn parse_shape<M: Notation>(text: &str) -> Result<M::Shape, String> {
    let mut words = text.split_whitespace();
    let usual = words.next().and_then(M::usual);
    let mut shape = usual.ok_or_else(|| format!("{text:?} begins with no shape"))?;
    for word in words {
        let unknown = || format!("{word:?} is not a setting");
        if let Some(Flag(_, of)) = M::FLAGS.iter().find(|Flag(name, _)| *name == word) {
            *of(&mut shape) = true;
            continue;
        }
        let (name, value) = word.split_once('=').ok_or_else(unknown)?;
        if let Some(Number(_, bounds, of)) = M::NUMBERS.iter().find(|Number(n, ..)| *n == name) {
            let number = value.parse().ok().filter(|number| bounds.contains(number));
            *of(&mut shape) = number.ok_or_else(unknown)?;
        } else {
            M::set(&mut shape, name, value).ok_or_else(unknown)?;
        }
    }
    Ok(shape)
}

/// The text of a shape: its name, and the settings that differ from the default.
pub(crate) struct ShapeText<'a, M: Notation>(pub(crate) &'a M::Shape);

impl<M: Notation> Display for ShapeText<'_, M> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut shape, name) = (*self.0, M::name_of_shape(self.0));
        let mut usual = M::usual(name).ok_or(fmt::Error)?;
        write!(out, "{name}")?;
        for Number(name, _, of) in M::NUMBERS {
            let number = *of(&mut shape);
            if number != *of(&mut usual) {
                write!(out, " {name}={number}")?;
            }
        }
        M::write_others(self.0, out)?;
        let mut flags = M::FLAGS.iter().filter(|Flag(_, of)| *of(&mut shape));
        flags.try_for_each(|Flag(name, _)| write!(out, " {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::Fixed;

    #[test]
    fn a_program_survives_its_text() {
        for text in [
            "pair: f01 | insert f01, remove f01 = true | contains f10",
            "square descriptors=1 budget=8 torn: a03 b02 | move a03 | snapshot, count b20",
            "pair layout=4x12+4: f01=9 f01 | insert f01=9, replace f01 9>4 = true | unique f10=0, unique f10",
            "pair layout=2x16+15: | take f01=0, value f01, values f10, snapshot",
        ] {
            let program: Program<Fixed> = text.parse().expect("a program");
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
            "pair descriptors=5: | insert f01",
            "pair: f01=9 | insert f01",
            "pair: | value f01",
            "pair layout=4x12+4: f01=16 | insert f01",
            "pair layout=4x12+4: | take f01",
            "pair layout=4x12+4: | value f01=9",
            "pair layout=4x12+4: | replace f01=9",
        ] {
            assert!(text.parse::<Program<Fixed>>().is_err(), "{text}");
        }
    }
}
