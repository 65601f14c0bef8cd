//! The audit of a table of one size.

use crate::audit;
use crate::call::Kind;
use crate::fixed::machine::{Answer, Digits, World};
use crate::fixed::memory::Memory;
use crate::fixed::program::{Call, Fixed};
use crate::machine::alone;
use crate::monitor::{Monitor, Set, THREADS};

/// Lets every thread die. A newcomer then audits each value, and each class, with the tokens that are left of those
/// before. It looks them up the other way round.
pub fn after_death(
    world: &World,
    mut memory: Memory,
    sets: &[Set],
    monitor: &Monitor,
) -> Result<(), String> {
    if world.shape.layout.has_values() {
        check_values(world, &mut memory)?;
    }
    for (class, (&item, &set)) in world.classes.iter().zip(sets).enumerate() {
        let call = |kind| {
            let item = match kind {
                Kind::Contains => item.flipped(),
                _ => item,
            };
            newcomer(world, &mut memory, &Call::new(kind, item))
        };
        audit::of_item(call, |copies| monitor.allows(set, copies), &[Kind::Insert])
            .map_err(|why| format!("class {class}, after all threads died: {why}"))?;
    }
    Ok(())
}

fn newcomer(world: &World, memory: &mut Memory, call: &Call) -> Result<Answer, String> {
    alone::<Fixed>(world, memory, THREADS - 1, call, audit::STEPS)
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
        let Answer::Copy(Digits(copy)) = call(Kind::Values, 0, 0)? else {
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
            || call(Kind::Values, 0, 0)? != Answer::Copy(Digits(copy))
        {
            return Err(format!(
                "a newcomer cannot replace value {value} of {item:?}"
            ));
        }
    }
    Ok(())
}
