//! The shared memory of a fixed table: its words, stripes, descriptors and hints; and the results
//! of calls on it.

use std::fmt;
use std::ops::Range;

use model::{Layout, Token};
use serde::{Deserialize, Serialize};

use crate::monitor::THREADS;
use crate::notation;
use crate::shared::{NOTES, STRIPES, Status, Stripe};

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

/// The digit of a snapshot that counts tokens which the program does not know.
pub(crate) const STRANGERS: usize = 15;

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
    /// Who has the right to scan, as an owner.
    pub scanner: Owner,
    /// The threads that are dead, a bit for each.
    pub dead: u8,
    pub notes: u8,
    /// The log of hints; 0 is a vacant entry.
    pub hints: [u64; NOTES],
}

/// One more than the number of a thread; 0 for none.
pub(super) type Owner = u8;

/// The owner of the descriptors that a program does not have.
const NOBODY: Owner = Owner::MAX;

/// The descriptor that a frozen word names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Descriptor {
    pub owner: Owner,
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
            missing.owner = NOBODY;
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
