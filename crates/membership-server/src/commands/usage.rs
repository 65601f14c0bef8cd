//! What COMMAND DOCS replies of the arguments of a command.

use cf::usage::{self, Argument, name_and_type};

use crate::reply::Reply;

/// Of such [arguments](usage).
pub(super) fn arguments(usage: &str) -> Vec<Reply> {
    usage::arguments(usage).iter().map(reply).collect()
}

fn reply(argument: &Argument<'_>) -> Reply {
    let own = match (argument.word, argument.values.as_slice()) {
        (Some(words), []) if words.contains('|') => {
            let words = words.split('|').map(|word| Reply::pairs(pure_token(word)));
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
            let several = several.iter().map(|one| Reply::pairs(value(one)));
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
        ("optional", argument.is_optional),
        ("multiple", argument.is_multiple),
    ];
    let flags = flags.into_iter().filter(|(_, is_set)| *is_set);
    let flags: Vec<_> = flags.map(|(flag, _)| Reply::Simple(flag)).collect();
    let flags = (!flags.is_empty()).then_some(("flags", Reply::Array(flags)));
    Reply::pairs(own.into_iter().chain(flags))
}

type Pairs = Vec<(&'static str, Reply)>;

fn pure_token(word: &str) -> Pairs {
    vec![
        ("name", Reply::text(word.to_lowercase())),
        ("type", Reply::text("pure-token")),
        ("token", Reply::text(word)),
    ]
}

fn value(text: &str) -> Pairs {
    let (name, kind) = name_and_type(text);
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
