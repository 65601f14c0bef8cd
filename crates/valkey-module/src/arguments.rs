//! What an engine is told of the arguments of a command.

use std::ffi::{CStr, CString, c_int};
use std::iter;
use std::ptr::null;

use cf::usage::{self, name_and_type};

use crate::api::{
    ARGUMENT_IS_KEY, ARGUMENT_IS_MULTIPLE, ARGUMENT_IS_OPTIONAL, ARGUMENT_IS_WORD, ARGUMENT_KINDS,
    CommandArgument,
};

/// The arguments of a command, in words that end with a zero.
pub(crate) struct Arguments(Vec<Argument>);

impl Arguments {
    /// Those that a text names, as [`usage`] reads it.
    pub(crate) fn of(text: &str) -> Self {
        Self(usage::arguments(text).iter().map(Argument::of).collect())
    }

    /// The list for the engine, which points to the words.
    pub(crate) fn list(&self) -> Vec<CommandArgument> {
        let arguments = self.0.iter().map(Argument::describe);
        arguments.chain(iter::once(END)).collect()
    }
}

struct Argument {
    name: CString,
    kind: c_int,
    word: Option<CString>,
    flags: c_int,
}

const END: CommandArgument = CommandArgument {
    name: null(),
    kind: 0,
    key_spec: -1,
    word: null(),
    summary: null(),
    since: null(),
    flags: 0,
    deprecated_since: null(),
    parts: null(),
    display_text: null(),
};

impl Argument {
    /// Of one value, with a word in front of it or without; or of a word alone.
    fn of(argument: &cf::usage::Argument<'_>) -> Self {
        let (name, kind) = match (argument.values.first(), argument.word) {
            (Some(value), _) => {
                let (name, kind) = name_and_type(value);
                let number = ARGUMENT_KINDS.iter().position(|&known| known == kind);
                (name.to_owned(), number.unwrap_or(0) as c_int)
            }
            (None, word) => (word.unwrap_or_default().to_lowercase(), ARGUMENT_IS_WORD),
        };
        let flags = [
            (argument.is_optional, ARGUMENT_IS_OPTIONAL),
            (argument.is_multiple, ARGUMENT_IS_MULTIPLE),
        ];
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
        Self {
            name: one_line(&name),
            kind,
            word: argument.word.map(one_line),
            flags: flags.map(|(_, flag)| flag).sum(),
        }
    }

    fn describe(&self) -> CommandArgument {
        CommandArgument {
            name: self.name.as_ptr(),
            kind: self.kind,
            // There is one specification.
            key_spec: if self.kind == ARGUMENT_IS_KEY { 0 } else { -1 },
            word: self.word.as_deref().map_or(null(), CStr::as_ptr),
            flags: self.flags,
            ..END
        }
    }
}

/// What a client sent may be part of the text, and must not end the line.
pub(crate) fn one_line(text: &str) -> CString {
    let text = text.replace(|character: char| character.is_control(), " ");
    CString::new(text).unwrap_or_default()
}
