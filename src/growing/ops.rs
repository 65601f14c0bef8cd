//! Lookup, insertion and removal in a table that doubles, each from its fast path to its
//! linearization point.
//!
//! * A lookup loads two words at once, and validates them, however often the table has doubled.
//! * An insert makes one exchange if there is room; otherwise it splits a bucket, if the table is
//!   growing, or finds a path of relocations.
//! * A remove clears exactly one token, [the
//!   longest](crate::design::doubling#removal-takes-the-longest) that covers the item, or finds
//!   that there is none.

use core::hint::select_unpredictable;

use crate::growing::graph::LevelGraph;
use crate::growing::item::{GrowingClass, Index, Prefix, level_of};
use crate::growing::levels::{GrowingRoot, Root};
use crate::growing::tokens::{GrowingTokens, Live, Step, Token, children, prefix};
use crate::growing::word::{GrowingWord, WordState};
use crate::kernel::descriptor::Resolved;
use crate::kernel::geometry::Class;
use crate::kernel::layout::bucket::Slot;
use crate::kernel::layout::{Fingerprint, Probe};
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::relocate::make_room;
use crate::kernel::transfer::Transfer;
use crate::sync;
use crate::sync::Event;

/// Lookup.
impl GrowingTokens {
    /// Returns whether a token that covers this item is stored in this table. Writes nothing.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        self.probe(hash, |root| self.probe_busy(root, hash)).found()
    }

    /// Whether a token that covers this item is stored, for certain. Writes nothing.
    ///
    /// Linearization points: as in a [fixed table](crate::design::protocol#linearization-points).
    /// All tokens that cover an item have its head, and so one stripe.
    ///
    /// If not all tokens are in words of the level of the root, `busy` answers.
    #[inline]
    pub(crate) fn probe(&self, hash: u64, busy: impl FnOnce(Root) -> Probe) -> Probe {
        let root = self.levels.root();
        // All answers have one form until they are used, so that a loop need not convert them.
        if !root.is_single_level() {
            return busy(root);
        }
        self.probe_at_rest(root, hash)
    }

    /// The answer of this table about an item if there are tokens outside of the words of the level
    /// of the root.
    #[inline]
    pub(crate) fn probe_busy(&self, root: Root, hash: u64) -> Probe {
        match self.levels.growing(root) {
            Some(root) => self.probe_mid_growth(root, hash),
            None => self.probe_at_rest(root, hash),
        }
    }

    /// Whether a token in one of two tables covers this item; this one, the finer, is asked first.
    /// `None` if that is not certain, or the finer table is not at rest. Reads both whatever the
    /// first says, because it cannot be predicted which has the item.
    #[inline]
    pub(crate) fn probe_two(&self, coarser: &Self, hash: u64) -> Option<Probe> {
        let roots = [self, coarser].map(|tokens| tokens.levels.root());
        if !roots[0].is_single_level() {
            return None;
        }
        // Load the words of the finer table first, as a walk does.
        let (in_finer, is_certain) = self.probe_level(roots[0], hash);
        let (in_coarser, is_certain_too) = coarser.probe_level(roots[1], hash);
        let found = in_finer.found() | in_coarser.found();
        (is_certain & is_certain_too).then(|| Probe::certain(found))
    }

    /// The number of tokens that cover this item. Settles both words, so it may write.
    pub(crate) fn count(&self, hash: u64) -> usize {
        let class = GrowingClass::of_hash(hash);
        let of = |live: Live| live.prefixes().filter(|(_, p)| p.covers(class)).count();
        self.validated_pair(class).into_iter().map(of).sum()
    }

    /// Prefetches the words of a hash; `busy` does so if not all tokens are in words of the level
    /// of the root.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64, busy: impl FnOnce(Root)) {
        let root = self.root();
        if !root.is_single_level() {
            return busy(root);
        }
        self.levels.pair(root, hash).prefetch();
    }

    /// Prefetches the words of a hash if there are tokens outside of the words of the level of the
    /// root.
    #[inline]
    pub(crate) fn prefetch_busy(&self, root: Root, hash: u64) {
        match self.levels.growing(root) {
            Some(root) => self.levels.mid_growth_pair(root, hash).prefetch(),
            None => self.levels.pair(root, hash).prefetch(),
        }
    }

    /// The answer about an item of a table that is not growing.
    #[inline]
    pub(crate) fn probe_at_rest(&self, root: Root, hash: u64) -> Probe {
        let (probe, is_certain) = self.probe_level(root, hash);
        if is_certain {
            probe
        } else {
            self.probe_slowly(hash)
        }
    }

    /// The answer of both words of an item at the level of a root, and whether it is certain.
    #[inline]
    fn probe_level(&self, root: Root, hash: u64) -> (Probe, bool) {
        let pair = self.levels.pair(root, hash);
        let f = pair.fingerprint();
        // Read the version before the words, and both words in parallel. A bucket that is found is
        // the live one, whatever the root said. If both are buckets, and neither has a token that
        // covers the item, one of these holds:
        // 1. There was a moment at which no token covered the item: a miss.
        // 2. A token hopped from `b`, before that was loaded, to `a`, after that was loaded. A hop
        //    bumps the stripe between its freezes and its commit. So the version has changed since
        //    it was read, or `a` would show the frozen word, or what it held later.
        // 3. Tokens took turns: one came to `a` after that was loaded, and another one left `b`
        //    before that was loaded. The remove saw the new one and bumped the stripe, so the
        //    version has changed; or it counts as before the insert, with the miss between.
        // Chains of these are proved in `design::protocol`, "A miss".
        let version = self.stripes.version(f);
        let (a, b) = pair.load();
        // Compare before the branches, so that only the answer is kept for later.
        let probe = pair.probe(a, b);
        let is_certain = probe.no_reference() & self.stripes.unchanged(f, version);
        (probe, is_certain)
    }

    /// The answer about an item while the table grows, if both words are where the cursor says.
    #[inline]
    pub(crate) fn probe_mid_growth(&self, root: GrowingRoot, hash: u64) -> Probe {
        let pair = self.levels.mid_growth_pair(root, hash);
        let f = pair.fingerprint();
        // Read the version before the words, each at the level where the cursor says that it is. If
        // both are buckets they are the live ones: one above is not split, and one below is read
        // only if its parent was gone. Then the cases are those of `probe_level`.
        let version = self.stripes.version(f);
        let (a, b) = pair.load();
        let probe = pair.probe(a, b);
        // A word that is not plain may be gone, or not there yet, and says nothing about the item.
        if probe.no_reference() && self.stripes.unchanged(f, version) {
            probe
        } else {
            self.probe_slowly(hash)
        }
    }

    #[cold]
    #[inline(never)]
    fn probe_slowly(&self, hash: u64) -> Probe {
        Probe::certain(self.contains_slowly(hash))
    }

    /// The complete version: follows splits and references, and repeats until the answer is
    /// certain.
    #[cold]
    #[inline(never)]
    fn contains_slowly(&self, hash: u64) -> bool {
        let class = GrowingClass::of_hash(hash);
        let f = class.head.fingerprint();
        loop {
            let version = self.stripes.version(f);
            // Ask both index strings, the first one first. If neither has a token, the cases are
            // those of `probe_level`. A split is none: it changes no prefix, and is seen as a
            // whole.
            let mut answers = [class.first, class.second]
                .into_iter()
                .map(|index| self.answer_on(class, index));
            match answers.find(|&answer| answer != Answer::Absent) {
                Some(Answer::Present) => return true,
                // Trust the miss only if no token has changed places meanwhile (cases 2 and 3).
                None if self.stripes.unchanged(f, version) => return false,
                _ => {}
            }
            sync::trace(Event::Repeat);
        }
    }

    /// The answer of the live word on an index string. The frozen content of a bucket that is being
    /// split is valid until its parent is gone, so a lookup need not read the children before.
    fn answer_on(&self, class: GrowingClass, index: Index) -> Answer {
        self.descend(index, |bucket| {
            let word = self.levels.load(bucket);
            let depth = self.levels.depth(level_of(bucket));
            let content = match self.state(bucket, word) {
                // Load the root again: the memory of this level was given back.
                WordState::Absent => return Step::Again,
                // Go down to the child.
                WordState::Gone => return Step::Down,
                WordState::Bucket(content) => content,
                // Ask the descriptor what the frozen word holds.
                WordState::Reference(reference) => match self.pool.resolve(bucket, reference) {
                    Resolved::Stale => return Step::Here(Answer::Unclear),
                    Resolved::Settled(content) => content,
                    Resolved::Pending(pending) => {
                        if let Transfer::Relocation(hop) = pending.transfer
                            && bucket != hop.source
                            && prefix(bucket, hop.moved, depth).covers(class)
                        {
                            sync::trace(Event::Arrival);
                            // Look at its source, as a lookup in a fixed table does: frozen on both
                            // sides, it is in one of them.
                            if self.levels.load(hop.source) == word {
                                return Step::Here(Answer::Present);
                            }
                            if !self.pool.is_pending(reference, pending.control) {
                                return Step::Here(Answer::Unclear);
                            }
                        }
                        pending.old
                    }
                },
            };
            Step::Here(if self.live_bucket(bucket, content).covers(class) {
                Answer::Present
            } else {
                Answer::Absent
            })
        })
    }

    /// Both live words of a class, such that no token that covers it is missed. Settles them, so it
    /// may write.
    pub(crate) fn validated_pair(&self, class: GrowingClass) -> [Live; 2] {
        let f = class.head.fingerprint();
        loop {
            let version = self.stripes.version(f);
            let pair = [class.first, class.second].map(|index| self.live(index));
            // Read again if a token may have hopped from the bucket read last to the one read
            // first.
            if self.stripes.unchanged(f, version) {
                return pair;
            }
        }
    }
}

/// The answer of one index string about an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Present,
    Absent,
    /// The word is changing; look again.
    Unclear,
}

/// Insert.
impl GrowingTokens {
    /// Adds one token of this item, of the full length, by a root of just before.
    ///
    /// Linearization point: the exchange that adds it, or the commit of the last hop that places
    /// it.
    #[inline]
    pub(crate) fn insert(&self, root: Root, hash: u64, budget: usize) -> Result<(), Failure> {
        let pair = self.levels.pair(root, hash);
        // Load both words. No version is needed: the exchange fails if its word has changed, and
        // the other is not relied on.
        let (a, b) = pair.load();
        if root.is_at_rest() && GrowingWord::surely_buckets(a, b) {
            let (a, b) = (a.as_bucket(), b.as_bucket());
            // Select without a branch, because the choice is unpredictable.
            let first_is_emptier = a.vacancies() >= b.vacancies();
            let content = select_unpredictable(first_is_emptier, a, b);
            let token = Token::from_bits(u32::from(pair.full_lane()));
            // Add the token, if the emptier one has room, and the word still is what was read. A
            // plain word is the live one, whatever the root said.
            let added = token.and_then(|token| content.with(token));
            if added.is_some_and(|added| pair.exchange(first_is_emptier, content, added)) {
                return Ok(());
            }
        }
        self.insert_slowly(hash, budget)
    }

    /// The complete version: adds at either level of a growth, and makes room where there is none.
    #[cold]
    #[inline(never)]
    fn insert_slowly(&self, hash: u64, budget: usize) -> Result<(), Failure> {
        let class = GrowingClass::of_hash(hash);
        for _ in 0..MAX_ATTEMPTS {
            // Add where there is room, at either level.
            let pair = match self.add_to_emptier(class) {
                Ok(()) => return Ok(()),
                Err(pair) => pair,
            };
            // Make room. A path places the token itself; after a split, add again.
            match self.split_or_relocate(class, pair, budget, true) {
                Err(Failure::Disturbed) => {}
                outcome => return outcome,
            }
        }
        Err(Failure::Disturbed)
    }

    /// Adds to the emptier of the two live buckets; if both are full, returns them.
    fn add_to_emptier(&self, class: GrowingClass) -> Result<(), [Live; 2]> {
        loop {
            let pair = self.live_pair(class);
            let emptier = emptier(&pair);
            let Some(added) = token(class, emptier).and_then(|token| emptier.content.with(token))
            else {
                return Err(pair);
            };
            if self.replace(emptier.bucket, emptier.content, added) {
                return Ok(());
            }
            // Lost to another writer, so the system as a whole made progress: retry.
        }
    }

    /// Makes room in one of two buckets that were full: splits one that the table is leaving, or
    /// finds a path. If `place`, the last hop of the path places the token of the item. A search
    /// examines `budget` buckets at most.
    ///
    /// Nothing is changed before it is known that there will be room, so if no other thread writes,
    /// an insert that is refused leaves each word as it was.
    pub(crate) fn split_or_relocate(
        &self,
        class: GrowingClass,
        pair: [Live; 2],
        budget: usize,
        place: bool,
    ) -> Result<(), Failure> {
        // Find out whether the table is leaving one of the two buckets.
        let root = self.levels.root();
        let is_growing = self.is_growing(root);
        let is_old = |live: &Live| is_growing && live.level() == root.level();
        let has_room_below = |(index, live): &(Index, Live)| {
            let child = index.bucket(live.level() + 1);
            children(live.bucket, live.content, live.depth)[child & 1].has_room()
        };
        // Split one whose half for the item has room, because lookups guess that words ahead of the
        // sweep are not split. Of two, split the one on the first side: the sweep comes to it
        // earlier.
        let sides = [class.first, class.second].into_iter().zip(pair);
        let mut old = sides.filter(|(_, live)| is_old(live));
        if let Some((_, live)) = old.find(has_room_below) {
            return match self.split(live.bucket) {
                Err(Failure::NoDescriptor) => Err(Failure::NoDescriptor),
                // Let the caller read the pair again: the item now has a bucket one level below.
                _ => Err(Failure::Disturbed),
            };
        }
        // Otherwise find a path at the level to which the table grows. If the table has grown since
        // they were read, buckets at another level are gone, so they look empty: `make_room` says
        // that it was disturbed.
        let level = if is_growing {
            root.level() + 1
        } else {
            pair[0].level()
        };
        let lane = class.lane(level, self.levels.depth(level));
        let token = Token::from_bits(u32::from(lane));
        let Some(fingerprint) = token.and_then(|token| Fingerprint::from_bits(token.bits())) else {
            return Err(Failure::Disturbed);
        };
        let in_level = Class {
            first: class.first.bucket(level),
            second: class.second.bucket(level),
            // The lane of the item's copies in these buckets.
            fingerprint,
        };
        // Search within one level: a hop leaves the token as it is, which holds only between
        // buckets of one level.
        let Some(graph) = LevelGraph::of(self, level, budget) else {
            return Err(Failure::Disturbed);
        };
        // Let the last hop place the token, so that no other insert takes the slot.
        make_room(&graph, in_level, token.filter(|_| place))
    }
}

/// The token of an item, as it is stored in a bucket.
pub(crate) fn token(class: GrowingClass, live: &Live) -> Option<Token> {
    let lane = class.lane(live.level(), live.depth);
    Token::from_bits(u32::from(lane))
}

/// The emptier of two buckets; if both have as much room, the one on the first side.
pub(crate) fn emptier(pair: &[Live; 2]) -> &Live {
    let [a, b] = pair;
    if a.content.vacancies() >= b.content.vacancies() {
        a
    } else {
        b
    }
}

/// Remove.
impl GrowingTokens {
    /// Removes one token that covers this item, by a root of just before. Returns false if there is
    /// none.
    ///
    /// Linearization points: of a success, the exchange that clears the slot; of a failure, a
    /// moment between the two version reads, as of a miss.
    #[inline]
    pub(crate) fn remove(&self, root: Root, hash: u64) -> bool {
        let pair = self.levels.pair(root, hash);
        let f = pair.fingerprint();
        // Read the version before the words: "no token in the other word is longer" is a miss.
        let version = self.stripes.version(f);
        let (a, b) = pair.load();
        if root.is_at_rest() && GrowingWord::surely_buckets(a, b) {
            let covering = pair.covering(a, b);
            // Keep one of the two bits of each lane.
            let lanes = covering & 0x5555;
            // Go on here with a single token. With several, one must be the longest, and the stripe
            // may have to be bumped.
            if lanes != 0 && lanes & (lanes - 1) == 0 {
                let in_first = lanes & 0xff != 0;
                let (here, other) = (
                    select_unpredictable(in_first, a, b),
                    select_unpredictable(in_first, b, a),
                );
                let number = lanes.trailing_zeros() / 2 % 4;
                let lane = here.lane(number);
                // Find whether it is the longest: it has full length, or no longer token is in the
                // other word, which is a miss. Do not branch on the length: it is unpredictable.
                let is_longest = pair.is_full(lane)
                    | (pair.nested(lane, other) == 0) & self.stripes.unchanged(f, version);
                let here = here.as_bucket();
                let cleared = here.cleared(Slot::of_lane(number));
                if is_longest && pair.exchange(in_first, here, cleared) {
                    return true;
                }
            }
        }
        self.remove_slowly(hash)
    }

    /// The complete version: settles both buckets, and repeats until the answer is certain.
    #[cold]
    #[inline(never)]
    fn remove_slowly(&self, hash: u64) -> bool {
        let class = GrowingClass::of_hash(hash);
        let f = class.head.fingerprint();
        let mut bumped = false;
        loop {
            let version = self.stripes.version(f);
            let pair = [class.first, class.second].map(|index| self.live(index));
            // Choose the longest token that covers the item: each shorter one covers what the
            // longer one covers, so it can stand for the other item if the token was that item's.
            let Some((side, token, prefix)) = longest(class, &pair) else {
                // Trust the miss only if no token has changed places meanwhile.
                if self.stripes.unchanged(f, version) {
                    return false;
                }
                sync::trace(Event::Repeat);
                continue;
            };
            // Validate the absence of a longer one, as a miss. None is longer than a new one.
            let newest = pair
                .iter()
                .map(|live| live.level() + live.depth.full_tail())
                .max();
            if newest != Some(prefix.len()) && !self.stripes.unchanged(f, version) {
                sync::trace(Event::Repeat);
                continue;
            }
            let (here, other) = (pair[side], pair[1 - side]);
            let is_nested = |(_, other): (Token, Prefix)| prefix.is_nested_with(other);
            if !bumped && other.prefixes().any(is_nested) {
                // Bump, because for an item that both tokens cover the two may take turns: as for a
                // twin in a fixed table.
                self.announce(here.bucket, class.head);
                sync::trace(Event::DuplicateSeen);
                bumped = true;
            }
            // Clear the slot, if the word still is what was read. Otherwise another writer made
            // progress: begin again.
            let after = here.content.without_token(token).unwrap_or(here.content);
            if self.levels.exchange(here.bucket, here.content, after) {
                return true;
            }
        }
    }
}

/// The longest token that covers an item, and its side; on a tie, one on the first side.
pub(crate) fn longest(class: GrowingClass, pair: &[Live; 2]) -> Option<(usize, Token, Prefix)> {
    let mut best: Option<(usize, Token, Prefix)> = None;
    for (side, live) in pair.iter().enumerate() {
        for (token, prefix) in live.prefixes().filter(|(_, prefix)| prefix.covers(class)) {
            if best.is_none_or(|(_, _, best)| prefix.len() > best.len()) {
                best = Some((side, token, prefix));
            }
        }
    }
    best
}

impl GrowingTokens {
    /// Moves the longest token that covers this item to its other bucket. For tests.
    #[cfg(any(test, feature = "_testing"))]
    pub(crate) fn relocate_one(&self, hash: u64) -> bool {
        use crate::growing::item::alternate;
        use crate::kernel::relocate::relocate;
        use crate::kernel::search::Hop;

        let class = GrowingClass::of_hash(hash);
        let pair = [class.first, class.second].map(|index| self.live(index));
        let (Some((side, moved, _)), Some(mut claim)) = (longest(class, &pair), self.pool.claim())
        else {
            return false;
        };
        let source = pair[side].bucket;
        let hop = Hop {
            moved,
            source,
            destination: alternate(source, class.head),
            last: true,
        };
        LevelGraph::of(self, pair[side].level(), self.search_budget)
            .is_some_and(|graph| relocate(&graph, &mut claim, hop, None))
    }
}
