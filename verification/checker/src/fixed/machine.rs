//! The machine: the protocol of the crate, with one access to shared memory per step. Each module
//! below has the code of modules of the crate. This one defines a step.

use model::{Layout, Token};

use crate::fixed::memory::{Answer, Control, Digits};
use crate::fixed::program::{Fixed, Item};
use crate::fixed::views::World;
use crate::notation::Kind;
use crate::replay::{self, Step};
use crate::shared::Status;

mod lookup;
mod recover;
mod scan;
mod transfer;
mod write;

/// One step of a thread.
pub(super) type Run<'a> = replay::Run<'a, Fixed>;

impl World {
    /// Returns the number of a token in `bucket` among those that the program knows.
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
            Kind::Recover => self.recover()?,
        })
    }

    fn layout(&self) -> Layout {
        self.world.shape.layout
    }

    /// Returns the token that the call inserts, removes or replaces.
    fn token(&self) -> Token {
        self.layout().token(self.call.item.f, self.call.value)
    }

    fn is_call(&self, kinds: &[Kind]) -> bool {
        kinds.contains(&self.call.kind)
    }

    /// Replaces a reference. If it is no longer there, another thread has replaced it.
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

    /// Decides the use that was `pending`; false if it is already decided, or over.
    fn decide_use(&mut self, reference: u64, pending: Control, state: Status) -> Step<bool> {
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

    /// Aborts a use, unless it is already decided.
    fn abort(&mut self, reference: u64, pending: Control) -> Step<()> {
        self.routine(|run| {
            run.decide_use(reference, pending, Status::Aborted)
                .map(drop)
        })
    }
}
