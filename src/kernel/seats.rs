//! Seats: which process holds what in a table that several processes share.
//!
//! A process that is killed leaves descriptors that it had claimed, words that it had frozen, and
//! perhaps the right to scan. The words need nobody: every writer settles what it meets. But a
//! descriptor has one owner: if another one used it, and the first came late, that would freeze a
//! word for a use that is not its own. An owner that runs no instruction any more is never late.
//! Only the system knows that.

#[cfg(feature = "shared")]
use core::fmt;

/// The owner of everything in a table that one process has for itself.
pub(crate) const THIS_PROCESS: u64 = 1;

/// The processes that have a table in common. Each is an owner, with a number that is not 0 and
/// that no other process has, before or after it.
#[cfg(feature = "shared")]
pub(crate) trait Seats: fmt::Debug + Send + Sync {
    /// The calling process. `None` if it has no seat, and there is none to get.
    fn own(&self) -> Option<u64>;

    /// Whether the process of this number runs no instruction any more. False if that is not
    /// certain.
    fn is_dead(&self, owner: u64) -> bool;
}
