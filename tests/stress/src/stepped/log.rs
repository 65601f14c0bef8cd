//! What a thread has done, to be read even if it never comes back.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::request::{Clock, Pending, Record, Request};
use super::stage::Stage;

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
