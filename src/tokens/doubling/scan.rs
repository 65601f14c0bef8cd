//! Scan: a private copy of the tokens, taken while others write. Word by word, as [`scan`](crate::tokens) does in a table
//! of a fixed size, where the reasons are.
//!
//! What is of its own here: a scan reads the words of one level, and begins again if it meets one that is gone. So none
//! was split before it was read, and whatever a token did meanwhile it did among words of this level.

use super::parts::{Bucket, Doubling, Token};
use super::relocation::Ground;
use super::settlement::{Settled, settle};
use super::splitting::finish_growth;
use crate::error::{OutOfMemory, SnapshotError};
use crate::layout::Fingerprint;
use crate::layout::prefix::Head;
use crate::sync;
use crate::table::Candidates;
use crate::table::doubling::{Blocks, Lanes16, alternate, level_of};
use crate::tokens::hints::Scan;
use crate::tokens::insertion::{self, Opened, open};
use crate::tokens::stripes::Group;

/// Why one attempt failed.
enum Disturbance {
    /// More tokens moved than the log of hints holds.
    Hints,
    /// The table has grown.
    Growth,
    /// The copy is full.
    NoRoom,
}

/// Attempts, each in several passes if too many tokens moved in the one before.
const ATTEMPTS: usize = if sync::MODEL { 2 } else { 8 };

/// By how much the number of passes grows.
const MORE_PASSES: usize = 4;

/// A copy that holds every token that is in from the call to the return, and their number.
pub(super) fn snapshot(tokens: &Doubling) -> Result<(Doubling, usize), SnapshotError> {
    let scan = tokens.hints.scan(1 << tokens.level())?;
    let mut passes = 1;
    for _ in 0..ATTEMPTS {
        if !finish_growth(tokens) {
            continue;
        }
        let copy = tokens.empty_at(tokens.level())?;
        let copied =
            Group::all(passes).try_for_each(|group| copy_group(tokens, &scan, group, &copy));
        match copied {
            Ok(()) => {
                let len = copy.taken();
                return Ok((copy, len));
            }
            Err(Disturbance::Hints) => passes = (passes * MORE_PASSES).min(tokens.stripes.len()),
            Err(Disturbance::Growth | Disturbance::NoRoom) => {}
        }
    }
    Err(SnapshotError::Disturbed)
}

impl Doubling {
    /// An empty table like this one, at a level.
    pub(super) fn empty_at(&self, level: u32) -> Result<Self, OutOfMemory> {
        let blocks = Blocks::with_words(self.blocks.first(), level, |_| Bucket::EMPTY)?;
        Self::with_blocks(blocks, self.search_budget)
    }
}

/// Adds the tokens of a group of stripes to the copy.
fn copy_group(
    tokens: &Doubling,
    scan: &Scan<'_, Lanes16>,
    group: Group,
    copy: &Doubling,
) -> Result<(), Disturbance> {
    // Before the announcement: a hint that it causes must not be forgotten.
    scan.forget();
    tokens.stripes.announce_scan(group);
    let level = copy.level();
    let copied = (1 << level..2 << level).try_for_each(|bucket| {
        // Read as a writer does: a pending relocation must not commit after the scan has read the word.
        merge(copy, bucket, content(tokens, bucket)?, group)
    });
    // After the last word: a token that moves later is in the copy already.
    tokens.stripes.end_scan(group);
    copied?;
    // After the copy: what a hint names is read as a whole, validated as a miss is.
    let hints = scan.hints().ok_or(Disturbance::Hints)?;
    hints
        .filter(|hint| group.has(hint.fingerprint))
        .try_for_each(|hint| {
            if level_of(hint.bucket) != level {
                return Err(Disturbance::Growth);
            }
            let head = Head::of_fingerprint(hint.fingerprint);
            let buckets = [hint.bucket, alternate(hint.bucket, head)];
            let found = read_pair(tokens, buckets, hint.fingerprint)?;
            set_tokens(copy, buckets, head, found)
        })
}

fn content(tokens: &Doubling, bucket: usize) -> Result<Bucket, Disturbance> {
    match settle(tokens, bucket) {
        Settled::Bucket(content) => Ok(content),
        Settled::Gone | Settled::Absent => Err(Disturbance::Growth),
    }
}

/// Both buckets of a pair, such that no token of the head is missed.
fn read_pair(
    tokens: &Doubling,
    [a, b]: [usize; 2],
    f: Fingerprint,
) -> Result<[Bucket; 2], Disturbance> {
    loop {
        let version = tokens.stripes.version(f);
        let found = [content(tokens, a)?, content(tokens, b)?];
        if tokens.stripes.unchanged(f, version) {
            return Ok(found);
        }
    }
}

/// Adds the tokens of a group that were found in a bucket, to this bucket if it has room for them.
fn merge(copy: &Doubling, bucket: usize, found: Bucket, group: Group) -> Result<(), Disturbance> {
    if group.is_all() && copy.look(bucket) == Bucket::EMPTY {
        copy.blocks.set(bucket, found);
        return Ok(());
    }
    found
        .tokens()
        .filter(|&token| group.has(head(token).fingerprint()))
        .try_for_each(|token| place(copy, bucket, token))
}

fn place(copy: &Doubling, bucket: usize, token: Token) -> Result<(), Disturbance> {
    let other = alternate(bucket, head(token));
    let ground = Ground::of(copy, level_of(bucket)).ok_or(Disturbance::NoRoom)?;
    for _ in 0..insertion::ATTEMPTS {
        for bucket in [bucket, other] {
            if let Some(added) = copy.look(bucket).with(token) {
                copy.blocks.set(bucket, added);
                return Ok(());
            }
        }
        let pair = Candidates {
            first: bucket,
            second: other,
            fingerprint: token.fingerprint(),
        };
        match open(&ground, pair, Some(token)) {
            Ok(Opened::Done) => return Ok(()),
            Ok(Opened::Disturbed | Opened::Starved) => {}
            Err(_) => break,
        }
    }
    Err(Disturbance::NoRoom)
}

/// Gives a pair of buckets the tokens of a head that were found there.
fn set_tokens(
    copy: &Doubling,
    buckets: [usize; 2],
    of: Head,
    found: [Bucket; 2],
) -> Result<(), Disturbance> {
    for bucket in buckets {
        let others = copy
            .look(bucket)
            .tokens()
            .filter(|&token| head(token) != of);
        let rest = others.fold(Bucket::EMPTY, |rest, token| {
            rest.with(token).unwrap_or(rest)
        });
        copy.blocks.set(bucket, rest);
    }
    for (bucket, found) in buckets.into_iter().zip(found) {
        let mut tokens = found.tokens().filter(|&token| head(token) == of);
        tokens.try_for_each(|token| place(copy, bucket, token))?;
    }
    Ok(())
}

fn head(token: Token) -> Head {
    Head::of_lane(token.bits() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::doubling::Class;

    /// The table doubles after the copy was made for its level. If the stripes still said that a scan is on, all that hops
    /// from then on would leave hints that nobody reads.
    #[test]
    fn a_scan_that_growth_disturbs_ends() {
        for passes in [1, 4] {
            let blocks = Blocks::new(4).expect("memory");
            let tokens = Doubling::with_blocks(blocks, 256).expect("memory");
            let item = 0x0123_4567_89ab_cdef;
            assert!(tokens.insert(item).is_ok(), "there is room");
            let scan = tokens.hints.scan(1 << tokens.level()).expect("no other");
            let copy = tokens.empty_at(tokens.level()).expect("memory");
            tokens.begin_to_grow(tokens.hint()).expect("memory");
            assert!(finish_growth(&tokens), "nobody is in the way");
            for group in Group::all(passes) {
                let copied = copy_group(&tokens, &scan, group, &copy);
                assert!(matches!(copied, Err(Disturbance::Growth)), "no growth");
            }
            let f = Class::of_hash(item).head.fingerprint();
            assert!(!tokens.stripes.bump(f), "a scan is on");
        }
    }
}
