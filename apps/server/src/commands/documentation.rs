//! COMMAND: describes the commands, so that clients can complete and explain them.

use cf::usage::Argument;

use super::{Answer, COMMANDS, Command, Run, find};
use crate::arguments::is;
use crate::reply::Reply;
use crate::session::Session;

pub(super) fn command(_: &mut Session, arguments: &[&[u8]]) -> Answer {
    if arguments.len() > COMMANDS.len() {
        return Reply::error("ERR too many names: more than there are commands").into();
    }
    match *arguments {
        [] => Reply::Array(COMMANDS.iter().map(entry).collect()).into(),
        [part] if is(part, "COUNT") => Reply::number(COMMANDS.len()).into(),
        [part] if is(part, "LIST") => {
            let names = COMMANDS.iter().map(|command| Reply::text(lower(command)));
            Reply::Array(names.collect()).into()
        }
        [part, ref names @ ..] if is(part, "INFO") => {
            let entries = chosen(names).map(|command| command.map_or(Reply::Nil, entry));
            Reply::Array(entries.collect()).into()
        }
        [part, ref names @ ..] if is(part, "DOCS") => {
            Reply::Map(chosen(names).flatten().map(documentation).collect()).into()
        }
        _ => Reply::error(
            "ERR unknown subcommand or wrong number of arguments for 'command' command",
        )
        .into(),
    }
}

/// Returns the named commands, `None` for an unknown name; without names, all commands.
fn chosen<'a>(names: &'a [&[u8]]) -> impl Iterator<Item = Option<&'static Command>> + 'a {
    let all = COMMANDS.iter().map(Some).filter(|_| names.is_empty());
    all.chain(names.iter().map(|name| Some(find(name)?.1)))
}

/// Replies with name, arity, flags, and positions of the keys, and with empty categories, tips and
/// subcommands, which newer clients expect.
fn entry(command: &Command) -> Reply {
    let none = || Reply::Array(Vec::new());
    let (first, last, specs) = match command.arguments.first() {
        Some(key) if key.kind == "key" => {
            let first = 1 + i64::from(key.token.is_some());
            let (last, behind_first) = if key.is_multiple {
                (-1, -1)
            } else {
                (first, 0)
            };
            (first, last, vec![key_spec(first, behind_first)])
        }
        _ => (0, 0, Vec::new()),
    };
    let step = i64::from(first > 0);
    let mut parts = vec![
        Reply::text(lower(command)),
        Reply::Integer(command.arity),
        none(),
    ];
    parts.extend([first, last, step].map(Reply::Integer));
    parts.extend([none(), none(), Reply::Array(specs), none()]);
    Reply::Array(parts)
}

/// Describes where keys are. The last one is counted from the first.
fn key_spec(first: i64, last: i64) -> Reply {
    let found = |kind, numbers: Vec<(&'static str, i64)>| {
        let numbers = numbers.into_iter();
        let numbers = numbers.map(|(name, number)| (name, Reply::Integer(number)));
        Reply::pairs([("type", Reply::text(kind)), ("spec", Reply::pairs(numbers))])
    };
    let range = vec![("lastkey", last), ("keystep", 1), ("limit", 0)];
    Reply::pairs([
        ("flags", Reply::Array(Vec::new())),
        ("begin_search", found("index", vec![("index", first)])),
        ("find_keys", found("range", range)),
    ])
}

fn documentation(command: &Command) -> (Reply, Reply) {
    let group = match command.run {
        Run::Filter(_) => "cf",
        Run::Own(_) => "server",
    };
    let mut pairs = vec![
        ("summary", Reply::text(command.summary)),
        ("group", Reply::text(group)),
    ];
    if !command.arguments.is_empty() {
        pairs.push(("arguments", described(&command.arguments)));
    }
    (Reply::text(lower(command)), Reply::pairs(pairs))
}

/// Describes arguments as Valkey, and Redis from 7.2 on, do.
fn described(arguments: &[Argument]) -> Reply {
    let one = |argument: &Argument| {
        let Argument {
            name, kind, parts, ..
        } = argument;
        let mut pairs = vec![("name", Reply::text(name)), ("type", Reply::text(*kind))];
        if parts.is_empty() {
            pairs.push(("display_text", Reply::text(name)));
        }
        if *kind == "key" {
            pairs.push(("key_spec_index", Reply::Integer(0)));
        }
        pairs.extend(argument.token.map(|token| ("token", Reply::text(token))));
        let flags = [
            ("optional", argument.is_optional),
            ("multiple", argument.is_multiple),
        ];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set);
        let flags: Vec<_> = flags.map(|(flag, _)| Reply::Simple(flag)).collect();
        if !flags.is_empty() {
            pairs.push(("flags", Reply::Array(flags)));
        }
        if !parts.is_empty() {
            pairs.push(("arguments", described(parts)));
        }
        Reply::pairs(pairs)
    };
    Reply::Array(arguments.iter().map(one).collect())
}

fn lower(command: &Command) -> String {
    command.name.to_ascii_lowercase()
}
