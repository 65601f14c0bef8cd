//! Accepts connections, and no more than there may be.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::connection::{Connection, turn_away};
use crate::server::Server;
use crate::session::Session;

/// What to wait before the next try if there are no descriptors left, or the like.
const PAUSE: Duration = Duration::from_millis(100);

/// Those that are told at the same time that there is no place for them; others are just closed.
const TURNED_AWAY: usize = 64;

/// Serves clients until the server ends, and then waits for them a while. Nobody is served behind it.
pub(crate) async fn serve(listener: TcpListener, server: Arc<Server>) {
    let places = Arc::new(Semaphore::new(server.limits().max_connections));
    let door = Arc::new(Semaphore::new(TURNED_AWAY));
    let tasks = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = server.end.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            let server = Arc::clone(&server);
            tasks.spawn(async move {
                let served = serve_one(stream, peer, Arc::clone(&server));
                let _ = server.cut.run_until_cancelled(served).await;
                drop(place);
            });
        } else if let Ok(place) = Arc::clone(&door).try_acquire_owned() {
            tracing::warn!(%peer, "connection refused: too many connections");
            let server = Arc::clone(&server);
            tasks.spawn(async move {
                turn_away(stream, &server).await;
                drop(place);
            });
        } else {
            server.metrics.rejected.inc();
        }
    }
    drop(listener);
    tasks.close();
    let patience = server.limits().drain_timeout;
    if tokio::time::timeout(patience, tasks.wait()).await.is_err() {
        tracing::warn!(
            connections = tasks.len(),
            "connections closed: they did not finish in time"
        );
        server.cut.cancel();
        tasks.wait().await;
    }
}

async fn serve_one(stream: TcpStream, peer: SocketAddr, server: Arc<Server>) {
    server.metrics.connected.inc();
    let _counted = Counted::new(&server);
    // Replies are sent when they are due. Without this they are all the same, only later.
    let _ = stream.set_nodelay(true);
    let local = stream.local_addr().unwrap_or(peer);
    let present = server.clients.enter(peer, local);
    let id = present.client.id;
    let session = Session::new(Arc::clone(&server), Arc::clone(&present.client));
    tracing::debug!(%peer, connection = id, "connected");
    match Connection::new(stream, session).serve().await {
        Ok(()) => tracing::debug!(%peer, connection = id, "disconnected"),
        Err(error) => tracing::info!(%peer, connection = id, %error, "disconnected"),
    }
}

/// Counts a connection for as long as it is there.
struct Counted(prometheus::IntGauge);

impl Counted {
    fn new(server: &Server) -> Self {
        let connections = server.metrics.connections.clone();
        connections.inc();
        Self(connections)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}
