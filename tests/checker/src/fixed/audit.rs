//! The audit: all threads die, and a newcomer finds the table in order.

use crate::call::Kind;
use crate::fixed::machine::{Answer, World};
use crate::fixed::memory::Memory;
use crate::fixed::program::{Call, Fixed};
use crate::machine::alone;
use crate::monitor::{Monitor, Set, THREADS};

/// Steps within which a call must return that nobody disturbs. The longest is an insert that searches and moves,
/// while everything is frozen.
const STEPS: usize = 400;

/// Lets every thread of a state die. A newcomer then counts, looks up and removes all there is of each class,
/// and inserts one: each call returns, and the tokens are those that some explanation allows.
pub fn after_death(
    world: &World,
    mut memory: Memory,
    sets: &[Set],
    monitor: &Monitor,
) -> Result<(), String> {
    if world.shape.layout.has_values() {
        check_values(world, &mut memory)?;
    }
    let mut call = |kind, item| newcomer(world, &mut memory, &Call::new(kind, item));
    for (class, (&item, &set)) in world.classes.iter().zip(sets).enumerate() {
        let Answer::Number(copies) = call(Kind::Count, item)? else {
            unreachable!("a count returns a number");
        };
        let wrong = |what: &str| Err(format!("{what} class {class} after all threads died"));
        if !monitor.allows(set, copies) {
            return wrong(&format!("{copies} tokens are left of"));
        }
        if call(Kind::Contains, item.flipped())? != Answer::Bool(copies > 0) {
            return wrong("a lookup contradicts the count of");
        }
        for copy in 0..=copies {
            if call(Kind::Remove, item)? != Answer::Bool(copy < copies) {
                return wrong("removes contradict the count of");
            }
        }
        // The tokens of others, and of a dead owner's descriptors, may leave no room.
        let inserted = Answer::Bool(call(Kind::Insert, item)? == Answer::Bool(true));
        if call(Kind::Contains, item)? != inserted || call(Kind::Remove, item)? != inserted {
            return wrong("a newcomer cannot insert and remove in");
        }
    }
    Ok(())
}

fn newcomer(world: &World, memory: &mut Memory, call: &Call) -> Result<Answer, String> {
    alone::<Fixed>(world, memory, THREADS - 1, call, STEPS)
}

/// A newcomer sees the values of each class, replaces one, and back.
fn check_values(world: &World, memory: &mut Memory) -> Result<(), String> {
    for (at, &(item, value)) in world.tokens.iter().enumerate() {
        let mut call = |kind: Kind, value, new| {
            let call = Call {
                value,
                new,
                ..Call::new(kind, item)
            };
            newcomer(world, memory, &call)
        };
        let Answer::Copy(copy) = call(Kind::Values, 0, 0)? else {
            unreachable!("a lookup of values returns them");
        };
        let present = copy >> (4 * at) & 0xf != 0;
        let Answer::Value(found) = call(Kind::Value, 0, 0)? else {
            unreachable!("a lookup of a value returns one");
        };
        if found.is_some() != (copy != 0) {
            return Err(format!("values contradict a lookup of {item:?}"));
        }
        let other = value ^ 1;
        let there = call(Kind::Replace, value, other)?;
        let back = present && call(Kind::Replace, other, value)? == Answer::Bool(true);
        if there != Answer::Bool(present)
            || back != present
            || call(Kind::Values, 0, 0)? != Answer::Copy(copy)
        {
            return Err(format!(
                "a newcomer cannot replace value {value} of {item:?}"
            ));
        }
    }
    Ok(())
}
