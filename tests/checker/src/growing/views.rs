//! Views: what is watched of each item, and what a call is to it.
//!
//! The number of an item is that of the tokens that cover it. A call with the item changes it as in a filter of one size.
//! A call with another item of its head may change it by one too, because a token can cover both.

use super::geometry::{Class, Item};
use super::machine::{Answer, World};
use super::program::{Call, Kind};
use crate::monitor::{Effect, Monitor, Role, Set, Told};

/// A thread begins a call.
pub fn call(world: &World, monitor: &mut Monitor, sets: &mut [Set], thread: usize, call: &Call) {
    for (&item, set) in world.items.iter().zip(sets) {
        if let Some(role) = role(item, call) {
            monitor.call(set, thread, role);
        }
    }
}

/// A thread's call returns. False: nothing explains the result.
#[must_use]
pub fn answer(
    world: &World,
    monitor: &mut Monitor,
    sets: &mut [Set],
    thread: usize,
    call: &Call,
    answer: Answer,
) -> bool {
    world.items.iter().zip(sets).all(|(&item, set)| {
        role(item, call).is_none() || monitor.answer(set, thread, told(item, answer))
    })
}

/// How many of these tokens cover an item.
pub fn number(item: Item, tokens: impl Iterator<Item = Class>) -> u8 {
    tokens.filter(|class| class.covers(item)).count() as u8
}

fn role(item: Item, call: &Call) -> Option<Role> {
    if call.kind == Kind::Snapshot {
        return Some(Role::Counts);
    }
    if !call.kind.has_item() || call.item.head != item.head {
        return None;
    }
    Some(Role::Acts(match (call.kind, call.item == item) {
        (Kind::Insert, true) => Effect::Insert,
        (Kind::Insert, false) => Effect::InsertNear,
        (Kind::Unique, true) => Effect::Unique,
        (Kind::Unique, false) => Effect::UniqueNear,
        (Kind::Remove, true) => Effect::Remove,
        (Kind::Remove, false) => Effect::RemoveNear,
        (Kind::Contains, true) => Effect::Contains,
        (Kind::Count, true) => return Some(Role::Counts),
        _ => return None,
    }))
}

fn told(item: Item, answer: Answer) -> Told {
    match answer {
        Answer::Bool(result) => Told::Bool(result),
        Answer::Full => Told::Nothing,
        Answer::Number(copies) => Told::Number(copies),
        Answer::Copy(classes) => Told::Number(number(item, classes.iter())),
        Answer::NoCopy => Told::NoNumber,
    }
}
