//! Events that a check requires: a test of races proves nothing if no race happened.

/// Happens only if operations meet, or if a table is nearly full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    not(any(lockfree_cuckoo_steps, lockfree_cuckoo_shuttle)),
    allow(dead_code, unreachable_pub, reason = "only some builds count events")
)]
pub enum Event {
    /// A relocation was committed that only opened a slot: a hop of a longer path, or one for an admission.
    Hop,
    /// A relocation was committed that placed a token as well.
    Kick,
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
    Twin,
    /// No descriptor was free.
    Starved,
    /// An admission was decided against its owner: an equal token was there, or a rival won.
    Rejected,
    /// A writer left a hint for a scan.
    Hint,
    /// A table began to double, or a filter got another table.
    Growth,
    /// A thread built a table in vain, because another thread had added one.
    Vain,
    /// There was a rotation during a walk, which began again.
    Rewalk,
    /// A bucket of a table that doubles was split.
    Split,
}
