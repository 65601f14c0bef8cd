//! Calls: one call on one class of tokens, and its answer.

use std::sync::atomic::{AtomicU64, Ordering};

use lockfree_cuckoo::SnapshotError;
use model::history::Call;

use super::layout::Subject;

/// The operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Insert,
    InsertUnique,
    Remove,
    Contains,
    Count,
    /// Moves a token to its other bucket.
    Relocate,
    /// Copies the whole filter; the class does not matter.
    Snapshot,
}

/// An operation and its class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) action: Action,
    /// The number of the class on the stage.
    pub(crate) class: usize,
    /// Its first candidate: 0 or 1.
    pub(crate) order: usize,
}

/// The result.
pub(crate) enum Answer {
    Call(Call),
    Copies(usize),
    Moved,
    Snapshot(Result<Subject, SnapshotError>),
}

/// A call that has returned, with the times before and after it.
pub(crate) struct Record {
    pub(crate) request: Request,
    pub(crate) answer: Answer,
    pub(crate) began: u64,
    pub(crate) ended: u64,
}

/// One clock for all threads.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicU64);

impl Clock {
    pub(crate) fn now(&self) -> u64 {
        // AcqRel: a call cannot move out of the times that enclose it.
        self.0.fetch_add(1, Ordering::AcqRel)
    }
}
