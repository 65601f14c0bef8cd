//! A thread of the machine of a table: what it has read, and how far that has brought it.
//!
//! The machine is written as ordinary code. A step runs the call from its beginning, with the results of the accesses that
//! it has made, to the first that it has not: it makes that one, and goes on to the one after it. So what a thread is, is
//! the list of those results. A routine that has returned leaves one entry there, what it returned, and each round of a
//! loop leaves what it goes on with. So states that differ in what no thread can know any more are one state.

use std::hash::{Hash, Hasher};

/// Entries of a list, at most.
const ENTRIES: usize = 28;

/// The results of a call that is under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Locals {
    len: u8,
    tags: [u8; ENTRIES],
    values: [u64; ENTRIES],
}

/// What an entry of the list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// The result of an access.
    Access,
    /// What a routine returned, by how deep within others it was.
    Result(u8),
    /// What the next round of a loop begins with.
    Round(u8),
}

impl Tag {
    fn code(self) -> u8 {
        match self {
            Self::Access => 0,
            Self::Result(depth) => 2 * depth + 1,
            Self::Round(depth) => 2 * depth + 2,
        }
    }
}

impl Locals {
    /// How many there are.
    fn entries(&self) -> usize {
        self.len.into()
    }

    /// What an entry says, if it is there and is this.
    pub fn entry(&self, at: usize, tag: Tag) -> Option<u64> {
        (at < self.entries() && self.tags[at] == tag.code()).then(|| self.values[at])
    }

    /// Forgets the entries from one on, and has this in their place.
    pub fn replace_from(&mut self, at: usize, tag: Tag, value: u64) {
        self.tags[at] = tag.code();
        self.values[at] = value;
        self.len = at as u8 + 1;
    }
}

impl Hash for Locals {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.len.hash(hasher);
        for at in 0..self.entries() {
            self.tags[at].hash(hasher);
            self.values[at].hash(hasher);
        }
    }
}

/// What a list can hold.
pub trait Entry: Copy {
    /// As a number.
    fn encode(self) -> u64;
    /// From a number.
    fn decode(code: u64) -> Self;
}

impl Entry for () {
    fn encode(self) -> u64 {
        0
    }

    fn decode(_: u64) -> Self {}
}

impl Entry for bool {
    fn encode(self) -> u64 {
        self.into()
    }

    fn decode(code: u64) -> Self {
        code != 0
    }
}

impl Entry for u8 {
    fn encode(self) -> u64 {
        self.into()
    }

    fn decode(code: u64) -> Self {
        code as Self
    }
}

impl Entry for u64 {
    fn encode(self) -> u64 {
        self
    }

    fn decode(code: u64) -> Self {
        code
    }
}

impl<T: Entry> Entry for Option<T> {
    fn encode(self) -> u64 {
        self.map_or(0, |value| value.encode() << 1 | 1)
    }

    fn decode(code: u64) -> Self {
        (code & 1 != 0).then(|| T::decode(code >> 1))
    }
}
