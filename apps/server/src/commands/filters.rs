//! The CF commands: runs them on the filters of this server, at once or in another thread.

use std::sync::Arc;

use cf::{Absent, Call, Command, Error, Filter, Rules, Spec};

use super::Answer;
use crate::catalogue::Place;
use crate::reply::Reply;
use crate::server::Server;
use crate::session::Session;

/// The most items of a command that is answered at once. More of them would keep the other
/// connections of a thread waiting: an item that a full filter refuses takes some 20 microseconds.
const FEW: usize = 256;

type Replied = Result<cf::Reply, Error>;

pub(super) fn answer(session: &Session, spec: &'static Spec, arguments: &[&[u8]]) -> Answer {
    let (server, caller) = (&session.server, session.client.id);
    let call = match spec.parse(arguments, &rules(server)) {
        Ok(call) => call,
        Err(error) => return Reply::from(error).into(),
    };
    if let Some(replied) = at_once(server, &call, caller) {
        return reply(replied).into();
    }
    let server = Arc::clone(server);
    let arguments: Vec<Vec<u8>> = arguments.iter().map(|part| part.to_vec()).collect();
    Answer::later(move || {
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let call = spec.parse(&arguments, &rules(&server));
        reply(call.and_then(|call| do_all(&server, &call, caller)))
    })
}

fn rules(server: &Server) -> Rules {
    Rules {
        defaults: server.catalogue.defaults(),
        longest: server.limits().max_item,
    }
}

fn reply(replied: Replied) -> Reply {
    replied.map_or_else(Reply::from, Reply::from)
}

/// Answers commands that are too quick to need another thread: few items of a filter that exists.
fn at_once(server: &Server, call: &Call<'_>, caller: u64) -> Option<Replied> {
    let Command::Use(operation) = call.command else {
        return None;
    };
    match server.catalogue.filters().get(call.key) {
        Some(Place::Here(filter)) if operation.items() <= FEW => Some(operation.on(filter, caller)),
        Some(_) => None,
        None => match operation.absent() {
            Absent::Reply(replied) => Some(replied),
            Absent::Create(_) => None,
        },
    }
}

fn do_all(server: &Server, call: &Call<'_>, caller: u64) -> Replied {
    let (catalogue, key) = (&server.catalogue, call.key);
    let lend = |bytes| {
        let most = catalogue.max_memory();
        let refused = || {
            let words = format!(
                "not enough memory: filters and dumps together can take at most {most} bytes (--max-memory)"
            );
            Error::NoMemoryToTransfer(words)
        };
        catalogue.lend(bytes).ok_or_else(refused)
    };
    match call.command {
        Command::Reserve(settings) => {
            catalogue.reserve(key, settings)?;
            Ok(cf::Reply::Done)
        }
        Command::Use(operation) => {
            let on = |filter: &Filter| operation.on(filter, caller);
            match (catalogue.get(key), operation.absent()) {
                (Some(filter), _) => on(&filter),
                (None, Absent::Reply(replied)) => replied,
                // Another command may have made the filter meanwhile.
                (None, Absent::Create(settings)) => on(&*catalogue.get_or_create(key, settings)?),
            }
        }
        Command::Compact => match catalogue.shrink(key) {
            Ok(true) => Ok(cf::Reply::Done),
            Ok(false) => Err(Error::NothingToCompact),
            Err(in_use) => Err(Error::Other(in_use.to_string())),
        },
        Command::Rotate(number) => {
            let rotations = catalogue.rotate(key, number)?;
            Ok(cf::Reply::Integer(rotations as i64))
        }
        Command::ScanDump(iterator) => {
            let filter = catalogue.get(key).ok_or(Error::NoFilter)?;
            let chunk = server
                .transfers
                .next_chunk(&filter, caller, iterator, lend)?;
            Ok(cf::Reply::chunk(chunk))
        }
        Command::LoadChunk { end, chunk } => {
            if catalogue.get(key).is_some() {
                return Err(Error::Exists);
            }
            let most = catalogue.max_growth();
            let whole = server.transfers.take_chunk(key, end, chunk, most, lend)?;
            if let Some(filter) = whole {
                catalogue.adopt(key, filter)?;
            }
            Ok(cf::Reply::Done)
        }
    }
}
