//! The arguments of a command, from a line of text to what COMMAND DOCS replies.
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

use crate::reply::Reply;

/// One argument, or several that come together.
#[derive(Debug, PartialEq, Eq)]
struct Argument<'a> {
    word: Option<&'a str>,
    values: Vec<&'a str>,
    is_optional: bool,
    is_multiple: bool,
}

/// What COMMAND DOCS replies of such arguments.
pub(super) fn arguments(usage: &str) -> Vec<Reply> {
    let arguments = parse(usage).into_iter();
    arguments.map(|argument| argument.reply()).collect()
}

/// How many arguments there must be, and whether there can be more.
#[cfg(test)]
pub(super) fn number(usage: &str) -> (usize, bool) {
    let arguments = parse(usage);
    let needed = arguments.iter().filter(|argument| !argument.is_optional);
    let needed = needed.map(|one| usize::from(one.word.is_some()) + one.values.len());
    let more = |argument: &Argument<'_>| argument.is_optional || argument.is_multiple;
    (needed.sum(), arguments.iter().any(more))
}

fn parse(usage: &str) -> Vec<Argument<'_>> {
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

impl Argument<'_> {
    fn reply(&self) -> Reply {
        let own = match (self.word, self.values.as_slice()) {
            (Some(words), []) if words.contains('|') => {
                let words = words.split('|').map(|word| map(pure_token(word)));
                vec![
                    ("name", Reply::text("option")),
                    ("type", Reply::text("oneof")),
                    ("arguments", Reply::Array(words.collect())),
                ]
            }
            (Some(word), []) => pure_token(word),
            (word, [one]) => {
                let mut pairs = value(one);
                pairs.extend(word.map(|word| ("token", Reply::text(word))));
                pairs
            }
            (word, several) => {
                let name = word.unwrap_or("block").to_lowercase();
                let several = several.iter().map(|one| map(value(one)));
                let mut pairs = vec![
                    ("name", Reply::text(name)),
                    ("type", Reply::text("block")),
                    ("arguments", Reply::Array(several.collect())),
                ];
                pairs.extend(word.map(|word| ("token", Reply::text(word))));
                pairs
            }
        };
        let flags = [
            ("optional", self.is_optional),
            ("multiple", self.is_multiple),
        ];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set);
        let flags: Vec<_> = flags.map(|(flag, _)| Reply::Simple(flag)).collect();
        let flags = (!flags.is_empty()).then_some(("flags", Reply::Array(flags)));
        map(own.into_iter().chain(flags).collect())
    }
}

type Pairs = Vec<(&'static str, Reply)>;

fn map(pairs: Pairs) -> Reply {
    let pairs = pairs.into_iter();
    Reply::Map(
        pairs
            .map(|(name, value)| (Reply::text(name), value))
            .collect(),
    )
}

fn pure_token(word: &str) -> Pairs {
    vec![
        ("name", Reply::text(word.to_lowercase())),
        ("type", Reply::text("pure-token")),
        ("token", Reply::text(word)),
    ]
}

fn value(text: &str) -> Pairs {
    let (name, kind) = match text.split_once(':') {
        Some((name, kind)) => (name, kind),
        None if text == "key" => (text, "key"),
        None => (text, "string"),
    };
    let mut pairs = vec![
        ("name", Reply::text(name)),
        ("type", Reply::text(kind)),
        ("display_text", Reply::text(name)),
    ];
    if kind == "key" {
        pairs.push(("key_spec_index", Reply::Integer(0)));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_divided_into_arguments() {
        let parsed =
            parse("key size:integer [LIMIT limit:integer] [ON|OFF] [AS name name] ITEMS item..");
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
