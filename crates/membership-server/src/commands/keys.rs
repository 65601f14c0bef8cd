//! Keys, whatever is behind them.

use super::Answer;
use super::pattern::matches;
use crate::arguments::{integer, is, syntax_error};
use crate::catalogue::bytes_of;
use crate::reply::Reply;
use crate::session::Session;

pub(super) fn del(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let server = session.server.clone();
    let keys: Vec<Vec<u8>> = arguments.iter().map(|key| key.to_vec()).collect();
    Answer::later(move || Reply::number(server.catalogue.remove(&keys)))
}

pub(super) fn exists(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let filters = session.server.catalogue.filters();
    let there = arguments.iter().filter(|key| filters.contains_key(**key));
    Reply::number(there.count()).into()
}

pub(super) fn dbsize(session: &mut Session, _: &[&[u8]]) -> Answer {
    Reply::number(session.server.catalogue.filters().len()).into()
}

pub(super) fn flush(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    match *arguments {
        [] => {}
        [option] if is(option, "SYNC") || is(option, "ASYNC") => {}
        _ => return syntax_error().into(),
    }
    let server = session.server.clone();
    Answer::later(move || {
        server.catalogue.clear();
        Reply::OK
    })
}

/// The name that RedisBloom gives to the type.
const TYPE: &str = "MBbloomCF";

pub(super) fn kind(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let filters = session.server.catalogue.filters();
    let is_there = arguments
        .first()
        .is_some_and(|key| filters.contains_key(*key));
    Reply::Simple(if is_there { TYPE } else { "none" }).into()
}

pub(super) fn keys(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let pattern = arguments.first().copied().unwrap_or_default();
    matching(session, pattern, Reply::Array)
}

/// All keys at once: there are few, and one step misses none that is there throughout.
pub(super) fn scan(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let Some((cursor, options)) = arguments.split_first() else {
        return syntax_error().into();
    };
    if integer(cursor) != Some(0) {
        return Reply::error("ERR invalid cursor").into();
    }
    let (mut pattern, mut is_other): (&[u8], bool) = (b"*", false);
    let (pairs, rest) = options.as_chunks::<2>();
    for &[option, value] in pairs {
        if is(option, "MATCH") {
            pattern = value;
        } else if is(option, "TYPE") {
            // All keys are of one type; of any other there are none.
            is_other |= !is(value, TYPE);
        } else if is(option, "COUNT") {
            // It means nothing here, where all keys are listed at once.
            match integer(value) {
                Some(1..) => {}
                Some(_) => return syntax_error().into(),
                None => return Reply::error("ERR value is not an integer or out of range").into(),
            }
        } else {
            return syntax_error().into();
        }
    }
    if !rest.is_empty() {
        return syntax_error().into();
    }
    if is_other {
        return Reply::Array(vec![Reply::text("0"), Reply::Array(Vec::new())]).into();
    }
    matching(session, pattern, |keys| {
        Reply::Array(vec![Reply::text("0"), Reply::Array(keys)])
    })
}

/// Longer ones take long to compare with long keys.
const LONGEST_PATTERN: usize = 256;

fn matching(session: &Session, pattern: &[u8], reply: fn(Vec<Reply>) -> Reply) -> Answer {
    if pattern.len() > LONGEST_PATTERN {
        return Reply::error("ERR the pattern is too long: at most 256 bytes are allowed").into();
    }
    let (server, pattern) = (session.server.clone(), pattern.to_owned());
    Answer::later(move || {
        let filters = server.catalogue.filters();
        let matching = filters.keys().filter(|key| matches(&pattern, key));
        reply(
            matching
                .map(|key| Reply::Bulk(key.to_vec().into()))
                .collect(),
        )
    })
}

pub(super) fn memory(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    match *arguments {
        [part, key, ..] if is(part, "USAGE") => {
            let (server, key) = (session.server.clone(), key.to_vec());
            Answer::later(move || match server.catalogue.get(&key) {
                Some(filter) => Reply::number(bytes_of(&key, &filter)),
                None => Reply::Nil,
            })
        }
        _ => Reply::error("ERR unknown subcommand: only MEMORY USAGE key is supported").into(),
    }
}
