//! Scan: a private copy of the tokens, taken while others write. As [`scan`](crate::tokens) makes one of a table of a fixed
//! size, where the reasons are.
//!
//! What is of its own here: a scan reads *regions*, each a bucket of one level, or its two children if it has been split.
//! The copy is a table of that level, in which the same regions are split. So a growth may begin, go on, and end under it.
//!
//! A token is on one of its two sides, and on each side one word is live at a time, of which the token is in if it is on
//! that side. A split makes another word the live one, and leaves the token on its side. So what a scan reads of a region
//! is what the live word of a side held at that moment: the bucket, which is live as long as it is there; or a child, which
//! is live since the bucket is gone. A token that is in all the while, and that neither read has found, has changed sides
//! between them. It hopped, between words of one level, and then one of two things holds, as in a table of a fixed size:
//!
//! * Its mover bumped after the announcement, and left a hint. The scan acquired the hop with the live word of the side that
//!   the token had left: that is the word it left, or a part of it, made of a content without it.
//! * It bumped before. Then the announcement acquired both references, and that all above them was gone. So on the side
//!   that the token came to, the scan met the reference, or what came later: in that word, or in a part of it, which is
//!   there only when the word has been settled.
//!
//! For tokens that took turns the reasons are the same, because all that cover an item are in its two regions: their
//! prefixes agree in the number of the bucket. If a region has been split twice, the scan begins again.

use super::finish::parts;
use super::parts::{Bucket, Doubling, Token};
use super::relocation::LevelGraph;
use super::settlement::settled;
use crate::error::{OutOfMemory, SnapshotError};
use crate::layout::Fingerprint;
use crate::layout::prefix::Head;
use crate::table::Candidates;
use crate::table::doubling::{Blocks, Lanes16, Region, Stage, alternate, child, level_of};
use crate::tokens::hints::Scan;
use crate::tokens::insertion::{self, Opened, open};
use crate::tokens::scan::{Disturbance, in_attempts};
use crate::tokens::stripes::Group;

/// A copy that holds every token that is in from the call to the return, and their number.
pub(super) fn snapshot(tokens: &Doubling) -> Result<(Doubling, usize), SnapshotError> {
    let scan = tokens.hints.scan(1 << tokens.level())?;
    in_attempts(tokens.stripes.len(), |passes| {
        // Before any word: what the sweep has passed by now is split in the copy.
        let copy = tokens.empty_at(tokens.stage())?;
        Group::all(passes).try_for_each(|group| copy_group(tokens, &scan, group, &copy))?;
        let len = copy.taken();
        Ok((copy, len))
    })
}

/// An empty table that began at one level, and has come so far.
pub(super) fn empty(
    first: u32,
    stage: Stage,
    search_budget: usize,
) -> Result<Doubling, OutOfMemory> {
    let region = |place| {
        if stage.has_passed(place) {
            Region::Split([Bucket::EMPTY; 2])
        } else {
            Region::Whole(Bucket::EMPTY)
        }
    };
    let blocks = Blocks::with_regions(first, stage, region)?;
    Doubling::with_blocks(blocks, search_budget)
}

impl Doubling {
    /// An empty table like this one, which has come so far.
    fn empty_at(&self, stage: Stage) -> Result<Self, OutOfMemory> {
        empty(self.blocks.first(), stage, self.search_budget)
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
        merge(copy, bucket, read(tokens, bucket)?, group)
    });
    // After the last word: a token that moves later is in the copy already.
    tokens.stripes.end_scan(group);
    copied?;
    heed_hints(tokens, scan, group, copy)
}

/// Corrects the copy where tokens have changed places. What a hint names is read as a whole, validated as a miss is.
fn heed_hints(
    tokens: &Doubling,
    scan: &Scan<'_, Lanes16>,
    group: Group,
    copy: &Doubling,
) -> Result<(), Disturbance> {
    let hints = scan.hints().ok_or(Disturbance::Hints)?;
    let mut hints = hints.filter(|hint| group.has(hint.fingerprint));
    hints.try_for_each(|hint| {
        // Of a writer that was slow: it goes on in one of the regions below that bucket, and does not say in which.
        let deeper = level_of(hint.bucket).checked_sub(copy.level());
        let region = hint.bucket >> deeper.ok_or(Disturbance::Other)?;
        let head = Head::of_fingerprint(hint.fingerprint);
        let buckets = [region, alternate(region, head)];
        let found = read_pair(tokens, buckets, hint.fingerprint)?;
        set_tokens(copy, buckets, head, found)
    })
}

fn read(tokens: &Doubling, bucket: usize) -> Result<Region, Disturbance> {
    tokens.region(bucket, settled).ok_or(Disturbance::Other)
}

/// Both regions of a pair, such that no token of the head is missed.
fn read_pair(
    tokens: &Doubling,
    [a, b]: [usize; 2],
    f: Fingerprint,
) -> Result<[Region; 2], Disturbance> {
    loop {
        let version = tokens.stripes.version(f);
        let found = [read(tokens, a)?, read(tokens, b)?];
        if tokens.stripes.unchanged(f, version) {
            return Ok(found);
        }
    }
}

/// Splits a region of the copy, unless it is split.
fn split(copy: &Doubling, bucket: usize) -> Result<(), OutOfMemory> {
    let Some(content) = copy.peek(bucket) else {
        return Ok(());
    };
    copy.begin_to_grow(copy.hint())?;
    let parts = parts(bucket, content, copy.blocks.depth(level_of(bucket)));
    copy.blocks.set_region(bucket, Region::Split(parts));
    Ok(())
}

/// Adds the tokens of a group that were found in a region, to this region if it has room for them.
fn merge(copy: &Doubling, bucket: usize, found: Region, group: Group) -> Result<(), Disturbance> {
    if matches!(found, Region::Split(_)) {
        split(copy, bucket)?;
    }
    let mut buckets = found.buckets(bucket);
    buckets.try_for_each(|(bucket, found)| merge_bucket(copy, bucket, found, group))
}

fn merge_bucket(
    copy: &Doubling,
    bucket: usize,
    found: Bucket,
    group: Group,
) -> Result<(), Disturbance> {
    if group.is_all() && copy.peek(bucket) == Some(Bucket::EMPTY) {
        copy.blocks.set(bucket, found);
        return Ok(());
    }
    found
        .tokens()
        .filter(|&token| group.has(head(token).fingerprint()))
        .try_for_each(|token| place(copy, bucket, token))
}

/// Adds a token to a table that nobody else has, to this bucket if it has room.
pub(super) fn place(copy: &Doubling, bucket: usize, token: Token) -> Result<(), Disturbance> {
    let (mut bucket, mut token) = live(copy, bucket, token);
    if copy.is_growing(copy.hint()) && !copy.look(bucket).has_room() {
        // As an insert does: a split makes room. And a path needs both buckets on one level.
        let region = bucket >> (level_of(bucket) - copy.level());
        split(copy, region)?;
        split(copy, alternate(region, head(token)))?;
        (bucket, token) = live(copy, bucket, token);
    }
    let other = alternate(bucket, head(token));
    let graph =
        LevelGraph::of(copy, level_of(bucket), copy.search_budget).ok_or(Disturbance::Other)?;
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
        match open(&graph, pair, Some(token)) {
            Ok(Opened::Done) => return Ok(()),
            Ok(Opened::Disturbed | Opened::Starved) => {}
            Err(_) => break,
        }
    }
    Err(Disturbance::Other)
}

/// Where a token is to go that belongs in a bucket which may be split in the copy.
fn live(copy: &Doubling, bucket: usize, token: Token) -> (usize, Token) {
    if copy.peek(bucket).is_some() {
        return (bucket, token);
    }
    let lane = token.bits() as u16;
    let (bit, rest) = copy.blocks.depth(level_of(bucket)).split(lane);
    // A lane is never 0.
    let rest = Token::from_bits(u32::from(rest)).unwrap_or(token);
    (child(bucket, head(token), bit), rest)
}

/// Gives a pair of regions the tokens of a head that were found there.
fn set_tokens(
    copy: &Doubling,
    buckets: [usize; 2],
    of: Head,
    found: [Region; 2],
) -> Result<(), Disturbance> {
    for (bucket, found) in buckets.into_iter().zip(found) {
        if matches!(found, Region::Split(_)) {
            split(copy, bucket)?;
        }
        let region = copy.region(bucket, Doubling::peek);
        let contents = region.into_iter().flat_map(|region| region.buckets(bucket));
        for (bucket, content) in contents {
            let others = content.tokens().filter(|&token| head(token) != of);
            let rest = others.fold(Bucket::EMPTY, |rest, token| {
                rest.with(token).unwrap_or(rest)
            });
            copy.blocks.set(bucket, rest);
        }
    }
    for (bucket, found) in buckets.into_iter().zip(found) {
        for (bucket, found) in found.buckets(bucket) {
            let mut tokens = found.tokens().filter(|&token| head(token) == of);
            tokens.try_for_each(|token| place(copy, bucket, token))?;
        }
    }
    Ok(())
}

fn head(token: Token) -> Head {
    Head::of_lane(token.bits() as u16)
}

#[cfg(test)]
mod tests;
