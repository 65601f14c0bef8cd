//! Admission: adds a token if none covers the item, exactly once among racing threads.
//!
//! Only its owner commits it: [`doubling`](crate::design::doubling#admissions) has the reasons.

use core::hint::select_unpredictable;

use crate::growing::item::{GrowingClass, Index, level_of};
use crate::growing::levels::Root;
use crate::growing::ops::{emptier, token};
use crate::growing::tokens::{Bucket, GrowingTokens, Step, Token, prefix};
use crate::growing::word::{GrowingWord, WordState};
use crate::kernel::change::change_word;
use crate::kernel::descriptor::{Pending, Resolved, Status};
use crate::kernel::elsewhere::AbsenceElsewhere;
use crate::kernel::outcome::Failure;
use crate::kernel::transfer::Transfer;
use crate::sync;
use crate::sync::Event;

impl GrowingTokens {
    /// One attempt to add a token, by a root of just before, if no token covers the item here or
    /// `elsewhere`.
    ///
    /// Linearization points: as in a [fixed table](crate::design::protocol#linearization-points),
    /// with tokens that cover the item for those of its class.
    #[inline]
    pub(crate) fn try_insert_unique(
        &self,
        root: Root,
        hash: u64,
        budget: usize,
        elsewhere: &impl AbsenceElsewhere,
    ) -> Result<bool, Failure> {
        let pair = self.levels.pair(root, hash);
        // Load both words. A plain word is the live one, whatever the root said.
        let (a, b) = pair.load();
        if root.is_at_rest() && GrowingWord::surely_buckets(a, b) {
            // Answer if a token that covers the item is there. A miss is no verdict.
            if pair.covering(a, b) != 0 {
                return Ok(false);
            }
            let class = GrowingClass::of_hash(hash);
            let (a, b) = (a.as_bucket(), b.as_bucket());
            // Choose the emptier word as the target, without a branch, because the choice is
            // unpredictable.
            let first_is_emptier = a.vacancies() >= b.vacancies();
            let target = select_unpredictable(first_is_emptier, class.first, class.second);
            let witness = select_unpredictable(first_is_emptier, class.second, class.first);
            let content = select_unpredictable(first_is_emptier, a, b);
            let bucket = target.bucket(root.level());
            let token = Token::from_bits(u32::from(pair.full_lane()));
            let added = token.and_then(|token| Some((token, content.with(token)?)));
            if let Some((token, admitted)) = added {
                let target = (bucket, content);
                return self.admit(class, target, witness, token, admitted, elsewhere);
            }
        }
        self.try_insert_unique_slowly(hash, budget, elsewhere)
    }

    /// The complete version: at either level of a growth, and makes room where there is none.
    #[cold]
    #[inline(never)]
    fn try_insert_unique_slowly(
        &self,
        hash: u64,
        budget: usize,
        elsewhere: &impl AbsenceElsewhere,
    ) -> Result<bool, Failure> {
        let class = GrowingClass::of_hash(hash);
        // Read both buckets: a token that covers the item is there, or the item is new as far as
        // these tell.
        let pair = [class.first, class.second].map(|index| self.live(index));
        if pair.iter().any(|live| live.covers(class)) {
            return Ok(false);
        }
        // Choose the bucket that takes the token, the target. The other index string is the
        // witness.
        let target = *emptier(&pair);
        let witness = if target.bucket == pair[0].bucket {
            class.second
        } else {
            class.first
        };
        let token = token(class, &target);
        let added = token.and_then(|token| Some((token, target.content.with(token)?)));
        let Some((token, admitted)) = added else {
            // Make room, if both are full. The path places nothing: the next attempt decides
            // whether the item is absent.
            return Failure::after_making_room(self.split_or_relocate(class, pair, budget, false));
        };
        let target = (target.bucket, target.content);
        self.admit(class, target, witness, token, admitted, elsewhere)
    }

    /// Changes the target, a bucket and its content without a token that covers the item, to
    /// `admitted`.
    fn admit(
        &self,
        class: GrowingClass,
        (target, content): (usize, Bucket),
        witness: Index,
        token: Token,
        admitted: Bucket,
        elsewhere: &impl AbsenceElsewhere,
    ) -> Result<bool, Failure> {
        // Describe the admission. Its witness is known to this thread only.
        let mut claim = self.pool.claim().ok_or(Failure::NoDescriptor)?;
        let admission = Transfer::Admission {
            placed: token,
            target,
            witness: target,
            old: content,
        };
        // Change the target. While it is frozen it has no covering token, and none can come: none
        // hops in or out, and it is not split. Ask the witness and the other tables meanwhile. Only
        // this thread knows the whole item and these answers, so no helper commits.
        let outcome = change_word(self, &mut claim, admission, admitted, || {
            elsewhere.check_before()
                && self.is_absent_from_witness(class, witness, target)
                && elsewhere.check_after()
        });
        outcome.admitted()?;
        Ok(true)
    }

    /// Whether no token covers an item, for an admission in another table. It aborts an admission
    /// that is pending here. An admission that comes later acquires, through the word it freezes,
    /// all that the caller did before.
    pub(crate) fn is_absent(&self, hash: u64) -> bool {
        let class = GrowingClass::of_hash(hash);
        let f = class.head.fingerprint();
        loop {
            // Read the version first, as a lookup does.
            let version = self.stripes.version(f);
            // Read both words, and end an admission there.
            let covers = |index| self.live_crosswise(index).covers(class);
            if covers(class.first) || covers(class.second) {
                return false;
            }
            // Trust the miss only if no token has changed places meanwhile.
            if self.stripes.unchanged(f, version) {
                return true;
            }
            sync::trace(Event::Repeat);
        }
    }

    /// Whether the live bucket of the other index string has no token that covers the item.
    ///
    /// Loads crosswise, as at every [witness](crate::design::protocol#admissions). The rival with
    /// the lower target wins.
    fn is_absent_from_witness(&self, class: GrowingClass, witness: Index, target: usize) -> bool {
        self.descend(witness, |bucket| {
            loop {
                // Read from the upper level down. Load crosswise: of two rivals that freeze their
                // targets and read each other's, one sees the other.
                let word = self.levels.load_crosswise(bucket);
                let reference = match self.state(bucket, word) {
                    // Load the root again: the memory of this level was given back.
                    WordState::Absent => return Step::Again,
                    WordState::Gone => return Step::Down,
                    // Answer by the content: no descriptor owns the word.
                    WordState::Bucket(content) => {
                        return Step::Here(self.none_covers(class, bucket, content));
                    }
                    WordState::Reference(reference) => reference,
                };
                match self.pool.resolve(bucket, reference) {
                    // Read again: the use is over, so the word has changed.
                    Resolved::Stale => {}
                    // Answer by what was decided, if that has a covering token.
                    Resolved::Settled(content) if !self.none_covers(class, bucket, content) => {
                        return Step::Here(false);
                    }
                    // Write back, and read again. Until then a rival's owner can still commit,
                    // although the rival is aborted.
                    Resolved::Settled(content) => {
                        self.levels.exchange(bucket, word, content);
                    }
                    // Finish a split, and go down: the children hold the tokens.
                    Resolved::Pending(Pending {
                        transfer: Transfer::Split { .. },
                        ..
                    }) => self.finish_split(bucket),
                    Resolved::Pending(pending) => {
                        // A token that is there stays the item's until the decision, which may be
                        // an abort.
                        if !self.none_covers(class, bucket, pending.old) {
                            return Step::Here(false);
                        }
                        // Find out whether it is a rival: a pending admission whose token covers
                        // the item.
                        let depth = self.levels.depth(level_of(bucket));
                        let covers = |token: Token| prefix(bucket, token, depth).covers(class);
                        let is_rival = matches!(pending.transfer, Transfer::Admission { placed, .. }
                            if covers(placed));
                        if !is_rival {
                            // What hops there comes not from the target, which is frozen. And what
                            // a path places takes effect at its commit, after this read.
                            return Step::Here(true);
                        }
                        // Give up if the rival has the lower target: exactly one of the two does.
                        if bucket < target {
                            return Step::Here(false);
                        }
                        // Abort the rival, and read again: it may have committed first, and it is
                        // not over before its word is written back.
                        self.pool
                            .decide(reference, pending.control, Status::Aborted);
                    }
                }
            }
        })
    }

    fn none_covers(&self, class: GrowingClass, bucket: usize, content: Bucket) -> bool {
        !self.live_bucket(bucket, content).covers(class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growing::item::alternate;
    use crate::growing::lane::Head;
    use crate::growing::levels::Levels;
    use crate::growing::word::Lanes16;
    use crate::kernel::descriptor::Claim;
    use crate::kernel::elsewhere::NothingElsewhere;
    use crate::kernel::transfer::Relocation;

    fn table() -> GrowingTokens {
        let levels = Levels::new(4).expect("memory");
        GrowingTokens::with_levels(levels, 256).expect("memory")
    }

    /// Hashes of one head.
    fn hashes() -> impl Iterator<Item = u64> {
        (0..50).map(|number| model::mix(number) & !0xfc00 | 4 << 10)
    }

    /// A hash of another head, so that its token covers no item of theirs.
    fn other(hash: u64, number: u64) -> u64 {
        hash ^ number << 10
    }

    /// The token of an item in a bucket of its own.
    fn token_in(tokens: &GrowingTokens, bucket: usize, hash: u64) -> Token {
        let class = GrowingClass::of_hash(hash);
        token(class, &tokens.live_bucket(bucket, Bucket::EMPTY)).expect("it has a head")
    }

    /// A change of `bucket` alone, from this content.
    fn admission(bucket: usize, content: Bucket, placed: Token) -> Transfer<Lanes16> {
        Transfer::Admission {
            placed,
            target: bucket,
            witness: bucket,
            old: content,
        }
    }

    /// A thread begins a change of its source, which is empty or has the old content, and stops.
    fn stop_in<'a>(tokens: &'a GrowingTokens, change: Transfer<Lanes16>) -> Claim<'a, Lanes16> {
        let (bucket, content) = change.source();
        tokens.levels.set(bucket, content);
        let mut claim = tokens.pool.claim().expect("one is free");
        let (reference, _) = claim.publish(change);
        assert!(tokens.replace(bucket, content, reference));
        claim
    }

    /// Of two rivals, the one with the higher target gives way, and the other aborts it: exactly
    /// one of them does.
    #[test]
    fn one_rival_gives_way() {
        let (mut gave_way, mut aborted) = (0, 0);
        for hash in hashes() {
            let class = GrowingClass::of_hash(hash);
            let buckets = [class.first, class.second].map(|index| index.bucket(4));
            for [mine, theirs] in [buckets, [buckets[1], buckets[0]]] {
                let tokens = table();
                // The rival has frozen its target, and is undecided.
                let placed = token_in(&tokens, theirs, hash);
                let rival = stop_in(&tokens, admission(theirs, Bucket::EMPTY, placed));
                let witness = if theirs == buckets[0] {
                    class.first
                } else {
                    class.second
                };
                let goes_on = tokens.is_absent_from_witness(class, witness, mine);
                assert_eq!(goes_on, mine < theirs);
                let expected = if goes_on {
                    Status::Aborted
                } else {
                    Status::Pending
                };
                assert_eq!(rival.status(), expected);
                if goes_on {
                    aborted += 1;
                } else {
                    gave_way += 1;
                }
            }
        }
        assert_eq!((gave_way, aborted), (50, 50));
    }

    /// Two other tokens make the bucket of the stored one the emptier one.
    #[test]
    fn finds_it_in_either_bucket() {
        for hash in hashes() {
            let class = GrowingClass::of_hash(hash);
            let buckets = [class.first, class.second].map(|index| index.bucket(4));
            for [there, beside] in [buckets, [buckets[1], buckets[0]]] {
                let tokens = table();
                let stored = Bucket::EMPTY.with(token_in(&tokens, there, hash));
                tokens.levels.set(there, stored.expect("room"));
                let others = [1, 2].map(|number| token_in(&tokens, beside, other(hash, number)));
                let full = others
                    .iter()
                    .try_fold(Bucket::EMPTY, |all, &one| all.with(one));
                tokens.levels.set(beside, full.expect("room"));
                let told = tokens.try_insert_unique(tokens.root(), hash, 256, &NothingElsewhere);
                assert_eq!(told, Ok(false), "it is in bucket {there}");
                assert_eq!(tokens.taken(), 3);
            }
        }
    }

    /// The witness is frozen by an admission of another item, which may be aborted.
    #[test]
    fn sees_it_in_a_frozen_witness() {
        let hash = hashes().next().expect("fifty");
        let class = GrowingClass::of_hash(hash);
        let [target, witness] = [class.first, class.second].map(|index| index.bucket(4));
        let tokens = table();
        let other = token_in(&tokens, witness, other(hash, 1));
        let held = Bucket::EMPTY.with(token_in(&tokens, witness, hash));
        let _claim = stop_in(&tokens, admission(witness, held.expect("room"), other));
        let absent = tokens.is_absent_from_witness(class, class.second, target);
        assert!(!absent, "it is in, whatever is decided");
    }

    /// The last hop of a path puts the item where another token leaves. It takes effect later, so
    /// it is neither aborted nor given way to.
    #[test]
    fn a_path_is_no_rival() {
        for hash in hashes() {
            let class = GrowingClass::of_hash(hash);
            let [target, witness] = [class.first, class.second].map(|index| index.bucket(4));
            let tokens = table();
            let moved = token_in(&tokens, witness, other(hash, 1));
            let hop = Transfer::Relocation(Relocation {
                moved,
                placed: Some(token_in(&tokens, witness, hash)),
                source: witness,
                destination: alternate(witness, Head::of_lane(moved.bits() as u16)),
                old_source: Bucket::EMPTY.with(moved).expect("room"),
                old_destination: Bucket::EMPTY,
            });
            let path = stop_in(&tokens, hop);
            let absent = tokens.is_absent_from_witness(class, class.second, target);
            assert_eq!((absent, path.status()), (true, Status::Pending));
        }
    }
}
