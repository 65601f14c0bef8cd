//! The state that all connections share.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cf::Transfers;
use subtle::ConstantTimeEq;
use tokio::net::TcpStream;

use crate::args::{Args, Limits};
use crate::catalogue::{Catalogue, Loan};
use crate::clients::Clients;
use crate::event::Event;
use crate::metrics::Metrics;
use crate::rotations::Rotations;
use crate::saver::Saver;

pub(crate) struct Server {
    pub(crate) args: Args,
    pub(crate) secret: Option<Secret>,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) saver: Saver,
    pub(crate) transfers: Transfers<Loan>,
    pub(crate) clients: Clients,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) started: Instant,
    /// Ends the server.
    pub(crate) end: Event,
    farewell: Mutex<Farewell>,
}

/// The password.
#[derive(Clone)]
pub(crate) struct Secret(Box<[u8]>);

impl Secret {
    /// The delay of the reply to a wrong password, which leaves a guesser few tries a second for
    /// each connection.
    pub(crate) const PAUSE: Duration = Duration::from_millis(200);

    /// Reads the first line of a file.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let content = fs::read(path)?;
        let line = content.split(|&byte| byte == b'\n').next();
        let line = line.unwrap_or_default().trim_ascii_end();
        if line.is_empty() {
            let empty = "the first line is empty";
            return Err(io::Error::new(io::ErrorKind::InvalidData, empty));
        }
        Ok(Self(line.into()))
    }

    /// Compares in a time that tells nothing but the length.
    pub(crate) fn is(&self, given: &[u8]) -> bool {
        self.0.ct_eq(given).into()
    }
}

/// The fate of the filters when the server ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LastSave {
    /// Lose them.
    Never,
    /// Try once, and end in any case.
    #[default]
    Once,
    /// Save them before the process ends, unless a second signal comes.
    UntilItWorks,
}

/// The end of the server, and the clients that wait for it.
#[derive(Debug, Default)]
struct Farewell {
    last_save: LastSave,
    waiting: Vec<TcpStream>,
}

impl Server {
    /// Makes a server whose commands have these names.
    pub(crate) fn new(
        args: Args,
        secret: Option<Secret>,
        commands: Vec<&'static str>,
    ) -> io::Result<Arc<Self>> {
        let end = Event::default();
        let rotations = Rotations::start()?;
        let catalogue = Arc::new(Catalogue::new(&args.filters, &args.limits, rotations));
        let metrics = Arc::new(Metrics::new(commands));
        let file = args.storage.snapshot.clone();
        Ok(Arc::new(Self {
            saver: Saver::new(
                file,
                Arc::clone(&catalogue),
                Arc::clone(&metrics),
                end.clone(),
            ),
            catalogue,
            transfers: Transfers::new(args.limits.max_request),
            clients: Clients::new(args.limits.max_client_memory),
            metrics,
            secret,
            args,
            started: Instant::now(),
            end,
            farewell: Mutex::default(),
        }))
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.args.limits
    }

    /// Ends the server. The first call decides the fate of the filters.
    pub(crate) fn shut_down(&self, last_save: LastSave) {
        let mut farewell = self.farewell();
        if !self.end.has_happened() {
            farewell.last_save = last_save;
            self.end.happen();
        }
    }

    pub(crate) fn last_save(&self) -> LastSave {
        self.farewell().last_save
    }

    /// Keeps the connection of a client that has ended the server until the filters are saved: its
    /// end is the reply.
    pub(crate) fn keep_until_saved(&self, stream: TcpStream) {
        self.farewell().waiting.push(stream);
    }

    pub(crate) fn waiting(&self) -> Vec<TcpStream> {
        std::mem::take(&mut self.farewell().waiting)
    }

    fn farewell(&self) -> std::sync::MutexGuard<'_, Farewell> {
        // Ignore poison: nothing in it is ever half done.
        self.farewell.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
