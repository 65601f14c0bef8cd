//! Insertion.

use super::{ALL_COPIES, DONE, REFUSED, Run};
use crate::fixed::mutants::Mutant;
use crate::fixed::points::{At, Caller, Insertion};

impl Run<'_> {
    pub(super) fn insertion(&mut self, point: Insertion) {
        let item = self.me.item;
        match point {
            Insertion::FastFirst => {
                self.me.a = self.load(item.first);
                self.go(At::Insertion(Insertion::FastSecond));
            }
            Insertion::FastSecond => {
                self.me.b = self.load(item.second);
                if self.are_plain(self.me.a, self.me.b) && self.addable().is_some() {
                    self.go(At::Insertion(Insertion::FastExchange));
                } else {
                    self.insert_slowly();
                }
            }
            Insertion::FastExchange => {
                if self.exchange_added() || self.world.is(Mutant::InsertIgnoresItsExchange) {
                    self.give_back(DONE);
                } else {
                    self.insert_slowly();
                }
            }
            Insertion::Exchange => {
                if self.exchange_added() {
                    self.give_back(DONE);
                } else {
                    self.add();
                }
            }
        }
    }

    /// The emptier of the two buckets, its content, and that with the item added. `None` if both are full.
    pub(super) fn addable(&self) -> Option<(u8, u64, u64)> {
        let item = self.me.item;
        let (bucket, content) =
            if self.layout().vacancies(self.me.a) >= self.layout().vacancies(self.me.b) {
                (item.first, self.me.a)
            } else {
                (item.second, self.me.b)
            };
        Some((bucket, content, self.layout().with(content, self.token())?))
    }

    fn exchange_added(&mut self) -> bool {
        let Some((bucket, content, added)) = self.addable() else {
            unreachable!("one of the buckets had room")
        };
        self.exchange(bucket, content, added)
    }

    fn insert_slowly(&mut self) {
        (self.me.a, self.me.b) = (0, 0);
        self.insert_attempt();
    }

    fn insert_attempt(&mut self) {
        if self.begin_attempt() {
            let placing = !self.world.is(Mutant::OpenedSlotForAnybody);
            self.begin_open(Caller::InsertionOpen, placing);
        } else {
            self.give_back(REFUSED);
        }
    }

    /// Counts an attempt; false if all have been made.
    pub(super) fn begin_attempt(&mut self) -> bool {
        if self.world.is(Mutant::AttemptsNotBounded) {
            return true;
        }
        let more = self.me.attempt < self.world.shape.attempts;
        self.me.attempt += u8::from(more);
        more
    }

    pub(super) fn insertion_opened(&mut self, outcome: u64) {
        match outcome {
            REFUSED | ALL_COPIES => self.give_back(outcome),
            DONE if !self.world.is(Mutant::OpenedSlotForAnybody) => self.give_back(DONE),
            _ => self.add(),
        }
    }

    /// Adds to the emptier candidate, if one has room.
    pub(super) fn add(&mut self) {
        (self.me.a, self.me.b) = (0, 0);
        self.begin_settle(Caller::InsertionFirst, self.me.item.first);
    }

    pub(super) fn insertion_first(&mut self, content: u64) {
        self.me.a = content;
        self.begin_settle(Caller::InsertionSecond, self.me.item.second);
    }

    pub(super) fn insertion_second(&mut self, content: u64) {
        self.me.b = content;
        if self.addable().is_some() {
            self.go(At::Insertion(Insertion::Exchange));
        } else {
            (self.me.a, self.me.b) = (0, 0);
            self.insert_attempt();
        }
    }
}
