//! What all connections share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use cf::Transfers;
use tokio_util::sync::CancellationToken;

use crate::args::{Args, Limits};
use crate::catalogue::{Catalogue, Loan};
use crate::metrics::Metrics;
use crate::saver::Saver;
use crate::secret::Secret;

pub(crate) struct Server {
    pub(crate) args: Args,
    pub(crate) secret: Option<Secret>,
    pub(crate) catalogue: Catalogue,
    pub(crate) saver: Saver,
    pub(crate) transfers: Transfers<Loan>,
    pub(crate) metrics: Metrics,
    pub(crate) started: Instant,
    /// Ends the server.
    pub(crate) end: CancellationToken,
    /// Ends connections, whatever they are at: nothing is answered after it.
    pub(crate) cut: CancellationToken,
    connections: AtomicU64,
    /// Whether no last snapshot is to be taken.
    forgets: AtomicBool,
}

impl Server {
    pub(crate) fn new(args: Args, secret: Option<Secret>) -> prometheus::Result<Arc<Self>> {
        let end = CancellationToken::new();
        Ok(Arc::new(Self {
            catalogue: Catalogue::new(&args.filters, &args.limits),
            saver: Saver::new(args.storage.snapshot.clone(), end.clone()),
            transfers: Transfers::new(args.limits.max_request),
            metrics: Metrics::new()?,
            secret,
            args,
            started: Instant::now(),
            end,
            cut: CancellationToken::new(),
            connections: AtomicU64::new(0),
            forgets: AtomicBool::new(false),
        }))
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.args.limits
    }

    /// A number for a connection.
    pub(crate) fn next_id(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Ends without a last snapshot.
    pub(crate) fn forget(&self) {
        self.forgets.store(true, Ordering::Relaxed);
    }

    pub(crate) fn forgets(&self) -> bool {
        self.forgets.load(Ordering::Relaxed)
    }
}
