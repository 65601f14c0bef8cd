//! The calls, an access to shared memory a step.

use super::memory::{Gate, LAZY, Memory, Phase, Word};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Insert(u8),
    /// Of an item that only the caller inserts and removes.
    Contains(u8),
    Remove(u8),
    AddTable,
    Shrink,
}

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mutant {
    ClosedByAnyAttempt,
    OpensWhileClosing,
    SealsWithoutTheSecondTable,
    TablesBesideTheGate,
    SealsWhatWasOpened,
    LookupsDoNotAskTheGate,
    NoGrace,
    LazyWordsWithoutPin,
    PinnedAfterTheGate,
}

impl Mutant {
    pub(super) const ALL: [Self; 9] = [
        Self::ClosedByAnyAttempt,
        Self::OpensWhileClosing,
        Self::SealsWithoutTheSecondTable,
        Self::TablesBesideTheGate,
        Self::SealsWhatWasOpened,
        Self::LookupsDoNotAskTheGate,
        Self::NoGrace,
        Self::LazyWordsWithoutPin,
        Self::PinnedAfterTheGate,
    ];
}

/// How far a call has come, and what it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum At {
    Begin,
    /// In the table that takes inserts, or the finest that is yet to be searched.
    Load(u8),
    Exchange(u8, Word, Word),
    /// An exchange from `Absent`, under the pin.
    ExchangeAbsent(u8),
    Pin(u8),
    GateOfAbsent(u8),
    GateOfClosed(u8, Word),
    Cancel(u8, Word, Gate),
    /// The word that is closed next.
    Close(u8, Gate),
    CloseExchange(u8, Gate, Word),
    PinToClose(u8, Gate),
    GateToClose(u8, Gate),
    GiveUp(Gate),
    Seal(Gate),
    Leave,
    Next,
}

pub(super) enum Outcome {
    Goes(At),
    Ends(bool),
}
use Outcome::{Ends, Goes};

#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) call: Call,
    pub(super) thread: usize,
    pub(super) mutant: Option<Mutant>,
}

/// The word of an item in a table.
fn word_of(item: u8, table: u8) -> u8 {
    if table == 0 { item % 2 } else { LAZY }
}

impl Step {
    fn is(self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    pub(super) fn make(self, memory: &mut Memory, at: At) -> Outcome {
        match self.call {
            Call::Insert(item) => self.insert(memory, at, item),
            Call::Contains(item) | Call::Remove(item) => self.find(memory, at, item),
            Call::AddTable => self.add_table(memory, at),
            Call::Shrink => self.shrink(memory, at),
        }
    }

    fn insert(self, memory: &mut Memory, at: At, item: u8) -> Outcome {
        let bit = 1 << item;
        let done = |memory: &mut Memory, added: bool| {
            memory.unpin(self.thread);
            if added { Ends(true) } else { Goes(At::Begin) }
        };
        match at {
            At::Begin if memory.gate.is(Phase::Sealed) => Goes(At::Leave),
            At::Begin => Goes(At::Load(word_of(item, memory.gate.tables - 1))),
            At::Load(word) => match memory.words[usize::from(word)] {
                old @ Word::Items(items) => Goes(At::Exchange(word, old, Word::Items(items | bit))),
                closed @ Word::Closed(_) => Goes(At::GateOfClosed(word, closed)),
                Word::Absent if word != LAZY => Goes(At::Begin),
                Word::Absent
                    if self.is(Mutant::LazyWordsWithoutPin)
                        || self.is(Mutant::PinnedAfterTheGate) =>
                {
                    Goes(At::GateOfAbsent(word))
                }
                Word::Absent => Goes(At::Pin(word)),
            },
            At::Pin(word) => {
                memory.pinned |= 1 << self.thread;
                Goes(if self.is(Mutant::PinnedAfterTheGate) {
                    At::ExchangeAbsent(word)
                } else {
                    At::GateOfAbsent(word)
                })
            }
            At::GateOfAbsent(_) if memory.gate.is(Phase::Sealed) => done(memory, false),
            At::GateOfAbsent(word) => Goes(if self.is(Mutant::PinnedAfterTheGate) {
                At::Pin(word)
            } else {
                At::ExchangeAbsent(word)
            }),
            At::ExchangeAbsent(word) => {
                let added = memory.exchange(word, Word::Absent, Word::Items(bit));
                done(memory, added)
            }
            At::GateOfClosed(word, closed) => match memory.gate.phase {
                Phase::Sealed => Goes(At::Begin),
                Phase::Closing if !self.is(Mutant::OpensWhileClosing) => {
                    Goes(At::Cancel(word, closed, memory.gate))
                }
                _ => Goes(At::Exchange(word, closed, Word::Items(bit))),
            },
            At::Cancel(word, closed, gate) => {
                Goes(if memory.exchange_gate(gate, gate.reopened()) {
                    At::Exchange(word, closed, Word::Items(bit))
                } else {
                    At::GateOfClosed(word, closed)
                })
            }
            At::Exchange(word, old, new) => {
                let added = memory.exchange(word, old, new);
                done(memory, added)
            }
            At::Leave => {
                self.leave(memory);
                Goes(At::Next)
            }
            _ => {
                memory.next |= bit;
                Ends(true)
            }
        }
    }

    /// A lookup, or a remove, in the finest table first.
    fn find(self, memory: &mut Memory, at: At, item: u8) -> Outcome {
        let bit = 1 << item;
        let removes = matches!(self.call, Call::Remove(_));
        match at {
            At::Begin
                if memory.gate.is(Phase::Sealed) && !self.is(Mutant::LookupsDoNotAskTheGate) =>
            {
                Goes(At::Leave)
            }
            At::Begin => Goes(At::Load(word_of(item, memory.gate.tables - 1))),
            At::Load(word) => match memory.words[usize::from(word)] {
                old @ Word::Items(items) if items & bit != 0 => {
                    if removes {
                        Goes(At::Exchange(word, old, Word::Items(items & !bit)))
                    } else {
                        Ends(true)
                    }
                }
                _ if word == LAZY => Goes(At::Load(word_of(item, 0))),
                _ => Ends(false),
            },
            At::Exchange(word, old, new) if memory.exchange(word, old, new) => Ends(true),
            At::Exchange(..) => Goes(At::Begin),
            At::Leave => {
                self.leave(memory);
                Goes(At::Next)
            }
            _ => {
                let found = memory.next & bit != 0;
                if removes {
                    memory.next &= !bit;
                }
                Ends(found)
            }
        }
    }

    fn add_table(self, memory: &mut Memory, at: At) -> Outcome {
        let gate = memory.gate;
        match at {
            At::Begin if gate.is(Phase::Sealed) || gate.tables == 2 => Ends(true),
            At::Begin if self.is(Mutant::TablesBesideTheGate) => {
                memory.gate.tables = 2;
                Ends(true)
            }
            At::Begin => Goes(At::Cancel(0, Word::Absent, gate)),
            At::Cancel(_, _, seen) => {
                let next = if seen.is(Phase::Closing) {
                    seen.reopened()
                } else {
                    Gate { tables: 2, ..seen }
                };
                memory.exchange_gate(seen, next);
                Goes(At::Begin)
            }
            _ => unreachable!("no such step"),
        }
    }

    fn shrink(self, memory: &mut Memory, at: At) -> Outcome {
        let gate = memory.gate;
        match at {
            At::Begin if gate.is(Phase::Sealed) => Goes(At::Leave),
            At::Begin if gate.is(Phase::Closing) => Goes(At::Close(0, gate)),
            At::Begin => {
                let closing = gate.with(Phase::Closing);
                memory.exchange_gate(gate, closing);
                Goes(At::Close(0, closing))
            }
            At::Close(word, closing) => match memory.words[usize::from(word)] {
                Word::Closed(by)
                    if by == closing.attempt || self.is(Mutant::ClosedByAnyAttempt) =>
                {
                    Goes(self.behind(word, closing))
                }
                Word::Closed(by) if by > closing.attempt => Goes(At::GiveUp(closing)),
                old @ (Word::Closed(_) | Word::Items(0)) => {
                    Goes(At::CloseExchange(word, closing, old))
                }
                Word::Absent if word == LAZY => Goes(At::PinToClose(word, closing)),
                Word::Items(_) | Word::Absent => Goes(At::GiveUp(closing)),
            },
            At::PinToClose(word, closing) => {
                memory.pinned |= 1 << self.thread;
                Goes(At::GateToClose(word, closing))
            }
            At::GateToClose(word, closing) if gate == closing => {
                Goes(At::CloseExchange(word, closing, Word::Absent))
            }
            At::GateToClose(..) => {
                memory.unpin(self.thread);
                Ends(true)
            }
            At::CloseExchange(word, closing, old) => {
                let closed = memory.exchange(word, old, Word::Closed(closing.attempt));
                memory.unpin(self.thread);
                Goes(if closed {
                    self.behind(word, closing)
                } else {
                    At::Close(word, closing)
                })
            }
            At::GiveUp(closing) => {
                memory.exchange_gate(closing, closing.reopened());
                Ends(true)
            }
            At::Seal(closing) => {
                let blind = self.is(Mutant::SealsWhatWasOpened) && !gate.is(Phase::Sealed);
                if blind || self.is(Mutant::TablesBesideTheGate) && gate.attempt == closing.attempt
                {
                    memory.gate.phase = Phase::Sealed;
                } else {
                    memory.exchange_gate(closing, closing.with(Phase::Sealed));
                }
                Goes(At::Leave)
            }
            _ => {
                if gate.is(Phase::Sealed) {
                    self.leave(memory);
                }
                Ends(true)
            }
        }
    }

    fn behind(self, word: u8, closing: Gate) -> At {
        let words = if closing.tables == 1 || self.is(Mutant::SealsWithoutTheSecondTable) {
            2
        } else {
            3
        };
        if word + 1 < words {
            At::Close(word + 1, closing)
        } else {
            At::Seal(closing)
        }
    }

    fn leave(self, memory: &mut Memory) {
        if !memory.left {
            memory.left = true;
            memory.awaited = if self.is(Mutant::NoGrace) {
                0
            } else {
                memory.pinned
            };
        }
    }
}
