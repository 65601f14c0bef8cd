//! Sessions: the state of one connection.

use std::sync::Arc;

use crate::clients::{Client, Names};
use crate::reply::Protocol;
use crate::request::RequestLimits;
use crate::server::Server;
use crate::transaction::{Queue, Watched};

pub(crate) struct Session {
    pub(crate) server: Arc<Server>,
    pub(crate) client: Arc<Client>,
    pub(crate) protocol: Protocol,
    pub(crate) is_authenticated: bool,
    /// The commands that wait for EXEC, in a transaction.
    pub(crate) queue: Option<Box<Queue>>,
    pub(crate) watched: Vec<Watched>,
}

/// The limits before the password: enough for HELLO with AUTH and SETNAME.
const UNAUTHENTICATED: RequestLimits = RequestLimits {
    bytes: 16 << 10,
    arguments: 10,
};

/// The most arguments of one request; each takes some bytes besides its own.
const MOST_ARGUMENTS: usize = 1 << 20;

impl Session {
    pub(crate) fn new(server: Arc<Server>, client: Arc<Client>) -> Self {
        Self {
            is_authenticated: server.secret.is_none(),
            server,
            client,
            protocol: Protocol::default(),
            queue: None,
            watched: Vec::new(),
        }
    }

    pub(crate) fn request_limits(&self) -> RequestLimits {
        if self.is_authenticated {
            RequestLimits {
                bytes: self.server.limits().max_request,
                arguments: MOST_ARGUMENTS,
            }
        } else {
            UNAUTHENTICATED
        }
    }

    /// Resets the session, as the command RESET does.
    pub(crate) fn reset(&mut self) {
        self.protocol = Protocol::default();
        self.is_authenticated = self.server.secret.is_none();
        *self.client.names() = Names::default();
        self.queue = None;
        self.watched = Vec::new();
    }
}
