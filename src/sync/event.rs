//! What a check may want to have happened: a test of races is worth nothing if there were none.

/// Something that happens only if operations meet, or if a table is nearly full.
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
    /// A relocation failed: its words had changed, or somebody aborted it.
    Broken,
    /// A writer aborted the relocation of another thread.
    Abort,
    /// A writer wrote back a word that another thread had frozen.
    Help,
    /// A lookup saw its own fingerprint arriving in a frozen word.
    Arrival,
    /// A miss was not trusted, and the lookup or remove went round again.
    Repeat,
    /// A remove bumped, because it saw an equal token in the other bucket.
    Twin,
    /// No descriptor was free.
    Starved,
    /// An admission was decided against its owner: an equal token was there, or a rival won.
    Rejected,
    /// A class was noted for a scan.
    Hint,
    /// A filter got a new segment for inserts.
    Growth,
    /// A segment that another thread had replaced as the one for inserts was built in vain.
    Vain,
    /// The list of segments changed under a walk, which began again.
    Rewalk,
    /// A drained segment was taken out of the list.
    Unlink,
}
