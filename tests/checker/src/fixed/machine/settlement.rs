//! Settlement, a writer's read, and the read of a search, which changes nothing.

use super::Run;
use super::lookup::Resolved;
use crate::fixed::memory::State;
use crate::fixed::points::{Asker, At, Caller, Peek, Settle};
use crate::fixed::thread::{Admission, Frozen};

impl Run<'_> {
    /// Returns the content of a word that is no reference at the time.
    pub(super) fn begin_settle(&mut self, caller: Caller, bucket: u8) {
        self.me.push(caller);
        self.me.bucket = bucket;
        self.go(At::Settle(Settle::First));
    }

    fn settled(&mut self, content: u64) {
        self.me.bucket = 0;
        self.me.content = 0;
        self.me.frozen = Frozen::default();
        self.give_back(content);
    }

    pub(super) fn settle(&mut self, point: Settle) {
        let bucket = self.me.bucket;
        match point {
            Settle::First | Settle::Again => {
                let word = self.load(bucket);
                if !self.layout().is_reference(word) {
                    self.settled(word);
                } else if point == Settle::First {
                    self.go(At::Settle(Settle::Again));
                } else {
                    self.begin_resolve(Asker::Settle, bucket, word);
                }
            }
            Settle::Abort => {
                let (index, _) = self.layout().named(self.me.frozen.word);
                self.decide_use(index, self.me.frozen.control, State::Aborted);
                self.settle_again();
            }
            Settle::WriteBack => {
                let content = self.me.content;
                if self.exchange(bucket, self.me.frozen.word, content) {
                    self.settled(content);
                } else {
                    self.settle_again();
                }
            }
        }
    }

    fn settle_again(&mut self) {
        self.me.frozen = Frozen::default();
        self.me.content = 0;
        self.go(At::Settle(Settle::Again));
    }

    pub(super) fn settle_resolved(&mut self, resolved: Resolved) {
        let Frozen {
            word,
            seen,
            control,
            ..
        } = self.me.frozen;
        self.me.frozen.seen = Default::default();
        match resolved {
            Resolved::Stale => self.settle_again(),
            Resolved::Settled(content) => {
                self.me.content = content;
                self.me.frozen.control = Default::default();
                self.go(At::Settle(Settle::WriteBack));
            }
            Resolved::Pending(_) if seen.is_admission() => {
                self.me.frozen = Frozen::default();
                self.begin_decide(
                    Caller::SettleDecide,
                    Admission {
                        reference: word,
                        control,
                        placed: self.layout().fingerprint_of(seen.placed),
                        target: seen.source,
                        witness: seen.destination,
                        absent: false,
                    },
                );
            }
            Resolved::Pending(_) => self.go(At::Settle(Settle::Abort)),
        }
    }

    pub(super) fn settle_decided(&mut self) {
        self.settle_again();
    }

    /// Returns what a word held at some moment of the call.
    pub(super) fn begin_peek(&mut self, caller: Caller, bucket: u8) {
        self.me.push(caller);
        self.me.bucket = bucket;
        self.go(At::Peek(Peek::First));
    }

    pub(super) fn peek(&mut self, point: Peek) {
        let bucket = self.me.bucket;
        let word = self.load(bucket);
        if !self.layout().is_reference(word) {
            self.settled(word);
        } else if point == Peek::First {
            self.go(At::Peek(Peek::Again));
        } else {
            self.begin_resolve(Asker::Peek, bucket, word);
        }
    }

    pub(super) fn peek_resolved(&mut self, resolved: Resolved) {
        match resolved {
            Resolved::Stale => {
                self.me.frozen = Frozen::default();
                self.go(At::Peek(Peek::Again));
            }
            Resolved::Settled(content) | Resolved::Pending(content) => self.settled(content),
        }
    }
}
