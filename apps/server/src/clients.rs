//! Clients: lists the connections, their names and the memory that they hold, and closes them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::event::Event;
use crate::reply::Reply;
use bytes::Bytes;

/// The part of a connection that other connections can see and close.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) id: u64,
    pub(crate) peer: SocketAddr,
    /// The address of this server for the connection.
    pub(crate) local: SocketAddr,
    since: Instant,
    /// Milliseconds between the start of the connection and the last bytes from the client.
    active: AtomicU64,
    /// The number of the last command, in the list of commands.
    command: AtomicUsize,
    names: Mutex<Names>,
    /// Bytes of its requests and replies.
    held: AtomicUsize,
    /// Happens when the connection is to be closed.
    pub(crate) end: Event,
    reason: OnceLock<Reason>,
}

/// The names that a client gives itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) name: Bytes,
    pub(crate) library: Bytes,
    pub(crate) version: Bytes,
}

/// The reason for closing a connection that did not ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    #[error("closed by CLIENT KILL")]
    Killed,
    #[error(
        "closed: all clients together held more than --max-client-memory, and this one held most"
    )]
    Memory,
}

impl Client {
    pub(crate) fn reply_id(&self) -> Reply {
        Reply::Integer(i64::try_from(self.id).unwrap_or(i64::MAX))
    }

    /// Closes the connection after its current command.
    pub(crate) fn close(&self, reason: Reason) {
        // The first reason stays.
        let _ = self.reason.set(reason);
        self.end.happen();
    }

    /// Returns whether it is to be closed. Faster than asking [`end`](Self::end).
    pub(crate) fn is_closing(&self) -> bool {
        self.reason.get().is_some()
    }

    pub(crate) fn reason(&self) -> Reason {
        self.reason.get().copied().unwrap_or(Reason::Killed)
    }

    pub(crate) fn names(&self) -> MutexGuard<'_, Names> {
        // Ignore poison: nothing in it is ever half done.
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    pub(crate) fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// Returns the time since the client sent something, or connected.
    pub(crate) fn idle(&self) -> Duration {
        let active = Duration::from_millis(self.active.load(Ordering::Relaxed));
        self.age().saturating_sub(active)
    }

    pub(crate) fn last_command(&self) -> Option<usize> {
        let command = self.command.load(Ordering::Relaxed);
        (command != usize::MAX).then_some(command)
    }

    /// Records that the client sent something.
    pub(crate) fn is_active(&self) {
        let active = u64::try_from(self.age().as_millis()).unwrap_or(u64::MAX);
        self.active.store(active, Ordering::Relaxed);
    }

    pub(crate) fn asks(&self, command: usize) {
        self.command.store(command, Ordering::Relaxed);
    }
}

/// All connections.
#[derive(Debug)]
pub(crate) struct Clients {
    present: Mutex<BTreeMap<u64, Arc<Client>>>,
    last: AtomicU64,
    /// The bytes that all of them hold.
    held: AtomicUsize,
    /// The bytes that all of them may hold.
    most: usize,
}

impl Clients {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            present: Mutex::default(),
            last: AtomicU64::new(0),
            held: AtomicUsize::new(0),
            most,
        }
    }

    /// Adds a connection until the returned value is dropped.
    pub(crate) fn enter(&self, peer: SocketAddr, local: SocketAddr) -> Present<'_> {
        let client = Arc::new(Client {
            id: self.last.fetch_add(1, Ordering::Relaxed) + 1,
            peer,
            local,
            since: Instant::now(),
            active: AtomicU64::new(0),
            command: AtomicUsize::new(usize::MAX),
            names: Mutex::default(),
            held: AtomicUsize::new(0),
            end: Event::default(),
            reason: OnceLock::new(),
        });
        self.present().insert(client.id, Arc::clone(&client));
        Present { all: self, client }
    }

    /// Returns all connections that stay open, by their numbers.
    pub(crate) fn staying(&self) -> Vec<Arc<Client>> {
        let present = self.present();
        let staying = present.values().filter(|client| !client.is_closing());
        staying.map(Arc::clone).collect()
    }

    pub(crate) fn number(&self) -> usize {
        self.present().len()
    }

    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Records the bytes that a client holds. If all clients hold too many, closes those that hold
    /// most. Returns the number of closed ones.
    pub(crate) fn hold(&self, client: &Client, bytes: usize) -> usize {
        let before = client.held.swap(bytes, Ordering::Relaxed);
        if bytes <= before {
            self.held.fetch_sub(before - bytes, Ordering::Relaxed);
            return 0;
        }
        let more = bytes - before;
        if self.held.fetch_add(more, Ordering::Relaxed) + more <= self.most {
            return 0;
        }
        self.close_the_largest()
    }

    fn close_the_largest(&self) -> usize {
        // One thread at a time: two would close two connections for the same bytes.
        let present = self.present();
        // Connections that are being closed free their bytes when they notice.
        let staying = present.values().filter(|client| !client.is_closing());
        let mut staying: Vec<_> = staying.map(|client| (client.held(), client)).collect();
        staying.sort_unstable_by_key(|(held, _)| *held);
        let mut held: usize = staying.iter().map(|(held, _)| held).sum();
        let mut closed = 0;
        while held > self.most
            && let Some((bytes, client)) = staying.pop()
        {
            client.close(Reason::Memory);
            held -= bytes;
            closed += 1;
        }
        closed
    }

    fn present(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Client>>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that is listed until this is dropped.
#[derive(Debug)]
pub(crate) struct Present<'a> {
    all: &'a Clients,
    pub(crate) client: Arc<Client>,
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        self.all.hold(&self.client, 0);
        self.all.present().remove(&self.client.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closes as few of the largest as necessary.
    #[test]
    fn closes_few_of_the_largest() {
        let clients = Clients::new(100);
        let address: SocketAddr = ([127, 0, 0, 1], 1).into();
        let present = [(); 4].map(|()| clients.enter(address, address));
        let hold = |index: usize, bytes| clients.hold(&present[index].client, bytes);
        assert_eq!([hold(0, 20), hold(1, 50), hold(2, 30)], [0; 3]);
        assert_eq!(hold(3, 10), 1);
        let closed = present.each_ref().map(|one| one.client.is_closing());
        assert_eq!(closed, [false, true, false, false]);
        assert_eq!(present[1].client.reason(), Reason::Memory);
        // It has not noticed yet: no other one is closed for its bytes.
        assert_eq!(hold(0, 40), 0);
        assert_eq!(clients.held(), 130);
        assert_eq!(hold(3, 100), 1);
        drop(present);
        assert_eq!((clients.held(), clients.staying().len()), (0, 0));
    }
}
