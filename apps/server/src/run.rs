//! The life of the server: starts, restores, serves, saves, ends.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::timeout;

use crate::args::Args;
use crate::catalogue::Place;
use crate::list;
use crate::saver::NotSaved;
use crate::server::{LastSave, Secret, Server};
use crate::snapshot;
use crate::sockets::{BindError, Sockets};
use crate::{args, commands, http, listener};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the last snapshot was not saved: {0}")]
    NotSaved(#[from] NotSaved),
    #[error("{what} {path}: {source}")]
    File {
        what: &'static str,
        path: PathBuf,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error("threads and signals: {0}")]
    Runtime(#[from] io::Error),
}

impl Error {
    fn of_file<E>(what: &'static str, path: &Path) -> impl Fn(E) -> Self
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        move |source| Self::File {
            what,
            path: path.to_owned(),
            source: source.into(),
        }
    }

    /// The exit status when there is no time for a last snapshot.
    const CUT_SHORT: u8 = 1;

    /// Returns the exit status, as `--help` lists it.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::NotSaved(_) => Self::CUT_SHORT,
            Self::Bind(error) if error.is_of_options() => args::WRONG,
            _ => 3,
        }
    }
}

pub(crate) fn run(args: Args) -> Result<(), Error> {
    let secret = match &args.password_file {
        None => None,
        Some(path) => {
            let read = Secret::read(path);
            Some(read.map_err(Error::of_file("password file", path))?)
        }
    };
    let server = Server::new(args, secret, commands::names())?;
    // Fail early where that is possible: restoring and loading take time.
    let sockets = Sockets::bind(&server.args)?;
    if let Some(path) = server.saver.path() {
        let what = "cannot write snapshots in the directory of";
        snapshot::check(path).map_err(Error::of_file(what, path))?;
    }
    restore(&server)?;
    load(&server)?;
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(server.args.threads())
        .thread_name("server")
        .enable_all()
        .build()?;
    let ended = runtime.block_on(serve(&server, sockets));
    // No client waits for the work that still runs.
    runtime.shutdown_background();
    ended?;
    log::info!("ended");
    Ok(())
}

fn restore(server: &Server) -> Result<(), Error> {
    let Some(path) = server.saver.path() else {
        return Ok(());
    };
    let start = Instant::now();
    let restored = snapshot::load(&server.catalogue, path);
    let advice = "The file was not changed; move it away to start without it";
    let restored = restored.map_err(|error| format!("{error}. {advice}"));
    let restored = restored.map_err(Error::of_file("snapshot", path))?;
    let filters = server.catalogue.filters();
    let here = filters.values().filter_map(Place::here);
    let items: usize = here.map(|filter| filter.items()).sum();
    let seconds = start.elapsed().as_secs_f64();
    let (path, filters) = (path.display(), filters.len());
    if restored {
        log::info!(path:%, filters, items, seconds; "snapshot restored");
    } else {
        log::info!(path:%; "there is no snapshot yet");
    }
    Ok(())
}

fn load(server: &Server) -> Result<(), Error> {
    let options = &server.args.filters;
    let Some(path) = &options.load else {
        return Ok(());
    };
    let start = Instant::now();
    let key = &options.load_key;
    let added = list::load(&server.catalogue, key.as_bytes(), path);
    let added = added.map_err(Error::of_file("list", path))?;
    let seconds = start.elapsed().as_secs_f64();
    let (path, items, new) = (path.display(), added.items, added.new);
    log::info!(path:%, key:%, items, new, seconds; "list loaded");
    Ok(())
}

async fn serve(server: &Arc<Server>, sockets: Sockets) -> Result<(), Error> {
    tokio::spawn(signals(
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
        Arc::clone(server),
    ));
    if let Some(http) = sockets.http {
        let listener = TcpListener::from_std(http.listener)?;
        log::info!(address:% = listener.local_addr()?; "HTTP");
        tokio::spawn(http::serve(listener, http.is_guarded, Arc::clone(server)));
    }
    tokio::spawn(snapshots(Arc::clone(server)));
    tokio::spawn(forget_transfers(Arc::clone(server)));
    let listener = TcpListener::from_std(sockets.clients)?;
    let threads = server.args.threads();
    log::info!(address:% = listener.local_addr()?, threads; "ready");
    listener::serve(listener, Arc::clone(server)).await;
    // No client is served any more: this snapshot has every answered change.
    let saved = save_last(server).await;
    let clients = server.waiting();
    if let Err(error) = &saved {
        let words = format!("-ERR Errors trying to SHUTDOWN: {error}\r\n");
        for mut client in clients {
            // The client may be gone.
            let _ = timeout(PATIENCE, client.write_all(words.as_bytes())).await;
        }
    }
    Ok(saved?)
}

/// The time in which a waiting client must take the last error.
const PATIENCE: Duration = Duration::from_secs(1);

async fn save_last(server: &Arc<Server>) -> Result<(), NotSaved> {
    if server.saver.path().is_none() || server.last_save() == LastSave::Never {
        return Ok(());
    }
    loop {
        match server.saver.save_last().await {
            Err(error) if server.last_save() == LastSave::UntilItWorks => {
                log::error!(error:%; "the last snapshot was not saved: trying again, until it works or a second signal comes");
                tokio::time::sleep(PATIENCE).await;
            }
            saved => return saved,
        }
    }
}

/// Ends the server at a signal: in order at the first one, at once at the next.
async fn signals(mut terminate: Signal, mut interrupt: Signal, server: Arc<Server>) {
    received(&mut terminate, &mut interrupt, "first").await;
    server.shut_down(LastSave::Once);
    received(&mut terminate, &mut interrupt, "second").await;
    std::process::exit(i32::from(Error::CUT_SHORT))
}

async fn received(terminate: &mut Signal, interrupt: &mut Signal, nth: &str) {
    let name = tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    };
    log::info!(signal = name, nth; "shutting down: signal received");
}

/// Takes snapshots when they are due.
async fn snapshots(server: Arc<Server>) {
    let period = server.args.storage.snapshot_interval;
    if server.saver.path().is_some() && !period.is_zero() {
        while next(period, &server).await {
            // A failure was logged and counted.
            let _ = server.saver.save().await;
        }
    }
}

/// Frees transfers that no client continues.
async fn forget_transfers(server: Arc<Server>) {
    while next(Duration::from_secs(10), &server).await {
        let server = Arc::clone(&server);
        // It may have to wait for a filter that is being copied.
        let _ = tokio::task::spawn_blocking(move || server.transfers.forget_old()).await;
    }
}

/// Waits for a period. Returns false if the server ends before.
async fn next(period: Duration, server: &Server) -> bool {
    timeout(period, server.end.wait()).await.is_err()
}
