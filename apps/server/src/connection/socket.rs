//! The socket of a connection: reads, writes, time limits, and the memory that buffers hold.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::{Connection, Ended, KEPT, NO_PASSWORD};
use crate::session::Session;

/// The bytes to read at once.
const READ: usize = 16 << 10;

impl Connection {
    /// Reads more of the requests. Returns false if no more will come.
    pub(super) async fn read(&mut self) -> Result<bool, Ended> {
        let server = Arc::clone(&self.session.server);
        let limits = server.limits();
        let left = limits.request_timeout.saturating_sub(self.since.elapsed());
        let (patience, slow) = if !self.session.is_authenticated {
            (left, NO_PASSWORD)
        } else if !self.requests.is_empty() {
            (left, "a request is incomplete")
        } else if limits.idle_timeout.is_zero() {
            (Duration::MAX, "idle")
        } else {
            (limits.idle_timeout, "idle")
        };
        let was_empty = self.requests.is_empty();
        let client = Arc::clone(&self.session.client);
        let read = tokio::select! {
            biased;
            () = server.end.wait() => return Ok(false),
            () = client.end.wait() => return Err(client.reason().into()),
            read = timeout(patience, self.receive()) => read,
        };
        let bytes = read.map_err(|_| Ended::Slow(slow))??;
        server.metrics.bytes_read.add(bytes as u64);
        client.is_active();
        if was_empty && self.session.is_authenticated {
            self.since = Instant::now();
        }
        Ok(bytes > 0)
    }

    /// Waits for bytes, and reads them. Returns their number.
    async fn receive(&mut self) -> io::Result<usize> {
        loop {
            // Hold no empty buffers: there can be many idle connections. All replies are sent.
            if self.requests.is_empty() {
                self.requests = BytesMut::new();
            }
            self.replies = BytesMut::new();
            self.account();
            self.stream.readable().await?;
            self.requests.reserve(READ);
            match self.stream.try_read_buf(&mut self.requests) {
                // The system has said too much.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }

    pub(super) async fn send(&mut self) -> Result<(), Ended> {
        if self.replies.is_empty() {
            return Ok(());
        }
        self.account();
        let patience = self.session.server.limits().request_timeout;
        let sending = timeout(patience, self.stream.write_all(&self.replies));
        let client = &self.session.client;
        let sent = tokio::select! {
            // Send what the socket takes at once, even to a client that is to be disconnected.
            biased;
            sent = sending => sent,
            () = client.end.wait() => return Err(client.reason().into()),
        };
        sent.map_err(|_| Ended::Slow("it does not read its replies"))??;
        let metrics = &self.session.server.metrics;
        metrics.bytes_written.add(self.replies.len() as u64);
        if self.replies.capacity() > KEPT {
            self.replies = BytesMut::new();
        } else {
            self.replies.clear();
        }
        Ok(())
    }

    /// Reports the bytes of its buffers, to be added up for all clients. Differences of less than a
    /// read are not reported, unless it holds nothing any more.
    pub(super) fn account(&self) {
        let Session {
            server,
            client,
            queue,
            ..
        } = &self.session;
        let queued = queue.as_ref().map_or(0, |queue| queue.memory());
        let held = self.requests.capacity() + self.replies.capacity() + queued + self.answering;
        let before = client.held();
        if held.abs_diff(before) >= READ || held < before && held == 0 {
            let closed = server.clients.hold(client, held);
            server.metrics.evicted_clients.add(closed as u64);
        }
    }

    /// Ends the sending, and reads a little of the input in transit. If the socket were closed with
    /// that unread, the system would discard the replies that the client has not read yet.
    pub(super) async fn say_goodbye(&mut self) {
        const PATIENCE: Duration = Duration::from_secs(1);
        const MOST: usize = 1 << 20;
        let rest = async {
            self.stream.shutdown().await?;
            let mut bytes = 0;
            while bytes < MOST {
                self.requests.clear();
                self.requests.reserve(READ);
                match self.stream.read_buf(&mut self.requests).await? {
                    0 => break,
                    read => bytes += read,
                }
            }
            io::Result::Ok(())
        };
        // The client may be gone already, which is as good.
        let _ = timeout(PATIENCE, rest).await;
    }
}
