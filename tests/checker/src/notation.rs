//! The notation: the text of a program, so that one found by chance can be run again.
//!
//! ```text
//! SHAPE: TOKEN TOKEN | CALL, CALL = true | CALL
//! ```
//!
//! Each machine says what its shapes, tokens and calls are. `= true` or `= false` behind a call says that it must succeed,
//! or fail, in every schedule, where that is more than the tokens alone would say.

use std::fmt;
use std::str::FromStr;

use crate::machine::{CallOf, Machine, Program};
use crate::monitor::THREADS;

fn parse_call<M: Machine>(text: &str, shape: &M::Shape) -> Option<CallOf<M>> {
    let mut words = text.split_whitespace();
    let name = words.next()?;
    let kind = *M::KINDS.iter().find(|kind| kind.name() == name)?;
    let mut call = M::parse_call(kind, &mut words, shape)?;
    call.expected = match (words.next(), words.next(), words.next()) {
        (None, ..) => None,
        (Some("="), Some("true"), None) => Some(true),
        (Some("="), Some("false"), None) => Some(false),
        _ => return None,
    };
    Some(call)
}

impl<M: Machine> FromStr for Program<M> {
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
        if !M::counts(&program) {
            return Err("so many items are not possible; use fewer".into());
        }
        if M::memory(&program).is_none() {
            return Err("the tokens do not fit such a table".into());
        }
        Ok(program)
    }
}

impl<M: Machine> fmt::Display for Program<M> {
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
pub(crate) struct CallText<'a, M: Machine>(pub &'a CallOf<M>, pub &'a M::Shape);

impl<M: Machine> fmt::Display for CallText<'_, M> {
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
