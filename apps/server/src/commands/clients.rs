//! CLIENT: shows, names and closes connections.

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
        [part] if is(part, "ID") => session.client.reply_id().into(),
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
        // They concern the eviction of keys, which this server does not have.
        [part, _] if is(part, "NO-EVICT") || is(part, "NO-TOUCH") => Reply::OK.into(),
        _ => {
            Reply::error("ERR unknown subcommand or wrong number of arguments for 'client' command")
                .into()
        }
    }
}

/// Sets the name that a client library gives itself.
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

/// A condition that connections must meet.
type Condition<'a> = Box<dyn Fn(&Client) -> bool + 'a>;

fn list(session: &Session, which: &[&[u8]]) -> Parsed<Reply> {
    let is_asked: Condition<'_> = match *which {
        [] => Box::new(|_| true),
        // All connections are of one type.
        [option, kind] if is(option, "TYPE") => Box::new(move |_| is(kind, "NORMAL")),
        [option, ref ids @ ..] if is(option, "ID") && !ids.is_empty() => {
            let ids: Vec<u64> = ids.iter().map(|text| id(text)).collect::<Parsed<_>>()?;
            Box::new(move |client| ids.contains(&client.id))
        }
        _ => return Err(syntax_error()),
    };
    let clients = session.server.clients.staying();
    let asked = clients.iter().filter(|client| is_asked(client));
    Ok(Reply::text(asked.map(|one| line(one)).collect::<String>()))
}

/// Returns one line, with the names that Redis has for the values.
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

/// Closes connections. A connection that closes itself gets the reply first.
fn kill(session: &Session, which: &[&[u8]]) -> Parsed<Reply> {
    let me = session.client.id;
    let is_old_form = which.len() == 1;
    let (mut also_me, mut conditions) = (is_old_form, Vec::<Condition<'_>>::new());
    let (pairs, rest) = which.as_chunks::<2>();
    for &[option, value] in pairs {
        if is(option, "ID") {
            let id = id(value)?;
            conditions.push(Box::new(move |client| client.id == id));
        } else if is(option, "ADDR") {
            conditions.push(Box::new(|client| is_at(client.peer, value)));
        } else if is(option, "LADDR") {
            conditions.push(Box::new(|client| is_at(client.local, value)));
        } else if is(option, "MAXAGE") {
            let seconds = integer(value).and_then(|seconds| u64::try_from(seconds).ok());
            let age = Duration::from_secs(seconds.ok_or_else(syntax_error)?);
            conditions.push(Box::new(move |client| client.age() >= age));
        } else if is(option, "SKIPME") && (is(value, "YES") || is(value, "NO")) {
            also_me = is(value, "NO");
        } else {
            return Err(syntax_error());
        }
    }
    match *rest {
        [address] if is_old_form => {
            conditions.push(Box::new(move |client| is_at(client.peer, address)));
        }
        [] => {}
        _ => return Err(syntax_error()),
    }
    let clients = session.server.clients.staying();
    let fitting = clients.iter().filter(|client| {
        (also_me || client.id != me) && conditions.iter().all(|fits| fits(client))
    });
    let closed = fitting.map(|client| client.close(Reason::Killed)).count();
    match (is_old_form, closed) {
        (true, 0) => Err(Reply::error("ERR No such client")),
        (true, _) => Ok(Reply::OK),
        (false, closed) => Ok(Reply::number(closed)),
    }
}

fn is_at(address: SocketAddr, wanted: &[u8]) -> bool {
    address.to_string().as_bytes() == wanted
}

fn id(text: &[u8]) -> Parsed<u64> {
    let id = integer(text).and_then(|id| u64::try_from(id).ok());
    id.filter(|&id| id > 0)
        .ok_or_else(|| Reply::error("ERR client-id should be greater than 0"))
}
