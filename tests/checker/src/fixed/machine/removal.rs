//! Removal.

use super::{DONE, NOT_DONE, Run};
use crate::call::Kind;
use crate::fixed::mutants::Mutant;
use crate::fixed::points::{At, Caller, Removal};

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
                let matches = self.matches(self.me.a) + self.matches(self.me.b);
                let several = self.world.is(Mutant::TwoTokensTakenAtOnce);
                let suits = matches == 1 || matches > 1 && several;
                if self.are_plain(self.me.a, self.me.b) && suits {
                    self.go(At::Removal(Removal::FastExchange));
                } else {
                    self.remove_slowly();
                }
            }
            Removal::FastExchange => {
                let (bucket, content) = if self.matches(self.me.a) > 0 {
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
                let done = self.exchange(bucket, content, cleared);
                let careless = self.is_call(&[Kind::Replace])
                    && self.world.is(Mutant::ReplacementIgnoresItsExchange);
                if !done && !careless {
                    (self.me.a, self.me.b) = (0, 0);
                    self.begin_settle(Caller::RemovalFirst, item.first);
                } else if self.has_twin() && self.world.is(Mutant::RemoveBumpsAfterItsExchange) {
                    self.go(At::Removal(Removal::LateBump));
                } else if self.replaces_in_two_steps() {
                    self.me.value = self.me.new;
                    self.add();
                } else {
                    self.give_back(DONE);
                }
            }
            Removal::LateBump => {
                self.bump(item.f);
                self.give_back(DONE);
            }
            Removal::Validate => {
                if self.unchanged(item.f) {
                    self.give_back(NOT_DONE);
                } else {
                    self.me.version = 0;
                    self.go(At::Removal(Removal::Version));
                }
            }
        }
    }

    /// How many tokens of the class a bucket holds.
    fn matches(&self, content: u64) -> usize {
        self.layout().count(content, self.me.item.f)
    }

    fn replaces_in_two_steps(&self) -> bool {
        self.is_call(&[Kind::Replace]) && self.world.is(Mutant::ReplacementInTwoSteps)
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
            .find_map(|(bucket, content)| Some((bucket, content, self.changed(content)?)))
    }

    /// What the call makes of a bucket, if it holds the token that is meant.
    fn changed(&self, content: u64) -> Option<u64> {
        let (layout, f, mut token) = (self.layout(), self.me.item.f, self.token());
        if !self.is_call(&[Kind::Replace, Kind::Take]) {
            return layout.without(content, f);
        }
        if self.world.is(Mutant::TokenFoundByFingerprint) {
            token = layout.find(content, f)?;
        }
        if self.is_call(&[Kind::Take]) || self.replaces_in_two_steps() {
            layout.without_token(content, token)
        } else {
            layout.replacing(content, token, layout.token(f, self.me.new))
        }
    }

    /// Whether the bucket that the token is not taken from holds another one of its class.
    fn has_twin(&self) -> bool {
        let (layout, f) = (self.layout(), self.me.item.f);
        let (a, b) = (layout.find(self.me.a, f), layout.find(self.me.b, f));
        let equal = a == b || !self.world.is(Mutant::TwinOfAnotherValueIsNone);
        a.is_some() && b.is_some() && equal
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
            let careless = if self.is_call(&[Kind::Replace, Kind::Take]) {
                Mutant::FailedReplacementNotValidated
            } else {
                Mutant::FailedRemoveNotValidated
            };
            if self.world.is(careless) {
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
