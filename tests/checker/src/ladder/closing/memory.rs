//! What the threads share.

/// A word: a set of items, closed by an attempt, or absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Word {
    Items(u8),
    Closed(u8),
    Absent,
}

/// Whether tokens can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Open,
    Closing,
    Sealed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Gate {
    pub(super) phase: Phase,
    pub(super) attempt: u8,
    pub(super) tables: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Memory {
    /// Two of the first table, and one of the second, which nobody has written to at first.
    pub(super) words: [Word; 3],
    pub(super) gate: Gate,
    /// The items of the next generation.
    pub(super) next: u8,
    /// Whether it is in use.
    pub(super) left: bool,
    /// A bit for each thread that is pinned.
    pub(super) pinned: u8,
    /// Of those who were when the generation was left, the ones who still are.
    pub(super) awaited: u8,
    pub(super) released: bool,
}

/// The word that nobody has written to is an empty one, if it is absent.
pub(super) const LAZY: u8 = 2;

impl Memory {
    pub(super) fn new(tables: u8) -> Self {
        Self {
            words: [Word::Items(0), Word::Items(0), Word::Absent],
            gate: Gate {
                phase: Phase::Open,
                attempt: 0,
                tables,
            },
            next: 0,
            left: false,
            pinned: 0,
            awaited: 0,
            released: false,
        }
    }

    pub(super) fn exchange(&mut self, word: u8, old: Word, new: Word) -> bool {
        let cell = &mut self.words[usize::from(word)];
        let same = *cell == old;
        if same {
            *cell = new;
        }
        same
    }

    pub(super) fn exchange_gate(&mut self, old: Gate, new: Gate) -> bool {
        let same = self.gate == old;
        if same {
            self.gate = new;
        }
        same
    }

    pub(super) fn unpin(&mut self, thread: usize) {
        self.pinned &= !(1 << thread);
        self.awaited &= !(1 << thread);
    }

    /// Whether the grace period is over, and the memory not given back yet.
    pub(super) fn can_release(&self) -> bool {
        self.left && !self.released && self.awaited == 0
    }

    pub(super) fn release(&mut self) {
        self.words = [Word::Absent; 3];
        self.released = true;
    }
}

impl Gate {
    pub(super) fn is(self, phase: Phase) -> bool {
        self.phase == phase
    }

    pub(super) fn with(self, phase: Phase) -> Self {
        Self { phase, ..self }
    }

    pub(super) fn reopened(self) -> Self {
        Self {
            phase: Phase::Open,
            attempt: self.attempt + 1,
            ..self
        }
    }
}
