//! The step machine of a table: its protocol, one access to shared memory a step.

mod admission;
mod growth;
mod lookup;
mod scan;
mod write;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::geometry::{Class, Item, Levels};
use super::memory::{Descriptor, Hint, Transfer, Word};
use super::mutants::Mutant;
use super::program::Growing;
use crate::machine;
use crate::notation::{self, Call, Kind};
use crate::replay::{self, Step};
use crate::shared::State;

/// What does not change in an exploration. It knows the items of a program.
pub(super) type World = machine::World<Growing>;

/// What a call returns.
pub(super) type Answer = notation::Answer<Classes>;

/// A multiset of classes: six at most, the greatest first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Classes([Class; 6]);

/// One step under way.
pub(super) type Run<'a> = replay::Run<'a, Growing>;

impl World {
    pub fn levels(&self, table: usize) -> Levels {
        self.shape.levels(table)
    }

    /// The table that a level belongs to.
    pub fn table_of(&self, level: u8) -> usize {
        usize::from(usize::from(level) > self.shape.deepest)
    }

    /// The levels of the table that a word belongs to.
    pub fn levels_at(&self, number: u8) -> Levels {
        self.levels(self.table_of(super::geometry::level_of(number)))
    }

    /// The table that tokens of a class lie in: the classes of the second are longer than any of the first.
    pub fn table_of_class(&self, class: Class) -> usize {
        let levels = self.shape.levels(0);
        usize::from(self.shape.several() && class.len > levels.full_length(levels.deepest))
    }

    pub fn id_of(&self, item: Item) -> u8 {
        let at = self.known.iter().position(|&other| other == item);
        at.unwrap_or(self.known.len()) as u8
    }
}

impl Run<'_> {
    pub fn make(&mut self) -> Step<Answer> {
        let Call {
            kind, item, side, ..
        } = *self.call;
        Ok(match kind {
            Kind::Insert => self.insert(item)?,
            Kind::Unique => self.unique(item)?,
            Kind::Remove => Answer::Bool(self.remove(item)?),
            Kind::Contains => Answer::Bool(self.contains(item)?),
            Kind::Count => Answer::Number(self.count(item)?.into()),
            Kind::Move => Answer::Bool(self.hop(item, side)?),
            Kind::Split => Answer::Bool(self.split_live(item, side)?),
            Kind::Sweep => Answer::Bool(self.sweep()?),
            Kind::Double => Answer::Bool(self.double()?),
            Kind::Grow => Answer::Bool(self.grow_once()?),
            Kind::Release => Answer::Bool(self.release()?),
            Kind::Append => Answer::Bool(self.append()?),
            Kind::Snapshot => self.snapshot()?,
            _ => unreachable!("a call of tokens with values"),
        })
    }

    fn show_hint(&mut self, Hint { level, growing }: Hint) {
        let growing = if growing { ", growing" } else { "" };
        self.show(|| format!("hint at level {level}{growing}"));
    }

    fn hint(&mut self, table: usize) -> Step<Hint> {
        self.access(|run| {
            let hint = run.memory.hints[table];
            run.show_hint(hint);
            hint
        })
    }

    /// Changes the hint, if it is still this one, or whatever it is.
    fn set_hint(&mut self, table: usize, old: Option<Hint>, new: Hint) -> Step<()> {
        self.access(|run| {
            let hint = &mut run.memory.hints[table];
            if old.is_none_or(|old| *hint == old) {
                *hint = new;
                run.made.wrote = true;
            }
            let hint = *hint;
            run.show_hint(hint);
        })
    }

    /// One more item is in.
    fn came(&mut self, item: u8) {
        if self.world.shape.contract {
            self.memory.items[usize::from(item)] += 1;
        }
    }

    /// One item fewer is in.
    fn went(&mut self, item: u8) {
        if self.world.shape.contract {
            let items = &mut self.memory.items[usize::from(item)];
            match items.checked_sub(1) {
                Some(left) => *items = left,
                None => self.made.fault = Some("an item was removed that is not in"),
            }
        }
    }

    fn show_descriptor(&mut self, index: usize) {
        let descriptor = self.memory.descriptors[index];
        self.show(|| format!("descriptor {index}: {descriptor}"));
    }

    /// What a reference means; `None` if its use is over. The fields and the control in one step: whoever accepts the
    /// fields has seen a control that says that they were not changed since.
    fn resolve(&mut self, word: Word) -> Step<Option<Transfer>> {
        self.access(|run| {
            let (index, uses) = word.named();
            run.show_descriptor(index);
            let descriptor = run.memory.descriptors[index];
            let current = descriptor.uses == uses || run.is(Mutant::NumberOfUseNotChecked);
            current.then_some(descriptor.transfer)
        })
    }

    /// Begins the next use of the thread's descriptor. Returns the reference to it.
    fn publish(&mut self, transfer: Transfer) -> Step<Word> {
        let index = self.id;
        let uses = self.access(|run| {
            let descriptor = &mut run.memory.descriptors[index];
            let uses = descriptor.uses + 1;
            *descriptor = Descriptor {
                uses,
                transfer: Transfer {
                    state: State::Pending,
                    ..transfer
                },
            };
            run.made.wrote = true;
            run.show_descriptor(index);
            uses
        })?;
        Ok(Word::reference(index, uses))
    }

    /// Decides a use, if it is not decided yet, nor over.
    fn decide_use(&mut self, reference: Word, state: State) -> Step<bool> {
        self.access(|run| {
            let (index, uses) = reference.named();
            let descriptor = &mut run.memory.descriptors[index];
            let pending = descriptor.transfer.state == State::Pending;
            let done = descriptor.uses == uses && pending;
            if done {
                descriptor.transfer.state = state;
                run.made.wrote = true;
            }
            let Transfer { placed, item, .. } = descriptor.transfer;
            run.show_descriptor(index);
            if done && state == State::Committed && placed != 0 {
                run.came(item);
            }
            done
        })
    }
}

impl Classes {
    pub fn iter(self) -> impl Iterator<Item = Class> + Clone {
        self.0.into_iter().filter(|class| class.head != 0)
    }

    /// These classes; `None` if there are too many.
    pub fn of(classes: impl IntoIterator<Item = Class>) -> Option<Self> {
        let mut all = [Class::default(); 6];
        for (at, class) in classes.into_iter().enumerate() {
            *all.get_mut(at)? = class;
        }
        all.sort_unstable_by(|a, b| b.cmp(a));
        Some(Self(all))
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes: Vec<String> = self.iter().map(|class| class.to_string()).collect();
        write!(out, "of [{}]", classes.join(" "))
    }
}
