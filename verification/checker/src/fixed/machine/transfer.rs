//! The owner's side of descriptors: relocation, and admission, which helpers decide too. A token
//! that changes its place is announced to lookups by a bump, and to a scan by a hint.

use model::{Fingerprint, Layout, Token};

use super::Run;
use super::lookup::Resolved;
use super::write::Failure;
use crate::fixed::memory::{Answer, Control, FIELDS, Transfer};
use crate::fixed::mutants::Mutant;
use crate::fixed::program::Item;
use crate::notation::Kind;
use crate::replay::{Again, Done, Step};
use crate::shared::Status;

/// Returns a hint as the log holds it: never 0.
fn hint(layout: Layout, bucket: u8, f: Fingerprint) -> u64 {
    u64::from(bucket) << layout.fingerprint_bits | u64::from(f)
}

/// Returns the bucket and the token that a hint names.
pub(super) fn hinted(layout: Layout, hint: u64) -> Option<(u8, Fingerprint)> {
    let bucket = (hint >> layout.fingerprint_bits) as u8;
    (hint != 0).then_some((bucket, layout.fingerprint(hint)))
}

/// The owner's side.
impl Run<'_> {
    /// Claims an unused descriptor, beginning with that of the thread's number; `None` if there is
    /// none. (The crate adds descriptors then; the models under loom cover that.) The crate makes
    /// these accesses if threads share descriptors. If a descriptor belongs to one thread, only
    /// that thread reads and writes the flag: that is one step here.
    pub(super) fn claim(&mut self) -> Step<Option<u8>> {
        let descriptors = self.world.shape.descriptors;
        self.repeat(0, |run, tried: u8| {
            let index = (run.id + usize::from(tried)) % descriptors;
            let vacant = run.other("claim a descriptor", |run| {
                let own = run.as_owner();
                let owner = &mut run.memory.descriptors[index].owner;
                let vacant = *owner == 0;
                if vacant {
                    *owner = own;
                }
                (vacant, vacant)
            })?;
            Ok(match usize::from(tried) + 1 {
                _ if vacant => Done(Some(index as u8)),
                tried if tried == descriptors => Done(None),
                tried => Again(tried as u8),
            })
        })
    }

    /// Releases a descriptor.
    pub(super) fn release(&mut self, index: u8) -> Step<()> {
        self.other("release the descriptor", |run| {
            run.memory.descriptors[usize::from(index)].owner = 0;
            ((), true)
        })
    }

    /// Begins a use. Returns the reference to it, and its control.
    pub(super) fn publish(&mut self, index: u8, transfer: Transfer) -> Step<(u64, Control)> {
        let uses = self.routine(|run| {
            if run.is(Mutant::FieldsBeforeNumber) {
                run.publish_fields(index, transfer)?;
                return run.publish_number(index);
            }
            let uses = run.publish_number(index)?;
            run.publish_fields(index, transfer)?;
            Ok(uses)
        })?;
        let state = Status::Pending;
        let reference = self.layout().reference(index.into(), uses.into());
        Ok((reference, Control { uses, state }))
    }

    /// The crate reads the number first, but only the owner writes it.
    fn publish_number(&mut self, index: u8) -> Step<u16> {
        self.access(|run| {
            let control = &mut run.memory.descriptors[usize::from(index)].control;
            let uses = control.uses + 1;
            let state = Status::Pending;
            *control = Control { uses, state };
            (run.made.wrote, run.made.besides) = (true, 1);
            run.show_control(index.into());
            uses
        })
    }

    fn publish_fields(&mut self, index: u8, transfer: Transfer) -> Step<()> {
        let size = self.fields_at_a_time();
        for field in (0..FIELDS).step_by(size.into()) {
            self.access(|run| {
                let now = &mut run.memory.descriptors[usize::from(index)].transfer;
                now.copy_fields(&transfer, field..field + size);
                run.made.wrote = true;
                run.show_fields(index.into());
            })?;
        }
        Ok(())
    }
}

/// Relocation.
impl Run<'_> {
    /// Moves one token, as a call of its own.
    pub(super) fn move_one(&mut self) -> Step<bool> {
        let Item { first, second, f } = self.call.item;
        let moved = if self.layout().has_values() {
            // It must find out which token it moves.
            self.routine(|run| {
                let content = run.peek(first)?;
                Ok(run.layout().find(content, f).unwrap_or(0))
            })?
        } else {
            f
        };
        let Some(index) = self.claim()? else {
            return Ok(false);
        };
        let done = moved != 0 && self.relocate(index, (moved, 0), first, second)?;
        self.release(index)?;
        Ok(done)
    }

    /// Moves a token, and puts another into its slot if that is not 0. Returns whether it
    /// succeeded.
    pub(super) fn relocate(
        &mut self,
        index: u8,
        (moved, placed): (Token, Token),
        source: u8,
        destination: u8,
    ) -> Step<bool> {
        self.routine(|run| {
            let own = Transfer {
                moved,
                placed,
                source,
                destination,
                old_source: run.settle(source)?,
                old_destination: run.settle(destination)?,
            };
            let after = |bucket| own.after(run.layout(), bucket);
            if after(source).is_none() || after(destination).is_none() {
                return Ok(false);
            }
            let f = run.layout().fingerprint_of(moved);
            if run.is(Mutant::RelocationBumpsBeforeInstalls) {
                run.announce_hop(source, f)?;
            }
            let (reference, pending) = run.publish(index, own)?;
            let (lower, higher) = (source.min(destination), source.max(destination));
            if !run.exchange(lower, own.before(lower), reference)? {
                run.abort(reference, pending)?;
                return Ok(false);
            }
            if run.is(Mutant::RelocationBumpsBetweenInstalls) {
                run.announce_hop(source, f)?;
            }
            if !run.exchange(higher, own.before(higher), reference)?
                && !run.is(Mutant::CommitWithOneWordFrozen)
            {
                run.abort(reference, pending)?;
                if !run.is(Mutant::HalfFrozenStaysFrozen) {
                    run.thaw(lower, reference, own.before(lower))?;
                }
                return Ok(false);
            }
            // After the installs, so that a thread that sees this bump also sees both references.
            // Before the commit, so that a thread that sees the commit also sees the bump and the
            // hint.
            let elsewhere = [
                Mutant::RelocationBumpsNothing,
                Mutant::RelocationBumpsBeforeInstalls,
                Mutant::RelocationBumpsBetweenInstalls,
                Mutant::RelocationBumpsAfterCommit,
            ];
            let owes_hint =
                !elsewhere.iter().any(|&mutant| run.is(mutant)) && run.announce_hop(source, f)?;
            let committed = run.decide_use(reference, pending, Status::Committed)?;
            if run.is(Mutant::RelocationBumpsAfterCommit) {
                run.announce_hop(source, f)?;
            } else if owes_hint {
                run.note(source, f)?;
            }
            for bucket in [source, destination] {
                let skips = bucket == source && run.is(Mutant::CommittedSourceStaysFrozen);
                if !(committed && skips) {
                    let new = run.decided(own, bucket, committed);
                    run.thaw(bucket, reference, new)?;
                }
            }
            Ok(committed)
        })
    }

    /// Returns the content of a word after the decision.
    fn decided(&self, own: Transfer, bucket: u8, committed: bool) -> u64 {
        let (layout, old) = (self.layout(), own.before(bucket));
        let mut done = own;
        if bucket == own.source && self.is(Mutant::HopTakesAnyOfItsClass) {
            let f = layout.fingerprint_of(own.moved);
            let mut tokens = layout.tokens(old);
            let any = tokens.find(|&token| layout.fingerprint_of(token) == f);
            done.moved = any.unwrap_or(0);
        }
        let new = done.after(layout, bucket).filter(|_| committed);
        new.unwrap_or(old)
    }
}

/// The announcements to other threads.
impl Run<'_> {
    /// Bumps the stripe of a token that hops and, if a scan is on, leaves a hint. Returns true if
    /// the hint must follow later.
    fn announce_hop(&mut self, bucket: u8, f: Fingerprint) -> Step<bool> {
        let later = self.is(Mutant::RelocationHintsAfterCommit);
        let hints = !later && !self.is(Mutant::RelocationGivesNoHint);
        self.routine(|run| Ok(run.announce(bucket, f, hints)? && later))
    }

    /// Bumps the stripe of a token and, if a scan is on, leaves a hint. Returns whether one is on.
    pub(super) fn announce(&mut self, bucket: u8, f: Fingerprint, hints: bool) -> Step<bool> {
        let scanned = self.bump(f)?;
        if scanned && hints {
            self.note(bucket, f)?;
        }
        Ok(scanned)
    }

    /// Leaves a hint.
    fn note(&mut self, bucket: u8, f: Fingerprint) -> Step<()> {
        let slots = self.world.shape.notes;
        let hint = hint(self.layout(), bucket, f);
        self.repeat((), |run, ()| {
            let has_room = run.other("room for a hint", |run| {
                (usize::from(run.memory.notes) <= slots, false)
            })?;
            if !has_room {
                return Ok(Done(()));
            }
            let turn = run.other("notes before", |run| {
                run.memory.notes += 1;
                (run.memory.notes - 1, true)
            })?;
            if usize::from(turn) >= slots {
                return Ok(Done(()));
            }
            let vacant = run.other("leave a hint", |run| {
                let replaces = run.is(Mutant::LateNoteReplacesAnother);
                let slot = &mut run.memory.hints[usize::from(turn)];
                let vacant = *slot == 0 || replaces;
                if vacant {
                    *slot = hint;
                }
                (vacant, vacant)
            })?;
            Ok(if vacant { Done(()) } else { Again(()) })
        })
    }
}

impl Run<'_> {
    pub(super) fn unique(&mut self) -> Step<Answer> {
        let tells_value = self.is_call(&[Kind::UniqueValue]);
        let inserted = if tells_value {
            Answer::Value(None)
        } else {
            Answer::Bool(true)
        };
        // An item that is present is not refused. (For its value it was looked up before.)
        let refused = |run: &mut Self, answer| {
            let is_absent = tells_value || run.lookup()? == 0;
            Ok(Done(if is_absent {
                answer
            } else {
                Answer::Bool(false)
            }))
        };
        self.rounds(0, |run, attempt: u8| {
            let Some(next) = run.next_attempt(attempt) else {
                return refused(run, Answer::Full);
            };
            if tells_value {
                let token = run.lookup()?;
                if token != 0 {
                    return Ok(Done(Answer::Value(Some(run.layout().value_of(token)))));
                }
            }
            Ok(match run.admit()? {
                Ok(true) => Done(inserted),
                Ok(false) if !tells_value => Done(Answer::Bool(false)),
                Ok(false) if run.is(Mutant::PresentItemTakenForOwn) => Done(inserted),
                // The next lookup finds the value of the token that is here.
                Ok(false) | Err(Failure::Disturbed) => Again(next),
                Err(Failure::NoDescriptor) => return refused(run, Answer::NoDescriptor),
                Err(Failure::Full) => return refused(run, Answer::Full),
                Err(Failure::TooManyCopies) => return refused(run, Answer::TooManyCopies),
            })
        })
    }

    /// Makes one attempt. Returns whether it added the token, or found one of the class.
    fn admit(&mut self) -> Step<Result<bool, Failure>> {
        let Item { first, second, f } = self.call.item;
        self.routine(|run| {
            let layout = run.layout();
            let mut words = [run.load(first)?, run.load(second)?];
            if !run.surely_buckets(words) {
                words = [run.settle(first)?, run.settle(second)?];
            }
            if words.iter().any(|&word| layout.contains(word, f)) {
                return Ok(Ok(false));
            }
            let Some((target, content, _)) = run.addable(words, run.token()) else {
                return Ok(match run.open(false)? {
                    Ok(()) => Err(Failure::Disturbed),
                    Err(Failure::TooManyCopies) => Ok(false),
                    Err(failure) => Err(failure),
                });
            };
            let own = Transfer {
                placed: run.token(),
                source: target,
                destination: if target == first { second } else { first },
                old_source: content,
                ..Transfer::default()
            };
            let Some(index) = run.claim()? else {
                return Ok(Err(Failure::NoDescriptor));
            };
            let committed = run.transfer_in(index, own)?;
            run.release(index)?;
            Ok(committed.then_some(true).ok_or(Failure::Disturbed))
        })
    }

    /// Adds a token as an admission. Returns whether it was committed.
    fn transfer_in(&mut self, index: u8, own: Transfer) -> Step<bool> {
        self.routine(|run| {
            let (target, old) = (own.source, own.old_source);
            let (reference, pending) = run.publish(index, own)?;
            if !run.exchange(target, old, reference)? {
                return Ok(false);
            }
            let new = own.after(run.layout(), target).unwrap_or(old);
            let commits = run.permits(own)?;
            if commits && run.is(Mutant::AdmissionLeavesTargetFrozen) {
                return run.decide_use(reference, pending, Status::Committed);
            }
            if commits
                && (run.exchange(target, reference, new)?
                    || run.is(Mutant::AdmissionIgnoresItsExchange))
            {
                return Ok(true);
            }
            if !commits {
                run.abort(reference, pending)?;
            }
            let committed =
                run.routine(|run| Ok(run.control(reference)?.state == Status::Committed))?;
            if !commits {
                run.thaw(target, reference, if committed { new } else { old })?;
            }
            Ok(committed)
        })
    }

    /// Decides an admission that may be pending, as a helper.
    pub(super) fn decide(
        &mut self,
        reference: u64,
        pending: Control,
        transfer: Transfer,
    ) -> Step<()> {
        self.routine(|run| {
            let commits = run.permits(transfer)?;
            run.decide_use(reference, pending, Status::of(commits))
                .map(drop)
        })
    }

    /// Whether an admission may be committed.
    fn permits(&mut self, transfer: Transfer) -> Step<bool> {
        let absent = self.witness_is_without(transfer)?;
        Ok(absent || self.is(Mutant::AdmissionIgnoresItsWitness))
    }

    /// Whether the witness of an admission holds no equal token, and gets none by an earlier
    /// admission.
    fn witness_is_without(&mut self, transfer: Transfer) -> Step<bool> {
        let (layout, witness) = (self.layout(), transfer.destination);
        let f = layout.fingerprint_of(transfer.placed);
        self.repeat((), |run, ()| {
            let word = run.load(witness)?;
            if !layout.is_reference(word) {
                return Ok(Done(!layout.contains(word, f)));
            }
            let met = run.meaning(witness, word)?;
            let present = layout.contains(met.content, f);
            let blind = run.is(Mutant::FrozenWitnessNotSearched);
            match met.kind {
                Resolved::Stale => return Ok(Again(())),
                Resolved::Settled if present => return Ok(Done(false)),
                Resolved::Settled if run.is(Mutant::AbortTrusted) => return Ok(Done(true)),
                // Until then the owner can still commit it, although it is aborted.
                Resolved::Settled => {
                    run.thaw(witness, word, met.content)?;
                    return Ok(Again(()));
                }
                Resolved::Pending if present && !blind => return Ok(Done(false)),
                Resolved::Pending => {}
            }
            let rival = met.seen.is_admission() && layout.fingerprint_of(met.seen.placed) == f;
            if !rival || run.is(Mutant::RivalAdmissionNoObstacle) {
                // A token that arrives there cannot be equal: an equal one would have to leave the
                // target.
                return Ok(Done(true));
            }
            if witness < transfer.source {
                return Ok(Done(false));
            }
            run.abort(word, met.control)?;
            Ok(Again(()))
        })
    }
}
