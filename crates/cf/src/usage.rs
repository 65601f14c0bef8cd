//! The arguments of a command, from a line of text to what an engine tells of them.
//!
//! | in the text | |
//! |---|---|
//! | `key` | a key |
//! | `name`, `name:integer` | a value, a string unless its type is given |
//! | `WORD` | that word |
//! | `WORD name` | that word, and a value behind it |
//! | `WORD name name` | the same with several values, only in brackets |
//! | `A\|B` | one of these words |
//! | `[..]` | what can be left out |
//! | `..` behind a value | one or more |

/// One argument, or several that come together.
#[derive(Debug, PartialEq, Eq)]
pub struct Argument<'a> {
    /// The word that comes first, or some of which one is given.
    pub word: Option<&'a str>,
    /// The values behind it, each with its type.
    pub values: Vec<&'a str>,
    /// Whether it can be left out.
    pub is_optional: bool,
    /// Whether there can be more of it.
    pub is_multiple: bool,
}

/// How many arguments there must be, and whether there can be more.
#[must_use]
pub fn number(usage: &str) -> (usize, bool) {
    let arguments = arguments(usage);
    let needed = arguments.iter().filter(|argument| !argument.is_optional);
    let needed = needed.map(|one| usize::from(one.word.is_some()) + one.values.len());
    let more = |argument: &Argument<'_>| argument.is_optional || argument.is_multiple;
    (needed.sum(), arguments.iter().any(more))
}

/// The arguments that a text names, in order.
#[must_use]
pub fn arguments(usage: &str) -> Vec<Argument<'_>> {
    let mut arguments = Vec::new();
    let mut rest = usage.trim_start();
    while !rest.is_empty() {
        let (part, behind, is_optional) = match rest.strip_prefix('[') {
            Some(inner) => {
                let (part, behind) = inner.split_once(']').unwrap_or((inner, ""));
                (part, behind, true)
            }
            None => {
                let (part, behind) = required(rest);
                (part, behind, false)
            }
        };
        let is_multiple = part.ends_with("..");
        let mut words = part.trim_end_matches("..").split_whitespace().peekable();
        arguments.push(Argument {
            word: words.next_if(|word| is_word(word)),
            values: words.collect(),
            is_optional,
            is_multiple,
        });
        rest = behind.trim_start();
    }
    arguments
}

/// The first argument outside of brackets: a word with the value behind it, or a value.
fn required(text: &str) -> (&str, &str) {
    let end = |text: &str, from: usize| text[from..].find(' ').map_or(text.len(), |at| from + at);
    let first = end(text, 0);
    let next = text[first..].trim_start().chars().next();
    let at = if is_word(&text[..first]) && next.is_some_and(char::is_lowercase) {
        end(text, first + 1)
    } else {
        first
    };
    text.split_at(at)
}

fn is_word(text: &str) -> bool {
    !text.contains(char::is_lowercase)
}

/// The name of a value, and its type.
#[must_use]
pub fn name_and_type(value: &str) -> (&str, &str) {
    match value.split_once(':') {
        Some((name, kind)) => (name, kind),
        None if value == "key" => (value, "key"),
        None => (value, "string"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_divided_into_arguments() {
        let parsed = arguments(
            "key size:integer [LIMIT limit:integer] [ON|OFF] [AS name name] ITEMS item..",
        );
        let expected = [
            (None, vec!["key"], false, false),
            (None, vec!["size:integer"], false, false),
            (Some("LIMIT"), vec!["limit:integer"], true, false),
            (Some("ON|OFF"), vec![], true, false),
            (Some("AS"), vec!["name", "name"], true, false),
            (Some("ITEMS"), vec!["item"], false, true),
        ];
        let expected = expected.map(|(word, values, is_optional, is_multiple)| Argument {
            word,
            values,
            is_optional,
            is_multiple,
        });
        assert_eq!(parsed, expected);
        assert_eq!(number("key [a] ITEMS item.."), (3, true));
        assert_eq!(number("key a"), (2, false));
        assert_eq!(number(""), (0, false));
        assert_eq!(number("LIST"), (1, false));
    }
}
