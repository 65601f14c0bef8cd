//! Arguments of a command: parses the line that documents them into the terms of `COMMAND DOCS`.
//!
//! | in the line | |
//! |---|---|
//! | `key` | a key |
//! | `name`, `name:integer` | a value, a string unless its type is given |
//! | `WORD` | that word, and the value behind it, if there is one |
//! | `A\|B` | one of these words |
//! | `[..]` | an optional part |
//! | `...` | repeats the part before it |

use crate::error::Error;

/// An argument, in the terms of `COMMAND DOCS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The name, in small letters.
    pub name: String,
    /// The type. `oneof` and `block` have parts.
    pub kind: &'static str,
    /// The word before the value, or the word itself.
    pub token: Option<&'static str>,
    /// Whether it can be left out.
    pub is_optional: bool,
    /// Whether it can be repeated.
    pub is_multiple: bool,
    /// Its parts, or the words to choose from.
    pub parts: Vec<Argument>,
}

/// Parses the arguments of a line, in order.
pub fn arguments(mut line: &'static str) -> Vec<Argument> {
    up_to_the_bracket(&mut line)
}

/// Returns the number of arguments as Redis counts: with the name of the command, and negative if
/// there can be more.
pub fn arity(arguments: &[Argument]) -> i64 {
    let needed = arguments.iter().filter(|argument| !argument.is_optional);
    let words = needed.map(|one| 1 + i64::from(one.token.is_some() && one.kind != WORD));
    let mut all = arguments.iter();
    let more = all.any(|argument| argument.is_optional || argument.is_multiple);
    (1 + words.sum::<i64>()) * if more { -1 } else { 1 }
}

/// Checks a number of arguments, which includes the name of the command, against an arity.
///
/// # Errors
///
/// If there are too few, or too many.
pub fn check_number(name: &'static str, arity: i64, given: usize) -> Result<(), Error> {
    let given = i64::try_from(given).unwrap_or(i64::MAX);
    if given == arity || arity < 0 && given >= -arity {
        Ok(())
    } else {
        Err(Error::WrongNumber(name))
    }
}

/// The type of a word that is given as it is.
const WORD: &str = "pure-token";

fn up_to_the_bracket(line: &mut &'static str) -> Vec<Argument> {
    let mut arguments: Vec<Argument> = Vec::new();
    loop {
        *line = line.trim_start();
        let length = line.find([' ', '[', ']']).unwrap_or(line.len()).max(1);
        let Some((part, behind)) = line.split_at_checked(length) else {
            return arguments;
        };
        *line = behind;
        match (part, arguments.last_mut()) {
            ("]", _) => return arguments,
            ("[", _) => arguments.push(optional(up_to_the_bracket(line))),
            ("...", Some(last)) => last.is_multiple = true,
            (part, _) if !part.contains(char::is_lowercase) => arguments.push(word(part)),
            (part, Some(last)) if last.kind == WORD && !last.is_optional => {
                *last = Argument {
                    token: last.token,
                    ..value(part)
                };
            }
            (part, _) => arguments.push(value(part)),
        }
    }
}

/// Makes the optional argument in brackets.
fn optional(mut parts: Vec<Argument>) -> Argument {
    let argument = match parts.len() {
        1 => parts.remove(0),
        _ => Argument {
            parts,
            ..argument("options", "block")
        },
    };
    Argument {
        is_optional: true,
        ..argument
    }
}

fn word(text: &'static str) -> Argument {
    if text.contains('|') {
        return Argument {
            parts: text.split('|').map(word).collect(),
            ..argument("option", "oneof")
        };
    }
    Argument {
        token: Some(text),
        ..argument(&text.to_ascii_lowercase(), WORD)
    }
}

fn value(text: &'static str) -> Argument {
    match text.split_once(':') {
        Some((name, kind)) => argument(name, kind),
        None if text == "key" => argument(text, "key"),
        None => argument(text, "string"),
    }
}

fn argument(name: &str, kind: &'static str) -> Argument {
    Argument {
        name: name.to_owned(),
        kind,
        token: None,
        is_optional: false,
        is_multiple: false,
        parts: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_line_of_arguments() {
        let name = |name, kind| argument(name, kind);
        let [on, off] = ["ON", "OFF"].map(word);
        let user = Argument {
            token: Some("AUTH"),
            ..name("user", "string")
        };
        let block = vec![
            name("version", "integer"),
            optional(vec![user, name("password", "string")]),
        ];
        let item = Argument {
            is_multiple: true,
            ..name("item", "string")
        };
        for (line, expected, number) in [
            ("", vec![], 1),
            ("ON", vec![on.clone()], 2),
            ("key item ...", vec![name("key", "key"), item], -3),
            (
                "[OFF] a",
                vec![optional(vec![off]), name("a", "string")],
                -2,
            ),
            (
                "[version:integer [AUTH user password]]",
                vec![optional(block)],
                -1,
            ),
        ] {
            let arguments = arguments(line);
            assert_eq!(arguments, expected, "{line}");
            assert_eq!(arity(&arguments), number, "{line}");
        }
        let either = &arguments("ON|OFF")[0];
        assert_eq!((either.kind, &either.parts[0]), ("oneof", &on));
    }
}
