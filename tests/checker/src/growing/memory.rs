//! The memory that the threads of a table share. Each access is one step, and all threads see one order of them.

use std::fmt;

use super::geometry::{Lane, WORDS};
use super::program::ITEMS;
use super::word::Word;
use crate::monitor::THREADS;
use crate::replay::entry;

/// Tables one after the other, at most.
pub(super) const TABLES: usize = 2;
/// Version counters; the head of an item says which.
pub(super) const STRIPES: usize = 2;
/// Notes that writers can leave for a scan.
pub(super) const NOTES: usize = 2;

/// Everything that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    /// The number line.
    pub words: [Word; WORDS],
    /// One bit for each level that has been allocated.
    pub blocks: u8,
    pub hints: [Hint; TABLES],
    /// The word that each sweep splits next.
    pub cursors: [u8; TABLES],
    pub tables: u8,
    pub stripes: [Stripe; STRIPES],
    /// One for each thread, and one for a newcomer.
    pub descriptors: [Descriptor; THREADS + 1],
    pub scan: Scan,
    pub epoch: Epoch,
    /// How often each item is in, counted at the steps that add and take tokens. No thread reads it.
    pub items: [u8; ITEMS],
    /// How often each item has been in at each moment of the scan that is under way, by the thread that makes it. No
    /// thread reads it.
    pub throughout: [[u8; ITEMS]; THREADS],
}

/// The level of a table, and whether it grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hint {
    pub level: u8,
    /// Whether words of it can be split.
    pub growing: bool,
}

/// A version counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stripe {
    pub version: u8,
    pub scanned: bool,
}

/// What a scan and its writers share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scan {
    /// Whether somebody has the right to scan.
    pub taken: bool,
    pub len: u8,
    /// Codes of classes whose tokens changed places.
    pub notes: [u16; NOTES],
}

/// Who is pinned, and what waits for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Epoch {
    pub pinned: u8,
    /// The level that is to be given back; 0 if there is none.
    pub level: u8,
    /// Those who were pinned when that was said, and still are.
    pub awaited: u8,
    pub given: u8,
}

/// The record that says what a frozen word means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Descriptor {
    pub uses: u8,
    pub transfer: Transfer,
}

/// What a use does to its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Transfer {
    pub kind: Kind,
    pub state: State,
    /// The token that goes from source to destination.
    pub moved: Lane,
    /// The token that is new in the source, or 0.
    pub placed: Lane,
    /// The item that `placed` is stored of.
    pub item: u8,
    /// The word that is left, added to or split.
    pub source: u8,
    /// The word that `moved` goes to.
    pub destination: u8,
    pub old_source: Word,
    pub old_destination: Word,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A token goes to its other word.
    #[default]
    Relocation,
    /// A token is added if the other word has none.
    Admission,
    /// The tokens of a word go to its children.
    Split,
}

/// How far a use has come. A split is not decided: it is over when the reference is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    Pending,
    /// Its words hold the new contents.
    Committed,
    /// Its words hold the old contents.
    #[default]
    Aborted,
}

impl Transfer {
    pub fn before(&self, number: u8) -> Word {
        if number == self.source {
            self.old_source
        } else {
            self.old_destination
        }
    }

    pub fn after(&self, number: u8) -> Word {
        let old = self.before(number);
        let slots = super::word::SLOTS;
        if number != self.source {
            return old.with(self.moved, slots).unwrap_or(old);
        }
        let left = match self.kind {
            Kind::Relocation => old.without(self.moved).unwrap_or(old),
            _ => old,
        };
        match self.placed {
            0 => left,
            placed => left.with(placed, slots).unwrap_or(left),
        }
    }

    /// What a word holds, as far as it has come.
    pub fn content(&self, number: u8) -> Word {
        match self.state {
            State::Committed => self.after(number),
            State::Pending | State::Aborted => self.before(number),
        }
    }
}

entry!(Hint {
    level: u8,
    growing: bool
});
entry!(Stripe {
    version: u8,
    scanned: bool
});
entry!(Kind is Relocation | Admission | Split);
entry!(State is Pending | Committed | Aborted);
entry!(Transfer {
    kind: Kind,
    state: State,
    moved: Lane,
    placed: Lane,
    item: u8,
    source: u8,
    destination: u8,
    old_source: Word,
    old_destination: Word
});

impl fmt::Display for Descriptor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { uses, transfer: t } = self;
        write!(
            out,
            "use {uses}, {:?} {:?}, move {:o}, place {:o}, from {} {} to {} {}",
            t.kind,
            t.state,
            t.moved,
            t.placed,
            t.source,
            t.old_source,
            t.destination,
            t.old_destination
        )
    }
}
