//! Scan: a private copy of the tokens, taken while others write. A token that is stored during the
//! whole scan is in the copy, however often it moves: [`snapshots`](crate::design::snapshots) has
//! the reasons.
//!
//! The copy is not one instant of the whole filter, nor of a class: the two words of a class are
//! read at two times, and a token that is removed from one and added to the other between may be
//! copied twice. If there were too many hints, the table is scanned several times, for a part of
//! the stripes each.

use crate::error::SnapshotError;
use crate::fixed::tokens::TokenTable;
use crate::kernel::geometry::Class;
use crate::kernel::hints::{Hint, Scan};
use crate::kernel::layout::{Bucket, Layout, Token};
use crate::kernel::scan::{Disturbance, in_attempts};
use crate::kernel::stripes::Group;

impl<L: Layout> TokenTable<L> {
    /// A copy that holds every token that is stored from the call to the return.
    pub(crate) fn snapshot(&self) -> Result<Self, SnapshotError> {
        // Take the right to scan: one thread at a time has it.
        let scan = self.begin_scan()?;
        in_attempts(self.stripes.len(), |passes| {
            // Begin with an empty copy at each attempt.
            let mut copy = self.empty_like()?;
            // Copy the groups of stripes one after the other.
            self.stripes
                .groups(passes)
                .try_for_each(|group| copy_group(self, &scan, group, &mut copy))?;
            copy.counter.reset(copy.taken());
            Ok(copy)
        })
    }
}

/// Adds the tokens of a group of stripes to the copy: one pass.
fn copy_group<L: Layout>(
    tokens: &TokenTable<L>,
    scan: &Scan<'_, L>,
    group: Group,
    copy: &mut TokenTable<L>,
) -> Result<(), Disturbance> {
    // Before the announcement: a hint that it causes must not be forgotten.
    scan.forget();
    tokens.stripes.announce_scan(group);
    let copied = (0..tokens.table.len()).try_for_each(|bucket| {
        // Read as a writer does: a pending relocation must not commit after the scan has read the
        // word.
        merge(copy, bucket, tokens.settle(bucket), group)
    });
    // After the last word: a token that moves later is in the copy already.
    tokens.stripes.end_scan(group);
    copied?;
    // After the copy: each class that a hint names is read as a whole, validated as a miss is, so
    // it has every token that is stored throughout. These tokens replace those of the class in the
    // copy.
    let hints = scan.hints().ok_or(Disturbance::Hints)?;
    hints
        .filter(|hint| group.has(hint.fingerprint) && hint.bucket < tokens.table.len())
        .try_for_each(|hint| {
            // Read the class anew: a token that hopped past the copy is found now, and one that was
            // copied on both sides of its hop is found once.
            let class = class_of(tokens, hint);
            set_tokens(copy, class, tokens.settled_pair(class))
        })
}

/// Adds the tokens of a group that were found in a bucket, to this bucket if it has room for them.
fn merge<L: Layout>(
    copy: &mut TokenTable<L>,
    bucket: usize,
    found: Bucket<L>,
    group: Group,
) -> Result<(), Disturbance> {
    // Take the whole bucket, if nothing can be there yet.
    if group.is_all() && copy.table.load(bucket).as_bucket() == Bucket::EMPTY {
        copy.table.set(bucket, found);
        return Ok(());
    }
    // Add the tokens of this group one by one: those of other groups are copied in other passes.
    found
        .tokens()
        .filter(|token| group.has(token.fingerprint()))
        .try_for_each(|token| place(copy, bucket, token))
}

fn place<L: Layout>(
    copy: &mut TokenTable<L>,
    bucket: usize,
    token: Token<L>,
) -> Result<(), Disturbance> {
    // Add it where it was found, so that the copy looks like the table.
    match copy.table.load(bucket).as_bucket().with(token) {
        Some(added) => copy.table.set(bucket, added),
        // Insert it as any item otherwise. The bucket of the copy may be full of tokens that have
        // left that of the table since.
        None => {
            let fingerprint = token.fingerprint();
            let class = class_of(
                copy,
                Hint {
                    bucket,
                    fingerprint,
                },
            );
            copy.insert_token(class, token)
                .map_err(|_| Disturbance::Other)?;
        }
    }
    Ok(())
}

/// Sets the tokens of a class to those found in its two words.
fn set_tokens<L: Layout>(
    copy: &mut TokenTable<L>,
    class: Class,
    found: (Bucket<L>, Bucket<L>),
) -> Result<(), Disturbance> {
    // Leave the copy as it is, if it has these tokens: most hints are superfluous.
    if are_equal(class, found, copy.settled_pair(class)) {
        return Ok(());
    }
    // Replace the class in the copy by what was found.
    while copy.remove_class(class) {}
    tokens_of(class, found).try_for_each(|token| place(copy, class.first, token))
}

/// Whether two pairs of words have the same tokens of a class.
fn are_equal<L: Layout>(
    class: Class,
    one: (Bucket<L>, Bucket<L>),
    other: (Bucket<L>, Bucket<L>),
) -> bool {
    // Compare as multisets: tokens of a class differ by their values, and their places do not
    // count.
    let copies = |token, pair| tokens_of(class, pair).filter(|&t| t == token).count();
    tokens_of(class, one).count() == tokens_of(class, other).count()
        && tokens_of(class, one).all(|token| copies(token, one) == copies(token, other))
}

fn tokens_of<L: Layout>(
    class: Class,
    (a, b): (Bucket<L>, Bucket<L>),
) -> impl Iterator<Item = Token<L>> {
    let tokens = a.tokens().chain(b.tokens());
    tokens.filter(move |token| token.fingerprint() == class.fingerprint)
}

fn class_of<L: Layout>(tokens: &TokenTable<L>, hint: Hint) -> Class {
    Class {
        first: hint.bucket,
        second: tokens.table.alternate(hint.bucket, hint.fingerprint),
        fingerprint: hint.fingerprint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::geometry::Geometry;
    use crate::kernel::layout::{Lanes, Value};
    use crate::kernel::pool::PoolSize;

    type L = Lanes<4, 12, 4>;

    const HASH: u64 = 0x111;

    fn holding(values: &[Value]) -> TokenTable<L> {
        let geometry = Geometry::with_buckets(2).expect("accepted");
        let tokens = TokenTable::new(geometry, 2, Some(PoolSize::exactly(1))).expect("memory");
        for &value in values {
            tokens.insert(HASH, value).expect("room");
        }
        tokens
    }

    fn values(tokens: &TokenTable<L>) -> Vec<Value> {
        let mut values = Vec::new();
        tokens.values(HASH, |value| values.push(value));
        values.sort_unstable();
        values
    }

    /// Whatever tokens of the class the copy had: fewer, more, or the same number with other
    /// values.
    #[test]
    fn a_class_gets_the_tokens_that_were_found() {
        let found = holding(&[4, 9, 9]);
        let class = found.table.class(HASH);
        for before in [&[][..], &[4], &[4, 9, 9], &[4, 4, 9], &[9, 9, 9, 9, 9]] {
            let mut copy = holding(before);
            copy.insert(!HASH, 3).expect("room");
            let set = set_tokens(&mut copy, class, found.settled_pair(class));
            assert!(set.is_ok());
            assert_eq!(values(&copy), [4, 9, 9], "it had {before:?}");
            assert_eq!(copy.value(!HASH), Some(3), "a token of another class");
            assert_eq!(copy.taken(), 4);
        }
    }
}
