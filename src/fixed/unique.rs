//! The only token of a class: adds a token if there is no equal one, exactly once among racing
//! threads. The reason why it is exact is here; the question that helpers ask too is in
//! [`witness`](crate::fixed::witness).
//!
//! An *admission* freezes one word of the class, the target, by a descriptor that names the token
//! to add. Then it reads the other word, the witness, and commits if that holds no equal token.
//!
//! # Why it is exact
//!
//! The target is frozen only if it still is the content that was read, which has no equal token. It
//! stays frozen from before the read of the witness until the decision. A relocation of an
//! equal token needs both words, so none can commit in that time: the read of the witness together
//! with the frozen target is a snapshot of the class. After that read, plain inserts and removes
//! may add equal tokens to the witness and take them out again. The admission takes effect at the
//! last moment before its commit at which the class was empty: from then to the commit an equal
//! token is always there.
//!
//! Two admissions of one class with different targets, *rivals*, are each other's witness. Each
//! first freezes its target and then reads its witness by a read-modify-write. If the first one's
//! read comes before the second one's install in that word, the install acquires the read and with
//! it the first one's own install, so the second one's read finds the reference of the first, or a
//! later value. Otherwise the first one's read finds the reference of the second, or a later value.
//! A later value shows what was decided: the token, or nothing. Of two that are pending, the one
//! with the lower target aborts the other, the one with the higher target gives way, and every
//! helper applies the same rule. So at most one of the two commits.
//!
//! If several threads decide one admission at different times, the first to reach the control
//! counts. Its verdict was true when it read, because the target was frozen until the decision.
//!
//! # Several tables
//!
//! Tokens can be spread over several tables, as in a filter that rotates. The others must then have
//! no equal token either. An admission freezes its own word first. Then it asks the others, one by
//! one, in the order in which lookups read them ([`AbsenceElsewhere`]). They answer by
//! [`is_absent`](TokenTable::is_absent).

use crate::fixed::tokens::TokenTable;
use crate::kernel::change::change_word;
use crate::kernel::elsewhere::{AbsenceElsewhere, NothingElsewhere};
use crate::kernel::geometry::Class;
use crate::kernel::layout::{Layout, Token, Value};
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::relocate::make_room;
use crate::kernel::transfer::Transfer;
use crate::sync;
use crate::sync::Event;

impl<L: Layout> TokenTable<L> {
    /// Adds a token of this class if there is none. Returns true if this call added it.
    ///
    /// [Linearization points](crate::design::protocol#linearization-points): its commit, or an
    /// earlier moment, if equal tokens are inserted before the commit. Of "present", as of a hit of
    /// a lookup.
    #[inline]
    pub(crate) fn insert_unique(&self, hash: u64) -> Result<bool, Failure> {
        // Look first: an item that is present costs no more than a lookup.
        if self.contains(hash) {
            return Ok(false);
        }
        for _ in 0..MAX_ATTEMPTS {
            match self.try_insert_unique(hash, 0, &NothingElsewhere) {
                Err(Failure::Disturbed) => {}
                outcome => return outcome,
            }
        }
        Err(Failure::Disturbed)
    }

    /// Adds a token of this class with a value if there is none. Returns `None` if this call added
    /// it, otherwise a value that the class has.
    ///
    /// Linearization points: as of [`insert_unique`](Self::insert_unique); of "present", the load
    /// that saw the token whose value is returned.
    pub(crate) fn find_or_insert(&self, hash: u64, value: Value) -> Result<Option<Value>, Failure> {
        for _ in 0..MAX_ATTEMPTS {
            if let Some(found) = self.value(hash) {
                return Ok(Some(found));
            }
            match self.try_insert_unique(hash, value, &NothingElsewhere) {
                Ok(true) => return Ok(None),
                // The next lookup finds the token.
                Ok(false) | Err(Failure::Disturbed) => {}
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::Disturbed)
    }

    /// One attempt to add a token of this class, if there is none here or `elsewhere`. Returns true
    /// if it added the token, false if one of the class is here, and `Disturbed` if the table
    /// changed meanwhile, or a rival or a token elsewhere interfered.
    pub(crate) fn try_insert_unique(
        &self,
        hash: u64,
        value: Value,
        elsewhere: &impl AbsenceElsewhere,
    ) -> Result<bool, Failure> {
        let class = self.table.class(hash);
        let (first, second, fingerprint) = (class.first, class.second, class.fingerprint);
        // Take a shortcut, which is not the verdict: it saves a descriptor where the answer is
        // seen. A token that hops past these two reads is found at the witness, or its hop freezes
        // the target first.
        let (a, b) = (self.settle(first), self.settle(second));
        if a.contains(fingerprint) || b.contains(fingerprint) {
            return Ok(false);
        }
        // Choose the emptier word as the target. The other one is the witness.
        let (target, content, witness) = if a.vacancies() >= b.vacancies() {
            (first, a, second)
        } else {
            (second, b, first)
        };
        let token = Token::with_value(fingerprint, value);
        let Some(admitted) = content.with(token) else {
            // Both are full: open a slot for the next attempt. A path cannot place the token,
            // because its last hop freezes the two ends of the hop, not the two words of this
            // class.
            return Failure::after_making_room(make_room(self, class, None));
        };
        // Describe the admission.
        let mut claim = self.pool.claim().ok_or(Failure::NoDescriptor)?;
        let admission = Transfer::Admission {
            placed: token,
            target,
            witness,
            old: content,
        };
        // Change the target. It is frozen only if it still is `content`, which has no equal token.
        // So from then on the target has none, and none can come: a thread that thaws it has
        // decided the admission first. Meanwhile ask the other words, in the order in which lookups
        // read them, so that a token which moves to a later table is not missed. If there are other
        // tables, the owner alone commits, because no other thread knows where else to look.
        let outcome = change_word(self, &mut claim, admission, admitted, || {
            elsewhere.check_before()
                && self.is_absent_from_witness(&admission)
                && elsewhere.check_after()
        });
        outcome.admitted()?;
        self.counter.add(1);
        Ok(true)
    }

    /// Whether there is no token of a class, for an admission in another table. It ends an
    /// admission that is pending here. An admission that comes later acquires, through the word it
    /// freezes, all that the caller did before.
    ///
    /// Reads by read-modify-writes, for the reason of those at the witness.
    pub(crate) fn is_absent(&self, class: Class) -> bool {
        let fingerprint = class.fingerprint;
        loop {
            let version = self.stripes.version(fingerprint);
            let holds = |bucket| self.settle_latest(bucket).contains(fingerprint);
            if holds(class.first) || holds(class.second) {
                return false;
            }
            // Trust the miss only if no token has changed places meanwhile.
            if self.stripes.unchanged(fingerprint, version) {
                return true;
            }
            sync::trace(Event::Repeat);
        }
    }
}
