//! The table of commands: finds the command of a request, checks it, and runs it.

mod clients;
mod connection;
mod documentation;
mod filters;
mod keys;
mod process;
mod transactions;

use std::pin::Pin;
use std::sync::LazyLock;
use std::time::Duration;

use cf::usage::{self, Argument};

use crate::arguments::{Parsed, is};
use crate::reply::Reply;
use crate::server::Server;
use crate::session::Session;
use crate::transaction::Queue;

/// The way in which a command is answered.
pub(crate) enum Answer {
    Now(Reply),
    /// By a thread for long work.
    Later(Box<dyn FnOnce() -> Reply + Send>),
    After(Duration, Reply),
    /// The answers to the commands of a transaction, one after another.
    Each(Box<Queue>),
    /// The connection ends behind the reply, or without one.
    Last(Option<Reply>),
    /// After the next snapshot is saved.
    Save,
    /// The server ends once this is done, and the end of the connection is the reply.
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
    /// The name, in capitals.
    pub(crate) name: &'static str,
    arguments: Vec<Argument>,
    /// The arity, as Redis counts.
    arity: i64,
    summary: &'static str,
    run: Run,
}

/// The code that answers a command.
#[derive(Clone, Copy)]
enum Run {
    /// This server, given a valid number of arguments without the name.
    Own(Handler),
    /// A command on a filter.
    Filter(&'static cf::Spec),
}

type Handler = fn(&mut Session, &[&[u8]]) -> Answer;

impl Command {
    fn new(name: &'static str, arguments: Vec<Argument>, summary: &'static str, run: Run) -> Self {
        Self {
            name,
            arity: usage::arity(&arguments),
            arguments,
            summary,
            run,
        }
    }

    /// Returns whether it needs no password.
    fn is_open(&self) -> bool {
        matches!(self.name, "AUTH" | "HELLO" | "QUIT" | "RESET")
    }

    /// Returns whether it is run at once even in a transaction.
    fn is_immediate(&self) -> bool {
        let of_transactions = matches!(self.name, "DISCARD" | "EXEC" | "MULTI" | "WATCH");
        of_transactions || matches!(self.name, "QUIT" | "RESET")
    }

    /// Returns whether it cannot be part of a transaction.
    fn is_alone(&self) -> bool {
        matches!(self.name, "SAVE" | "SHUTDOWN")
    }

    /// Returns whether it can change filters.
    fn writes(&self) -> bool {
        match self.run {
            Run::Own(_) => matches!(self.name, "DEL" | "FLUSHALL" | "FLUSHDB" | "UNLINK"),
            Run::Filter(spec) => spec.writes,
        }
    }

    /// Refuses a wrong number of arguments, which includes the name.
    fn check_number(&self, arguments: &[&[u8]]) -> Parsed<()> {
        usage::check_number(self.name, self.arity, arguments.len()).map_err(Reply::from)
    }
}

/// All commands, sorted by name.
pub(crate) static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(|| {
    let own = OWN.into_iter().map(|(name, line, summary, run)| {
        Command::new(name, usage::arguments(line), summary, Run::Own(run))
    });
    let filters = cf::COMMANDS
        .iter()
        .map(|spec| Command::new(spec.name, spec.arguments(), spec.summary, Run::Filter(spec)));
    let mut commands: Vec<_> = own.chain(filters).collect();
    commands.sort_unstable_by_key(|command| command.name);
    commands
});

/// A name, the arguments as [`usage`] reads them, a summary, and the handler.
type Own = (&'static str, &'static str, &'static str, Handler);

/// The commands that are not about one filter.
#[rustfmt::skip]
const OWN: [Own; 32] = [
    ("AUTH", "[username] password", "Authenticates the connection", connection::auth),
    ("BGSAVE", "[SCHEDULE]", "Starts a snapshot in the background", process::bgsave),
    ("CLIENT", "GETNAME|ID|INFO|KILL|LIST|NO-EVICT|NO-TOUCH|SETINFO|SETNAME [argument ...]", "Shows, names and closes connections", clients::client),
    ("COMMAND", "[COUNT|DOCS|INFO|LIST] [command ...]", "Describes the commands", documentation::command),
    ("CONFIG", "GET parameter ...", "Returns the values of server options", process::config),
    ("DBSIZE", "", "Counts the filters", keys::dbsize),
    ("DEL", "key ...", "Deletes filters", keys::del),
    ("DISCARD", "", "Drops the commands of a transaction", transactions::discard),
    ("ECHO", "message", "Returns its argument", connection::ping),
    ("EXEC", "", "Runs the commands of a transaction", transactions::exec),
    ("EXISTS", "key ...", "Counts how many of the keys exist", keys::exists),
    ("FLUSHALL", "[ASYNC|SYNC]", "Deletes all filters", keys::flush),
    ("FLUSHDB", "[ASYNC|SYNC]", "Deletes all filters", keys::flush),
    ("HELLO", "[protover:integer [AUTH username password] [SETNAME clientname]]", "Chooses the version of the protocol", connection::hello),
    ("INFO", "[section ...]", "Describes the server", process::info),
    ("KEYS", "pattern:pattern", "Lists the keys that match a pattern", keys::keys),
    ("LASTSAVE", "", "Returns the time of the last snapshot", process::lastsave),
    ("MEMORY", "USAGE key [SAMPLES count:integer]", "Returns the memory of a filter", keys::memory),
    ("MODULE", "LIST", "Lists the modules", process::module),
    ("MULTI", "", "Begins a transaction: what follows waits for EXEC", transactions::multi),
    ("PING", "[message]", "Returns PONG", connection::ping),
    ("QUIT", "", "Closes the connection", |_, _| Answer::Last(Some(Reply::OK))),
    ("RESET", "", "Resets the connection to its initial state", connection::reset),
    ("SAVE", "", "Takes a snapshot", |_, _| Answer::Save),
    ("SCAN", "cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [TYPE type]", "Lists the keys that match a pattern", keys::scan),
    ("SELECT", "index:integer", "Chooses database 0, the only one", connection::select),
    ("SHUTDOWN", "[NOSAVE|SAVE] [NOW] [FORCE]", "Saves, and ends the server", process::shutdown),
    ("TIME", "", "Returns the seconds since 1970, and the microseconds beyond", process::time),
    ("TYPE", "key", "Returns the type of a key", keys::kind),
    ("UNLINK", "key ...", "Deletes filters", keys::del),
    ("UNWATCH", "", "Forgets the keys that WATCH named", transactions::unwatch),
    ("WATCH", "key ...", "Makes EXEC run nothing if one of these keys changes before it", transactions::watch),
];

/// Returns the number that stands for unknown names.
fn unknown_name() -> usize {
    COMMANDS.len()
}

/// Returns the name of the command with this number.
fn name(command: usize) -> &'static str {
    COMMANDS
        .get(command)
        .map_or("unknown", |command| command.name)
}

/// Returns the names of all commands by their numbers, and then one for unknown commands.
pub(crate) fn names() -> Vec<&'static str> {
    (0..=unknown_name()).map(name).collect()
}

/// The longest name of a command.
const LONGEST_NAME: usize = 16;

fn find(name: &[u8]) -> Option<(usize, &'static Command)> {
    let mut capitals = [0; LONGEST_NAME];
    let capitals = capitals.get_mut(..name.len())?;
    capitals.copy_from_slice(name);
    capitals.make_ascii_uppercase();
    let found = COMMANDS.binary_search_by(|command| command.name.as_bytes().cmp(capitals));
    found.ok().map(|index| (index, &COMMANDS[index]))
}

/// Answers one request. Returns the number of its command and the answer.
pub(crate) fn answer(session: &mut Session, arguments: &[&[u8]]) -> (usize, Answer) {
    let Some((&name, rest)) = arguments.split_first() else {
        return (unknown_name(), Reply::error("ERR empty command").into());
    };
    let Some((index, command)) = find(name) else {
        if is(name, "POST") || is(name, "HOST:") {
            // A page can make a browser send HTTP here: its lines must not be taken for commands.
            log::warn!(peer:% = session.client.peer; "connection closed: the client sent HTTP");
            session.server.metrics.protocol_errors.add(1);
            return (unknown_name(), Answer::Last(None));
        }
        if let Some(queue) = &mut session.queue {
            queue.refuse();
        }
        return (unknown_name(), unknown(session, name, rest).into());
    };
    session.client.asks(index);
    if !session.is_authenticated && !command.is_open() {
        return (index, no_auth().into());
    }
    if command.writes() && refuses_writes(&session.server) {
        if let Some(queue) = &mut session.queue {
            queue.refuse();
        }
        let words = "MISCONF The last snapshot could not be saved, and commands that change filters are refused (--stop-writes-on-save-error). The log says why.";
        return (index, Reply::error(words).into());
    }
    if session.queue.is_some() && !command.is_immediate() {
        let queued = transactions::queue(session, command, arguments);
        return (index, queued.into());
    }
    let answer = match command.run {
        Run::Own(run) => match command.check_number(arguments) {
            Ok(()) => run(session, rest),
            Err(wrong) => wrong.into(),
        },
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
    let (name, rest) = (shown(name), rest.iter().take(4).map(|part| shown(part)));
    let rest = rest.collect::<Vec<_>>().join(" ");
    Reply::error(format!(
        "ERR unknown command {name}, with args beginning with: {rest}. This server holds filters only: COMMAND LIST \
         names the commands"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_short() {
        for command in COMMANDS.iter() {
            let found = find(command.name.to_ascii_lowercase().as_bytes());
            assert_eq!(found.map(|(_, found)| found.name), Some(command.name));
        }
        assert!(find(b"").is_none());
        assert!(find(&[b'A'; 100]).is_none());
    }
}
