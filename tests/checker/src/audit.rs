//! The audit: all threads have died, and a newcomer finds the tables in order.

use crate::call::{Answer, Kind};

/// Steps within which a call must return that nobody disturbs. The longest is an insert that searches and moves, or
/// doubles, while everything is frozen.
pub(crate) const STEPS: usize = 400;

/// A newcomer counts, looks up and removes all there is of an item, and inserts one: each call returns, and the tokens
/// are those that some explanation allows.
pub(crate) fn of_item<Copied: PartialEq>(
    mut call: impl FnMut(Kind) -> Result<Answer<Copied>, String>,
    is_allowed: impl Fn(usize) -> bool,
    inserts: &[Kind],
) -> Result<(), String> {
    let Answer::Number(copies) = call(Kind::Count)? else {
        unreachable!("a count returns a number");
    };
    if !is_allowed(copies) {
        return Err(format!("{copies} tokens are left"));
    }
    if call(Kind::Contains)? != Answer::Bool(copies > 0) {
        return Err("a lookup contradicts the count".into());
    }
    for copy in 0..=copies {
        if call(Kind::Remove)? != Answer::Bool(copy < copies) {
            return Err("removes contradict the count".into());
        }
    }
    for &insert in inserts {
        // The tokens of others, and of a dead owner's descriptors, may leave no room.
        let inserted = Answer::Bool(call(insert)? == Answer::Bool(true));
        if call(Kind::Contains)? != inserted || call(Kind::Remove)? != inserted {
            return Err("a newcomer cannot insert and remove".into());
        }
    }
    Ok(())
}
