//! Views: what is watched of each item, and what a call is to it.
//!
//! The number of an item is that of the tokens that cover it. A call with the item changes it as in a filter of one size.
//! A call with another item of its head may change it by one too, because a token can cover both.

use super::geometry::{Class, Item};
use super::machine::Answer;
use super::program::Call;
use crate::call::Kind;
use crate::monitor::{Effect, Role, Told};

/// How many of these tokens cover an item.
pub fn number(item: Item, tokens: impl Iterator<Item = Class>) -> u8 {
    tokens.filter(|class| class.covers(item)).count() as u8
}

/// What a call is to an item; `None` if nothing.
pub fn role(item: Item, call: &Call) -> Option<Role> {
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

/// What a result of a call that is something to an item says.
pub fn told(item: Item, answer: Answer) -> Told {
    match answer {
        Answer::Bool(result) => Told::Bool(result),
        Answer::Full => Told::Nothing,
        Answer::Number(copies) => Told::Number(copies),
        Answer::Copy(classes) => Told::Number(number(item, classes.iter())),
        Answer::NoCopy => Told::NoNumber,
    }
}
