//! Lookup and count, and their reads, which writers share: a word, and the meaning of a reference
//! in it.
//!
//! The fields of a descriptor are read and written one by one if the program is `torn`, or else in
//! one step. One step is enough while the protocol is correct: a reader that accepts the fields
//! holds a reference that was installed after they were written, and sees a control that shows no
//! later write; a reader that does not accept them does not use them.

use model::Token;
use serde::{Deserialize, Serialize};

use super::Run;
use crate::fixed::memory::{Control, FIELDS, STRANGERS, Transfer};
use crate::fixed::mutants::Mutant;
use crate::fixed::program::Item;
use crate::notation::Kind;
use crate::replay::{Again, Done, Step};
use crate::shared::Status;

/// The meaning of a reference for the word that holds it, after a read of its descriptor.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Meaning {
    pub kind: Resolved,
    /// The content of the word; the old one, if the use is undecided.
    pub content: u64,
    pub seen: Transfer,
    pub control: Control,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Resolved {
    /// The use is over.
    Stale,
    Settled,
    Pending,
}

impl Run<'_> {
    /// Returns the token, or 0.
    pub(super) fn lookup(&mut self) -> Step<Token> {
        self.routine(|run| match run.look_once()? {
            Some(token) => Ok(token),
            None => run.look_long(),
        })
    }

    /// Returns the result of one look; `None` if it is not certain.
    fn look_once(&mut self) -> Step<Option<Token>> {
        let Item { first, second, f } = self.call.item;
        self.routine(|run| {
            let version = run.version(f)?;
            let words = [run.load(first)?, run.load(second)?];
            if !run.surely_buckets(words) {
                return Ok(None);
            }
            let layout = run.layout();
            let found = words.iter().find_map(|&word| layout.find(word, f));
            // A lookup of a value validates misses; the other validates everything it finds.
            let certain = if run.is_call(&[Kind::Value, Kind::UniqueValue]) {
                found.is_some() || run.is(Mutant::ValueMissNotValidated)
            } else {
                run.is(Mutant::MissNotValidated)
            };
            let certain = certain || run.version(f)? == version;
            Ok(certain.then_some(found.unwrap_or(0)))
        })
    }

    /// Looks up with the complete version.
    fn look_long(&mut self) -> Step<Token> {
        let item = self.call.item;
        self.repeat((), |run, ()| {
            let version = run.version(item.f)?;
            let seen = run.routine(|run| {
                let words = [run.load(item.first)?, run.load(item.second)?];
                for (bucket, word) in [item.first, item.second].into_iter().zip(words) {
                    match run.inspect(bucket, word)? {
                        Some(0) => {}
                        seen => return Ok(seen),
                    }
                }
                Ok(Some(0))
            })?;
            Ok(match seen {
                None => Again(()),
                Some(0) if run.is(Mutant::MissBehindFrozenWordNotValidated) => Done(0),
                Some(0) if run.version(item.f)? != version => Again(()),
                Some(token) => Done(token),
            })
        })
    }

    /// Returns the token in one of the two words that were read, or 0; `None` if that has changed
    /// meanwhile.
    fn inspect(&mut self, bucket: u8, word: u64) -> Step<Option<Token>> {
        let (layout, f) = (self.layout(), self.call.item.f);
        let found = |content| Some(layout.find(content, f).unwrap_or(0));
        self.routine(|run| {
            if !layout.is_reference(word) {
                return Ok(found(word));
            }
            let meaning = run.meaning(bucket, word)?;
            let seen = meaning.seen;
            if meaning.kind == Resolved::Stale {
                return Ok(run.is(Mutant::StaleTakenForAbsence).then_some(0));
            }
            let arrives = meaning.kind == Resolved::Pending
                && layout.fingerprint_of(seen.moved) == f
                && bucket != seen.source;
            if !arrives || run.is(Mutant::PendingArrivalNeverPresent) {
                return Ok(found(meaning.content));
            }
            let has_value = !run.is(Mutant::ArrivalHasNoValue);
            let arriving = if has_value { seen.moved } else { f };
            let frozen_on_both = run.is(Mutant::PendingArrivalAlwaysPresent)
                || run.routine(|run| Ok(run.load(seen.source)? == word))?;
            if frozen_on_both {
                // So it is in one of them.
                return Ok(Some(arriving));
            }
            let unchanged = run.control(word)? == meaning.control;
            let certain = unchanged || run.is(Mutant::DecidedArrivalUnnoticed);
            Ok(certain.then(|| found(meaning.content)).flatten())
        })
    }

    /// Tests both words, as the fast paths do.
    pub(super) fn surely_buckets(&self, [a, b]: [u64; 2]) -> bool {
        self.layout().surely_buckets(a, b) || self.is(Mutant::FrozenWordReadAsBucket)
    }

    /// Returns the number of tokens of a class: a number for `count`, otherwise a snapshot.
    pub(super) fn count(&mut self, item: Item) -> Step<u64> {
        self.repeat((), |run, ()| {
            let version = run.version(item.f)?;
            let copies = run.routine(|run| {
                let first = run.tally(item.first, item)?;
                Ok(first + run.tally(item.second, item)?)
            })?;
            let certain = run.is(Mutant::CountNotValidated);
            Ok(if certain || run.version(item.f)? == version {
                Done(copies)
            } else {
                Again(())
            })
        })
    }

    /// Returns the contribution of a word to a count.
    fn tally(&mut self, bucket: u8, Item { f, .. }: Item) -> Step<u64> {
        self.routine(|run| {
            let (layout, content) = (run.layout(), run.settle(bucket)?);
            if run.is_call(&[Kind::Count]) {
                return Ok(layout.count(content, f) as u64);
            }
            let tokens = layout.tokens(content);
            let found = tokens.filter(|&token| layout.fingerprint_of(token) == f);
            Ok(found.map(|token| run.digit(bucket, token)).sum())
        })
    }

    /// Returns one token in a snapshot.
    pub(super) fn digit(&self, bucket: u8, token: Token) -> u64 {
        1 << (4 * self.world.token_of(bucket, token).unwrap_or(STRANGERS))
    }
}

/// The reads of writers, and of searches.
impl Run<'_> {
    /// Reads a word as a writer does: returns the content of a word that is no reference at the
    /// time.
    pub(super) fn settle(&mut self, bucket: u8) -> Step<u64> {
        self.repeat(true, |run, first| {
            let word = run.load(bucket)?;
            if !run.layout().is_reference(word) {
                return Ok(Done(word));
            }
            if first {
                return Ok(Again(false));
            }
            let met = run.meaning(bucket, word)?;
            match met.kind {
                Resolved::Stale => {}
                Resolved::Settled => {
                    if run.exchange(bucket, word, met.content)? {
                        return Ok(Done(met.content));
                    }
                }
                Resolved::Pending if met.seen.is_admission() => {
                    run.decide(word, met.control, met.seen)?;
                }
                Resolved::Pending => run.abort(word, met.control)?,
            }
            Ok(Again(false))
        })
    }

    /// Reads a word as a search does, which changes nothing: returns the content at some time of
    /// the call.
    pub(super) fn peek(&mut self, bucket: u8) -> Step<u64> {
        self.repeat(true, |run, first| {
            let word = run.load(bucket)?;
            if !run.layout().is_reference(word) {
                return Ok(Done(word));
            }
            if first {
                return Ok(Again(false));
            }
            let Meaning { kind, content, .. } = run.meaning(bucket, word)?;
            Ok(if kind == Resolved::Stale {
                Again(false)
            } else {
                Done(content)
            })
        })
    }

    /// Returns the meaning of a reference for the bucket that holds it.
    pub(super) fn meaning(&mut self, bucket: u8, word: u64) -> Step<Meaning> {
        self.routine(|run| {
            let (seen, control) = if run.is(Mutant::ControlBeforeFields) {
                let control = run.control(word)?;
                (run.fields(word)?, control)
            } else {
                (run.fields(word)?, run.control(word)?)
            };
            let (_, uses) = run.layout().named(word);
            let current = u64::from(control.uses) == uses || run.is(Mutant::NumberOfUseNotChecked);
            let old = seen.before(bucket);
            let (kind, content) = match control.state {
                _ if !current => (Resolved::Stale, 0),
                Status::Pending => (Resolved::Pending, old),
                Status::Aborted => (Resolved::Settled, old),
                Status::Committed => {
                    let new = seen.after(run.layout(), bucket);
                    (Resolved::Settled, new.unwrap_or(old))
                }
            };
            // Results that are no longer needed are forgotten.
            let pending = kind == Resolved::Pending;
            Ok(Meaning {
                kind,
                content,
                seen: if pending { seen } else { Transfer::default() },
                control: if pending { control } else { Control::default() },
            })
        })
    }

    fn fields(&mut self, word: u64) -> Step<Transfer> {
        let (index, _) = self.layout().named(word);
        self.repeat(
            (0, Transfer::default()),
            |run, (field, mut seen): (u8, _)| {
                if field == FIELDS {
                    return Ok(Done(seen));
                }
                let fields = field..field + run.fields_at_a_time();
                let part = run.access(|run| {
                    run.show_fields(index);
                    let mut part = Transfer::default();
                    part.copy_fields(&run.memory.descriptors[index].transfer, fields.clone());
                    part
                })?;
                seen.copy_fields(&part, fields.clone());
                Ok(Again((fields.end, seen)))
            },
        )
    }

    /// Returns the number of fields that one step reads or writes.
    pub(super) fn fields_at_a_time(&self) -> u8 {
        if self.world.shape.torn { 1 } else { FIELDS }
    }

    pub(super) fn show_fields(&mut self, index: usize) {
        let transfer = self.memory.descriptors[index].transfer;
        self.show(|| format!("descriptor {index}: {transfer:x?}"));
    }
}
