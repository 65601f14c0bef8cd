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

/// Those commands, as far as they are there, or all if none is named.
fn chosen<'a>(names: &'a [&[u8]]) -> impl Iterator<Item = Option<&'static Command>> + 'a {
    let all = COMMANDS.iter().map(Some).filter(|_| names.is_empty());
    all.chain(names.iter().map(|name| Some(find(name)?.1)))
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
    let mut parts = vec![
        Reply::text(lower(command)),
        Reply::Integer(command.arity),
        nothing(),
    ];
    parts.extend([first, last, first].map(Reply::Integer));
    parts.extend([(); 4].map(|()| nothing()));
    Reply::Array(parts)
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
