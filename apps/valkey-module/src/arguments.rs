//! Arguments: describes the arguments of a command to the engine.

use std::ffi::{CString, c_char, c_int};
use std::ptr::null;

use cf::Spec;
use cf::usage::{self, Argument};

use crate::api::CommandArgument;
use crate::context::one_line;
use crate::own;

/// The types, by the engine's numbers.
const KINDS: [&str; 9] = [
    "string",
    "integer",
    "double",
    "key",
    "pattern",
    "unix-time",
    "pure-token",
    "oneof",
    "block",
];

const IS_OPTIONAL: c_int = 1;
const IS_MULTIPLE: c_int = 1 << 1;

/// Returns the arguments of a command of the module.
pub(crate) fn of(spec: &Spec) -> Vec<Argument> {
    let mut arguments = spec.arguments();
    if spec.name == "CF.RESERVE" {
        arguments.extend(usage::arguments(own::USAGE));
    }
    arguments
}

/// Words that end with a zero, and lists that point to them. They live as long as this.
#[derive(Default)]
pub(crate) struct Words {
    texts: Vec<CString>,
    lists: Vec<Vec<CommandArgument>>,
}

impl Words {
    pub(crate) fn text(&mut self, text: &str) -> *const c_char {
        let text = one_line(text);
        let place = text.as_ptr();
        self.texts.push(text);
        place
    }

    /// Makes a list with an end, or null instead of an empty one.
    pub(crate) fn list(&mut self, arguments: &[Argument]) -> *const CommandArgument {
        if arguments.is_empty() {
            return null();
        }
        let list = arguments.iter().map(|argument| self.argument(argument));
        let mut list: Vec<_> = list.collect();
        list.push(CommandArgument::END);
        let place = list.as_ptr();
        self.lists.push(list);
        place
    }

    fn argument(&mut self, argument: &Argument) -> CommandArgument {
        let kind = KINDS.iter().position(|&kind| kind == argument.kind);
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        CommandArgument {
            name: self.text(&argument.name),
            // The cast is exact. A type that the engine does not know is a string.
            kind: kind.unwrap_or(0) as c_int,
            // The command has one specification of keys.
            key_spec: if argument.kind == "key" { 0 } else { -1 },
            token: argument.token.map_or(null(), |token| self.text(token)),
            flags: flag(argument.is_optional, IS_OPTIONAL)
                | flag(argument.is_multiple, IS_MULTIPLE),
            parts: self.list(&argument.parts),
            ..CommandArgument::END
        }
    }
}

#[cfg(test)]
#[allow(unsafe_code)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    /// Reads the list as the engine does: by its pointers, up to the end.
    unsafe fn read(mut list: *const CommandArgument) -> Vec<Argument> {
        let mut arguments = Vec::new();
        let text = |text: *const c_char| -> &'static str {
            // SAFETY: a text that ends with a zero. It is copied, and the copy stays.
            let text = unsafe { CStr::from_ptr(text) };
            text.to_str().expect("ASCII").to_owned().leak()
        };
        // SAFETY: there is a list, or null.
        while let Some(argument) = unsafe { list.as_ref() }.filter(|one| !one.name.is_null()) {
            let kind = KINDS[argument.kind as usize];
            assert_eq!(argument.key_spec == 0, kind == "key");
            arguments.push(Argument {
                name: text(argument.name).to_owned(),
                kind,
                token: (!argument.token.is_null()).then(|| text(argument.token)),
                is_optional: argument.flags & IS_OPTIONAL != 0,
                is_multiple: argument.flags & IS_MULTIPLE != 0,
                // SAFETY: as above.
                parts: unsafe { read(argument.parts) },
            });
            list = list.wrapping_add(1);
        }
        arguments
    }

    #[test]
    fn the_engine_reads_the_same_arguments() {
        let mut words = Words::default();
        let mut lists: Vec<_> = cf::COMMANDS.iter().map(of).collect();
        lists.push(usage::arguments(
            "[A|B] [key [USER name password]] [text:pattern ...]",
        ));
        for arguments in lists {
            let list = words.list(&arguments);
            // SAFETY: a list of words that still exist.
            assert_eq!(unsafe { read(list) }, arguments);
        }
    }
}
