//! The commands: their names, what they take, and what runs them.

mod clients;
mod connection;
mod documentation;
mod filters;
mod keys;
mod pattern;
mod process;
mod transactions;
mod usage;

use std::pin::Pin;
use std::sync::LazyLock;
use std::time::Duration;

use crate::arguments::{is, wrong_number};
use crate::reply::Reply;
use crate::server::Server;
use crate::session::Session;
use crate::transaction::Queue;

/// How a command is answered.
pub(crate) enum Answer {
    Now(Reply),
    /// By a thread that may take its time.
    Later(Box<dyn FnOnce() -> Reply + Send>),
    After(Duration, Reply),
    /// The answers to the commands of a transaction, one after another.
    Each(Box<Queue>),
    /// The connection ends behind it.
    Last(Reply),
    /// The connection ends without a reply.
    Hang,
    /// When the next snapshot is saved. Not at all if the client is gone before it begins.
    Save,
    /// The server ends, once this is done: then there is no reply but the end of the connection.
    End(Pin<Box<dyn Future<Output = Result<(), Reply>> + Send>>),
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
    /// What is done at once also in a transaction.
    is_immediate: bool,
    /// What cannot be part of a transaction.
    is_alone: bool,
    /// Its arguments, as [`usage`] reads them.
    usage: &'static str,
    summary: &'static str,
    run: Run,
}

/// What answers a command.
enum Run {
    /// This server, given the arguments behind the name, of which there are as many as there can be.
    Own(fn(&mut Session, &[&[u8]]) -> Answer),
    /// A filter.
    Filter(&'static cf::Spec),
}

const fn command(
    name: &'static str,
    arity: i64,
    usage: &'static str,
    summary: &'static str,
    run: fn(&mut Session, &[&[u8]]) -> Answer,
) -> Command {
    Command {
        name,
        arity,
        is_open: false,
        is_immediate: false,
        is_alone: false,
        usage,
        summary,
        run: Run::Own(run),
    }
}

const fn open(command: Command) -> Command {
    Command {
        is_open: true,
        ..command
    }
}

const fn immediate(command: Command) -> Command {
    Command {
        is_immediate: true,
        ..command
    }
}

const fn alone(command: Command) -> Command {
    Command {
        is_alone: true,
        ..command
    }
}

impl Command {
    /// Whether it can change filters.
    fn writes(&self) -> bool {
        match self.run {
            Run::Own(_) => matches!(self.name, "DEL" | "FLUSHALL" | "FLUSHDB" | "UNLINK"),
            Run::Filter(spec) => spec.writes,
        }
    }

    /// Whether it takes so many arguments, its name included.
    fn takes(&self, arguments: usize) -> bool {
        let given = i64::try_from(arguments).unwrap_or(i64::MAX);
        if self.arity < 0 {
            given >= -self.arity
        } else {
            given == self.arity
        }
    }
}

impl From<&'static cf::Spec> for Command {
    fn from(spec: &'static cf::Spec) -> Self {
        Self {
            name: spec.name,
            arity: spec.arity,
            is_open: false,
            is_immediate: false,
            is_alone: false,
            usage: spec.usage,
            summary: spec.summary,
            run: Run::Filter(spec),
        }
    }
}

/// All commands, sorted by name.
pub(crate) static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(|| {
    let filters = cf::COMMANDS.iter().map(Command::from);
    let mut commands: Vec<_> = OWN.into_iter().chain(filters).collect();
    commands.sort_unstable_by_key(|command| command.name);
    commands
});

/// Those that are not about one filter.
#[rustfmt::skip]
const OWN: [Command; 32] = [
    open(command("AUTH", -2, "[username] password", "Authenticates the connection", connection::auth)),
    command("BGSAVE", -1, "", "Starts a snapshot in the background", process::bgsave),
    command("CLIENT", -2, "GETNAME|ID|INFO|KILL|LIST|NO-EVICT|NO-TOUCH|SETINFO|SETNAME [argument..]", "Shows, names and closes connections", clients::client),
    command("COMMAND", -1, "[COUNT|DOCS|INFO|LIST] [command..]", "Describes the commands", documentation::command),
    command("CONFIG", -2, "GET parameter..", "Returns the values of server options", process::config),
    command("DBSIZE", 1, "", "Counts the filters", keys::dbsize),
    command("DEL", -2, "key..", "Deletes filters", keys::del),
    immediate(command("DISCARD", 1, "", "Drops the commands of a transaction", transactions::discard)),
    command("ECHO", 2, "message", "Returns its argument", connection::echo),
    immediate(command("EXEC", 1, "", "Runs the commands of a transaction", transactions::exec)),
    command("EXISTS", -2, "key..", "Counts how many of the keys exist", keys::exists),
    command("FLUSHALL", -1, "[ASYNC|SYNC]", "Deletes all filters", keys::flush),
    command("FLUSHDB", -1, "[ASYNC|SYNC]", "Deletes all filters", keys::flush),
    open(command("HELLO", -1, "[protover:integer] [AUTH username password] [SETNAME clientname]", "Chooses the version of the protocol", connection::hello)),
    command("INFO", -1, "[section..]", "Describes the server", process::info),
    command("KEYS", 2, "pattern:pattern", "Lists the keys that match a pattern", keys::keys),
    command("LASTSAVE", 1, "", "Returns the time of the last snapshot", process::lastsave),
    command("MEMORY", -2, "USAGE key", "Returns the memory of a filter", keys::memory),
    command("MODULE", -2, "LIST", "Lists the modules", process::module),
    immediate(command("MULTI", 1, "", "Begins a transaction: what follows waits for EXEC", transactions::multi)),
    command("PING", -1, "[message]", "Returns PONG", connection::ping),
    immediate(open(command("QUIT", -1, "", "Closes the connection", connection::quit))),
    immediate(open(command("RESET", 1, "", "Resets the connection to its initial state", connection::reset))),
    alone(command("SAVE", 1, "", "Takes a snapshot", process::save)),
    command("SCAN", -2, "cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [TYPE type]", "Lists the keys that match a pattern", keys::scan),
    command("SELECT", 2, "index:integer", "Chooses database 0, the only one", connection::select),
    alone(command("SHUTDOWN", -1, "[NOSAVE|SAVE] [NOW] [FORCE]", "Saves, and ends the server", process::shutdown)),
    command("TIME", 1, "", "Returns the seconds since 1970, and the microseconds beyond", process::time),
    command("TYPE", 2, "key", "Returns the type of a key", keys::kind),
    command("UNLINK", -2, "key..", "Deletes filters", keys::del),
    command("UNWATCH", 1, "", "Forgets the keys that WATCH named", transactions::unwatch),
    immediate(command("WATCH", -2, "key..", "Makes EXEC run nothing if one of these keys changes before it", transactions::watch)),
];

/// The number of what no command is called.
pub(crate) fn unknown_name() -> usize {
    COMMANDS.len()
}

/// What has a number is called.
pub(crate) fn name(command: usize) -> &'static str {
    COMMANDS
        .get(command)
        .map_or("unknown", |command| command.name)
}

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

/// Answers one request, and says the number of its command.
pub(crate) fn answer(session: &mut Session, arguments: &[&[u8]]) -> (usize, Answer) {
    let Some((&name, rest)) = arguments.split_first() else {
        return (unknown_name(), Reply::error("ERR empty command").into());
    };
    let Some((index, command)) = find(name) else {
        if is(name, "POST") || is(name, "HOST:") {
            // A browser that was led here: its lines must not be taken for commands.
            log::warn!(peer:% = session.client.peer; "connection closed: the client sent HTTP");
            session.server.metrics.protocol_errors.add(1);
            return (unknown_name(), Answer::Hang);
        }
        if let Some(queue) = &mut session.queue {
            queue.refuse();
        }
        return (unknown_name(), unknown(session, name, rest).into());
    };
    session.client.asks(index);
    if !session.is_authenticated && !command.is_open {
        return (index, no_auth().into());
    }
    if command.writes() && refuses_writes(&session.server) {
        if let Some(queue) = &mut session.queue {
            queue.refuse();
        }
        let words = "MISCONF The last snapshot could not be saved, and commands that change filters are refused (--stop-writes-on-save-error). The log says why.";
        return (index, Reply::error(words).into());
    }
    if session.queue.is_some() && !command.is_immediate {
        let queued = transactions::queue(session, command, arguments);
        return (index, queued.into());
    }
    let answer = match command.run {
        Run::Own(run) if command.takes(arguments.len()) => run(session, rest),
        Run::Own(_) => wrong_number(command.name).into(),
        Run::Filter(spec) => filters::answer(session, spec, rest),
    };
    (index, answer)
}

fn refuses_writes(server: &Server) -> bool {
    server.args.storage.stop_writes_on_save_error && server.saver.has_failed()
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
    fn the_arguments_are_as_many_as_are_taken() {
        for command in COMMANDS.iter() {
            let (needed, more) = cf::usage::number(command.usage);
            let least = usize::try_from(command.arity.unsigned_abs()).expect("few") - 1;
            // Of two, it depends on the first argument how many there are.
            let depends = ["CONFIG", "MEMORY"].contains(&command.name);
            assert!(needed == least || depends, "{}", command.name);
            let is_open = command.arity < 0;
            // Some take arguments that mean nothing to them.
            let ignores = ["BGSAVE", "MEMORY", "MODULE", "QUIT"].contains(&command.name);
            assert!(more == is_open || ignores, "{}", command.name);
        }
    }

    #[test]
    fn names_are_sorted_and_short_enough() {
        assert!(COMMANDS.is_sorted_by(|one, next| one.name < next.name));
        assert!(
            COMMANDS
                .iter()
                .all(|command| command.name.len() <= LONGEST_NAME)
        );
        for command in COMMANDS.iter() {
            let found = find(command.name.to_ascii_lowercase().as_bytes());
            assert_eq!(found.map(|(_, found)| found.name), Some(command.name));
        }
        assert!(find(b"").is_none());
        assert!(find(&[b'A'; 100]).is_none());
    }
}
