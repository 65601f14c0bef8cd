//! Views: what is watched of each item, and what a call is to it.
//!
//! The number of an item is that of the tokens that cover it. A call with the item changes it as in a filter of one size.
//! A call with another item of its head may change it by one too, because a token can cover both.

use super::geometry::{Class, Item};
use super::machine::{Answer, World};
use super::program::{Call, Growing};
use crate::call::Kind;
use crate::machine::View;
use crate::monitor::{Effect, Role, Told};

impl View<Growing> for Item {
    fn role(&self, _: &World, call: &Call) -> Option<Role> {
        if call.kind == Kind::Snapshot {
            return Some(Role::Counts);
        }
        if !call.kind.has_item() || call.item.head != self.head {
            return None;
        }
        Some(Role::Acts(match (call.kind, call.item == *self) {
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

    fn told(&self, _: &World, _: &Call, answer: Answer) -> Told {
        match answer {
            Answer::Bool(result) => Told::Bool(result),
            Answer::Number(copies) => Told::Number(copies as u8),
            Answer::Copy(classes) => Told::Number(covering(classes.iter(), *self)),
            Answer::NoCopy => Told::NoNumber,
            _ => Told::Nothing,
        }
    }

    fn number(&self, tokens: &Vec<Class>) -> u8 {
        covering(tokens.iter().copied(), *self)
    }

    fn name(&self, _: &World) -> String {
        format!("that cover {self}")
    }
}

fn covering(tokens: impl Iterator<Item = Class>, item: Item) -> u8 {
    tokens.filter(|class| class.covers(item)).count() as u8
}
