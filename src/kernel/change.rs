//! Changes: the delicate steps from the descriptor to the words and back, each once. (A change that
//! needs no decision does them by itself.)
//!
//! A change *publishes* a transfer in its descriptor, *freezes* its words by references to that,
//! *decides* it, and *writes back* what was decided. Between the first freeze and the write-back
//! any thread may do the rest, and the owner may stop for good: what a word holds follows from the
//! descriptor.

use crate::kernel::descriptor::{Claim, Status};
use crate::kernel::layout::{Bucket, Layout};
use crate::kernel::outcome::Failure;
use crate::kernel::transfer::{Relocation, Transfer};
use crate::kernel::word::Reference;
use crate::sync;
use crate::sync::Event;

/// The words of a table, as a change needs them.
pub(crate) trait Words<L: Layout> {
    /// Freezes the word of a bucket that holds `before`. Returns false if it has changed.
    fn freeze(&self, bucket: usize, before: Bucket<L>, reference: Reference<L>) -> bool;
    /// Writes back what a frozen word holds. If that fails, another thread has done it.
    fn thaw(&self, bucket: usize, reference: Reference<L>, content: Bucket<L>) -> bool;
}

/// How a change of one word has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The word was no longer what the transfer says. No thread has seen the reference.
    Outdated,
    Committed,
    Aborted,
}

impl Outcome {
    /// The outcome of a change that was decided.
    fn of(status: Status) -> Self {
        match status {
            Status::Committed => Self::Committed,
            Status::Pending | Status::Aborted => Self::Aborted,
        }
    }

    /// The outcome of an attempt to insert the only token of a class: if that was not admitted, the
    /// table or a rival was in the way.
    #[inline]
    pub(crate) fn admitted(self) -> Result<(), Failure> {
        match self {
            Self::Committed => Ok(()),
            Self::Outdated => Err(Failure::Disturbed),
            Self::Aborted => {
                sync::trace(Event::Rejected);
                Err(Failure::Disturbed)
            }
        }
    }
}

/// Changes one word, the source of `transfer`, to `after`, if `verdict` permits it while the word
/// is frozen. `after` is what [`Transfer::after`] says.
///
/// *What it gives its callers.* From the freeze to the commit the word holds its old content, and
/// no other thread's change of it can commit: a thread that meets the reference ends this change
/// first. So what the old content says is still true when the verdict is asked, and when it counts.
///
/// *Two ways to commit.* The owner exchanges the reference for `after` at once. Any other thread
/// decides the control, and then exchanges the reference for what was decided. One exchange of the
/// reference succeeds, because its number never comes again, and that one says what happened: a
/// thread other than the owner exchanges only what the control says, and the first decision stands.
/// So an owner whose exchange fails reads the outcome in the control.
///
/// *What the control says.* "Committed" is final: whoever exchanges the word writes `after`. But
/// until the word is written back, "aborted" is not: the owner's exchange may still succeed. It
/// tells a reader the old content, which the word held when the reference was loaded. A thread that
/// depends on the change never being made writes the word back first. A decision that comes after
/// the owner's exchange changes no word. If it is "committed", so is the change.
///
/// Only the owner begins the next use, after the word was written back, so no reference to this one
/// is left then.
///
/// Linearization point: of `Committed` the owner's exchange, or the decision if that came first, or
/// an earlier moment that the caller names. `Outdated` and `Aborted` change nothing.
#[inline]
pub(crate) fn change_word<L: Layout>(
    words: &impl Words<L>,
    claim: &mut Claim<'_, L>,
    transfer: Transfer<L>,
    after: Bucket<L>,
    verdict: impl FnOnce() -> bool,
) -> Outcome {
    let (bucket, old) = transfer.source();
    // Publish the transfer, undecided.
    let (reference, control) = claim.publish(transfer);
    // Freeze the word, if it is unchanged. Otherwise no other thread has seen the reference.
    if !words.freeze(bucket, old, reference) {
        return Outcome::Outdated;
    }
    // Ask for the verdict while the word is frozen.
    if verdict() {
        // Commit and write back in one step.
        if words.thaw(bucket, reference, after) {
            return Outcome::Committed;
        }
        // Read what was decided, if another thread has written the word back.
        return Outcome::of(claim.status());
    }
    // Abort, unless another thread has decided first. Read which decision stands: only the owner
    // begins the next use, so it is that of this one.
    claim.decide(control, Status::Aborted);
    let outcome = Outcome::of(claim.status());
    // Write back. If this exchange fails, another thread has done it.
    let content = if outcome == Outcome::Committed {
        after
    } else {
        old
    };
    words.thaw(bucket, reference, content);
    outcome
}

/// Changes two words: moves a token from the source to the destination of `hop`, which then hold
/// the new contents, those that the [`Relocation`] says. Calls `announce` when both are frozen.
/// Returns false if a word has changed, or if another thread aborted the change. Then nothing is
/// changed.
///
/// *Why the token is always in exactly one word.* Other threads only abort, and the owner commits
/// only when both words are frozen. A frozen word is written back only after the decision. So at
/// the commit both are still frozen, and that one exchange changes the content of both, for every
/// thread.
///
/// *Why two over the same words do not block each other.* Every change of two words freezes the
/// lower one first. So the one that freezes it first finds the higher word without the other's
/// reference. (The other one may abort it, when it tries again.)
///
/// *Why no lookup misses the token.* `announce` bumps the stripe after both freezes and before the
/// commit: [a miss](crate::design::protocol#a-miss) has the cases.
///
/// Linearization point: the commit.
#[inline]
pub(crate) fn change_two_words<L: Layout>(
    words: &impl Words<L>,
    claim: &mut Claim<'_, L>,
    hop: Relocation<L>,
    [new_source, new_destination]: [Bucket<L>; 2],
    announce: impl FnOnce(),
) -> bool {
    let transfer = Transfer::Relocation(hop);
    // Publish the transfer. From here on, until the claim publishes again, a word with this
    // reference holds `before` while the use is pending or aborted, and `after` once it is
    // committed, whichever thread writes it back.
    let (reference, pending) = claim.publish(transfer);
    // Order the words by their numbers, as every change of two words does.
    let lower = hop.source.min(hop.destination);
    let higher = hop.source.max(hop.destination);
    // Freeze the lower word. Fails if it is not what was read: then the hop may be impossible. No
    // word is frozen yet.
    if !words.freeze(lower, transfer.before(lower), reference) {
        claim.decide(pending, Status::Aborted);
        return false;
    }
    // Freeze the higher word. Meanwhile another thread may abort the use and write the lower word
    // back.
    if !words.freeze(higher, transfer.before(higher), reference) {
        // Abort before writing back: a word that is written back has a decided use, so no thread
        // can commit a use after one of its words has changed.
        claim.decide(pending, Status::Aborted);
        words.thaw(lower, reference, transfer.before(lower));
        return false;
    }
    // Bump the stripe, and leave a hint for a running scan. After the freezes, so that a lookup or
    // a scan whose first read of the stripe includes this bump sees both references; before the
    // commit, so that one that sees the commit sees the bump, and the hint.
    announce();
    // Commit: the linearization point. Fails exactly if another thread has aborted the use.
    let committed = claim.decide(pending, Status::Committed);
    // Write both words back, with what was decided. If an exchange fails, another thread has done
    // it.
    let (source, destination) = if committed {
        (new_source, new_destination)
    } else {
        (hop.old_source, hop.old_destination)
    };
    words.thaw(hop.source, reference, source);
    words.thaw(hop.destination, reference, destination);
    committed
}
