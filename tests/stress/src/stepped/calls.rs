//! One call on one class of tokens, what came of it, and what a thread has done.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lockfree_cuckoo::SnapshotError;
use model::history::Call;

use super::layout::Subject;
use super::stage::Stage;

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
    Snapshot(Result<Subject, SnapshotError>),
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

/// What a thread has done, to be read even if it never comes back.
#[derive(Default)]
pub(crate) struct Log(Mutex<Entries>);

#[derive(Default)]
pub(crate) struct Entries {
    pub(crate) returned: Vec<Record>,
    /// What the thread is at, or was when it stopped.
    pub(crate) pending: Option<Pending>,
}

impl Log {
    /// Nobody is stopped while holding this: no access to a filter is made under it.
    pub(crate) fn read(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn perform(&self, stage: &Stage, clock: &Clock, request: Request) {
        let began = clock.now();
        self.read().pending = Some(Pending { request, began });
        let record = stage.perform(clock, request);
        let mut entries = self.read();
        entries.returned.push(record);
        entries.pending = None;
    }
}
