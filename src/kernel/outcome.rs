//! Outcomes: why a change of a table fails, in the words of the public errors.

use crate::sync;

/// Attempts of one change. Two inserts can abort each other's relocations. The bound ends both, so
/// that the filter stays lock-free.
pub(crate) const MAX_ATTEMPTS: usize = if sync::MODEL { 3 } else { 64 };

/// Why an insert, an emptying or a split failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No path to a vacant slot within the budget.
    Full,
    /// Both buckets hold only copies of this class.
    TooManyCopies,
    /// No descriptor was free for some time, and there could be no more of them.
    NoDescriptor,
    /// The table changed meanwhile, so another attempt may succeed; at the end of a call: other
    /// threads disturbed every attempt.
    Disturbed,
}

impl Failure {
    /// The outcome of an attempt to insert the only token of a class that found both buckets full,
    /// and tried to open a slot: whether it inserted the token.
    pub(crate) fn after_making_room(made: Result<(), Self>) -> Result<bool, Self> {
        match made {
            // There may be room for the next attempt.
            Ok(()) => Err(Self::Disturbed),
            // Each bucket was full of copies when it was read, so the item was present.
            Err(Self::TooManyCopies) => Ok(false),
            Err(failure) => Err(failure),
        }
    }
}

/// How often a loop repeats that waits for no one, and ends unless others change what it reads.
///
/// In memory of this process each change is the progress of another call, and the loop has all the
/// rounds that it needs. Memory of several processes can hold what no call has written, for ever.
#[derive(Debug)]
pub(crate) struct Rounds(u64);

impl Rounds {
    /// More than any call takes.
    pub(crate) const ENDLESS: Self = Self(u64::MAX);

    /// More than a call takes among calls of this crate. With 128 threads that change one word all
    /// the time, a call that loses to the others 16,384 times in turn is one in 10^55.
    pub(crate) const FEW: Self = Self(1 << 14);

    /// Begins the next round, if there is one.
    #[inline]
    pub(crate) fn are_left(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 != 0
    }
}
