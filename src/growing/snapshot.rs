//! Scan: a private copy of the tokens, taken while others write, by *regions*:
//! [`snapshots`](crate::design::snapshots#tables-that-double) has the reasons.

use crate::error::{OutOfMemory, SnapshotError};
use crate::growing::item::{alternate, child, level_of};
use crate::growing::lane::Head;
use crate::growing::sweep::{Region, Stage};
use crate::growing::tokens::{Bucket, GrowingTokens, Token, children};
use crate::growing::word::Lanes16;
use crate::kernel::hints::Scan;
use crate::kernel::layout::Fingerprint;
use crate::kernel::scan::{Disturbance, in_attempts};
use crate::kernel::seats::THIS_PROCESS;
use crate::kernel::stripes::Group;

impl GrowingTokens {
    /// A copy that holds every token that is stored from the call to the return, and their number.
    pub(crate) fn snapshot(&self) -> Result<(Self, usize), SnapshotError> {
        let scan = self.hints.scan(THIS_PROCESS, 1 << self.level())?;
        in_attempts(self.stripes.len(), |passes| {
            // Make the copy before any word is read: words that the sweep has passed by now are
            // split in it.
            let copy = self.empty_at(self.stage())?;
            self.stripes
                .groups(passes)
                .try_for_each(|group| self.copy_group(&scan, group, &copy))?;
            let len = copy.taken();
            Ok((copy, len))
        })
    }

    /// An empty table like this one, at this stage.
    fn empty_at(&self, stage: Stage) -> Result<Self, OutOfMemory> {
        Self::empty(self.levels.first(), stage, self.search_budget)
    }

    /// Adds the tokens of a group of stripes to the copy: one pass.
    fn copy_group(
        &self,
        scan: &Scan<'_, Lanes16>,
        group: Group,
        copy: &GrowingTokens,
    ) -> Result<(), Disturbance> {
        // Forget old hints before the announcement: one that it causes must stay.
        scan.forget();
        // Announce the scan: from here on each hop of a token of the group leaves a hint.
        self.stripes.announce_scan(group);
        // Copy each bucket of the level, or its children.
        let level = copy.level();
        let copied = (1 << level..2 << level).try_for_each(|bucket| {
            // Read as a writer does: a pending relocation must not commit after the scan has read
            // the word.
            copy.merge_region(bucket, self.read_region(bucket)?, group)
        });
        // End it after the last word: a token that moves later is in the copy already.
        self.stripes.end_scan(group);
        copied?;
        self.heed_hints(scan, group, copy)
    }

    /// Corrects the copy where tokens have changed places. The pair of a hint is read as a whole,
    /// validated as a miss is.
    fn heed_hints(
        &self,
        scan: &Scan<'_, Lanes16>,
        group: Group,
        copy: &GrowingTokens,
    ) -> Result<(), Disturbance> {
        // Read the log: each names a pair between whose buckets a token may have moved past the
        // scan.
        let hints = scan.hints().ok_or(Disturbance::Hints)?;
        let mut hints = hints.filter(|hint| group.has(hint.fingerprint));
        hints.try_for_each(|hint| {
            // A level above that of the copy: the writer was slow, and its hint does not name a
            // region.
            let deeper = level_of(hint.bucket).checked_sub(copy.level());
            let region = hint.bucket >> deeper.ok_or(Disturbance::Other)?;
            // Read both regions of the pair again. All tokens of the head are in one stripe, so its
            // version validates them.
            let head = Head::of_fingerprint(hint.fingerprint);
            let buckets = [region, alternate(region, head)];
            let found = self.read_regions(buckets, hint.fingerprint)?;
            // Replace the tokens of the head in the copy: they are exactly those that are there at
            // one moment.
            copy.set_tokens(buckets, head, found)
        })
    }

    fn read_region(&self, bucket: usize) -> Result<Region, Disturbance> {
        self.region(bucket, Self::settled).ok_or(Disturbance::Other)
    }

    /// Both regions of a pair, such that no token of the head is missed.
    fn read_regions(&self, [a, b]: [usize; 2], f: Fingerprint) -> Result<[Region; 2], Disturbance> {
        loop {
            let version = self.stripes.version(f);
            let found = [self.read_region(a)?, self.read_region(b)?];
            if self.stripes.unchanged(f, version) {
                return Ok(found);
            }
        }
    }
}

/// Methods of the copy, which no other thread has yet.
impl GrowingTokens {
    /// Splits a region of the copy, unless it is split.
    fn split_region(&self, bucket: usize) -> Result<(), OutOfMemory> {
        let Some(content) = self.peek(bucket) else {
            return Ok(());
        };
        self.begin_growth(self.root())?;
        let children = children(bucket, content, self.levels.depth(level_of(bucket)));
        self.levels.set_region(bucket, Region::Split(children));
        Ok(())
    }

    /// Adds the tokens of a group that were found in a region, to this region if it has room for
    /// them.
    fn merge_region(&self, bucket: usize, found: Region, group: Group) -> Result<(), Disturbance> {
        if matches!(found, Region::Split(_)) {
            self.split_region(bucket)?;
        }
        let mut buckets = found.buckets(bucket);
        buckets.try_for_each(|(bucket, found)| self.merge_bucket(bucket, found, group))
    }

    fn merge_bucket(&self, bucket: usize, found: Bucket, group: Group) -> Result<(), Disturbance> {
        if group.is_all() {
            // Set the whole word: in one pass each bucket of the copy is reached once, and is
            // empty.
            debug_assert_eq!(self.peek(bucket), Some(Bucket::EMPTY));
            self.levels.set(bucket, found);
            return Ok(());
        }
        found
            .tokens()
            .filter(|&token| group.has(head(token).fingerprint()))
            .try_for_each(|token| self.place_token(bucket, token))
    }

    /// Adds a token to the copy, to this bucket if it has room.
    fn place_token(&self, bucket: usize, token: Token) -> Result<(), Disturbance> {
        let (mut bucket, mut token) = self.home_of(bucket, token);
        if self.is_growing(self.root()) && !self.look(bucket).has_room() {
            // As an insert does: a split makes room. And a path needs both buckets on one level.
            let region = bucket >> (level_of(bucket) - self.level());
            self.split_region(region)?;
            self.split_region(alternate(region, head(token)))?;
            (bucket, token) = self.home_of(bucket, token);
        }
        if self.place_in_pair(bucket, token, self.search_budget) {
            Ok(())
        } else {
            Err(Disturbance::Other)
        }
    }

    /// The bucket and the lane for a token whose bucket may be split in the copy.
    fn home_of(&self, bucket: usize, token: Token) -> (usize, Token) {
        if self.peek(bucket).is_some() {
            return (bucket, token);
        }
        let lane = token.bits() as u16;
        let (bit, rest) = self.levels.depth(level_of(bucket)).split(lane);
        // A lane is never 0.
        let rest = Token::from_bits(u32::from(rest)).unwrap_or(token);
        (child(bucket, head(token), bit), rest)
    }

    /// Gives a pair of regions the tokens of a head that were found there.
    fn set_tokens(
        &self,
        buckets: [usize; 2],
        of: Head,
        found: [Region; 2],
    ) -> Result<(), Disturbance> {
        for (bucket, found) in buckets.into_iter().zip(found) {
            if matches!(found, Region::Split(_)) {
                self.split_region(bucket)?;
            }
            let region = self.region(bucket, Self::peek);
            let contents = region.into_iter().flat_map(|region| region.buckets(bucket));
            for (bucket, content) in contents {
                let others = content.tokens().filter(|&token| head(token) != of);
                let rest = others.fold(Bucket::EMPTY, |rest, token| {
                    rest.with(token).unwrap_or(rest)
                });
                self.levels.set(bucket, rest);
            }
        }
        for (bucket, found) in buckets.into_iter().zip(found) {
            for (bucket, found) in found.buckets(bucket) {
                let mut tokens = found.tokens().filter(|&token| head(token) == of);
                tokens.try_for_each(|token| self.place_token(bucket, token))?;
            }
        }
        Ok(())
    }
}

fn head(token: Token) -> Head {
    Head::of_lane(token.bits() as u16)
}

#[cfg(test)]
mod tests {
    //! Snapshots at each stage of a growth.

    use std::vec::Vec;

    use super::*;
    use crate::growing::item::GrowingClass;
    use crate::growing::levels::Levels;
    use crate::kernel::hints::Hint;

    /// A table of this level that began at `first`.
    fn table(first: u32, level: u32) -> GrowingTokens {
        let levels = Levels::new(first).expect("memory");
        let tokens = GrowingTokens::with_levels(levels, 256).expect("memory");
        (first..level).for_each(|_| double(&tokens));
        tokens
    }

    fn begin(tokens: &GrowingTokens) {
        tokens.begin_growth(tokens.root()).expect("memory");
    }

    fn double(tokens: &GrowingTokens) {
        begin(tokens);
        assert!(tokens.finish_sweep(), "nobody is in the way");
    }

    /// The whole state of a table.
    fn state(tokens: &GrowingTokens) -> (Stage, Vec<Option<Region>>) {
        let stage = tokens.stage();
        let regions = (0..1 << stage.level).map(|place| tokens.region_at(stage.level, place));
        (stage, regions.collect())
    }

    fn assert_copied(tokens: &GrowingTokens) {
        let before = state(tokens);
        let (copy, len) = tokens.snapshot().expect("nobody disturbs it");
        assert_eq!(state(&copy), before);
        assert_eq!((copy.taken(), len), (tokens.taken(), tokens.taken()));
        assert_eq!(state(tokens), before, "to copy it changes it");
    }

    /// At rest, just begun, with buckets split in the order of the sweep and out of it, and with
    /// all of them split.
    #[test]
    fn a_copy_is_exact_at_each_stage() {
        for (first, level) in [(1, 1), (1, 2), (4, 4), (4, 5), (5, 8)] {
            let tokens = table(first, level);
            let buckets = 1usize << level;
            for hash in (0..3 * buckets as u64).map(model::mix) {
                let _ = tokens.insert(tokens.root(), hash, 256);
            }
            assert_copied(&tokens);
            begin(&tokens);
            assert_copied(&tokens);
            // From the last on, where the sweep has not come to.
            for place in (0..buckets).rev().step_by(3) {
                assert_eq!(tokens.split(buckets | place), Ok(()));
                assert_copied(&tokens);
            }
            while tokens.is_growing(tokens.root()) {
                assert_copied(&tokens);
                assert_eq!(tokens.help_to_grow(), Ok(()));
            }
            assert_copied(&tokens);
            begin(&tokens);
            for place in 0..2 * buckets {
                assert_eq!(tokens.split((2 * buckets) | place), Ok(()));
            }
            // Nobody has moved the root on.
            assert!(tokens.is_growing(tokens.root()));
            assert_copied(&tokens);
        }
    }

    /// A scan in several passes, by groups of stripes, copies each token once.
    #[test]
    fn passes_copy_once() {
        let tokens = table(4, 5);
        let hashes = || (0..96u64).map(model::mix);
        for hash in hashes() {
            let _ = tokens.insert(tokens.root(), hash, 256);
        }
        for passes in [1, 2, tokens.stripes.len()] {
            let scan = tokens
                .hints
                .scan(THIS_PROCESS, 1 << tokens.level())
                .expect("no other");
            let copy = tokens.empty_at(tokens.stage()).expect("memory");
            for group in tokens.stripes.groups(passes) {
                assert!(tokens.copy_group(&scan, group, &copy).is_ok());
            }
            assert_eq!(copy.taken(), tokens.taken(), "{passes} passes");
            assert!(hashes().all(|hash| copy.count(hash) == tokens.count(hash)));
        }
    }

    /// A writer that was slow leaves a hint of a level that the table has left before the copy.
    #[test]
    fn hint_of_a_level_above() {
        let tokens = table(4, 5);
        let f = GrowingClass::of_hash(0x0123_4567_89ab_cdef)
            .head
            .fingerprint();
        let scan = tokens
            .hints
            .scan(THIS_PROCESS, 1 << tokens.level())
            .expect("no other");
        for (bucket, heeded) in [(1 << 5, true), (1 << 4, false), (1, false)] {
            let copy = tokens.empty_at(tokens.stage()).expect("memory");
            scan.forget();
            tokens.hints.note(Hint {
                bucket,
                fingerprint: f,
            });
            for group in tokens.stripes.groups(1) {
                let outcome = tokens.heed_hints(&scan, group, &copy);
                assert_eq!(outcome.is_ok(), heeded, "bucket {bucket}");
            }
        }
    }

    /// A region that is full in the copy and not in the table gets its tokens by a split.
    #[test]
    fn a_full_region_of_a_copy_is_split() {
        let tokens = table(3, 3);
        begin(&tokens);
        let copy = tokens.empty_at(tokens.stage()).expect("memory");
        // Twelve tokens of one head and one pair of buckets, half of which go to each child.
        let hashes = (0..12u64).map(|item| 1 << 63 | (item & 1) << 61 | item << 52 | 5 << 10);
        let class = GrowingClass::of_hash(hashes.clone().next().expect("twelve"));
        let bucket = class.first.bucket(3);
        for hash in hashes.clone() {
            let lane = GrowingClass::of_hash(hash).lane(3, tokens.levels.depth(3));
            let token = Token::from_bits(u32::from(lane)).expect("it has a head");
            let placed = copy.place_token(bucket, token);
            assert!(placed.is_ok(), "no room for {hash:x}");
        }
        assert_eq!(copy.peek(bucket), None);
        assert_eq!(copy.taken(), 12);
        assert!(hashes.clone().all(|hash| copy.count(hash) == 1));
        assert!(hashes.clone().all(|hash| copy.remove(copy.root(), hash)));
    }

    /// A bucket is split after the scan has read it, and then a token of it hops.
    #[test]
    fn a_hint_splits_a_region_of_the_copy() {
        let tokens = table(3, 4);
        let item = 0x0123_4567_89ab_cdef;
        assert!(
            tokens.insert(tokens.root(), item, 256).is_ok(),
            "there is room"
        );
        begin(&tokens);
        let scan = tokens.hints.scan(THIS_PROCESS, 1 << 4).expect("no other");
        let copy = tokens.empty_at(tokens.stage()).expect("memory");
        for group in tokens.stripes.groups(1) {
            tokens.stripes.announce_scan(group);
            let read = |bucket| {
                tokens
                    .region(bucket, GrowingTokens::settled)
                    .expect("it is there")
            };
            let merged = (16..32).map(|bucket| copy.merge_region(bucket, read(bucket), group));
            assert!(merged.fold(true, |all, merged| all & merged.is_ok()));
            assert!((16..32).all(|bucket| tokens.split(bucket).is_ok()));
            assert!(tokens.relocate_one(item), "nobody is in the way");
            tokens.stripes.end_scan(group);
            let heeded = tokens.heed_hints(&scan, group, &copy);
            assert!(heeded.is_ok(), "the copy is whole there");
        }
        assert_eq!((copy.count(item), copy.taken()), (1, 1));
    }

    /// The table doubles twice after the copy was made for its level. If the stripes still
    /// announced a scan, all later hops would leave hints that nobody reads.
    #[test]
    fn a_scan_that_growth_disturbs_ends() {
        for passes in [1, 4] {
            let tokens = table(4, 4);
            let item = 0x0123_4567_89ab_cdef;
            assert!(
                tokens.insert(tokens.root(), item, 256).is_ok(),
                "there is room"
            );
            let scan = tokens
                .hints
                .scan(THIS_PROCESS, 1 << tokens.level())
                .expect("no other");
            let copy = tokens.empty_at(tokens.stage()).expect("memory");
            double(&tokens);
            double(&tokens);
            for group in tokens.stripes.groups(passes) {
                let copied = tokens.copy_group(&scan, group, &copy);
                assert!(matches!(copied, Err(Disturbance::Other)), "no growth");
            }
            let f = GrowingClass::of_hash(item).head.fingerprint();
            assert!(!tokens.stripes.bump(f), "a scan is on");
        }
    }

    /// Exclusive access ends it. Otherwise no other scan could begin, and all hops would leave
    /// hints that nobody reads.
    #[test]
    fn the_scan_of_a_dead_thread_is_ended() {
        let tokens = table(4, 4);
        let scan = tokens
            .hints
            .scan(THIS_PROCESS, 1 << tokens.level())
            .expect("no other");
        core::mem::forget(scan);
        let all = tokens.stripes.groups(1);
        all.for_each(|group| tokens.stripes.announce_scan(group));
        assert!(tokens.snapshot().is_err(), "a scan is on");
        tokens.settle_all();
        let f = GrowingClass::of_hash(0x0123_4567_89ab_cdef)
            .head
            .fingerprint();
        assert!(!tokens.stripes.bump(f), "the stripes tell of a scan");
        assert!(tokens.snapshot().is_ok(), "no other scan can begin");
    }
}
