//! What is done with a filter as a whole.

use super::Answer;
use crate::arguments::{Parsed, check_length, is, not_created, number, syntax_error, wrong_number};
use crate::filter::Settings;
use crate::reply::Reply;
use crate::session::Session;

/// Slots of a bucket, of this filter. RedisBloom lets clients choose.
const BUCKET_SIZE: i64 = 4;

pub(super) fn reserve(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let [key, capacity, ref options @ ..] = *arguments else {
        return syntax_error().into();
    };
    let settings = match settings(session, capacity, options) {
        Ok(settings) => settings,
        Err(error) => return error.into(),
    };
    if let Err(error) = check_length(key, session.server.limits().max_item) {
        return error.into();
    }
    let (server, key) = (session.server.clone(), key.to_owned());
    // To fill a large table with zeros takes a while.
    Answer::later(move || match server.catalogue.reserve(&key, settings) {
        Ok(()) => Reply::OK,
        Err(error) => not_created(&error),
    })
}

fn settings(session: &Session, capacity: &[u8], options: &[&[u8]]) -> Parsed<Settings> {
    let mut settings = session.server.catalogue.defaults();
    settings.capacity = number(capacity, "capacity", 1..=i64::MAX)?;
    let (pairs, rest) = options.as_chunks::<2>();
    for &[option, value] in pairs {
        if is(option, "BUCKETSIZE") {
            // Checked and then forgotten: a bucket is a word of four slots.
            number::<i64>(value, "BUCKETSIZE", 1..=255)?;
        } else if is(option, "MAXITERATIONS") {
            settings.max_iterations = number(value, "MAXITERATIONS", 1..=65_535)?;
        } else if is(option, "EXPANSION") {
            let factor: u16 = number(value, "EXPANSION", 0..=32_768)?;
            settings.expansion = if factor == 0 {
                0
            } else {
                factor.next_power_of_two().max(2)
            };
        } else {
            return Err(Reply::error("ERR Unknown argument received"));
        }
    }
    if rest.is_empty() {
        Ok(settings)
    } else {
        Err(wrong_number("CF.RESERVE"))
    }
}

pub(super) fn info(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let Some(filter) = arguments
        .first()
        .and_then(|key| session.server.catalogue.get(key))
    else {
        return Reply::error("ERR not found").into();
    };
    let deleted = i64::try_from(filter.deletions.sum()).unwrap_or(i64::MAX);
    let pairs = [
        ("Size", Reply::number(filter.memory_usage())),
        (
            "Number of buckets",
            Reply::number(filter.slots() / BUCKET_SIZE as usize),
        ),
        ("Number of filters", Reply::number(filter.segments())),
        ("Number of items inserted", Reply::number(filter.len())),
        ("Number of items deleted", Reply::Integer(deleted)),
        ("Bucket size", Reply::Integer(BUCKET_SIZE)),
        (
            "Expansion rate",
            Reply::Integer(filter.settings.expansion.into()),
        ),
        (
            "Max iterations",
            Reply::Integer(filter.settings.max_iterations.into()),
        ),
    ];
    Reply::Map(
        pairs
            .map(|(name, value)| (Reply::Simple(name), value))
            .into(),
    )
    .into()
}

pub(super) fn compact(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    match arguments
        .first()
        .and_then(|key| session.server.catalogue.get(key))
    {
        Some(filter) => Answer::later(move || {
            filter.shrink_to_fit();
            Reply::OK
        }),
        None => Reply::error("ERR Cuckoo filter was not found").into(),
    }
}
