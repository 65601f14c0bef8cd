//! What a connection has queued behind MULTI, and the keys that it watches.

use cf::Identity;

use crate::args::Limits;
use crate::catalogue::{Catalogue, Place};

/// Commands that wait for EXEC.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// All arguments, one behind the other.
    bytes: Vec<u8>,
    /// Where each argument ends in them.
    ends: Vec<u32>,
    /// Behind how many arguments each command ends.
    commands: Vec<u32>,
    /// Whether one was refused: then none is run.
    pub(crate) is_refused: bool,
}

impl Queue {
    /// Adds a command if it is within the limits.
    pub(crate) fn push(&mut self, arguments: &[&[u8]], limits: &Limits) -> bool {
        const NUMBER: usize = size_of::<u32>();
        let bytes: usize = arguments.iter().map(|part| part.len() + NUMBER).sum();
        let before = self.bytes.len() + (self.ends.len() + self.commands.len()) * NUMBER;
        // A `u32` is enough for what is within the limit on requests.
        if self.commands.len() >= limits.max_transaction
            || before + bytes + NUMBER > limits.max_request.min(u32::MAX as usize)
        {
            return false;
        }
        for argument in arguments {
            self.bytes.extend_from_slice(argument);
            self.ends.push(self.bytes.len() as u32);
        }
        self.commands.push(self.ends.len() as u32);
        true
    }

    /// Frees what was queued. Nothing of it will be run.
    pub(crate) fn refuse(&mut self) {
        *self = Self {
            is_refused: true,
            ..Self::default()
        };
    }

    pub(crate) fn len(&self) -> usize {
        self.commands.len()
    }

    /// Bytes that it takes.
    pub(crate) fn memory(&self) -> usize {
        let numbers = self.ends.capacity() + self.commands.capacity();
        self.bytes.capacity() + numbers * size_of::<u32>()
    }

    /// The arguments of a command, its name first.
    pub(crate) fn command(&self, index: usize) -> Vec<&[u8]> {
        let before = |ends: &[u32], index: usize| match index {
            0 => 0,
            index => ends[index - 1] as usize,
        };
        let arguments = before(&self.commands, index)..self.commands[index] as usize;
        let argument = |at| &self.bytes[before(&self.ends, at)..self.ends[at] as usize];
        arguments.map(argument).collect()
    }
}

/// A key as it was when WATCH named it.
#[derive(Debug)]
pub(crate) struct Watched {
    key: Box<[u8]>,
    /// Nothing if somebody had the filter alone, which counts as a change.
    seen: Option<Seen>,
}

/// The filter, if there was one, with its items and its deletions. Together these change with every item that is added or
/// deleted: deletions only ever rise, and with them the sum of both, which is the number of additions.
type Seen = Option<(Identity, usize, u64)>;

fn look(key: &[u8], catalogue: &Catalogue) -> Option<Seen> {
    match catalogue.filters().get(key) {
        None => Some(None),
        Some(Place::Here(filter)) => {
            Some(Some((filter.identity(), filter.items(), filter.deleted())))
        }
        Some(Place::Away(_)) => None,
    }
}

impl Watched {
    pub(crate) fn new(key: &[u8], catalogue: &Catalogue) -> Self {
        Self {
            key: key.into(),
            seen: look(key, catalogue),
        }
    }

    pub(crate) fn is_changed(&self, catalogue: &Catalogue) -> bool {
        self.seen.is_none() || self.seen != look(&self.key, catalogue)
    }
}
