//! Emptying: removes all tokens of a table that other threads can still reach, as long as it is
//! permitted. [`rotation`](crate::design::rotation#emptying) has the reasons.

use crate::fixed::tokens::TokenTable;
use crate::kernel::change::{Outcome, change_word};
use crate::kernel::descriptor::{Claim, Resolved, Status};
use crate::kernel::layout::{Bucket, Layout};
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::transfer::Transfer;
use crate::kernel::word::Content;
use crate::sync;
use crate::sync::Event;

impl<L: Layout> TokenTable<L> {
    /// Removes every token that is stored at the beginning, while `permitted` returns true. Others
    /// may use the table. Returns false if it is no longer permitted.
    pub(crate) fn empty_while(&self, permitted: &impl Fn() -> bool) -> Result<bool, Failure> {
        let mut claim = None;
        for _ in 0..MAX_ATTEMPTS {
            // Remember how many tokens have hopped so far.
            let bumps = self.stripes.bumps();
            // Empty each word.
            for bucket in 0..self.table.len() {
                match empty_word(self, &mut claim, bucket, permitted)? {
                    Some(removed) => self.counter.subtract(removed),
                    None => return Ok(false),
                }
            }
            // Repeat the pass if a token may have hopped to a word that was already empty.
            if self.stripes.bumps() == bumps {
                return Ok(true);
            }
            sync::trace(Event::Repeat);
        }
        Err(Failure::Disturbed)
    }
}

/// Empties one word. Returns the number of tokens that this thread removed; `None` if it is no
/// longer permitted.
fn empty_word<'a, L: Layout>(
    tokens: &'a TokenTable<L>,
    claim: &mut Option<Claim<'a, L>>,
    bucket: usize,
    permitted: &impl Fn() -> bool,
) -> Result<Option<usize>, Failure> {
    for _ in 0..MAX_ATTEMPTS {
        // Read the word, and end what another thread has begun there.
        let content = settle_or_empty(tokens, bucket, permitted);
        if content == Bucket::EMPTY {
            return Ok(Some(0));
        }
        // Claim a descriptor for the first word that is not empty, and keep it for the rest.
        if claim.is_none() {
            *claim = tokens.claim();
        }
        let claim = claim.as_mut().ok_or(Failure::NoDescriptor)?;
        let emptying = Transfer::Emptying {
            bucket,
            old: content,
        };
        // Empty the word, if that is permitted. Ask while the word is frozen: its content was put
        // there before, so it may go, however late the commit is. Any writer aborts the emptying
        // before that; a thread that empties the same table commits it.
        let mut allowed = true;
        let outcome = change_word(tokens, claim, emptying, Bucket::EMPTY, || {
            allowed = permitted();
            allowed
        });
        match outcome {
            // By this thread, or by another thread that empties the table.
            Outcome::Committed => return Ok(Some(content.len())),
            Outcome::Aborted if !allowed => return Ok(None),
            // Read the word again.
            Outcome::Aborted | Outcome::Outdated => {}
        }
    }
    Err(Failure::Disturbed)
}

/// The content of a word, at a time when it is not frozen. Commits the emptying of another thread.
fn settle_or_empty<L: Layout>(
    tokens: &TokenTable<L>,
    bucket: usize,
    permitted: &impl Fn() -> bool,
) -> Bucket<L> {
    let reference = match tokens.table.load(bucket).content() {
        Content::Bucket(content) => return content,
        Content::Reference(reference) => reference,
    };
    // Commit the emptying of another thread, if it is still permitted. Otherwise two threads could
    // abort each other's emptyings indefinitely.
    if let Resolved::Pending(pending) = tokens.resolve(bucket, reference)
        && matches!(pending.transfer, Transfer::Emptying { .. })
        && permitted()
    {
        tokens
            .pool
            .decide(reference, pending.control, Status::Committed);
        sync::trace(Event::Help);
    }
    tokens.settle_reference(&mut tokens.rounds(), bucket)
}

#[cfg(test)]
mod tests {
    //! What is done with the emptying of another thread.

    use core::cell::Cell;

    use super::*;
    use crate::kernel::geometry::Geometry;
    use crate::kernel::layout::Lanes;
    use crate::kernel::pool::PoolSize;
    use crate::kernel::word::Word;

    type Small = TokenTable<Lanes<4, 16>>;

    const HASHES: u64 = 100;

    /// A table with some tokens and few descriptors.
    fn filled() -> Small {
        let geometry = Geometry::with_buckets(64).expect("possible");
        let mut tokens = TokenTable::new(geometry, 16, Some(PoolSize::exactly(2))).expect("memory");
        tokens.require_owner_commit();
        for item in 0..HASHES {
            tokens.insert(model::mix(item), 0).expect("room");
        }
        tokens
    }

    /// How many are stored, and how many words are frozen.
    fn stored_and_frozen(tokens: &Small) -> (usize, usize) {
        let stored = (0..HASHES).filter(|&item| tokens.contains(model::mix(item)));
        let words = (0..tokens.table.len()).map(|bucket| tokens.table.load(bucket));
        let is_frozen = |word: &Word<_>| matches!(word.content(), Content::Reference(_));
        (stored.count(), words.filter(is_frozen).count())
    }

    /// Returns how it ended, and the number of tokens that it counted out.
    fn empty(tokens: &Small, permitted: impl Fn() -> bool) -> (Result<bool, Failure>, usize) {
        let before = tokens.len();
        let emptied = tokens.empty_while(&permitted);
        (emptied, before - tokens.len())
    }

    /// Another thread freezes the first word that is not empty. Returns its claim, and the word's
    /// number of tokens.
    fn begin_an_emptying(tokens: &Small) -> (Claim<'_, Lanes<4, 16>>, usize) {
        let bucket = (0..)
            .find(|&bucket| tokens.peek(bucket) != Bucket::EMPTY)
            .expect("some tokens");
        let content = tokens.settle(bucket);
        let mut claim = tokens.pool.claim().expect("a descriptor");
        let emptying = Transfer::Emptying {
            bucket,
            old: content,
        };
        let (reference, _) = claim.publish(emptying);
        assert!(tokens.table.exchange(bucket, content, reference));
        (claim, content.len())
    }

    /// A thread froze the first word that is not empty, and died before it decided.
    fn die_in_an_emptying(tokens: &Small) -> usize {
        let (claim, tokens) = begin_an_emptying(tokens);
        core::mem::forget(claim);
        tokens
    }

    #[test]
    fn the_emptying_of_another_thread_is_committed() {
        let tokens = filled();
        let others = die_in_an_emptying(&tokens);
        // The thread that empties a word counts its tokens: here the dead thread would.
        let removed = HASHES as usize - others;
        assert_eq!(empty(&tokens, || true), (Ok(true), removed));
        assert_eq!(stored_and_frozen(&tokens), (0, 0));
    }

    #[test]
    fn without_permission_it_is_aborted() {
        let tokens = filled();
        die_in_an_emptying(&tokens);
        assert_eq!(empty(&tokens, || false), (Ok(false), 0));
        assert_eq!(stored_and_frozen(&tokens), (HASHES as usize, 0));
    }

    /// The word can be frozen again, when the table is in use again, after the last moment at which
    /// it may be emptied.
    #[test]
    fn permission_for_the_emptying_of_another_thread_is_asked_after_it_is_met() {
        let tokens = filled();
        let other = Cell::new(Some(begin_an_emptying(&tokens)));
        let permitted = || match other.take() {
            // Permitted until now.
            Some(claimed) => {
                drop(claimed);
                die_in_an_emptying(&tokens);
                true
            }
            None => false,
        };
        assert_eq!(empty(&tokens, permitted), (Ok(false), 0));
        assert_eq!(stored_and_frozen(&tokens), (HASHES as usize, 0));
    }
}
