//! The notation: the text of a program, so that one found by chance can be run again.
//!
//! ```text
//! SHAPE: TOKEN TOKEN | CALL, CALL = true | CALL
//! ```
//!
//! Each machine says what its shapes, tokens and calls are. `= true` or `= false` behind a call says that it must succeed,
//! or fail, in every schedule, where that is more than the tokens alone would say.

use std::fmt::{self, Debug, Display};
use std::str::{FromStr, SplitWhitespace};

use crate::call::{Call, Kind};
use crate::monitor::THREADS;

/// What the programs of a machine are made of, and their texts.
pub trait Notation: Copy + Debug + Eq + 'static {
    /// The shape of the tables and the bounds of their operations, all of them small.
    type Shape: Copy + Debug + Display + Eq + FromStr<Err = String> + Send + Sync;
    /// What calls are made with.
    type Item: Copy + Debug + Default + Ord + Send + Sync;
    /// A token that is there from the beginning.
    type Token: Copy + Debug + Ord + Send + Sync;

    /// Whether the machine knows calls of a kind.
    fn knows(kind: Kind) -> bool;

    /// Tokens of one text.
    fn parse_tokens(text: &str, shape: &Self::Shape) -> Option<Vec<Self::Token>>;

    /// A token as a text.
    fn write_token(
        token: &Self::Token,
        shape: &Self::Shape,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result;

    /// A call of a kind, by the words behind that.
    fn parse_call(
        kind: Kind,
        words: &mut SplitWhitespace<'_>,
        shape: &Self::Shape,
    ) -> Option<CallOf<Self>>;

    /// What a call is made with, as a text.
    fn write_call(
        call: &CallOf<Self>,
        shape: &Self::Shape,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result;

    /// What an item is in the words, where its text does not say.
    fn show_item(_: Self::Item) -> String {
        String::new()
    }

    /// Whether the machine can count so many items, and the tokens of the beginning fit the tables.
    fn fits(program: &Program<Self>) -> Result<(), String>;
}

/// What the threads do, and on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<M: Notation> {
    /// The shape of the tables and the bounds.
    pub shape: M::Shape,
    /// Tokens that are there from the beginning.
    pub fill: Vec<M::Token>,
    /// The calls of each thread.
    pub threads: Vec<Vec<CallOf<M>>>,
}

/// A call of a machine.
pub(crate) type CallOf<M> = Call<<M as Notation>::Item>;

fn parse_call<M: Notation>(text: &str, shape: &M::Shape) -> Option<CallOf<M>> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let mut known = Kind::EVERY.iter().filter(|&&kind| M::knows(kind));
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
        let shape: M::Shape = shape.parse()?;
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
        write!(out, "{}:", self.shape)?;
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

/// A call as a text.
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

/// What a shape says of settings that are not as usual: the name of each, what it is, and what is usual.
pub(crate) fn write_settings(
    settings: &[(&str, usize, usize)],
    out: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let others = settings.iter().filter(|(_, number, usual)| number != usual);
    others
        .into_iter()
        .try_for_each(|(name, number, _)| write!(out, " {name}={number}"))
}
