//! Transactions: the commands that a connection has queued after MULTI, and the keys that it
//! watches.

use cf::Identity;

use crate::args::Limits;
use crate::catalogue::{Catalogue, Place};

/// The commands that wait for EXEC.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// The bytes of all arguments, one behind the other.
    bytes: Vec<u8>,
    /// The ends of the arguments in the bytes.
    ends: Vec<u32>,
    /// For each command, the number of arguments up to its end.
    commands: Vec<u32>,
    /// Whether a command was refused, so that none is run.
    pub(crate) is_refused: bool,
}

impl Queue {
    /// Queues a command if it is within the limits.
    pub(crate) fn push(&mut self, arguments: &[&[u8]], limits: &Limits) -> bool {
        const NUMBER: usize = size_of::<u32>();
        let bytes: usize = arguments.iter().map(|part| part.len() + NUMBER).sum();
        let before = self.bytes.len() + (self.ends.len() + self.commands.len()) * NUMBER;
        // The casts are exact: a `u32` holds the limit of a request.
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

    /// Refuses the transaction, and frees its commands.
    pub(crate) fn refuse(&mut self) {
        *self = Self {
            is_refused: true,
            ..Self::default()
        };
    }

    pub(crate) fn len(&self) -> usize {
        self.commands.len()
    }

    /// Returns the bytes that it takes.
    pub(crate) fn memory(&self) -> usize {
        let numbers = self.ends.capacity() + self.commands.capacity();
        self.bytes.capacity() + numbers * size_of::<u32>()
    }

    /// Returns the arguments of a command, its name first.
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

/// A watched key, as it was at WATCH.
#[derive(Debug)]
pub(crate) struct Watched {
    key: Box<[u8]>,
    /// The state of the filter; `None` if it was away, which counts as a change.
    seen: Option<Seen>,
}

/// The filter, if there was one, with its items, its deletions and its rotations. Together these
/// change with every item that is added, deleted or forgotten: deletions and rotations never
/// decrease. Between two rotations the sum of items and deletions does not either: it is the number
/// of additions.
type Seen = Option<(Identity, usize, u64, u64)>;

fn look(key: &[u8], catalogue: &Catalogue) -> Option<Seen> {
    match catalogue.filters().get(key) {
        None => Some(None),
        Some(Place::Here(filter)) => {
            let (items, deleted) = (filter.items(), filter.deleted());
            Some(Some((
                filter.identity(),
                items,
                deleted,
                filter.rotations(),
            )))
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
