//! Dumps, out of the server and into it.

use super::Answer;
use crate::arguments::{check_length, integer, syntax_error};
use crate::reply::Reply;
use crate::session::Session;
use crate::transfers::TransferError;

pub(super) fn scan_dump(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let server = session.server.clone();
    let [key, iterator] = *arguments else {
        return syntax_error().into();
    };
    let Some(iterator) = integer(iterator) else {
        return refused(&TransferError::Iterator).into();
    };
    let Some(filter) = server.catalogue.get(key) else {
        return Reply::error("ERR not found").into();
    };
    let key = key.to_owned();
    Answer::later(move || {
        match server
            .transfers
            .next_chunk(&server.catalogue, &key, &filter, iterator)
        {
            Ok(Some((iterator, chunk))) => {
                Reply::Array(vec![Reply::Integer(iterator), Reply::Bulk(chunk)])
            }
            Ok(None) => Reply::Array(vec![Reply::Integer(0), Reply::Nil]),
            Err(error) => refused(&error),
        }
    })
}

pub(super) fn load_chunk(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let server = session.server.clone();
    let [key, iterator, chunk] = *arguments else {
        return syntax_error().into();
    };
    let Some(iterator) = integer(iterator) else {
        return refused(&TransferError::Iterator).into();
    };
    if let Err(error) = check_length(key, server.limits().max_item) {
        return error.into();
    }
    let (key, chunk) = (key.to_owned(), chunk.to_owned());
    Answer::later(move || {
        match server
            .transfers
            .take_chunk(&server.catalogue, &key, iterator, &chunk)
        {
            Ok(()) => Reply::OK,
            Err(error) => refused(&error),
        }
    })
}

fn refused(error: &TransferError) -> Reply {
    Reply::error(format!("ERR {error}"))
}
