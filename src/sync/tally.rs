//! How often each event happened, in the whole process.

#![allow(
    clippy::disallowed_types,
    reason = "counts for a check, which no schedule should depend on"
)]

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Event;

const EVENTS: usize = Event::Split as usize + 1;

static COUNTS: [AtomicUsize; EVENTS] = [const { AtomicUsize::new(0) }; EVENTS];

/// A count for each event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally([usize; EVENTS]);

impl Tally {
    /// How often it happened.
    #[must_use]
    pub fn of(&self, event: Event) -> usize {
        self.0[event as usize]
    }

    /// What happened since an earlier tally.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self(std::array::from_fn(|event| {
            self.0[event] - earlier.0[event]
        }))
    }
}

/// What has happened so far.
#[must_use]
pub fn tally() -> Tally {
    Tally(std::array::from_fn(|event| {
        COUNTS[event].load(Ordering::Relaxed)
    }))
}

pub(crate) fn happened(event: Event) {
    COUNTS[event as usize].fetch_add(1, Ordering::Relaxed);
}
