//! What clients want to know of the commands, to complete and explain them.

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
            Reply::Array(chosen(names, entry, Some(Reply::Nil))).into()
        }
        [part, ref names @ ..] if is(part, "DOCS") => {
            Reply::Map(chosen(names, documentation, None)).into()
        }
        _ => Reply::error(
            "ERR unknown subcommand or wrong number of arguments for 'command' command",
        )
        .into(),
    }
}

/// Of those commands, or of all if none is named.
fn chosen<T: Clone>(names: &[&[u8]], of: fn(&Command) -> T, unknown: Option<T>) -> Vec<T> {
    if names.is_empty() {
        return COMMANDS.iter().map(of).collect();
    }
    let found = names
        .iter()
        .map(|name| find(name).map(|(_, command)| of(command)));
    found
        .filter_map(|found| found.or_else(|| unknown.clone()))
        .collect()
}

/// Name, arity, flags, and where its keys are; and what newer clients look for and find empty: categories, tips,
/// specifications of keys, and subcommands.
fn entry(command: &Command) -> Reply {
    let (first, last) = match (&command.run, command.name) {
        (Run::Filter(_), _) | (_, "TYPE") => (1, 1),
        (_, "DEL" | "EXISTS" | "UNLINK" | "WATCH") => (1, -1),
        _ => (0, 0),
    };
    let nothing = || Reply::Array(Vec::new());
    Reply::Array(vec![
        Reply::text(lower(command)),
        Reply::Integer(command.arity),
        nothing(),
        Reply::Integer(first),
        Reply::Integer(last),
        Reply::Integer(first),
        nothing(),
        nothing(),
        nothing(),
        nothing(),
    ])
}

fn documentation(command: &Command) -> (Reply, Reply) {
    let group = match command.run {
        Run::Filter(_) => "cf",
        Run::Own(_) => "server",
    };
    let pairs = [
        ("summary", Reply::text(command.summary)),
        ("group", Reply::text(group)),
    ];
    (Reply::text(lower(command)), Reply::pairs(pairs))
}

fn lower(command: &Command) -> String {
    command.name.to_ascii_lowercase()
}
