//! A thread of the machine: where it stands, who waits for the routine that it is in, and its locals.
//!
//! No routine calls itself, so each has its locals in a place of its own, as in old Fortran. What a routine
//! does not need any more it sets back to the default, so that states that differ in nothing that matters are
//! one state.

use model::{Fingerprint, Layout, Token, Value};

use crate::call::Kind;
use crate::fixed::memory::{BUCKETS, Control, Transfer};
use crate::fixed::points::{Asker, At, Caller, Peek};
use crate::fixed::program::{Call, Item};

/// Everything that a thread knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Locals {
    /// The access that it makes next.
    pub at: At,
    /// The call that it is in.
    pub kind: Option<Kind>,
    /// What goes on when a routine returns, the innermost last.
    pub callers: [Caller; DEPTH],
    /// How many of those there are.
    pub depth: u8,

    /// The item of the call; for a scan, that of the hint which it counts.
    pub item: Item,
    /// The value that it inserts, removes or replaces.
    pub value: Value,
    /// What it replaces it by.
    pub new: Value,
    /// The version of its stripe before the words were read.
    pub version: u16,
    /// What was read from the first candidate.
    pub a: u64,
    /// What was read from the second candidate.
    pub b: u64,
    /// Whether a lookup has come to the second of the two words.
    pub second: bool,
    /// Whether a remove has bumped.
    pub bumped: bool,
    /// Attempts begun.
    pub attempt: u8,

    /// The bucket that is being settled or peeked at.
    pub bucket: u8,
    /// What is to be written there.
    pub content: u64,
    /// The reference that is being resolved, or has been.
    pub frozen: Frozen,
    /// The admission that is being decided.
    pub admission: Admission,
    /// The token about to change places, and one of its buckets.
    pub hint: u64,
    /// Whether a scan is on of which no hint has been left yet; for a mutant that leaves it late.
    pub scanned: bool,
    /// Its place in the log of hints.
    pub turn: u8,

    /// The descriptor that it owns, counted from 1.
    pub claim: u8,
    /// Descriptors that it has tried to claim.
    pub tried: u8,
    /// What it does with it.
    pub own: Transfer,
    /// The control that stands for "pending".
    pub pending: Control,
    /// Whether its relocation or admission was committed.
    pub committed: bool,
    /// What is returned once the descriptor is released.
    pub outcome: u64,

    /// The search for a path.
    pub search: Search,
    /// The snapshot.
    pub scan: Scanning,
}

/// A reference as it was read, and what its descriptor said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frozen {
    /// Where it was found.
    pub bucket: u8,
    /// The reference.
    pub word: u64,
    /// Who wants to know.
    pub asker: Asker,
    /// The fields read so far.
    pub seen: Transfer,
    /// The control.
    pub control: Control,
}

/// A pending admission, as one who decides it knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Admission {
    /// The reference to it.
    pub reference: u64,
    /// The control that stands for "pending".
    pub control: Control,
    /// The fingerprint of the token that it adds.
    pub placed: Fingerprint,
    /// The frozen bucket.
    pub target: u8,
    /// The bucket that must hold no equal token.
    pub witness: u8,
    /// The verdict.
    pub absent: bool,
}

/// A breadth-first search. Buckets of a table so small are examined once each, so what is known of a bucket is
/// kept under its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Search {
    /// Whether the last hop places the item.
    pub placing: bool,
    /// Whether this is the second search, with the whole budget.
    pub far: bool,
    /// What the examined buckets held.
    pub contents: [u64; BUCKETS],
    /// How the search came there: from which bucket, by moving what. 0 for a candidate.
    pub arrivals: [(u8, Token); BUCKETS],
    /// The full buckets, in the order in which they are expanded.
    pub nodes: [u8; BUCKETS],
    /// How many there are.
    pub len: u8,
    /// The one that is being expanded.
    pub parent: u8,
    /// The slot whose alternate is being examined.
    pub slot: u8,
    /// One bit for each slot whose alternate has been examined.
    pub examined: u16,
    /// One bit for each slot whose token could go where there is room.
    pub rooms: u16,
    /// One bit for each bucket that has been come by.
    pub visited: u8,
    /// Buckets that may still be examined.
    pub left: u16,
    /// The hop that is being executed: what moves.
    pub moved: Token,
    /// From where.
    pub source: u8,
    /// To where.
    pub destination: u8,
}

/// A scan. The copy is kept as the number of each of the tokens that the program knows, four bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scanning {
    /// Groups that the stripes are divided into.
    pub passes: u8,
    /// The group that is being copied.
    pub group: u8,
    /// The stripe, word or slot that comes next.
    pub cursor: u8,
    /// Notes in the log.
    pub notes: u8,
    /// The copy.
    pub copy: u64,
}

/// Routines within routines, at most.
const DEPTH: usize = 5;

impl Locals {
    /// Those of a thread that is about to begin a call.
    pub fn before(call: &Call, layout: Layout) -> Self {
        let &Call {
            kind,
            item,
            value,
            new,
            ..
        } = call;
        let mut locals = Self {
            at: At::first(kind),
            kind: Some(kind),
            item,
            value,
            new,
            ..Self::default()
        };
        match kind {
            Kind::Unique => locals.push(Caller::AdmissionLook),
            Kind::UniqueValue => {
                // The lookup is part of each attempt.
                locals.attempt = 1;
                locals.push(Caller::AdmissionLook);
            }
            Kind::Move if layout.has_values() => {
                // It has to see which token it moves.
                locals.push(Caller::MovePeek);
                locals.bucket = item.first;
                locals.at = At::Peek(Peek::First);
            }
            Kind::Move => locals.push(Caller::MoveClaim),
            _ => {}
        }
        locals
    }

    /// Notes who goes on when the routine returns that is about to begin.
    pub fn push(&mut self, caller: Caller) {
        self.callers[usize::from(self.depth)] = caller;
        self.depth += 1;
    }

    /// Who goes on now that the routine has returned. `None`: the call is finished.
    pub fn pop(&mut self) -> Option<Caller> {
        self.depth = self.depth.checked_sub(1)?;
        Some(std::mem::take(&mut self.callers[usize::from(self.depth)]))
    }
}
