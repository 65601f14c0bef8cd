//! Where workers get their batches from.

use crate::batches::Batch;
use crate::filters::Filters;
use std::sync::Arc;

/// A batch to work on, and what to judge it by.
pub(crate) struct Work {
    /// Counts the batches in the order in which they are handed out.
    pub(crate) number: u64,
    /// The period of the batch; it goes on from pass to pass.
    pub(crate) period: u64,
    pub(crate) batch: Arc<Batch>,
    pub(crate) filters: Arc<dyn Filters>,
}

/// Hands out batches. None is handed out twice, and their periods never go back.
pub(crate) trait Source: Sync {
    /// One worker's supply, which ends when the source does.
    fn supply(&self) -> Box<dyn Iterator<Item = Work> + '_>;
}
