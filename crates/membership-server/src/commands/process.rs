//! The server itself.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Answer;
use crate::arguments::{is, syntax_error};
use crate::catalogue::{Place, bytes_of};
use crate::metrics::Counter;
use crate::reply::Reply;
use crate::saver::NotSaved;
use crate::server::LastSave;
use crate::session::Session;

pub(super) fn bgsave(session: &mut Session, _: &[&[u8]]) -> Answer {
    let saver = &session.server.saver;
    if saver.path().is_none() {
        no_file().into()
    } else if saver.save_alone() {
        Reply::Simple("Background saving started").into()
    } else {
        Reply::error("ERR Background save already in progress").into()
    }
}

pub(super) fn time(_: &mut Session, _: &[&[u8]]) -> Answer {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default();
    let parts = [now.as_secs(), now.subsec_micros().into()];
    Reply::Array(parts.map(|part| Reply::text(part.to_string())).into()).into()
}

pub(super) fn lastsave(session: &mut Session, _: &[&[u8]]) -> Answer {
    Reply::Integer(session.server.saver.last()).into()
}

/// Saves while all others are served, and ends the server only if that worked: where it does not, nothing is lost.
pub(super) fn shutdown(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let (mut saves, mut forces) = (None, false);
    for option in arguments {
        match saves {
            None if is(option, "SAVE") => saves = Some(true),
            None if is(option, "NOSAVE") => saves = Some(false),
            _ if is(option, "FORCE") => forces = true,
            // There are no replicas to wait for.
            _ if is(option, "NOW") => {}
            _ => return syntax_error().into(),
        }
    }
    let server = session.server.clone();
    let has_file = server.saver.path().is_some();
    if saves == Some(true) && !has_file {
        return no_file().into();
    }
    let (peer, connection) = (session.client.peer, session.client.id);
    let last_save = match (saves, forces) {
        (Some(false), _) => LastSave::Never,
        (_, true) => LastSave::Once,
        _ => LastSave::UntilItWorks,
    };
    Answer::End(Box::pin(async move {
        if last_save == LastSave::UntilItWorks && has_file {
            match server.saver.save().await {
                // Somebody else is ending the server.
                Ok(()) | Err(NotSaved::Closed) => {}
                Err(error) => {
                    return Err(Reply::error(format!(
                        "ERR Errors trying to SHUTDOWN. The server goes on: {error}"
                    )));
                }
            }
        }
        log::info!(peer:%, connection; "shutting down: a client sent SHUTDOWN");
        server.shut_down(last_save);
        Ok(())
    }))
}

fn no_file() -> Reply {
    Reply::error(format!("ERR {}", NotSaved::NoFile))
}

pub(super) fn module(_: &mut Session, arguments: &[&[u8]]) -> Answer {
    if !arguments.iter().all(|part| is(part, "LIST")) {
        return Reply::error("ERR unknown subcommand: only MODULE LIST is supported").into();
    }
    let module = [("name", Reply::text("bf")), ("ver", Reply::Integer(0))];
    Reply::Array(vec![Reply::pairs(module)]).into()
}

/// The options that Redis has too, under its names.
pub(super) fn config(session: &mut Session, arguments: &[&[u8]]) -> Answer {
    let [part, ref names @ ..] = *arguments else {
        return syntax_error().into();
    };
    if !is(part, "GET") {
        return Reply::error(
            "ERR only CONFIG GET is supported: options are set when the server starts",
        )
        .into();
    }
    let args = &session.server.args;
    let limits = &args.limits;
    let interval = args.storage.snapshot_interval.as_secs();
    let save = match args.storage.snapshot {
        Some(_) if interval > 0 => format!("{interval} 0"),
        _ => String::new(),
    };
    let options = [
        ("appendonly", "no".to_owned()),
        ("maxclients", limits.max_connections.to_string()),
        ("maxmemory", limits.max_memory.to_string()),
        ("maxmemory-clients", limits.max_client_memory.to_string()),
        ("save", save),
        ("timeout", limits.idle_timeout.as_secs().to_string()),
    ];
    let asked = |option: &str| names.iter().any(|name| is(name, option) || is(name, "*"));
    let chosen = options.into_iter().filter(|(name, _)| asked(name));
    Reply::pairs(chosen.map(|(name, value)| (name, Reply::text(value)))).into()
}

pub(super) fn info(session: &mut Session, _: &[&[u8]]) -> Answer {
    let server = &session.server;
    let (clients, metrics, saver) = (&server.clients, &server.metrics, &server.saver);
    let (limits, filters) = (server.limits(), server.catalogue.filters());
    let here = |(key, place): (&Arc<[u8]>, &Place)| Some(bytes_of(key, place.here()?));
    let used: usize = filters.iter().filter_map(here).sum();
    let counted = Counter::get;
    let text = format!(
        "\
# Server
server_name:{name}
redis_version:{COMMANDS_OF_REDIS}
redis_mode:standalone
process_id:{process}
tcp_port:{port}
uptime_in_seconds:{uptime}
worker_threads:{threads}

# Clients
connected_clients:{connected}
maxclients:{max_connections}

# Memory
used_memory:{used}
reserved_memory:{reserved}
maxmemory:{max_memory}
mem_clients_normal:{held}
maxmemory_clients:{most_held}

# Persistence
rdb_bgsave_in_progress:{is_saving}
rdb_last_save_time:{last}
rdb_last_bgsave_status:{status}
last_save_age_in_seconds:{age}
snapshots:{snapshots}
failed_snapshots:{failed}

# Stats
total_connections_received:{received}
rejected_connections:{rejected}
evicted_clients:{evicted}
total_net_input_bytes:{read}
total_net_output_bytes:{written}

# Keyspace
db0:keys={keys},expires=0,avg_ttl=0
",
        name = env!("CARGO_PKG_NAME"),
        process = std::process::id(),
        port = server.args.bind.rsplit(':').next().unwrap_or_default(),
        uptime = server.started.elapsed().as_secs(),
        threads = server.args.threads(),
        connected = clients.number(),
        max_connections = limits.max_connections,
        reserved = server.catalogue.reserved(),
        max_memory = limits.max_memory,
        held = clients.held(),
        most_held = clients.most(),
        is_saving = u8::from(saver.is_saving()),
        last = saver.last(),
        status = if saver.has_failed() { "err" } else { "ok" },
        age = saver.age(),
        snapshots = counted(&metrics.snapshots),
        failed = counted(&metrics.failed_snapshots),
        received = counted(&metrics.connected),
        rejected = counted(&metrics.rejected),
        evicted = counted(&metrics.evicted_clients),
        read = counted(&metrics.bytes_read),
        written = counted(&metrics.bytes_written),
        keys = filters.len(),
    );
    Reply::text(text.replace('\n', "\r\n")).into()
}

/// Libraries that ask for it want to know which commands there may be.
const COMMANDS_OF_REDIS: &str = "7.0.0";
