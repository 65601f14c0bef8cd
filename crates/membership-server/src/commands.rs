//! The commands: their names, what they take, and what runs them.

mod connection;
mod documentation;
mod filters;
mod items;
mod keys;
mod process;
mod transfer;

use std::time::Duration;

use crate::arguments::{is, wrong_number};
use crate::reply::Reply;
use crate::session::Session;

/// Arguments up to which a command is answered at once. More of them would keep the other connections of a thread
/// waiting: an item that a full filter refuses takes some 20 microseconds.
const FEW: usize = 256;

/// How a command is answered.
pub(crate) enum Answer {
    Now(Reply),
    /// By a thread that may take its time.
    Later(Box<dyn FnOnce() -> Reply + Send>),
    After(Duration, Reply),
    /// The connection ends behind it.
    Last(Reply),
    /// The connection ends without a reply.
    Hang,
}

impl Answer {
    fn later(work: impl FnOnce() -> Reply + Send + 'static) -> Self {
        Self::Later(Box::new(work))
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self::Now(reply)
    }
}

impl From<Result<Reply, Reply>> for Answer {
    fn from(result: Result<Reply, Reply>) -> Self {
        Self::Now(result.unwrap_or_else(|error| error))
    }
}

pub(crate) struct Command {
    /// In capitals.
    pub(crate) name: &'static str,
    /// As Redis counts: with the name, and negative if there can be more.
    arity: i64,
    /// What can be asked before the password is given.
    is_open: bool,
    summary: &'static str,
    run: fn(&mut Session, &[&[u8]]) -> Answer,
}

const fn command(
    name: &'static str,
    arity: i64,
    summary: &'static str,
    run: fn(&mut Session, &[&[u8]]) -> Answer,
) -> Command {
    Command {
        name,
        arity,
        is_open: false,
        summary,
        run,
    }
}

const fn open(command: Command) -> Command {
    Command {
        is_open: true,
        ..command
    }
}

/// Sorted by name.
pub(crate) const COMMANDS: &[Command] = &[
    open(command("AUTH", -2, "Gives the password", connection::auth)),
    command("BGSAVE", -1, "Begins a snapshot", process::bgsave),
    command("CF.ADD", 3, "Adds an item", items::add),
    command(
        "CF.ADDNX",
        3,
        "Adds an item if it is absent",
        items::add_unique,
    ),
    command(
        "CF.COMPACT",
        2,
        "Frees segments that are empty",
        filters::compact,
    ),
    command("CF.COUNT", 3, "Counts the copies of an item", items::count),
    command("CF.DEL", 3, "Deletes one copy of an item", items::delete),
    command("CF.EXISTS", 3, "Looks for an item", items::exists),
    command("CF.INFO", 2, "Describes a filter", filters::info),
    command("CF.INSERT", -4, "Adds items", items::insert),
    command(
        "CF.INSERTNX",
        -4,
        "Adds those of the items that are absent",
        items::insert_unique,
    ),
    command(
        "CF.LOADCHUNK",
        4,
        "Takes a chunk of a dump",
        transfer::load_chunk,
    ),
    command("CF.MEXISTS", -3, "Looks for items", items::many_exist),
    command("CF.RESERVE", -3, "Makes an empty filter", filters::reserve),
    command(
        "CF.SCANDUMP",
        3,
        "Gives the next chunk of a dump",
        transfer::scan_dump,
    ),
    command("CLIENT", -2, "About this connection", connection::client),
    command("COMMAND", -1, "About the commands", documentation::command),
    command(
        "CONFIG",
        -2,
        "About the options of the server",
        process::config,
    ),
    command("DBSIZE", 1, "Counts the filters", keys::dbsize),
    command("DEL", -2, "Drops filters", keys::del),
    command("ECHO", 2, "Replies with its argument", connection::echo),
    command(
        "EXISTS",
        -2,
        "Counts those of the keys that have a filter",
        keys::exists,
    ),
    command("FLUSHALL", -1, "Drops all filters", keys::flush),
    command("FLUSHDB", -1, "Drops all filters", keys::flush),
    open(command(
        "HELLO",
        -1,
        "Chooses the version of the protocol",
        connection::hello,
    )),
    command("INFO", -1, "Describes the server", process::info),
    command("KEYS", 2, "Lists the keys that match a pattern", keys::keys),
    command(
        "LASTSAVE",
        1,
        "When the last snapshot was saved",
        process::lastsave,
    ),
    command("MEMORY", -2, "About the memory of a filter", keys::memory),
    command(
        "MODULE",
        -2,
        "Lists the one module that there seems to be",
        process::module,
    ),
    command("PING", -1, "Replies PONG", connection::ping),
    open(command("QUIT", -1, "Ends the connection", connection::quit)),
    open(command(
        "RESET",
        1,
        "Makes the connection as it was at first",
        connection::reset,
    )),
    command("SAVE", 1, "Takes a snapshot", process::save),
    command(
        "SCAN",
        -2,
        "Lists the keys that match a pattern",
        keys::scan,
    ),
    command(
        "SELECT",
        2,
        "Chooses database 0, the only one",
        connection::select,
    ),
    command("SHUTDOWN", -1, "Ends the server", process::shutdown),
    command("TYPE", 2, "Says what is behind a key", keys::kind),
    command("UNLINK", -2, "Drops filters", keys::del),
];

/// Names that nobody has: where what is unknown is counted.
pub(crate) const UNKNOWN: (usize, &str) = (COMMANDS.len(), "unknown");

/// The longest name, and so the longest that is worth looking for.
const LONGEST_NAME: usize = 16;

fn find(name: &[u8]) -> Option<(usize, &'static Command)> {
    let mut capitals = [0; LONGEST_NAME];
    let capitals = capitals.get_mut(..name.len())?;
    capitals.copy_from_slice(name);
    capitals.make_ascii_uppercase();
    let found = COMMANDS.binary_search_by(|command| command.name.as_bytes().cmp(capitals));
    found.ok().map(|index| (index, &COMMANDS[index]))
}

/// Answers one request, and says which command it was.
pub(crate) fn answer(
    session: &mut Session,
    arguments: &[&[u8]],
) -> ((usize, &'static str), Answer) {
    let Some((&name, rest)) = arguments.split_first() else {
        return (UNKNOWN, Reply::error("ERR empty command").into());
    };
    let Some((index, command)) = find(name) else {
        if is(name, "POST") || is(name, "HOST:") {
            // A browser that was led here: its lines must not be taken for commands.
            tracing::warn!(peer = %session.peer, "closed: it speaks HTTP");
            session.server.metrics.protocol_errors.inc();
            return (UNKNOWN, Answer::Hang);
        }
        return (UNKNOWN, unknown(session, name, rest).into());
    };
    let which = (index, command.name);
    if !session.is_authenticated && !command.is_open {
        return (which, no_auth().into());
    }
    let given = i64::try_from(arguments.len()).unwrap_or(i64::MAX);
    let fits = if command.arity < 0 {
        given >= -command.arity
    } else {
        given == command.arity
    };
    if !fits {
        return (which, wrong_number(command.name).into());
    }
    (which, (command.run)(session, rest))
}

fn no_auth() -> Reply {
    Reply::error("NOAUTH Authentication required.")
}

fn unknown(session: &Session, name: &[u8], rest: &[&[u8]]) -> Reply {
    if !session.is_authenticated {
        return no_auth();
    }
    let shown = |bytes: &[u8]| {
        let start = &bytes[..bytes.len().min(128)];
        format!("'{}'", String::from_utf8_lossy(start))
    };
    let name = shown(name);
    let rest: Vec<_> = rest
        .iter()
        .take(4)
        .map(|argument| shown(argument))
        .collect();
    let rest = rest.join(" ");
    Reply::error(format!(
        "ERR unknown command {name}, with args beginning with: {rest}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_short_enough() {
        assert!(COMMANDS.is_sorted_by(|one, next| one.name < next.name));
        assert!(
            COMMANDS
                .iter()
                .all(|command| command.name.len() <= LONGEST_NAME)
        );
        for command in COMMANDS {
            let found = find(command.name.to_ascii_lowercase().as_bytes());
            assert_eq!(found.map(|(_, found)| found.name), Some(command.name));
        }
        assert!(find(b"").is_none());
        assert!(find(&[b'A'; 100]).is_none());
    }
}
