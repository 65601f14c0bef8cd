//! The machine: the protocol of the crate, with one access to shared memory per step. Each module
//! below has the code of modules of the crate. This one defines a step and the shared memory.

use std::fmt;
use std::ops::Range;

use model::{Layout, Token, Value};
use serde::{Deserialize, Serialize};

use crate::fixed::program::{Fixed, Item, Program};
use crate::fixed::protocol::{View, views};
use crate::machine;
use crate::monitor::THREADS;
use crate::notation::{self, Kind};
use crate::replay::{self, Step};
use crate::shared::{NOTES, STRIPES, Status, Stripe};

mod lookup;
mod scan;
mod transfer;
mod write;

/// The classes and tokens of a program, and the views of them.
#[derive(Clone, Debug)]
pub struct Known {
    pub classes: Vec<Item>,
    /// The possible tokens: the class of each, and its value.
    pub tokens: Vec<(Item, Value)>,
    pub views: Vec<View>,
}

/// The result of a call.
pub(super) type Answer = notation::Answer<Digits>;

/// The counts of the tokens that the program knows, four bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits(pub u64);

impl fmt::Display for Digits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "with {:#x} tokens (a digit each)", self.0)
    }
}

/// One step of a thread.
pub(super) type Run<'a> = replay::Run<'a, Fixed>;

/// The digit of a snapshot that counts tokens which the program does not know.
pub(crate) const STRANGERS: usize = 15;

/// The constants of an exploration.
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

/// The most buckets of a table of the machine.
pub(super) const BUCKETS: usize = 4;
/// The memory that threads share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    /// The words: buckets, or references to descriptors.
    pub words: [u64; BUCKETS],
    pub stripes: [Stripe; STRIPES],
    /// The pool. Descriptors that a program does not have stay claimed.
    pub descriptors: [Descriptor; THREADS],
    pub scanning: bool,
    pub notes: u8,
    /// The log of hints; 0 is a vacant entry.
    pub hints: [u64; NOTES],
}

/// The descriptor that a frozen word names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Descriptor {
    pub owned: bool,
    pub control: Control,
    pub transfer: Transfer,
}

/// The number of a use, and its state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Control {
    pub uses: u16,
    pub state: Status,
}

/// The fields of a descriptor: two words before and after. An admission has no `moved`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Transfer {
    /// The token that moves from source to destination, or 0.
    pub moved: Token,
    /// The new token in the source, or 0.
    pub placed: Token,
    /// The bucket that `moved` leaves, or the target of an admission.
    pub source: u8,
    /// The new bucket of `moved`, or the witness of an admission.
    pub destination: u8,
    pub old_source: u64,
    pub old_destination: u64,
}

/// The number of cells of a transfer.
pub(super) const FIELDS: u8 = 5;

impl Transfer {
    /// Whether it adds a token instead of moving one.
    pub fn is_admission(&self) -> bool {
        self.moved == 0
    }

    pub fn before(&self, bucket: u8) -> u64 {
        if bucket == self.source {
            self.old_source
        } else {
            self.old_destination
        }
    }

    /// Returns the content of `bucket` afterwards, if that is possible.
    pub fn after(&self, layout: Layout, bucket: u8) -> Option<u64> {
        match (bucket == self.source, self.moved, self.placed) {
            (true, 0, placed) => layout.with(self.old_source, placed),
            (true, moved, 0) => layout.without_token(self.old_source, moved),
            (true, moved, placed) => layout.replacing(self.old_source, moved, placed),
            (false, 0, _) => None,
            (false, moved, _) => layout.with(self.old_destination, moved),
        }
    }

    /// Copies cells from another transfer.
    pub fn copy_fields(&mut self, from: &Self, fields: Range<u8>) {
        for field in fields {
            match field {
                0 => (self.moved, self.placed) = (from.moved, from.placed),
                1 => self.source = from.source,
                2 => self.destination = from.destination,
                3 => self.old_source = from.old_source,
                _ => self.old_destination = from.old_destination,
            }
        }
    }
}

impl Memory {
    /// Returns an empty table with this number of descriptors.
    pub fn new(descriptors: usize) -> Self {
        let mut memory = Self::default();
        for missing in &mut memory.descriptors[descriptors..] {
            missing.owned = true;
        }
        memory
    }

    /// Returns the logical content of a word. `None` if it names a use that is over, which is a
    /// defect.
    pub fn content(&self, layout: Layout, bucket: usize) -> Option<u64> {
        let word = self.words[bucket];
        if !layout.is_reference(word) {
            return Some(word);
        }
        let (index, uses) = layout.named(word);
        let descriptor = self.descriptors.get(index)?;
        let old = descriptor.transfer.before(bucket as u8);
        match descriptor.control.state {
            _ if u64::from(descriptor.control.uses) != uses => None,
            Status::Committed => descriptor.transfer.after(layout, bucket as u8),
            Status::Pending | Status::Aborted => Some(old),
        }
    }
}

/// A word, shown as a list of tokens or as a reference.
pub(super) struct Word(pub Layout, pub u64);

impl fmt::Display for Word {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(layout, word) = *self;
        if layout.is_reference(word) {
            let (index, uses) = layout.named(word);
            return write!(out, "<descriptor {index}, use {uses}>");
        }
        let tokens: Vec<String> = layout.tokens(word).map(|f| format!("{f:x}")).collect();
        write!(out, "[{}]", tokens.join(" "))
    }
}
