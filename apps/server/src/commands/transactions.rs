//! Transactions: MULTI, EXEC, DISCARD, WATCH and UNWATCH.

use super::{Answer, Command};
use crate::reply::Reply;
use crate::session::Session;
use crate::transaction::Watched;

/// The most keys that one connection can watch.
const MOST_WATCHED: usize = 1_024;

pub(super) fn multi(session: &mut Session, _: &[&[u8]]) -> Answer {
    if session.queue.is_some() {
        return Reply::error("ERR MULTI calls can not be nested").into();
    }
    session.queue = Some(Box::default());
    Reply::OK.into()
}

pub(super) fn discard(session: &mut Session, _: &[&[u8]]) -> Answer {
    if session.queue.take().is_none() {
        return Reply::error("ERR DISCARD without MULTI").into();
    }
    session.watched = Vec::new();
    Reply::OK.into()
}

pub(super) fn exec(session: &mut Session, _: &[&[u8]]) -> Answer {
    let Some(queue) = session.queue.take() else {
        return Reply::error("ERR EXEC without MULTI").into();
    };
    let watched = std::mem::take(&mut session.watched);
    if queue.is_refused {
        let words = "EXECABORT Transaction discarded because of previous errors.";
        return Reply::error(words).into();
    }
    let catalogue = &session.server.catalogue;
    if watched.iter().any(|watched| watched.is_changed(catalogue)) {
        return Reply::NoArray.into();
    }
    Answer::Each(queue)
}

pub(super) fn watch(session: &mut Session, keys: &[&[u8]]) -> Answer {
    if session.queue.is_some() {
        return Reply::error("ERR WATCH inside MULTI is not allowed").into();
    }
    if session.watched.len() + keys.len() > MOST_WATCHED {
        return Reply::error(format!(
            "ERR too many keys: a connection can watch at most {MOST_WATCHED}"
        ))
        .into();
    }
    let longest = session.server.limits().max_item;
    if let Some(key) = keys.iter().find(|key| key.len() > longest) {
        let (length, most) = (key.len(), longest);
        return Reply::from(cf::Error::TooLong { length, most }).into();
    }
    let catalogue = &session.server.catalogue;
    let watched = keys.iter().map(|key| Watched::new(key, catalogue));
    session.watched.extend(watched);
    Reply::OK.into()
}

pub(super) fn unwatch(session: &mut Session, _: &[&[u8]]) -> Answer {
    session.watched = Vec::new();
    Reply::OK.into()
}

/// Queues a command for EXEC. A command that is found to be wrong now aborts the transaction.
pub(super) fn queue(session: &mut Session, command: &Command, arguments: &[&[u8]]) -> Reply {
    let limits = session.server.limits();
    let Some(queue) = &mut session.queue else {
        return Reply::error("ERR no transaction");
    };
    let refusal = if let Err(wrong) = command.check_number(arguments) {
        wrong
    } else if command.is_alone() {
        Reply::error("ERR Command not allowed inside a transaction")
    } else if queue.is_refused || queue.push(arguments, limits) {
        return Reply::Simple("QUEUED");
    } else {
        let (commands, bytes) = (limits.max_transaction, limits.max_request);
        Reply::error(format!(
            "ERR the transaction is too long: commands that can be queued: {commands} (--max-transaction); bytes of them all: {bytes} (--max-request)"
        ))
    };
    queue.refuse();
    refusal
}
