//! Commands about the connection: protocol, password, name, PING.

use bytes::Bytes;

use super::Answer;
use crate::arguments::{Parsed, integer, is, syntax_error};
use crate::reply::{Protocol, Reply};
use crate::server::Secret;
use crate::session::Session;

pub(super) fn ping(_: &mut Session, arguments: &[&[u8]]) -> Answer {
    match *arguments {
        [] => Reply::Simple("PONG").into(),
        [text] => Reply::Bulk(text.to_vec().into()).into(),
        _ => Reply::from(cf::Error::WrongNumber("PING")).into(),
    }
}

pub(super) fn reset(session: &mut Session, _: &[&[u8]]) -> Answer {
    session.reset();
    Reply::Simple("RESET").into()
}

pub(super) fn select(_: &mut Session, arguments: &[&[u8]]) -> Answer {
    match arguments.first().map(|argument| integer(argument)) {
        Some(Some(0)) => Reply::OK.into(),
        Some(Some(_)) => Reply::error("ERR DB index is out of range").into(),
        _ => Reply::error("ERR invalid DB index").into(),
    }
}

pub(super) fn auth(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    match *arguments {
        [password] => log_in(session, b"default", password, false),
        [user, password] => log_in(session, user, password, true),
        _ => syntax_error().into(),
    }
}

fn log_in(session: &mut Session, user: &[u8], password: &[u8], names_user: bool) -> Answer {
    let Some(secret) = &session.server.secret else {
        if names_user && user == b"default" {
            // Without a password, any password is right.
            return Reply::OK.into();
        }
        return Reply::error(
            "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?",
        )
        .into();
    };
    // Compare both, so that the time does not tell which one is wrong.
    let is_default = user == b"default";
    if secret.is(password) & is_default {
        session.is_authenticated = true;
        return Reply::OK.into();
    }
    session.server.metrics.refused_passwords.add(1);
    log::warn!(peer:% = session.client.peer, connection = session.client.id; "wrong password");
    let wrong = "WRONGPASS invalid username-password pair or user is disabled.";
    Answer::After(Secret::PAUSE, Reply::error(wrong))
}

pub(super) fn hello(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let (mut protocol, mut login, mut name) = (session.protocol, None, None);
    let mut options = arguments;
    if let [version, behind @ ..] = options {
        protocol = match integer(version) {
            Some(2) => Protocol::Resp2,
            Some(3) => Protocol::Resp3,
            Some(_) => return Reply::error("NOPROTO unsupported protocol version").into(),
            None => {
                let wrong = "ERR Protocol version is not an integer or out of range";
                return Reply::error(wrong).into();
            }
        };
        options = behind;
    }
    while let [option, values @ ..] = options {
        options = match values {
            [user, password, behind @ ..] if is(option, "AUTH") => {
                login = Some((user, password));
                behind
            }
            [given, behind @ ..] if is(option, "SETNAME") => {
                if let Err(error) = check_name(given) {
                    return error.into();
                }
                name = Some(given);
                behind
            }
            _ => return Reply::error("ERR Syntax error in HELLO").into(),
        };
    }
    if let Some((user, password)) = login {
        match log_in(session, user, password, true) {
            Answer::Now(reply) if !reply.is_error() => {}
            refused => return refused,
        }
    }
    if !session.is_authenticated {
        return Reply::error("NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time").into();
    }
    session.protocol = protocol;
    if let Some(name) = name {
        session.client.names().name = Bytes::copy_from_slice(name);
    }
    greeting(session).into()
}

fn greeting(session: &Session) -> Reply {
    let version = match session.protocol {
        Protocol::Resp2 => 2,
        Protocol::Resp3 => 3,
    };
    let pairs = [
        ("server", Reply::text(env!("CARGO_PKG_NAME"))),
        ("version", Reply::text(env!("CARGO_PKG_VERSION"))),
        ("proto", Reply::Integer(version)),
        ("id", session.client.reply_id()),
        ("mode", Reply::text("standalone")),
        ("role", Reply::text("master")),
        ("modules", Reply::Array(Vec::new())),
    ];
    Reply::pairs(pairs)
}

/// Checks that a name fits into a line of names and values.
pub(super) fn check_name(name: &[u8]) -> Parsed<()> {
    let refused = match name.len() {
        0..=256 if name.iter().all(u8::is_ascii_graphic) => return Ok(()),
        0..=256 => "ERR Client names cannot contain spaces, newlines or special characters.",
        _ => "ERR Client names cannot have more than 256 bytes.",
    };
    Err(Reply::error(refused))
}
