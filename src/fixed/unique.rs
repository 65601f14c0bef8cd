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
//! stays frozen from before the read of the witness until the commit. A relocation of an equal
//! token needs both words, so none can commit in that time: the read of the witness together with
//! the frozen target is a snapshot of the class. After that read, plain inserts and removes may add
//! equal tokens to the witness and take them out again. The admission takes effect at the last
//! moment before its commit at which the class was empty: from then to the commit an equal token is
//! always there.
//!
//! Two admissions of one class with different targets, *rivals*, are each other's witness. Each
//! first freezes its target and then loads its witness, and all four accesses are in the one order
//! of SeqCst. If the first one's load comes before the second one's install, so does its own
//! install, and the second one's load finds the reference of the first, or a later value. Otherwise
//! the first one's load finds the reference of the second, or a later value. A later value shows
//! what was done: the token, or nothing. Of two under way, the one with the higher target gives
//! way. The one with the lower target aborts the other, and writes its word back: until then the
//! other one's owner could still commit. Every helper applies the same rule. So at most one of the
//! two commits.
//!
//! The owner and several helpers may ask at different times. A verdict that permits counts only if
//! its thread reaches the word or the control while the target is still frozen. So it was true when
//! the thread read the witness.
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
use crate::kernel::layout::{Bucket, Layout, Token, Value};
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::relocate::make_room;
use crate::kernel::transfer::Transfer;
use crate::kernel::word::Word;
use crate::sync;
use crate::sync::Event;

impl<L: Layout> TokenTable<L> {
    /// Adds a token of this class if there is none. Returns true if this call added it.
    ///
    /// [Linearization points](crate::design::protocol#linearization-points): its commit, or an
    /// earlier moment, if equal tokens are inserted before the commit. Of "present", the load that
    /// saw the token.
    #[inline]
    pub(crate) fn insert_unique(&self, hash: u64) -> Result<bool, Failure> {
        match self.try_insert_unique(hash, 0, &NothingElsewhere) {
            Ok(added) => Ok(added),
            Err(failure) => self.insert_unique_again(hash, failure),
        }
    }

    /// [`insert_unique`](Self::insert_unique) after a first attempt that failed.
    #[cold]
    #[inline(never)]
    fn insert_unique_again(&self, hash: u64, mut failure: Failure) -> Result<bool, Failure> {
        for _ in 1..MAX_ATTEMPTS {
            if failure != Failure::Disturbed {
                break;
            }
            match self.try_insert_unique(hash, 0, &NothingElsewhere) {
                Ok(added) => return Ok(added),
                Err(next) => failure = next,
            }
        }
        // Refuse only an item that is absent: the attempt may have missed a token that hops.
        if self.contains(hash) {
            return Ok(false);
        }
        Err(failure)
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
    #[inline]
    pub(crate) fn try_insert_unique(
        &self,
        hash: u64,
        value: Value,
        elsewhere: &impl AbsenceElsewhere,
    ) -> Result<bool, Failure> {
        let pair = self.table.pair(hash);
        let class = pair.class();
        // Load both words. Answer if a token is there.
        let (a, b) = pair.load();
        let probe = Word::probe(a, b, class.fingerprint);
        if !probe.no_reference() {
            return self.try_insert_unique_slowly(hash, value, elsewhere);
        }
        if probe.found() {
            return Ok(false);
        }
        // A miss is no verdict: a token that hops past these two reads is found at the witness, or
        // its hop freezes the target first.
        self.admit_to_emptier(class, value, a.as_bucket(), b.as_bucket(), elsewhere)
    }

    /// [`try_insert_unique`](Self::try_insert_unique) for frozen words.
    #[cold]
    #[inline(never)]
    fn try_insert_unique_slowly(
        &self,
        hash: u64,
        value: Value,
        elsewhere: &impl AbsenceElsewhere,
    ) -> Result<bool, Failure> {
        let class = self.table.class(hash);
        let (a, b) = (self.settle(class.first), self.settle(class.second));
        if a.either_contains(b, class.fingerprint) {
            return Ok(false);
        }
        self.admit_to_emptier(class, value, a, b, elsewhere)
    }

    /// [`try_insert_unique`](Self::try_insert_unique) for words that held `a` and `b`, and no token
    /// of the class.
    #[inline]
    fn admit_to_emptier(
        &self,
        class: Class,
        value: Value,
        a: Bucket<L>,
        b: Bucket<L>,
        elsewhere: &impl AbsenceElsewhere,
    ) -> Result<bool, Failure> {
        let token = Token::with_value(class.fingerprint, value);
        let (target, witness, content) = class.emptier_first(a, b);
        self.admit(token, target, witness, content, elsewhere)
    }

    /// Adds a token to the target, which held `content`, and no token of the class. A separate
    /// function, so that an item that is present costs no more than a lookup; its arguments fit the
    /// registers.
    #[inline(never)]
    fn admit(
        &self,
        token: Token<L>,
        target: usize,
        witness: usize,
        content: Bucket<L>,
        elsewhere: &impl AbsenceElsewhere,
    ) -> Result<bool, Failure> {
        let fingerprint = token.fingerprint();
        let Some(admitted) = content.with(token) else {
            // Both are full: open a slot for the next attempt. A path cannot place the token,
            // because its last hop freezes the two ends of the hop, not the two words of this
            // class. The target of two full words is the first.
            let class = Class {
                first: target,
                second: witness,
                fingerprint,
            };
            return Failure::after_making_room(make_room(self, class, None));
        };
        // Describe the admission.
        let mut claim = self.claim().ok_or(Failure::NoDescriptor)?;
        let admission = Transfer::Admission {
            placed: token,
            target,
            witness,
            old: content,
        };
        // Change the target. It is frozen only if it still is `content`, which has no equal token.
        // So from then on the target has none, and none can come: a thread that thaws it has ended
        // the admission. Meanwhile ask the other words, in the order in which lookups
        // read them, so that a token which moves to a later table is not missed. If there are other
        // tables, the owner alone commits, because no other thread knows where else to look.
        let outcome = change_word(self, &mut claim, admission, admitted, || {
            elsewhere.check_before()
                && self.is_absent_from_witness(fingerprint, target, witness)
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
    /// Loads crosswise, as at the witness.
    #[inline]
    pub(crate) fn is_absent(&self, class: Class) -> bool {
        let f = class.fingerprint;
        let version = self.stripes.version(f);
        let load = |bucket| self.table.load_crosswise(bucket);
        let probe = Word::probe(load(class.first), load(class.second), f);
        // Trust the miss only if no token has changed places meanwhile.
        if probe.no_reference() && self.stripes.unchanged(f, version) {
            return !probe.found();
        }
        self.is_absent_slowly(class)
    }

    /// [`is_absent`](Self::is_absent) in full: for words that are frozen or change.
    #[cold]
    #[inline(never)]
    fn is_absent_slowly(&self, class: Class) -> bool {
        let f = class.fingerprint;
        let mut rounds = self.rounds();
        while rounds.are_left() {
            let version = self.stripes.version(f);
            let mut holds = |bucket| self.settle_crosswise(&mut rounds, bucket).contains(f);
            if holds(class.first) || holds(class.second) {
                return false;
            }
            if self.stripes.unchanged(f, version) {
                return true;
            }
            sync::trace(Event::Repeat);
        }
        false
    }
}
