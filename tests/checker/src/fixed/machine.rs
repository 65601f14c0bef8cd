//! The machine: the protocol as the crate has it, one access to shared memory a step. Each room below has the code of a room
//! of the crate.

mod admission;
mod lookup;
mod path;
mod scan;
mod transfer;
mod write;

use std::fmt;

use model::{Layout, Token, Value};

use crate::fixed::memory::Control;
use crate::fixed::program::{Fixed, Item, Program};
use crate::fixed::views::{View, views};
use crate::machine;
use crate::notation::{self, Kind};
use crate::replay::{self, Step};
use crate::shared::State;

/// The classes and tokens of a program, and what is watched of them.
#[derive(Clone, Debug)]
pub struct Known {
    pub classes: Vec<Item>,
    /// The tokens there can be: the class of each, and its value.
    pub tokens: Vec<(Item, Value)>,
    pub views: Vec<View>,
}

/// What a call returns.
pub(super) type Answer = notation::Answer<Digits>;

/// How often each token that the program knows was found, four bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits(pub u64);

impl fmt::Display for Digits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "with {:#x} tokens (a digit each)", self.0)
    }
}

/// One step under way.
pub(super) type Run<'a> = replay::Run<'a, Fixed>;

/// The digit of a copy that counts tokens which the program does not know.
pub(crate) const STRANGERS: usize = 15;

/// What does not change in an exploration.
pub(super) type World = machine::World<Fixed>;

impl Known {
    pub fn new(program: &Program) -> Self {
        let (classes, tokens) = (program.classes(), program.tokens());
        Self {
            views: views(program, &classes, &tokens),
            classes,
            tokens,
        }
    }
}

impl World {
    /// Which of the tokens that the program knows one is that lies in `bucket`.
    pub fn token_of(&self, bucket: u8, token: Token) -> Option<usize> {
        let layout = self.shape.layout;
        let f = layout.fingerprint_of(token);
        let here = |class: &Item| class.f == f && (class.first == bucket || class.second == bucket);
        let class = self.known.classes.iter().position(here)?;
        if !layout.has_values() {
            return Some(class);
        }
        let wanted = (self.known.classes[class], layout.value_of(token));
        self.known.tokens.iter().position(|&known| known == wanted)
    }
}

impl Run<'_> {
    pub fn make(&mut self) -> Step<Answer> {
        let item = self.call.item;
        Ok(match self.call.kind {
            Kind::Insert => self.insert()?,
            Kind::Unique | Kind::UniqueValue => self.unique()?,
            Kind::Remove | Kind::Take | Kind::Replace => Answer::Bool(self.remove()?),
            Kind::Contains => Answer::Bool(self.lookup()? != 0),
            Kind::Value => Answer::Value(match self.lookup()? {
                0 => None,
                token => Some(self.layout().value_of(token)),
            }),
            Kind::Count => Answer::Number(self.count(item)? as usize),
            Kind::Values => Answer::Copy(Digits(self.count(item)?)),
            Kind::Move => Answer::Bool(self.move_one()?),
            Kind::Snapshot => self.snapshot()?,
            _ => unreachable!("a call of tables that grow"),
        })
    }

    fn layout(&self) -> Layout {
        self.world.shape.layout
    }

    /// The token that the call inserts, removes or replaces.
    fn token(&self) -> Token {
        self.layout().token(self.call.item.f, self.call.value)
    }

    fn is_call(&self, kinds: &[Kind]) -> bool {
        kinds.contains(&self.call.kind)
    }

    /// Replaces a reference. If it is not there any more, somebody else has.
    fn thaw(&mut self, bucket: u8, reference: u64, content: u64) -> Step<()> {
        self.routine(|run| run.exchange(bucket, reference, content).map(drop))
    }

    fn show_control(&mut self, index: usize) {
        let Control { uses, state } = self.memory.descriptors[index].control;
        self.show(|| format!("descriptor {index}: use {uses} {state:?}"));
    }

    fn control(&mut self, reference: u64) -> Step<Control> {
        let (index, _) = self.layout().named(reference);
        self.access(|run| {
            run.show_control(index);
            run.memory.descriptors[index].control
        })
    }

    /// Decides the use that was `pending`; false if it is decided already, or over.
    fn decide_use(&mut self, reference: u64, pending: Control, state: State) -> Step<bool> {
        let (index, _) = self.layout().named(reference);
        self.access(|run| {
            let control = &mut run.memory.descriptors[index].control;
            let done = *control == pending;
            if done {
                control.state = state;
                run.made.wrote = true;
            }
            run.show_control(index);
            done
        })
    }

    /// Aborts a use, unless it is decided already.
    fn abort(&mut self, reference: u64, pending: Control) -> Step<()> {
        self.routine(|run| run.decide_use(reference, pending, State::Aborted).map(drop))
    }
}
