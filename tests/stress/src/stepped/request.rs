//! One call on one class of tokens, and what came of it.

use std::sync::atomic::{AtomicU64, Ordering};

use lockfree_cuckoo::SnapshotError;
use model::history::Call;

use super::layout::Subject;

/// What to do.
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

/// What to do with which class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) action: Action,
    /// By its number on the stage.
    pub(crate) class: usize,
    /// Which of its buckets is looked at first: 0 or 1.
    pub(crate) order: usize,
}

/// What came of it.
pub(crate) enum Answer {
    Call(Call),
    Copies(usize),
    Moved,
    Snapshot(Result<Box<dyn Subject>, SnapshotError>),
}

/// A call that has returned, and the moments between which it was under way.
pub(crate) struct Record {
    pub(crate) request: Request,
    pub(crate) answer: Answer,
    pub(crate) began: u64,
    pub(crate) ended: u64,
}

/// A call that has not returned, and perhaps never will.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) request: Request,
    pub(crate) began: u64,
}

/// One clock for all threads.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicU64);

impl Clock {
    pub(crate) fn now(&self) -> u64 {
        // AcqRel: a call can move to neither side of the moments that enclose it.
        self.0.fetch_add(1, Ordering::AcqRel)
    }
}

impl Request {
    /// The effect that it can have before it returns.
    pub(crate) fn effect(self) -> Option<Call> {
        match self.action {
            Action::Insert => Some(Call::Insert(true)),
            Action::InsertUnique => Some(Call::InsertUnique(Some(true))),
            Action::Remove => Some(Call::Remove(true)),
            Action::Contains | Action::Count | Action::Relocate | Action::Snapshot => None,
        }
    }
}
