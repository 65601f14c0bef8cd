//! The server from its start to its end.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use tokio::net::TcpListener;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{MissedTickBehavior, interval};

use crate::args::Args;
use crate::list::{self, ListError};
use crate::saver::NotSaved;
use crate::secret::Secret;
use crate::server::Server;
use crate::snapshot::{self, LoadError};
use crate::{http, listener};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the last snapshot was not saved: {0}")]
    NotSaved(#[from] NotSaved),
    #[error("password file {path}: {source}")]
    Secret { path: PathBuf, source: io::Error },
    #[error("snapshot {path}: {source}. It was left as it is; move it away to start without it")]
    Snapshot { path: PathBuf, source: LoadError },
    #[error("list {path}: {source}")]
    List { path: PathBuf, source: ListError },
    #[error("cannot listen on {address}: {source}")]
    Bind {
        address: SocketAddr,
        source: io::Error,
    },
    #[error("metrics: {0}")]
    Metrics(#[from] prometheus::Error),
    #[error("threads and signals: {0}")]
    Runtime(#[from] io::Error),
}

impl Error {
    /// The exit status, as `--help` lists it.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::NotSaved(_) => 1,
            _ => 3,
        }
    }
}

pub(crate) fn run(args: Args) -> Result<(), Error> {
    let secret = match &args.password_file {
        None => None,
        Some(path) => Some(Secret::read(path).map_err(|source| Error::Secret {
            path: path.clone(),
            source,
        })?),
    };
    let server = Server::new(args, secret)?;
    restore(&server)?;
    load(&server)?;
    let threads = server.args.threads();
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name("server")
        .enable_all()
        .build()?;
    runtime.block_on(serve(&server))?;
    // Not before: what blocks a thread is waited for, so that two snapshots do not meet.
    drop(runtime);
    if server.saver.path().is_some() && !server.forgets() {
        server.saver.save(&server.catalogue, &server.metrics)?;
    }
    tracing::info!("ended");
    Ok(())
}

fn restore(server: &Server) -> Result<(), Error> {
    let Some(path) = server.saver.path() else {
        return Ok(());
    };
    let start = Instant::now();
    let restored = snapshot::load(&server.catalogue, path).map_err(|source| Error::Snapshot {
        path: path.to_owned(),
        source,
    })?;
    let filters = server.catalogue.filters();
    let items: usize = filters.values().map(|filter| filter.len()).sum();
    let seconds = start.elapsed().as_secs_f64();
    let (path, filters) = (path.display(), filters.len());
    if restored {
        tracing::info!(%path, filters, items, seconds, "snapshot restored");
    } else {
        tracing::info!(%path, "no snapshot yet");
    }
    Ok(())
}

fn load(server: &Server) -> Result<(), Error> {
    let options = &server.args.filters;
    let Some(path) = &options.load else {
        return Ok(());
    };
    let start = Instant::now();
    let (key, threads) = (&options.load_key, server.args.threads());
    let added = list::load(&server.catalogue, key.as_bytes(), path, threads);
    let added = added.map_err(|source| Error::List {
        path: path.clone(),
        source,
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let (path, items, new) = (path.display(), added.items, added.new);
    tracing::info!(%path, key, items, new, seconds, "list loaded");
    Ok(())
}

async fn serve(server: &Arc<Server>) -> Result<(), Error> {
    let listener = listen(server.args.bind).await?;
    if let Some(address) = server.args.http {
        let listener = listen(address).await?;
        tracing::info!(address = %listener.local_addr()?, "HTTP");
        tokio::spawn(http::serve(listener, Arc::clone(server)));
    }
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let signals = Arc::clone(server);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => tracing::info!("SIGTERM"),
            _ = interrupt.recv() => tracing::info!("SIGINT"),
        }
        signals.end.cancel();
    });
    tokio::spawn(housekeeping(Arc::clone(server)));
    let threads = server.args.threads();
    tracing::info!(address = %listener.local_addr()?, threads, "ready");
    listener::serve(listener, Arc::clone(server)).await;
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    TcpListener::bind(address)
        .await
        .map_err(|source| Error::Bind { address, source })
}

/// Snapshots when they are due, and an end to transfers that nobody goes on with.
async fn housekeeping(server: Arc<Server>) {
    const CHECK: std::time::Duration = std::time::Duration::from_secs(10);
    let period = server.args.storage.snapshot_interval;
    let saves = server.saver.path().is_some() && !period.is_zero();
    let mut due = interval(if saves { period } else { CHECK });
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick is at once.
    due.tick().await;
    let mut check = interval(CHECK);
    loop {
        tokio::select! {
            () = server.end.cancelled() => return,
            _ = check.tick() => {
                let server = Arc::clone(&server);
                // It may have to wait for a filter that is being copied.
                let _ = tokio::task::spawn_blocking(move || server.transfers.forget_old()).await;
            }
            _ = due.tick(), if saves => {
                let server = Arc::clone(&server);
                let save = move || server.saver.save(&server.catalogue, &server.metrics);
                // What went wrong was logged and counted.
                let _ = tokio::task::spawn_blocking(save).await;
            }
        }
    }
}
