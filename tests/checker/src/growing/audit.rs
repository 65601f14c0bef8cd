//! The audit of tables that double.

use super::machine::{Answer, World};
use super::memory::Memory;
use super::program::{Call, Growing};
use crate::audit;
use crate::call::Kind;
use crate::machine::alone;
use crate::monitor::{Monitor, Set, THREADS};

/// Lets every thread die. A newcomer then audits each item by itself: what covers one may cover another.
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
        let mut memory = *memory;
        let mut call = |kind| {
            let call = Call::new(kind, item);
            alone::<Growing>(&newcomers, &mut memory, THREADS, &call, audit::STEPS)
        };
        let is_allowed = |copies| monitor.allows(set, copies);
        audit::of_item(&mut call, is_allowed, &[Kind::Insert, Kind::Unique])
            .map_err(|why| format!("{item}, after all threads died: {why}"))?;
        call(Kind::Double)?;
        if call(Kind::Contains)? != Answer::Bool(false) {
            return Err(format!(
                "the end of the growth brings back {item} after all threads died"
            ));
        }
    }
    Ok(())
}
