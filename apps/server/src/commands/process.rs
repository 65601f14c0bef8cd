//! Commands about the server: snapshots, shutdown, options, INFO.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Answer;
use super::keys::matches;
use crate::arguments::{is, syntax_error};
use crate::catalogue::{Place, bytes_of};
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

/// Saves while other clients are served, and ends the server only if that succeeds, so that nothing
/// is lost.
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
                // Another client is ending the server.
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

/// Replies with the options that Redis has too, under its names.
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
    let asked = |option: &str| {
        let mut patterns = names.iter().map(|name| name.to_ascii_lowercase());
        patterns.any(|pattern| matches(&pattern, option.as_bytes()))
    };
    let chosen = options.into_iter().filter(|(name, _)| asked(name));
    Reply::pairs(chosen.map(|(name, value)| (name, Reply::text(value)))).into()
}

/// The lines of a section: names and values.
type Lines<'a> = &'a [(&'static str, &'a dyn Display)];

pub(super) fn info(session: &mut Session, _: &[&[u8]]) -> Answer {
    let server = &session.server;
    let (clients, metrics, saver) = (&server.clients, &server.metrics, &server.saver);
    let (limits, filters) = (server.limits(), server.catalogue.filters());
    let here = |(key, place): (&Arc<[u8]>, &Place)| Some(bytes_of(key, place.here()?));
    #[rustfmt::skip]
    let sections: [(&str, Lines<'_>); 6] = [
        ("Server", &[
            ("server_name", &env!("CARGO_PKG_NAME")),
            // Some libraries choose their commands by it.
            ("redis_version", &"7.0.0"),
            ("redis_mode", &"standalone"),
            ("process_id", &std::process::id()),
            ("tcp_port", &server.args.bind.rsplit(':').next().unwrap_or_default()),
            ("uptime_in_seconds", &server.started.elapsed().as_secs()),
            ("worker_threads", &server.args.threads()),
        ]),
        ("Clients", &[
            ("connected_clients", &clients.number()),
            ("maxclients", &limits.max_connections),
        ]),
        ("Memory", &[
            ("used_memory", &filters.iter().filter_map(here).sum::<usize>()),
            ("reserved_memory", &server.catalogue.reserved()),
            ("maxmemory", &limits.max_memory),
            ("mem_clients_normal", &clients.held()),
            ("maxmemory_clients", &clients.most()),
        ]),
        ("Persistence", &[
            ("rdb_bgsave_in_progress", &u8::from(saver.is_saving())),
            ("rdb_last_save_time", &saver.last()),
            ("rdb_last_bgsave_status", if saver.has_failed() { &"err" } else { &"ok" }),
            ("last_save_age_in_seconds", &saver.age()),
            ("snapshots", &metrics.snapshots.get()),
            ("failed_snapshots", &metrics.failed_snapshots.get()),
        ]),
        ("Stats", &[
            ("total_connections_received", &metrics.connected.get()),
            ("rejected_connections", &metrics.rejected.get()),
            ("evicted_clients", &metrics.evicted_clients.get()),
            ("total_net_input_bytes", &metrics.bytes_read.get()),
            ("total_net_output_bytes", &metrics.bytes_written.get()),
        ]),
        ("Keyspace", &[("db0", &format!("keys={},expires=0,avg_ttl=0", filters.len()))]),
    ];
    let lines = |lines: Lines<'_>| -> String {
        let lines = lines.iter();
        lines
            .map(|(name, value)| format!("{name}:{value}\r\n"))
            .collect()
    };
    let sections = sections.map(|(name, all)| format!("# {name}\r\n{}", lines(all)));
    Reply::text(sections.join("\r\n")).into()
}
