//! Admission: adds a token if none covers the item, exactly once among racing threads.
//!
//! Only its owner commits it: [`doubling`](crate::design::doubling#admissions) has the reasons.

use super::insertion::{emptier, make_room, token};
use super::parts::{Bucket, Doubling, Step, Token, prefix};
use super::settlement::{finish, live, live_latest, replace};
use crate::sync::{self, Event};
use crate::table::doubling::{Class, Index, State, level_of};
use crate::tokens::admission::Attempt;
use crate::tokens::descriptor::{Resolved, State as Decision};
use crate::tokens::insertion::Refusal;
use crate::tokens::settlement::OtherTables;
use crate::tokens::transfer::Transfer;

use super::splitting::help_to_grow;

/// One attempt to add a token, if no token covers the item here or `elsewhere`.
///
/// Linearization points: as in a [fixed table](crate::design::protocol#linearization-points), with tokens that cover
/// the item for those of its class.
pub(super) fn try_to_admit(
    tokens: &Doubling,
    class: Class,
    budget: usize,
    elsewhere: &impl OtherTables,
) -> Result<Attempt, Refusal> {
    // If it cannot, this insert may still find room.
    let _ = help_to_grow(tokens);
    let pair = [class.first, class.second].map(|index| live(tokens, index));
    if pair.iter().any(|live| live.covers(class)) {
        return Ok(Attempt::Present);
    }
    let target = *emptier(&pair);
    let witness = if target.bucket == pair[0].bucket {
        class.second
    } else {
        class.first
    };
    let token = token(class, &target);
    let (Some(token), Some(admitted)) = (token, token.and_then(|token| target.content.with(token)))
    else {
        return Attempt::to_make_room(make_room(tokens, class, pair, budget, false));
    };
    let Some(mut claim) = tokens.pool.claim() else {
        sync::happened(Event::Starved);
        sync::yield_now();
        return Ok(Attempt::Starved);
    };
    let (reference, control) = claim.publish(Transfer {
        moved: None,
        placed: Some(token),
        source: target.bucket,
        destination: target.bucket,
        old_source: target.content,
        old_destination: Bucket::EMPTY,
    });
    // Succeeds only if the target is unchanged. From here on it has no covering token, and none can come.
    if !replace(tokens, target.bucket, target.content, reference) {
        claim.decide(control, Decision::Aborted);
        return Ok(Attempt::Disturbed);
    }
    let empty = elsewhere.earlier_hold_none()
        && witness_holds_none(tokens, class, witness, target.bucket)
        && elsewhere.later_hold_none();
    claim.decide(control, Decision::of_verdict(empty));
    let committed = claim.state() == Decision::Committed;
    let after = if committed { admitted } else { target.content };
    // If this exchange fails, another thread has done it.
    tokens.blocks.exchange(target.bucket, reference, after);
    if committed {
        return Ok(Attempt::Admitted);
    }
    sync::happened(Event::Rejected);
    Ok(Attempt::Disturbed)
}

/// Whether the live bucket of the other index string has no token that covers the item.
///
/// By read-modify-writes, as at every [witness](crate::design::protocol#admissions). The rival with the lower target
/// wins.
fn witness_holds_none(tokens: &Doubling, class: Class, witness: Index, target: usize) -> bool {
    tokens.descend(witness, |bucket| {
        loop {
            let word = tokens.blocks.read_latest(bucket);
            let reference = match tokens.state(bucket, word) {
                State::Absent => return Step::Again,
                State::Gone => return Step::Down,
                State::Bucket(content) => {
                    return Step::Here(none_covers(tokens, class, bucket, content));
                }
                State::Reference(reference) => reference,
            };
            match tokens.pool.resolve(bucket, reference) {
                Resolved::Stale => {}
                Resolved::Settled(content) => {
                    return Step::Here(none_covers(tokens, class, bucket, content));
                }
                Resolved::Pending(pending) if pending.transfer.is_split() => finish(tokens, bucket),
                Resolved::Pending(pending) => {
                    if !none_covers(tokens, class, bucket, pending.old) {
                        return Step::Here(false);
                    }
                    let depth = tokens.blocks.depth(level_of(bucket));
                    let covers = |token: Token| prefix(bucket, token, depth).covers(class);
                    let arriving = pending.transfer.placed.is_some_and(covers);
                    if pending.transfer.moved.is_some() || !arriving {
                        // What hops there comes not from the target, which is frozen. And what a path places takes
                        // effect at its commit, after this read.
                        return Step::Here(true);
                    }
                    if bucket < target {
                        return Step::Here(false);
                    }
                    tokens
                        .pool
                        .decide(reference, pending.control, Decision::Aborted);
                }
            }
        }
    })
}

fn none_covers(tokens: &Doubling, class: Class, bucket: usize, content: Bucket) -> bool {
    !tokens.live(bucket, content).covers(class)
}

/// Whether no token covers an item, for an admission in another table. It aborts an admission that is pending here. An
/// admission that comes later acquires, through the word it freezes, all that the caller did before.
pub(super) fn holds_none(tokens: &Doubling, class: Class) -> bool {
    let f = class.head.fingerprint();
    loop {
        let version = tokens.stripes.version(f);
        let covers = |index| live_latest(tokens, index).covers(class);
        if covers(class.first) || covers(class.second) {
            return false;
        }
        if tokens.stripes.unchanged(f, version) {
            return true;
        }
        sync::happened(Event::Repeat);
    }
}
