//! The audit: all threads die, and a newcomer finds the table in order.

use crate::machine::{Answer, Run, World};
use crate::memory::{Memory, THREADS};
use crate::monitor::Monitor;
use crate::program::{Kind, Operation};
use crate::state::State;

/// Steps within which a call must return that nobody disturbs. The longest is an insert that searches and moves,
/// while everything is frozen.
const STEPS: usize = 400;

/// Lets every thread of a state die. A newcomer then counts, looks up and removes all there is of each class,
/// and inserts one: each call returns, and the tokens are those that some explanation allows.
///
/// # Errors
///
/// What the newcomer found to be wrong.
pub fn after_death(world: &World, state: &State, monitor: &Monitor) -> Result<(), String> {
    let mut memory = state.memory;
    if world.shape.layout.has_values() {
        check_values(world, &mut memory)?;
    }
    let mut call = |kind: Kind, item| {
        let call = Operation::new(kind, item);
        newcomer(world, &mut memory, call)
    };
    for (class, (&item, &set)) in world.classes.iter().zip(state.sets()).enumerate() {
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

fn newcomer(world: &World, memory: &mut Memory, call: Operation) -> Result<Answer, String> {
    Run::alone(world, memory, THREADS - 1, call, STEPS)
        .ok_or_else(|| format!("a newcomer's {} never returns", call.kind.name()))
}

/// A newcomer sees the values of each class, replaces one, and back.
fn check_values(world: &World, memory: &mut Memory) -> Result<(), String> {
    for (at, &(item, value)) in world.tokens.iter().enumerate() {
        let mut call = |kind: Kind, value, new| {
            let call = Operation {
                value,
                new,
                ..Operation::new(kind, item)
            };
            newcomer(world, memory, call)
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
