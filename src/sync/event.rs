//! Events that a check requires: a test of races proves nothing if no race happened.

/// Happens only if operations meet, or if a table is nearly full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A relocation was committed that only opened a slot: a hop of a longer path, or one for an
    /// admission.
    Hop,
    /// A relocation was committed that placed a token as well.
    InsertByPath,
    /// A relocation failed: its words had changed, or another thread aborted it.
    Broken,
    /// A writer aborted the relocation of another thread.
    Abort,
    /// A writer wrote back a word that another thread had frozen.
    Help,
    /// A lookup saw its own fingerprint arriving in a frozen word.
    Arrival,
    /// A miss was not valid, and the lookup or remove started again.
    Repeat,
    /// A remove bumped a stripe, because it saw an equal token in the other bucket.
    DuplicateSeen,
    /// No descriptor was free.
    Starved,
    /// An admission was decided against its owner: an equal token was there, or a rival won.
    Rejected,
    /// A writer left a hint for a scan.
    Hint,
    /// A table began to double, or a filter got another table.
    Growth,
    /// A thread built a table in vain, because another thread had added one.
    LostAllocation,
    /// There was a rotation during a walk, which began again.
    WalkRestarted,
    /// A bucket of a table that doubles was split.
    Split,
}

#[cfg(lockfree_cuckoo_steps)]
pub(crate) use counts::trace;
#[cfg(lockfree_cuckoo_steps)]
pub use counts::{Tally, tally};

#[cfg(lockfree_cuckoo_steps)]
mod counts {
    //! How often each event happened, in the whole process.

    #![allow(
        clippy::disallowed_types,
        reason = "counts for a check, which no schedule should depend on"
    )]

    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Event;

    const EVENTS: usize = Event::Split as usize + 1;

    impl Event {
        /// What can happen in a filter that does not rotate.
        pub const WITHOUT_ROTATIONS: [Self; EVENTS - 1] = [
            Self::Hop,
            Self::InsertByPath,
            Self::Broken,
            Self::Abort,
            Self::Help,
            Self::Arrival,
            Self::Repeat,
            Self::DuplicateSeen,
            Self::Starved,
            Self::Rejected,
            Self::Hint,
            Self::Growth,
            Self::LostAllocation,
            Self::Split,
        ];
    }

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

    pub(crate) fn trace(event: Event) {
        COUNTS[event as usize].fetch_add(1, Ordering::Relaxed);
    }
}
