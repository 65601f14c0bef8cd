//! The server itself.

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Answer;
use crate::arguments::{is, syntax_error};
use crate::catalogue::bytes_of;
use crate::reply::Reply;
use crate::saver::NotSaved;
use crate::server::LastSave;
use crate::session::Session;

pub(super) fn save(_: &mut Session, _: &[&[u8]]) -> Answer {
    Answer::Save
}

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
        tracing::info!(%peer, connection, "shutting down: a client sent SHUTDOWN");
        server.shut_down(last_save);
        Ok(())
    }))
}

fn no_file() -> Reply {
    Reply::error("ERR the server has no snapshot file: start it with --snapshot")
}

pub(super) fn module(_: &mut Session, arguments: &[&[u8]]) -> Answer {
    match *arguments {
        [part] if is(part, "LIST") => {
            let pairs = [("name", Reply::text("bf")), ("ver", Reply::Integer(0))];
            let module = Reply::Map(pairs.map(|(name, value)| (Reply::text(name), value)).into());
            Reply::Array(vec![module]).into()
        }
        _ => Reply::error("ERR unknown subcommand: only MODULE LIST is supported").into(),
    }
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
    Reply::Map(
        chosen
            .map(|(name, value)| (Reply::text(name), Reply::text(value)))
            .collect(),
    )
    .into()
}

pub(super) fn info(session: &mut Session, _: &[&[u8]]) -> Answer {
    let server = &session.server;
    let (catalogue, metrics, saver) = (&server.catalogue, &server.metrics, &server.saver);
    let filters = catalogue.filters();
    let sections = [
        (
            "Server",
            vec![
                ("server_name", env!("CARGO_PKG_NAME").to_owned()),
                // Libraries that ask for it want to know which commands there may be.
                ("redis_version", "7.0.0".to_owned()),
                ("redis_mode", "standalone".to_owned()),
                ("process_id", std::process::id().to_string()),
                ("tcp_port", server.args.bind.port().to_string()),
                (
                    "uptime_in_seconds",
                    server.started.elapsed().as_secs().to_string(),
                ),
                ("worker_threads", server.args.threads().to_string()),
            ],
        ),
        (
            "Clients",
            vec![
                ("connected_clients", metrics.connections.get().to_string()),
                ("maxclients", server.limits().max_connections.to_string()),
            ],
        ),
        (
            "Memory",
            vec![
                (
                    "used_memory",
                    filters
                        .iter()
                        .filter_map(|(key, place)| Some(bytes_of(key, place.here()?)))
                        .sum::<usize>()
                        .to_string(),
                ),
                ("reserved_memory", catalogue.reserved().to_string()),
                ("maxmemory", server.limits().max_memory.to_string()),
                ("mem_clients_normal", server.clients.held().to_string()),
                ("maxmemory_clients", server.clients.most().to_string()),
            ],
        ),
        (
            "Persistence",
            vec![
                (
                    "rdb_bgsave_in_progress",
                    u8::from(saver.is_saving()).to_string(),
                ),
                ("rdb_last_save_time", saver.last().to_string()),
                (
                    "rdb_last_bgsave_status",
                    if saver.has_failed() { "err" } else { "ok" }.to_owned(),
                ),
                ("last_save_age_in_seconds", saver.age().to_string()),
                ("snapshots", metrics.snapshots.get().to_string()),
                (
                    "failed_snapshots",
                    metrics.failed_snapshots.get().to_string(),
                ),
            ],
        ),
        (
            "Stats",
            vec![
                (
                    "total_connections_received",
                    metrics.connected.get().to_string(),
                ),
                ("rejected_connections", metrics.rejected.get().to_string()),
                ("evicted_clients", metrics.evicted_clients.get().to_string()),
                (
                    "total_net_input_bytes",
                    metrics.bytes_read.get().to_string(),
                ),
                (
                    "total_net_output_bytes",
                    metrics.bytes_written.get().to_string(),
                ),
            ],
        ),
        (
            "Keyspace",
            vec![("db0", format!("keys={},expires=0,avg_ttl=0", filters.len()))],
        ),
    ];
    let mut text = String::new();
    for (section, lines) in sections {
        // Into a string it does not fail.
        let _ = write!(text, "# {section}\r\n");
        for (name, value) in lines {
            let _ = write!(text, "{name}:{value}\r\n");
        }
        text.push_str("\r\n");
    }
    Reply::text(text).into()
}
