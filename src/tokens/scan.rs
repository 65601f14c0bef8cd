//! Scan: a private copy of the tokens, taken while others write. A token that is stored during the whole scan is in the
//! copy, however often it moves: [`snapshots`](crate::design::snapshots) has the reasons.
//!
//! The copy is not one instant of the whole filter: each class is copied at a time of its own. If there were too
//! many hints, the table is scanned several times, for a part of the stripes each.

use super::hints::{Hint, NoScan, Scan};
use super::insertion::insert_token;
use super::lookup::pair;
use super::parts::Tokens;
use super::removal::remove_class;
use super::settlement::settle;
use super::stripes::Group;
use crate::error::{OutOfMemory, SnapshotError};
use crate::layout::{Bucket, Layout, Token};
use crate::sync;
use crate::table::Candidates;

/// Why an attempt failed.
pub(super) enum Disturbance {
    /// More tokens moved than the log of hints holds.
    Hints,
    /// The copy is full, because it has both tokens removed during the scan and tokens inserted during it. Or the table
    /// has grown twice.
    Other,
    OutOfMemory(OutOfMemory),
}

/// Attempts, each in several passes if too many tokens moved in the one before.
const ATTEMPTS: usize = if sync::MODEL { 2 } else { 8 };

/// The factor by which the number of passes grows.
const MORE_PASSES: usize = 4;

impl From<OutOfMemory> for Disturbance {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}

impl From<NoScan> for SnapshotError {
    fn from(error: NoScan) -> Self {
        match error {
            NoScan::Busy => Self::Busy,
            NoScan::OutOfMemory(error) => Self::OutOfMemory(error),
        }
    }
}

/// A copy that holds every token that is stored from the call to the return, and their number.
pub(super) fn snapshot<L: Layout>(tokens: &Tokens<L>) -> Result<(Tokens<L>, usize), SnapshotError> {
    let scan = tokens.hints.scan(tokens.table.len())?;
    in_attempts(tokens.stripes.len(), |passes| {
        let mut copy = tokens.empty_like()?;
        Group::all(passes).try_for_each(|group| copy_group(tokens, &scan, group, &mut copy))?;
        let len = copy.taken();
        Ok((copy, len))
    })
}

/// Calls `attempt` until it succeeds or the attempts run out, with a number of passes that rises if too many tokens
/// moved.
pub(super) fn in_attempts<T>(
    stripes: usize,
    mut attempt: impl FnMut(usize) -> Result<T, Disturbance>,
) -> Result<T, SnapshotError> {
    let mut passes = 1;
    for _ in 0..ATTEMPTS {
        match attempt(passes) {
            Ok(copy) => return Ok(copy),
            Err(Disturbance::Hints) => passes = (passes * MORE_PASSES).min(stripes),
            Err(Disturbance::Other) => {}
            Err(Disturbance::OutOfMemory(error)) => return Err(error.into()),
        }
    }
    Err(SnapshotError::Disturbed)
}

/// Adds the tokens of a group of stripes to the copy: one pass.
fn copy_group<L: Layout>(
    tokens: &Tokens<L>,
    scan: &Scan<'_, L>,
    group: Group,
    copy: &mut Tokens<L>,
) -> Result<(), Disturbance> {
    // Before the announcement: a hint that it causes must not be forgotten.
    scan.forget();
    tokens.stripes.announce_scan(group);
    let copied = (0..tokens.table.len()).try_for_each(|bucket| {
        // Read as a writer does: a pending relocation must not commit after the scan has read the word.
        merge(copy, bucket, settle(tokens, bucket), group)
    });
    // After the last word: a token that moves later is in the copy already.
    tokens.stripes.end_scan(group);
    copied?;
    // After the copy: each class that a hint names is read as a whole, validated as a miss is, so it has
    // every token that is stored throughout. These tokens replace those of the class in the copy.
    let hints = scan.hints().ok_or(Disturbance::Hints)?;
    hints
        .filter(|hint| group.has(hint.fingerprint))
        .try_for_each(|hint| {
            let class = class_of(tokens, hint);
            set_tokens(copy, class, pair(tokens, class))
        })
}

/// Adds the tokens of a group that were found in a bucket, to this bucket if it has room for them.
fn merge<L: Layout>(
    copy: &mut Tokens<L>,
    bucket: usize,
    found: Bucket<L>,
    group: Group,
) -> Result<(), Disturbance> {
    if group.is_all() && copy.table.load(bucket).plain() == Bucket::EMPTY {
        copy.table.set(bucket, found);
        return Ok(());
    }
    found
        .tokens()
        .filter(|token| group.has(token.fingerprint()))
        .try_for_each(|token| place(copy, bucket, token))
}

fn place<L: Layout>(
    copy: &mut Tokens<L>,
    bucket: usize,
    token: Token<L>,
) -> Result<(), Disturbance> {
    match copy.table.load(bucket).plain().with(token) {
        Some(added) => copy.table.set(bucket, added),
        None => {
            let fingerprint = token.fingerprint();
            let class = class_of(
                copy,
                Hint {
                    bucket,
                    fingerprint,
                },
            );
            insert_token(copy, class, token).map_err(|_| Disturbance::Other)?;
        }
    }
    Ok(())
}

/// Sets the tokens of a class to those found in its two words.
fn set_tokens<L: Layout>(
    copy: &mut Tokens<L>,
    class: Candidates,
    found: (Bucket<L>, Bucket<L>),
) -> Result<(), Disturbance> {
    if are_equal(class, found, pair(copy, class)) {
        return Ok(());
    }
    while remove_class(copy, class) {}
    tokens_of(class, found).try_for_each(|token| place(copy, class.first, token))
}

/// Whether two pairs of words have the same tokens of a class.
fn are_equal<L: Layout>(
    class: Candidates,
    one: (Bucket<L>, Bucket<L>),
    other: (Bucket<L>, Bucket<L>),
) -> bool {
    let copies = |token, pair| tokens_of(class, pair).filter(|&t| t == token).count();
    tokens_of(class, one).count() == tokens_of(class, other).count()
        && tokens_of(class, one).all(|token| copies(token, one) == copies(token, other))
}

fn tokens_of<L: Layout>(
    class: Candidates,
    (a, b): (Bucket<L>, Bucket<L>),
) -> impl Iterator<Item = Token<L>> {
    let tokens = a.tokens().chain(b.tokens());
    tokens.filter(move |token| token.fingerprint() == class.fingerprint)
}

fn class_of<L: Layout>(tokens: &Tokens<L>, hint: Hint) -> Candidates {
    Candidates {
        first: hint.bucket,
        second: tokens.table.alternate(hint.bucket, hint.fingerprint),
        fingerprint: hint.fingerprint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Lanes, Value};
    use crate::table::{Geometry, Table};

    type L = Lanes<4, 12, 4>;

    const HASH: u64 = 0x111;

    fn holding(values: &[Value]) -> Tokens<L> {
        let table = Table::new(Geometry::with_buckets(2).expect("accepted")).expect("memory");
        let tokens = Tokens::with_table(table, 2, Some(1)).expect("memory");
        for &value in values {
            tokens.insert(HASH, value).expect("room");
        }
        tokens
    }

    fn values(tokens: &Tokens<L>) -> Vec<Value> {
        let mut values = Vec::new();
        tokens.values(HASH, |value| values.push(value));
        values.sort_unstable();
        values
    }

    /// Whatever tokens of the class the copy had: fewer, more, or the same number with other values.
    #[test]
    fn a_class_gets_the_tokens_that_were_found() {
        let found = holding(&[4, 9, 9]);
        let class = found.table.candidates(HASH);
        for before in [&[][..], &[4], &[4, 9, 9], &[4, 4, 9], &[9, 9, 9, 9, 9]] {
            let mut copy = holding(before);
            copy.insert(!HASH, 3).expect("room");
            let set = set_tokens(&mut copy, class, pair(&found, class));
            assert!(set.is_ok());
            assert_eq!(values(&copy), [4, 9, 9], "it had {before:?}");
            assert_eq!(copy.value(!HASH), Some(3), "a token of another class");
            assert_eq!(copy.taken(), 4);
        }
    }
}
