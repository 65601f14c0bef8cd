//! Removal.

use super::{DONE, NOT_DONE, Run};
use crate::mutants::Mutant;
use crate::points::{At, Caller, Removal};

impl Run<'_> {
    pub(super) fn removal(&mut self, point: Removal) {
        let item = self.me.item;
        match point {
            Removal::FastFirst => {
                self.me.a = self.load(item.first);
                self.go(At::Removal(Removal::FastSecond));
            }
            Removal::FastSecond => {
                self.me.b = self.load(item.second);
                let count = |content| self.layout().count(content, item.f);
                let matches = count(self.me.a) + count(self.me.b);
                let suits =
                    matches == 1 || matches != 0 && self.world.is(Mutant::TwoTokensTakenAtOnce);
                if self.are_plain(self.me.a, self.me.b) && suits {
                    self.go(At::Removal(Removal::FastExchange));
                } else {
                    self.remove_slowly();
                }
            }
            Removal::FastExchange => {
                let (bucket, content) = if self.layout().contains(self.me.a, item.f) {
                    (item.first, self.me.a)
                } else {
                    (item.second, self.me.b)
                };
                let cleared = self.layout().without(content, item.f).unwrap_or(content);
                let done = self.exchange(bucket, content, cleared);
                if done || self.world.is(Mutant::RemoveIgnoresItsExchange) {
                    self.give_back(DONE);
                } else {
                    self.remove_slowly();
                }
            }
            Removal::Version => {
                self.me.version = self.read_version(item.f);
                self.begin_settle(Caller::RemovalFirst, item.first);
            }
            Removal::Exchange => {
                let Some((bucket, content, cleared)) = self.removable() else {
                    unreachable!("one of the buckets holds the token")
                };
                if !self.exchange(bucket, content, cleared) {
                    (self.me.a, self.me.b) = (0, 0);
                    self.begin_settle(Caller::RemovalFirst, item.first);
                } else if self.has_twin() && self.world.is(Mutant::RemoveBumpsAfterItsExchange) {
                    self.go(At::Removal(Removal::LateBump));
                } else {
                    self.give_back(DONE);
                }
            }
            Removal::LateBump => {
                self.bump(item.f);
                self.give_back(DONE);
            }
            Removal::Validate => {
                if self.change_since(item.f) == 0 {
                    self.give_back(NOT_DONE);
                } else {
                    self.me.version = 0;
                    self.go(At::Removal(Removal::Version));
                }
            }
        }
    }

    fn remove_slowly(&mut self) {
        (self.me.a, self.me.b) = (0, 0);
        self.go(At::Removal(Removal::Version));
    }

    /// The bucket that the token is taken from, its content and what is left of it.
    fn removable(&self) -> Option<(u8, u64, u64)> {
        let item = self.me.item;
        [(item.first, self.me.a), (item.second, self.me.b)]
            .into_iter()
            .find_map(|(bucket, content)| {
                Some((bucket, content, self.layout().without(content, item.f)?))
            })
    }

    /// Whether the bucket that the token is not taken from holds an equal one.
    fn has_twin(&self) -> bool {
        let f = self.me.item.f;
        self.layout().contains(self.me.a, f) && self.layout().contains(self.me.b, f)
    }

    pub(super) fn removal_first(&mut self, content: u64) {
        self.me.a = content;
        self.begin_settle(Caller::RemovalSecond, self.me.item.second);
    }

    pub(super) fn removal_second(&mut self, content: u64) {
        let item = self.me.item;
        self.me.b = content;
        if self.removable().is_none() {
            (self.me.a, self.me.b) = (0, 0);
            if self.world.is(Mutant::FailedRemoveNotValidated) {
                self.give_back(NOT_DONE);
            } else {
                self.go(At::Removal(Removal::Validate));
            }
        } else if self.has_twin() && !self.me.bumped && !self.bumps_not() {
            self.begin_announce(Caller::RemovalBump, item.first, item.f);
        } else {
            self.go(At::Removal(Removal::Exchange));
        }
    }

    fn bumps_not(&self) -> bool {
        self.world.is(Mutant::RemoveBumpsNothing)
            || self.world.is(Mutant::RemoveBumpsAfterItsExchange)
    }

    pub(super) fn removal_bumped(&mut self) {
        self.me.bumped = true;
        self.go(At::Removal(Removal::Exchange));
    }
}
