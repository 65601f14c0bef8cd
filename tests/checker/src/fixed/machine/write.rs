//! Insertion, and removal, which replaces too.

use model::Token;

use super::path::Opened;
use super::{Answer, Run};
use crate::fixed::mutants::Mutant;
use crate::fixed::program::Item;
use crate::notation::Kind;
use crate::replay::{Again, Done, Step};

/// Insertion.
impl Run<'_> {
    pub(super) fn insert(&mut self) -> Step<Answer> {
        let token = self.token();
        if self.insert_once(token)? {
            return Ok(Answer::Bool(true));
        }
        let takes_slot = !self.is(Mutant::OpenedSlotForAnybody);
        self.rounds(0, |run, attempt: u8| {
            let Some(next) = run.next_attempt(attempt) else {
                return Ok(Done(Answer::Full));
            };
            Ok(match run.open(takes_slot)? {
                Opened::Refused => Done(Answer::Full),
                Opened::AllCopies => Done(Answer::TooManyCopies),
                Opened::Done if takes_slot => Done(Answer::Bool(true)),
                _ if run.add(token)? => Done(Answer::Bool(true)),
                _ => Again(next),
            })
        })
    }

    /// Counts an attempt; `None` if all have been made.
    pub(super) fn next_attempt(&self, attempt: u8) -> Option<u8> {
        if self.is(Mutant::AttemptsNotBounded) {
            return Some(attempt);
        }
        (usize::from(attempt) < self.world.shape.attempts).then_some(attempt + 1)
    }

    /// If both words are plain, and one has room.
    fn insert_once(&mut self, token: Token) -> Step<bool> {
        let Item { first, second, .. } = self.call.item;
        self.routine(|run| {
            let words = [run.load(first)?, run.load(second)?];
            let Some((bucket, content, added)) = run.addable(words, token) else {
                return Ok(false);
            };
            if !run.are_plain(words) {
                return Ok(false);
            }
            let done = run.exchange(bucket, content, added)?;
            Ok(done || run.is(Mutant::InsertIgnoresItsExchange))
        })
    }

    /// The emptier of the two buckets, its content, and that with a token added. `None` if both are full.
    pub(super) fn addable(&self, [a, b]: [u64; 2], token: Token) -> Option<(u8, u64, u64)> {
        let (layout, item) = (self.layout(), self.call.item);
        let (bucket, content) = if layout.vacancies(a) >= layout.vacancies(b) {
            (item.first, a)
        } else {
            (item.second, b)
        };
        Some((bucket, content, layout.with(content, token)?))
    }

    /// Adds to the emptier candidate, if one has room.
    fn add(&mut self, token: Token) -> Step<bool> {
        let Item { first, second, .. } = self.call.item;
        self.repeat((), |run, ()| {
            let words = [run.settle(first)?, run.settle(second)?];
            Ok(match run.addable(words, token) {
                None => Done(false),
                Some((bucket, content, added)) if run.exchange(bucket, content, added)? => {
                    Done(true)
                }
                Some(_) => Again(()),
            })
        })
    }
}

/// Removal.
impl Run<'_> {
    pub(super) fn remove(&mut self) -> Step<bool> {
        if self.is_call(&[Kind::Remove]) && self.remove_once()? {
            return Ok(true);
        }
        let Item { f, .. } = self.call.item;
        let careless = if self.is_call(&[Kind::Replace, Kind::Take]) {
            Mutant::FailedReplacementNotValidated
        } else {
            Mutant::FailedRemoveNotValidated
        };
        let done = self.repeat(false, |run, bumped| {
            let version = run.version(f)?;
            Ok(match run.take(bumped)? {
                None => Done(true),
                Some(bumped) => {
                    if run.is(careless) || run.version(f)? == version {
                        Done(false)
                    } else {
                        Again(bumped)
                    }
                }
            })
        })?;
        if done && self.replaces_in_two_steps() {
            return self.add(self.layout().token(f, self.call.new));
        }
        Ok(done)
    }

    /// The only token of the class in two plain words.
    fn remove_once(&mut self) -> Step<bool> {
        let Item { first, second, f } = self.call.item;
        self.routine(|run| {
            let layout = run.layout();
            let (a, b) = (run.load(first)?, run.load(second)?);
            let matches = layout.count(a, f) + layout.count(b, f);
            let suits = matches == 1 || matches > 1 && run.is(Mutant::TwoTokensTakenAtOnce);
            if !run.are_plain([a, b]) || !suits {
                return Ok(false);
            }
            let (bucket, content) = if layout.count(a, f) > 0 {
                (first, a)
            } else {
                (second, b)
            };
            let cleared = layout.without(content, f).unwrap_or(content);
            let done = run.exchange(bucket, content, cleared)?;
            Ok(done || run.is(Mutant::RemoveIgnoresItsExchange))
        })
    }

    /// Takes the token. Otherwise there was none, and returns whether the thread has bumped.
    fn take(&mut self, bumped: bool) -> Step<Option<bool>> {
        let Item { first, second, f } = self.call.item;
        self.repeat(bumped, |run, mut bumped| {
            let words = [run.settle(first)?, run.settle(second)?];
            let mut both = [first, second].into_iter().zip(words);
            let removable =
                both.find_map(|(bucket, content)| Some((bucket, content, run.changed(content)?)));
            let Some((bucket, content, changed)) = removable else {
                return Ok(Done(Some(bumped)));
            };
            let elsewhere =
                run.is(Mutant::RemoveBumpsNothing) || run.is(Mutant::RemoveBumpsAfterItsExchange);
            if run.has_twin(words) && !bumped && !elsewhere {
                let hints = !run.is(Mutant::RemoveGivesNoHint);
                run.routine(|run| run.announce(first, f, hints).map(drop))?;
                bumped = true;
            }
            let careless =
                run.is_call(&[Kind::Replace]) && run.is(Mutant::ReplacementIgnoresItsExchange);
            if !run.exchange(bucket, content, changed)? && !careless {
                return Ok(Again(bumped));
            }
            if run.has_twin(words) && run.is(Mutant::RemoveBumpsAfterItsExchange) {
                run.bump(f)?;
            }
            Ok(Done(None))
        })
    }

    fn replaces_in_two_steps(&self) -> bool {
        self.is_call(&[Kind::Replace]) && self.is(Mutant::ReplacementInTwoSteps)
    }

    /// What the call makes of a bucket, if it holds the token that is meant.
    fn changed(&self, content: u64) -> Option<u64> {
        let (layout, f, mut token) = (self.layout(), self.call.item.f, self.token());
        if self.is_call(&[Kind::Remove]) {
            return layout.without(content, f);
        }
        if self.is(Mutant::TokenFoundByFingerprint) {
            token = layout.find(content, f)?;
        }
        if self.is_call(&[Kind::Take]) || self.replaces_in_two_steps() {
            layout.without_token(content, token)
        } else {
            layout.replacing(content, token, layout.token(f, self.call.new))
        }
    }

    /// Whether the bucket that the token is not taken from holds another one of its class.
    fn has_twin(&self, words: [u64; 2]) -> bool {
        let (layout, f) = (self.layout(), self.call.item.f);
        let [a, b] = words.map(|word| layout.find(word, f));
        let equal = a == b || !self.is(Mutant::TwinOfAnotherValueIsNone);
        a.is_some() && b.is_some() && equal
    }
}
