//! Closing: every word of a table that holds nothing.
//!
//! A closed word is an empty bucket that takes no tokens as long as the attempt that closed it is under way. So when all
//! words are closed by one attempt, and it still is under way, there is no token.

use super::parts::{Bucket, Doubling};
use super::settlement::settle;
use crate::table::doubling::{State, Word};
use crate::tokens::doubling::gate;

/// Whether no token was found. For a caller who will not close the table in vain.
pub(super) fn seems_empty(tokens: &Doubling) -> bool {
    let level = tokens.level();
    (1 << level..2 << level).all(|bucket| tokens.look(bucket) == Bucket::EMPTY)
}

/// Closes all words for an attempt. Returns false if one holds a token, if the table is growing, or if the attempt is over.
pub(super) fn close(tokens: &Doubling, closing: gate::State) -> bool {
    let level = tokens.level();
    // A word of this level that is closed is not split before the attempt is over. So this stays the level.
    (1 << level..2 << level)
        .all(|bucket| tokens.gate.is_at(closing) && close_word(tokens, bucket, closing))
}

fn close_word(tokens: &Doubling, bucket: usize, closing: gate::State) -> bool {
    let attempt = closing.attempt();
    loop {
        let mut guard = None;
        let word = tokens.blocks.load(bucket);
        match word.state() {
            // By an earlier attempt it does not count: somebody may be about to open the word.
            State::Closed(by) if by >= attempt => return by == attempt,
            State::Closed(_) | State::Bucket(Bucket::EMPTY) => {}
            State::Absent => {
                // As in `opening`: pinned before it looks.
                guard = Some(crossbeam_epoch::pin());
                if !tokens.blocks.is_lazy(bucket) || !tokens.gate.is_at(closing) {
                    return false;
                }
            }
            State::Gone | State::Bucket(_) => return false,
            State::Reference(_) => {
                // Whatever it belongs to comes to its end.
                settle(tokens, bucket);
                continue;
            }
        }
        let closed = tokens.blocks.exchange(bucket, word, Word::closed(attempt));
        drop(guard);
        if closed {
            return true;
        }
    }
}
