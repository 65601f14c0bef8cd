//! The listener: accepts connections, up to the limit.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::connection::{Connection, turn_away};
use crate::server::Server;
use crate::session::Session;

/// The pause before the next try, for example without free descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// The refused connections that get an error at the same time; others are just closed.
const TURNED_AWAY: usize = 64;

/// Serves clients until the server ends, and then waits a while for them. It serves no client after
/// that.
pub(crate) async fn serve(listener: TcpListener, server: Arc<Server>) {
    let places = Arc::new(Semaphore::new(server.limits().max_connections));
    let door = Arc::new(Semaphore::new(TURNED_AWAY));
    let mut tasks = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = server.end.wait() => break,
            Some(_) = tasks.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                log::warn!(error:%; "could not accept a connection");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let server = Arc::clone(&server);
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            tasks.spawn(async move {
                serve_one(stream, peer, server).await;
                drop(place);
            });
        } else if let Ok(place) = Arc::clone(&door).try_acquire_owned() {
            log::warn!(peer:%; "connection refused: too many connections");
            tasks.spawn(async move {
                turn_away(stream, &server).await;
                drop(place);
            });
        } else {
            server.metrics.rejected.add(1);
        }
    }
    drop(listener);
    let patience = server.limits().drain_timeout;
    let all = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(patience, all).await.is_err() {
        log::warn!(connections = tasks.len(); "connections closed: they did not finish in time");
        tasks.shutdown().await;
    }
}

async fn serve_one(stream: TcpStream, peer: SocketAddr, server: Arc<Server>) {
    server.metrics.connected.add(1);
    // Send replies without delay. If this fails, they are the same, only later.
    let _ = stream.set_nodelay(true);
    let local = stream.local_addr().unwrap_or(peer);
    let present = server.clients.enter(peer, local);
    let id = present.client.id;
    let session = Session::new(Arc::clone(&server), Arc::clone(&present.client));
    log::debug!(peer:%, connection = id; "connected");
    match Connection::new(stream, session).serve().await {
        Ok(()) => log::debug!(peer:%, connection = id; "disconnected"),
        Err(error) => log::info!(peer:%, connection = id, error:%; "disconnected"),
    }
}
