//! What is done with items: the reason for all the rest.

use std::sync::Arc;

use lockfree_cuckoo::{InsertError, InsertManyError};

use super::{Answer, FEW};
use crate::arguments::{Parsed, check_length, is, not_created, number, syntax_error, wrong_number};
use crate::filter::{Filter, Settings};
use crate::reply::Reply;
use crate::session::Session;

pub(super) fn add(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    with_new(session, arguments, |filter, item| {
        filter.insert(item).map(|()| true)
    })
}

pub(super) fn add_unique(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    with_new(session, arguments, Filter::insert_unique)
}

pub(super) fn insert(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    insert_many(session, "CF.INSERT", arguments, |filter, items, added| {
        let done = filter.insert_many(items);
        let inserted = done
            .as_ref()
            .map_or_else(InsertManyError::inserted, |()| items.len());
        added[..inserted].fill(true);
        done
    })
}

pub(super) fn insert_unique(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    insert_many(
        session,
        "CF.INSERTNX",
        arguments,
        Filter::insert_unique_many,
    )
}

pub(super) fn exists(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    with_old(session, arguments, Reply::Boolean(false), |filter, item| {
        Reply::Boolean(filter.contains(item))
    })
}

pub(super) fn many_exist(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let Some((&key, items)) = arguments.split_first() else {
        return syntax_error().into();
    };
    let filters = session.server.catalogue.filters();
    let filter = filters.get(key);
    if items.len() <= FEW {
        return look_up(filter.map(Arc::as_ref), items).into();
    }
    let (filter, items) = (filter.cloned(), owned(items));
    Answer::later(move || look_up(filter.as_deref(), &borrowed(&items)))
}

fn look_up(filter: Option<&Filter>, items: &[&[u8]]) -> Reply {
    let mut found = vec![false; items.len()];
    if let Some(filter) = filter {
        filter.contains_many(items, &mut found);
    }
    let replies = found.into_iter().map(Reply::Boolean);
    Reply::Array(replies.collect())
}

pub(super) fn count(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    with_old(session, arguments, Reply::Integer(0), |filter, item| {
        Reply::number(filter.count(item))
    })
}

pub(super) fn delete(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let not_found = Reply::error("ERR Not found");
    with_old(session, arguments, not_found, |filter, item| {
        Reply::Boolean(filter.remove(item, session.id))
    })
}

fn key_and_item<'a>(arguments: &[&'a [u8]]) -> Option<(&'a [u8], &'a [u8])> {
    match *arguments {
        [key, item] => Some((key, item)),
        _ => None,
    }
}

/// Whether the item was added.
type Insert = fn(&Filter, &[u8]) -> Result<bool, InsertError>;

/// The same for many, up to the first that is refused.
type InsertMany = fn(&Filter, &[&[u8]], &mut [bool]) -> Result<(), InsertManyError>;

/// What is done with an item of a filter that is there, and the reply if it is not.
fn with_old(
    session: &Session,
    arguments: &[&[u8]],
    absent: Reply,
    ask: impl FnOnce(&Filter, &[u8]) -> Reply,
) -> Answer {
    let Some((key, item)) = key_and_item(arguments) else {
        return syntax_error().into();
    };
    let filters = session.server.catalogue.filters();
    filters
        .get(key)
        .map_or(absent, |filter| ask(filter, item))
        .into()
}

fn with_new(session: &Session, arguments: &[&[u8]], insert: Insert) -> Answer {
    let Some((key, item)) = key_and_item(arguments) else {
        return syntax_error().into();
    };
    let most = session.server.limits().max_item;
    if let Err(error) = check_length(key, most).and_then(|()| check_length(item, most)) {
        return error.into();
    }
    let add = move |filter: &Filter, item: &[u8]| {
        let added = insert(filter, item).map_err(|error| not_inserted(&error));
        added.map(Reply::Boolean)
    };
    // Most of the time it is there, and this is all that the item waits for.
    if let Some(filter) = session.server.catalogue.filters().get(key) {
        return add(filter, item).into();
    }
    let settings = session.server.catalogue.defaults();
    let item = item.to_owned();
    create(session, key, settings, move |filter| add(filter, &item))
}

fn insert_many(
    session: &Session,
    command: &str,
    arguments: &[&[u8]],
    insert: InsertMany,
) -> Answer {
    let Some((&key, options)) = arguments.split_first() else {
        return syntax_error().into();
    };
    let options = match InsertOptions::parse(session, command, options) {
        Ok(options) => options,
        Err(error) => return error.into(),
    };
    // Before the first is added: all of them or none are wrong.
    let most = session.server.limits().max_item;
    let mut lengths = std::iter::once(&key).chain(options.items);
    if let Err(error) = lengths.try_for_each(|argument| check_length(argument, most)) {
        return error.into();
    }
    let filters = session.server.catalogue.filters();
    match filters.get(key) {
        None if !options.creates => Reply::error("ERR not found").into(),
        Some(filter) if options.items.len() <= FEW => add_all(filter, options.items, insert).into(),
        Some(filter) => {
            let (filter, items) = (Arc::clone(filter), owned(options.items));
            Answer::later(move || add_all(&filter, &borrowed(&items), insert))
        }
        None => {
            let items = owned(options.items);
            create(session, key, options.settings, move |filter| {
                Ok(add_all(filter, &borrowed(&items), insert))
            })
        }
    }
}

fn owned(items: &[&[u8]]) -> Vec<Vec<u8>> {
    items.iter().map(|item| item.to_vec()).collect()
}

fn borrowed(items: &[Vec<u8>]) -> Vec<&[u8]> {
    items.iter().map(Vec::as_slice).collect()
}

/// For each item whether it was added, and -1 for one that was refused.
fn add_all(filter: &Filter, items: &[&[u8]], insert: InsertMany) -> Reply {
    let mut replies = Vec::with_capacity(items.len());
    let mut added = vec![false; items.len()];
    let mut rest = items;
    while !rest.is_empty() {
        let added = &mut added[..rest.len()];
        // A refusal ends a batch; what is behind it is the next one.
        let (done, refused) = match insert(filter, rest, added) {
            Ok(()) => (rest.len(), None),
            Err(stopped) => (stopped.inserted(), Some(Reply::Integer(-1))),
        };
        replies.extend(added[..done].iter().map(|&added| Reply::Boolean(added)));
        rest = &rest[done + usize::from(refused.is_some())..];
        replies.extend(refused);
    }
    Reply::Array(replies)
}

/// Makes a filter, or finds the one that somebody else has made meanwhile, and goes on with it. Away from the threads
/// that serve connections: who makes a filter waits for others who do.
fn create(
    session: &Session,
    key: &[u8],
    settings: Settings,
    then: impl FnOnce(&Filter) -> Parsed<Reply> + Send + 'static,
) -> Answer {
    let (server, key) = (session.server.clone(), key.to_owned());
    Answer::later(move || {
        let filter = server.catalogue.get_or_create(&key, settings);
        let replied = filter
            .map_err(|error| not_created(&error))
            .and_then(|filter| then(&filter));
        replied.unwrap_or_else(|error| error)
    })
}

struct InsertOptions<'a> {
    settings: Settings,
    creates: bool,
    items: &'a [&'a [u8]],
}

impl<'a> InsertOptions<'a> {
    fn parse(session: &Session, command: &str, arguments: &'a [&'a [u8]]) -> Parsed<Self> {
        let mut settings = session.server.catalogue.defaults();
        let mut creates = true;
        let mut rest = arguments;
        loop {
            match *rest {
                [option, ref items @ ..] if is(option, "ITEMS") => {
                    if items.is_empty() {
                        return Err(wrong_number(command));
                    }
                    return Ok(Self {
                        settings,
                        creates,
                        items,
                    });
                }
                [option, ref behind @ ..] if is(option, "NOCREATE") => {
                    creates = false;
                    rest = behind;
                }
                [option, value, ref behind @ ..] if is(option, "CAPACITY") => {
                    settings.capacity = number(value, "CAPACITY", 1..=i64::MAX)?;
                    rest = behind;
                }
                [] => return Err(wrong_number(command)),
                _ => return Err(Reply::error("ERR Unknown argument received")),
            }
        }
    }
}

fn not_inserted(error: &InsertError) -> Reply {
    match error {
        InsertError::Full { .. } => Reply::error("ERR Filter is full"),
        InsertError::CannotGrow { .. } => Reply::error(format!("ERR Filter is full: {error}")),
        _ => Reply::error(format!("ERR {error}")),
    }
}
