//! Admission: adds a token if there is no equal one, exactly once among racing threads.
//!
//! It freezes one word, the target, then reads the other, the witness, and commits if that holds no equal token:
//! [why](crate::design::protocol#admissions) this is exact.
//!
//! Tokens can be spread over several tables, as in a filter that rotates, or has doubled ten times. The others must
//! then have no equal token either. An admission freezes its own word first. Then it asks the others, one by one, in
//! the order in which lookups read them ([`OtherTables`]). They answer by [`holds_none`].

use super::descriptor::{Pending, State};
use super::insertion::{ATTEMPTS, Opened, Refusal, open};
use super::lookup;
use super::parts::Tokens;
use super::settlement::{self, NoOtherTables, OtherTables, settle, settle_reference};
use super::transfer::Transfer;
use crate::layout::{Bucket, Layout, Token, Value};
use crate::sync::{self, Event};
use crate::table::Content;

/// How an attempt to add the only token of a class ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    Admitted,
    /// A token of the class is here.
    Present,
    /// The table changed meanwhile, or a rival or a token elsewhere interfered.
    Disturbed,
    /// No descriptor was free.
    Starved,
}

impl Attempt {
    /// The outcome of an attempt that found both buckets full, and tried to open a slot.
    pub(super) fn to_make_room(opened: Result<Opened, Refusal>) -> Result<Self, Refusal> {
        match opened {
            Ok(Opened::Done | Opened::Disturbed) => Ok(Self::Disturbed),
            Ok(Opened::Starved) => Ok(Self::Starved),
            // Each bucket was full of copies when it was read, so the item was present.
            Err(Refusal::AllCopies) => Ok(Self::Present),
            Err(refusal) => Err(refusal),
        }
    }
}

/// Adds a token of this class if there is none. Returns true if this call added it.
///
/// [Linearization points](crate::design::protocol#linearization-points): its commit, or an earlier moment, if equal
/// tokens are inserted before the commit. Of "present", the load that saw the token.
pub(super) fn insert_unique<L: Layout>(tokens: &Tokens<L>, hash: u64) -> Result<bool, Refusal> {
    if lookup::contains(tokens, hash) {
        return Ok(false);
    }
    let mut refusal = Refusal::Disturbed;
    for _ in 0..ATTEMPTS {
        match try_to_admit(tokens, hash, 0, &NoOtherTables)? {
            Attempt::Admitted => return Ok(true),
            Attempt::Present => return Ok(false),
            Attempt::Disturbed => refusal = Refusal::Disturbed,
            Attempt::Starved => refusal = Refusal::Starved,
        }
    }
    Err(refusal)
}

/// Adds a token of this class with a value if there is none. Returns `None` if this call added it, otherwise a stored
/// token of the class.
///
/// Linearization points: as of [`insert_unique`]; of "present", the load that saw the token that is returned.
pub(super) fn find_or_insert<L: Layout>(
    tokens: &Tokens<L>,
    hash: u64,
    value: Value,
) -> Result<Option<Token<L>>, Refusal> {
    let mut refusal = Refusal::Disturbed;
    for _ in 0..ATTEMPTS {
        if let Some(token) = lookup::find(tokens, hash) {
            return Ok(Some(token));
        }
        match try_to_admit(tokens, hash, value, &NoOtherTables)? {
            Attempt::Admitted => return Ok(None),
            // The next lookup finds the token.
            Attempt::Present | Attempt::Disturbed => refusal = Refusal::Disturbed,
            Attempt::Starved => refusal = Refusal::Starved,
        }
    }
    Err(refusal)
}

/// One attempt to add a token of this class, if there is none here or `elsewhere`.
pub(super) fn try_to_admit<L: Layout>(
    tokens: &Tokens<L>,
    hash: u64,
    value: Value,
    elsewhere: &impl OtherTables,
) -> Result<Attempt, Refusal> {
    let class = tokens.table.candidates(hash);
    let (first, second, fingerprint) = (class.first, class.second, class.fingerprint);
    // A shortcut, not the verdict: it saves a descriptor where the answer is seen. A token that hops past these two
    // reads is found at the witness, or its hop freezes the target first.
    let (a, b) = (settle(tokens, first), settle(tokens, second));
    if a.contains(fingerprint) || b.contains(fingerprint) {
        return Ok(Attempt::Present);
    }
    let (target, content, witness) = if a.vacancies() >= b.vacancies() {
        (first, a, second)
    } else {
        (second, b, first)
    };
    let token = Token::with_value(fingerprint, value);
    let Some(admitted) = content.with(token) else {
        return Attempt::to_make_room(open(tokens, class, None));
    };
    let Some(mut claim) = tokens.pool.claim() else {
        sync::happened(Event::Starved);
        sync::yield_now();
        return Ok(Attempt::Starved);
    };
    let transfer = Transfer {
        moved: None,
        placed: Some(token),
        source: target,
        destination: witness,
        old_source: content,
        old_destination: Bucket::EMPTY,
    };
    let (reference, control) = claim.publish(transfer);
    // Succeeds only if the target still is `content`, which has no equal token. So from this exchange on the target has
    // none, and none can come: it is frozen, and a thread that thaws it has decided the admission first.
    if !tokens.table.exchange(target, content, reference) {
        claim.decide(control, State::Aborted);
        return Ok(Attempt::Disturbed);
    }
    let admission = Pending {
        reference,
        control,
        transfer,
        old: content,
    };
    settlement::decide(tokens, &admission, elsewhere);
    // Decided by this thread or by another one: the first verdict stands, and only the owner begins the next use.
    let committed = claim.state() == State::Committed;
    // If this exchange fails, another thread has done it.
    tokens.table.exchange(
        target,
        reference,
        if committed { admitted } else { content },
    );
    if committed {
        return Ok(Attempt::Admitted);
    }
    sync::happened(Event::Rejected);
    Ok(Attempt::Disturbed)
}

/// Whether there is no token of a class, for an admission in another table. It aborts an admission that is pending
/// here. An admission that comes later acquires, through the word it freezes, all that the caller did before.
///
/// Validated by the version, as any miss is. Read-modify-writes, as at the
/// [witness](crate::design::protocol#admissions).
pub(super) fn holds_none<L: Layout>(tokens: &Tokens<L>, hash: u64) -> bool {
    let class = tokens.table.candidates(hash);
    let fingerprint = class.fingerprint;
    loop {
        let version = tokens.stripes.version(fingerprint);
        let holds = |bucket| settle_latest(tokens, bucket).contains(fingerprint);
        if holds(class.first) || holds(class.second) {
            return false;
        }
        if tokens.stripes.unchanged(fingerprint, version) {
            return true;
        }
        sync::happened(Event::Repeat);
    }
}

fn settle_latest<L: Layout>(tokens: &Tokens<L>, bucket: usize) -> Bucket<L> {
    match tokens.table.read_latest(bucket).content() {
        Content::Bucket(content) => content,
        Content::Reference(_) => settle_reference(tokens, bucket),
    }
}
