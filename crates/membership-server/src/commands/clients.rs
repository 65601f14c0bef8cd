//! CLIENT: the connections, for operators and for themselves.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;

use super::Answer;
use super::connection::check_name;
use crate::arguments::{Parsed, integer, is, syntax_error};
use crate::clients::{Client, Reason};
use crate::reply::Reply;
use crate::session::Session;

pub(super) fn client(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    match *arguments {
        [part] if is(part, "ID") => {
            Reply::Integer(i64::try_from(session.client.id).unwrap_or(i64::MAX)).into()
        }
        [part] if is(part, "GETNAME") => match session.client.names().name.clone() {
            name if name.is_empty() => Reply::Nil.into(),
            name => Reply::Bulk(name).into(),
        },
        [part] if is(part, "INFO") => Reply::text(line(&session.client)).into(),
        [part, ref which @ ..] if is(part, "LIST") => list(session, which).into(),
        [part, ref which @ ..] if is(part, "KILL") && !which.is_empty() => {
            kill(session, which).into()
        }
        [part, name] if is(part, "SETNAME") => {
            let checked = check_name(name).map(|()| {
                session.client.names().name = Bytes::copy_from_slice(name);
                Reply::OK
            });
            checked.into()
        }
        [part, what, name] if is(part, "SETINFO") => set_info(session, what, name).into(),
        // Wishes about an eviction of keys that there is not.
        [part, _] if is(part, "NO-EVICT") || is(part, "NO-TOUCH") => Reply::OK.into(),
        _ => {
            Reply::error("ERR unknown subcommand or wrong number of arguments for 'client' command")
                .into()
        }
    }
}

/// What a library calls itself.
fn set_info(session: &Session, what: &[u8], name: &[u8]) -> Parsed<Reply> {
    check_name(name)?;
    let mut names = session.client.names();
    if is(what, "LIB-NAME") {
        names.library = Bytes::copy_from_slice(name);
    } else if is(what, "LIB-VER") {
        names.version = Bytes::copy_from_slice(name);
    } else {
        return Err(Reply::error("ERR Unrecognized option"));
    }
    Ok(Reply::OK)
}

fn list(session: &Session, which: &[&[u8]]) -> Parsed<Reply> {
    let clients = session.server.clients.staying();
    let is_asked: Box<dyn Fn(&Client) -> bool> = match *which {
        [] => Box::new(|_| true),
        // All are of one type.
        [option, kind] if is(option, "TYPE") => {
            let is_normal = is(kind, "NORMAL");
            Box::new(move |_| is_normal)
        }
        [option, ref ids @ ..] if is(option, "ID") && !ids.is_empty() => {
            let ids: Vec<u64> = ids.iter().map(|text| id(text)).collect::<Parsed<_>>()?;
            Box::new(move |client| ids.contains(&client.id))
        }
        _ => return Err(syntax_error()),
    };
    let asked = clients.iter().filter(|client| is_asked(client));
    Ok(Reply::text(
        asked.map(|client| line(client)).collect::<String>(),
    ))
}

/// One line, with the names that Redis has for the values.
fn line(client: &Client) -> String {
    let names = client.names().clone();
    let [name, library, version] =
        [&names.name, &names.library, &names.version].map(|text| String::from_utf8_lossy(text));
    let command = client.last_command().map(super::name);
    let command = command.map_or("NULL".to_owned(), str::to_ascii_lowercase);
    let Client {
        id, peer, local, ..
    } = client;
    let (age, idle) = (client.age().as_secs(), client.idle().as_secs());
    let held = client.held();
    format!(
        "id={id} addr={peer} laddr={local} name={name} age={age} idle={idle} flags=N db=0 tot-mem={held} cmd={command} user=default lib-name={library} lib-ver={version}\n"
    )
}

/// Which connections are to be closed.
#[derive(Default)]
struct Filter {
    id: Option<u64>,
    peer: Option<Vec<u8>>,
    local: Option<Vec<u8>>,
    older_than: Option<Duration>,
    /// Also the one that asks.
    also_me: bool,
}

impl Filter {
    fn parse(options: &[&[u8]]) -> Parsed<Self> {
        let mut filter = Self::default();
        let (pairs, rest) = options.as_chunks::<2>();
        for &[option, value] in pairs {
            if is(option, "ID") {
                filter.id = Some(id(value)?);
            } else if is(option, "ADDR") {
                filter.peer = Some(value.to_vec());
            } else if is(option, "LADDR") {
                filter.local = Some(value.to_vec());
            } else if is(option, "MAXAGE") {
                let seconds = integer(value).and_then(|seconds| u64::try_from(seconds).ok());
                filter.older_than = Some(Duration::from_secs(seconds.ok_or_else(syntax_error)?));
            } else if is(option, "SKIPME") && (is(value, "YES") || is(value, "NO")) {
                filter.also_me = is(value, "NO");
            } else {
                return Err(syntax_error());
            }
        }
        if rest.is_empty() {
            Ok(filter)
        } else {
            Err(syntax_error())
        }
    }

    fn fits(&self, client: &Client, is_me: bool) -> bool {
        let is_at = |wanted: &Option<Vec<u8>>, address: SocketAddr| {
            let wanted = wanted.as_ref();
            wanted.is_none_or(|wanted| wanted == address.to_string().as_bytes())
        };
        self.id.is_none_or(|id| id == client.id)
            && is_at(&self.peer, client.peer)
            && is_at(&self.local, client.local)
            && self.older_than.is_none_or(|age| client.age() >= age)
            && (self.also_me || !is_me)
    }
}

/// Closes connections. One that asks for its own end gets the reply before it.
fn kill(session: &Session, which: &[&[u8]]) -> Parsed<Reply> {
    let (filter, is_old_form) = match *which {
        [address] => {
            let filter = Filter {
                peer: Some(address.to_vec()),
                also_me: true,
                ..Filter::default()
            };
            (filter, true)
        }
        _ => (Filter::parse(which)?, false),
    };
    let clients = session.server.clients.staying();
    let me = session.client.id;
    let fitting = clients
        .iter()
        .filter(|client| filter.fits(client, client.id == me));
    let closed = fitting.map(|client| client.close(Reason::Killed)).count();
    match (is_old_form, closed) {
        (true, 0) => Err(Reply::error("ERR No such client")),
        (true, _) => Ok(Reply::OK),
        (false, closed) => Ok(Reply::number(closed)),
    }
}

fn id(text: &[u8]) -> Parsed<u64> {
    let id = integer(text).and_then(|id| u64::try_from(id).ok());
    id.filter(|&id| id > 0)
        .ok_or_else(|| Reply::error("ERR client-id should be greater than 0"))
}
