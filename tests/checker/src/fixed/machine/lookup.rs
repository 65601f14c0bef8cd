//! Lookup and count.

use model::Token;

use super::{Run, STRANGERS};
use crate::call::Kind;
use crate::fixed::mutants::Mutant;
use crate::fixed::points::{Asker, At, Caller, Count, Lookup};
use crate::fixed::thread::Frozen;

/// What a reference means, to one who has read its descriptor.
pub(super) enum Resolved {
    /// The use is over.
    Stale,
    /// The word's content is this.
    Settled(u64),
    /// Not decided; the word's content is this until then.
    Pending(u64),
}

impl Run<'_> {
    pub(super) fn lookup(&mut self, point: Lookup) {
        let item = self.me.item;
        match point {
            Lookup::FastVersion => {
                self.me.version = self.read_version(item.f);
                self.go(At::Lookup(Lookup::FastFirst));
            }
            Lookup::FastFirst => {
                self.me.a = self.load(item.first);
                self.go(At::Lookup(Lookup::FastSecond));
            }
            Lookup::FastSecond => {
                self.me.b = self.load(item.second);
                let token = self.token_in_either();
                // A lookup of a value validates misses, the other all it finds.
                let certain = match self.me.kind {
                    Some(Kind::Value | Kind::UniqueValue) => {
                        token != 0 || self.world.is(Mutant::ValueMissNotValidated)
                    }
                    _ => self.world.is(Mutant::MissNotValidated),
                };
                if !self.are_plain(self.me.a, self.me.b) {
                    self.look_again();
                } else if certain {
                    self.found(token);
                } else {
                    self.go(At::Lookup(Lookup::FastValidate));
                }
            }
            Lookup::FastValidate => {
                if self.unchanged(item.f) {
                    self.found(self.token_in_either());
                } else {
                    self.look_again();
                }
            }
            Lookup::Version => {
                self.me.version = self.read_version(item.f);
                self.go(At::Lookup(Lookup::First));
            }
            Lookup::First => {
                self.me.a = self.load(item.first);
                self.go(At::Lookup(Lookup::Second));
            }
            Lookup::Second => {
                self.me.b = self.load(item.second);
                self.me.second = false;
                self.inspect();
            }
            Lookup::ArrivalSource => {
                let source = self.me.frozen.seen.source;
                if self.load(source) == self.me.frozen.word {
                    // Frozen on both sides, so it is in one of them.
                    self.found(self.arriving());
                } else {
                    self.go(At::Lookup(Lookup::ArrivalControl));
                }
            }
            Lookup::ArrivalControl => {
                let frozen = self.me.frozen;
                let now = self.read_control(frozen.word);
                if now == frozen.control || self.world.is(Mutant::DecidedArrivalUnnoticed) {
                    self.inspected(frozen.seen.before(frozen.bucket));
                } else {
                    self.look_again();
                }
            }
            Lookup::Validate => {
                if self.unchanged(item.f) {
                    self.found(0);
                } else {
                    self.look_again();
                }
            }
        }
    }

    /// Begins a lookup that returns the token, or 0.
    pub(super) fn begin_lookup(&mut self, caller: Caller) {
        self.me.push(caller);
        self.go(At::Lookup(Lookup::FastVersion));
    }

    /// What two words say that are no references.
    fn token_in_either(&self) -> Token {
        let (layout, f) = (self.layout(), self.me.item.f);
        let found = layout.find(self.me.a, f);
        found.or_else(|| layout.find(self.me.b, f)).unwrap_or(0)
    }

    /// The token that is arriving in the word that is being looked at.
    fn arriving(&self) -> Token {
        let moved = self.me.frozen.seen.moved;
        if self.world.is(Mutant::ArrivalHasNoValue) {
            self.layout().fingerprint_of(moved)
        } else {
            moved
        }
    }

    /// The test of the fast paths.
    pub(super) fn are_plain(&self, a: u64, b: u64) -> bool {
        self.layout().are_plain(a, b) || self.world.is(Mutant::FrozenWordReadAsBucket)
    }

    /// Begins the complete version, or another round of it.
    fn look_again(&mut self) {
        self.forget_words();
        self.go(At::Lookup(Lookup::Version));
    }

    fn forget_words(&mut self) {
        let me = &mut *self.me;
        (me.version, me.a, me.b, me.second) = (0, 0, 0, false);
        me.frozen = Frozen::default();
    }

    fn found(&mut self, token: Token) {
        self.forget_words();
        self.give_back(token.into());
    }

    /// Looks at one of the two words that were read.
    fn inspect(&mut self) {
        let (bucket, word) = if self.me.second {
            (self.me.item.second, self.me.b)
        } else {
            (self.me.item.first, self.me.a)
        };
        if self.layout().is_reference(word) {
            self.begin_resolve(Asker::Lookup, bucket, word);
        } else {
            self.inspected(word);
        }
    }

    pub(super) fn lookup_resolved(&mut self, resolved: Resolved) {
        let frozen = self.me.frozen;
        match resolved {
            Resolved::Stale if self.world.is(Mutant::StaleTakenForAbsence) => self.inspected(0),
            Resolved::Stale => self.look_again(),
            Resolved::Settled(content) => self.inspected(content),
            Resolved::Pending(old) => {
                let moved = self.layout().fingerprint_of(frozen.seen.moved);
                let arrives = moved == self.me.item.f && frozen.bucket != frozen.seen.source;
                if !arrives || self.world.is(Mutant::PendingArrivalNeverPresent) {
                    self.inspected(old);
                } else if self.world.is(Mutant::PendingArrivalAlwaysPresent) {
                    self.found(self.arriving());
                } else {
                    self.go(At::Lookup(Lookup::ArrivalSource));
                }
            }
        }
    }

    /// What one word holds is known.
    fn inspected(&mut self, content: u64) {
        self.me.frozen = Frozen::default();
        if let Some(token) = self.layout().find(content, self.me.item.f) {
            self.found(token);
        } else if !self.me.second {
            self.me.second = true;
            self.inspect();
        } else if self.world.is(Mutant::MissBehindFrozenWordNotValidated) {
            self.found(0);
        } else {
            (self.me.a, self.me.b, self.me.second) = (0, 0, false);
            self.go(At::Lookup(Lookup::Validate));
        }
    }

    pub(super) fn count(&mut self, point: Count) {
        let item = self.me.item;
        match point {
            Count::Version => {
                self.me.version = self.read_version(item.f);
                self.begin_settle(Caller::CountFirst, item.first);
            }
            Count::Validate => {
                if self.unchanged(item.f) {
                    self.counted();
                } else {
                    self.forget_words();
                    self.go(At::Count(Count::Version));
                }
            }
        }
    }

    /// Begins a count.
    pub(super) fn begin_count(&mut self, caller: Caller) {
        self.me.push(caller);
        self.go(At::Count(Count::Version));
    }

    pub(super) fn count_first(&mut self, content: u64) {
        self.me.a = self.tally(self.me.item.first, content);
        self.begin_settle(Caller::CountSecond, self.me.item.second);
    }

    pub(super) fn count_second(&mut self, content: u64) {
        self.me.a += self.tally(self.me.item.second, content);
        if self.world.is(Mutant::CountNotValidated) {
            self.counted();
        } else {
            self.go(At::Count(Count::Validate));
        }
    }

    /// What a word adds to a count: for `count` a number, else a copy.
    fn tally(&self, bucket: u8, content: u64) -> u64 {
        let (layout, f) = (self.layout(), self.me.item.f);
        if self.is_call(&[Kind::Count]) {
            return layout.count(content, f) as u64;
        }
        let tokens = layout.tokens(content);
        let found = tokens.filter(|&token| layout.fingerprint_of(token) == f);
        found.map(|token| self.digit(bucket, token)).sum()
    }

    /// One token in a copy.
    pub(super) fn digit(&self, bucket: u8, token: Token) -> u64 {
        1 << (4 * self.world.token_of(bucket, token).unwrap_or(STRANGERS))
    }

    fn counted(&mut self) {
        let copies = self.me.a;
        self.forget_words();
        self.give_back(copies);
    }
}
