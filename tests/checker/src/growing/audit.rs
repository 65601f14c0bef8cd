//! The audit: all threads die, and a newcomer finds the table in order.

use super::machine::{Answer, World};
use super::memory::Memory;
use super::program::{Call, Growing};
use crate::call::Kind;
use crate::machine::alone;
use crate::monitor::{Monitor, Set, THREADS};

/// Steps within which a call must return that nobody disturbs. The longest is an insert that doubles the table.
const STEPS: usize = 400;

/// Lets every thread die. A newcomer then counts, looks up and removes all there is of each item, and inserts one: each
/// call returns, and the tokens are those that some explanation allows.
pub fn after_death(
    world: &World,
    memory: &Memory,
    sets: &[Set],
    monitor: &Monitor,
) -> Result<(), String> {
    let newcomers = World {
        contract: false,
        ..world.clone()
    };
    for (&item, &set) in world.items.iter().zip(sets) {
        // What covers one item may cover another, so each has a memory of its own.
        let mut memory = *memory;
        let mut call = |kind: Kind| {
            alone::<Growing>(
                &newcomers,
                &mut memory,
                THREADS,
                &Call::new(kind, item),
                STEPS,
            )
        };
        let wrong = |what: &str| Err(format!("{what} {item} after all threads died"));
        let Answer::Number(copies) = call(Kind::Count)? else {
            unreachable!("a count returns a number");
        };
        if !monitor.allows(set, copies.into()) {
            return wrong(&format!("{copies} tokens are left that cover"));
        }
        if call(Kind::Contains)? != Answer::Bool(copies > 0) {
            return wrong("a lookup contradicts the count of");
        }
        for copy in 0..=copies {
            if call(Kind::Remove)? != Answer::Bool(copy < copies) {
                return wrong("removes contradict the count of");
            }
        }
        for insert in [Kind::Insert, Kind::Unique] {
            // The tokens of others may leave no room.
            let inserted = Answer::Bool(call(insert)? == Answer::Bool(true));
            if call(Kind::Contains)? != inserted || call(Kind::Remove)? != inserted {
                return wrong("a newcomer cannot insert and remove");
            }
        }
        call(Kind::Double)?;
        if call(Kind::Contains)? != Answer::Bool(false) {
            return wrong("the end of the growth brings back");
        }
    }
    Ok(())
}
