//! The operations on the tokens of a fixed table: lookup, insert and remove, each from its fast
//! path to its slow path, with its linearization points. The only token of a class is inserted by
//! [`unique`](crate::fixed::unique).
//!
//! A fast path takes both words by plain loads and gives up at the first surprise: a reference, a
//! lost exchange, several tokens, a full pair. The slow path that follows begins again from the
//! hash, and is complete.
//!
//! Hops of tokens between their buckets are in [`relocate`](crate::kernel::relocate).

use core::hint::select_unpredictable;

use crate::fixed::tokens::TokenTable;
use crate::kernel::change::Words;
use crate::kernel::descriptor::{Claim, Resolved};
use crate::kernel::geometry::Class;
use crate::kernel::layout::{Bucket, Layout, Matches, Probe, Token, Value};
use crate::kernel::outcome::{Failure, MAX_ATTEMPTS};
use crate::kernel::prefetch::{
    ALTERNATES_LOOKAHEAD, MAX_L2_BUCKETS, PROBE_INTERVAL, is_near, prefetching,
};
use crate::kernel::relocate::make_room;
use crate::kernel::search::{CuckooGraph, CuckooTable, Hop};
use crate::kernel::stripes::Stripe;
use crate::kernel::table::{Pair, Table};
use crate::kernel::transfer::{Relocation, Transfer};
use crate::kernel::word::{Content, Reference, Word};
use crate::sync;
use crate::sync::Event;

/// The answer of one candidate about a class.
enum Answer<L> {
    Present(Token<L>),
    Absent,
    /// The word is changing; look again.
    Unclear,
}

/// Lookup: two parallel loads, and a version check.
///
/// Linearization points: of a hit, the load of the word that holds the token, or the commit behind
/// its reference if that came later, or a moment at which the token was in one of two words frozen
/// by the same reference; of a miss, a moment between the two version reads:
/// [there is one](crate::design::protocol#a-miss).
impl<L: Layout> TokenTable<L> {
    /// Returns whether a token of this class is stored. Writes nothing.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        let pair = self.table.pair(hash);
        let probe = match glance(self.stripes.of(pair.class().fingerprint), pair) {
            Some(probe) => probe,
            None => self.probe_slow(hash),
        };
        probe.found()
    }

    /// The value of a token of this class, if one is stored: with several, any of them. Writes
    /// nothing.
    #[inline]
    pub(crate) fn value(&self, hash: u64) -> Option<Value> {
        self.find(hash).map(Token::value)
    }

    /// A token of this class, if one is stored: with several, any of them. Writes nothing.
    #[inline]
    pub(crate) fn find(&self, hash: u64) -> Option<Token<L>> {
        let pair = self.table.pair(hash);
        let f = pair.class().fingerprint;
        // Read the version before the words, as `contains` does.
        let version = self.stripes.version(f);
        let (a, b) = pair.load();
        if Word::surely_buckets(a, b) {
            let (a, b) = (a.as_bucket(), b.as_bucket());
            let matches = Matches::of(f, a, b);
            let holder = select_unpredictable(matches.in_first(), a, b);
            if matches.any() {
                // The token was there when its word was loaded: a hit needs no validation.
                return holder.token_at(matches.slot());
            }
            // Trust the miss only if no token has changed places meanwhile.
            if self.stripes.unchanged(f, version) {
                return None;
            }
        }
        self.find_slowly(hash).flatten()
    }

    #[cold]
    #[inline(never)]
    fn probe_slow(&self, hash: u64) -> Probe {
        // Say "yes" if there is no answer: that may be wrong, and misses nothing.
        Probe::certain(self.find_slowly(hash).is_none_or(|found| found.is_some()))
    }

    /// The complete version: follows references, and repeats until the answer is certain. `None` if
    /// it [never](Self::rounds) is.
    #[cold]
    #[inline(never)]
    fn find_slowly(&self, hash: u64) -> Option<Option<Token<L>>> {
        let class = self.table.class(hash);
        let f = class.fingerprint;
        let mut rounds = self.rounds();
        while rounds.are_left() {
            let version = self.stripes.version(f);
            // Load both words before looking behind a reference. An answer from there is later than
            // both loads: `design::protocol`, "A miss", has that case.
            let words = [class.first, class.second].map(|bucket| (bucket, self.table.load(bucket)));
            let mut answers = words
                .into_iter()
                .map(|(bucket, word)| self.find_in_word(class, bucket, word));
            match answers.find(|answer| !matches!(answer, Answer::Absent)) {
                Some(Answer::Present(token)) => return Some(Some(token)),
                // Look again: the word was changing, so another thread made progress.
                Some(_) => continue,
                None => {}
            }
            // Both words had none. Trust it if no bump came in between: then no token changed
            // places unseen.
            if self.stripes.unchanged(f, version) {
                return Some(None);
            }
            sync::trace(Event::Repeat);
        }
        None
    }

    /// The answer of one word about a class.
    fn find_in_word(&self, class: Class, bucket: usize, word: Word<L>) -> Answer<L> {
        let f = class.fingerprint;
        let content = match word.content() {
            Content::Bucket(content) => content,
            // Ask the descriptor what the frozen word holds.
            Content::Reference(reference) => match self.resolve(bucket, reference) {
                // The use is over, so the word has been written back since it was loaded.
                Resolved::Stale => return Answer::Unclear,
                Resolved::Settled(content) => content,
                Resolved::Pending(pending) => {
                    if let Transfer::Relocation(Relocation { moved, source, .. }) = pending.transfer
                        && moved.fingerprint() == f
                        && bucket != source
                    {
                        sync::trace(Event::Arrival);
                        // The token itself is arriving here. Look at its source. Cases, by the word
                        // there:
                        // 1. The same reference: frozen on both sides, so it is in one of them.
                        if self.table.load(source) == word {
                            return Answer::Present(moved);
                        }
                        // 2. Another word, and decided meanwhile: the source may be cleared.
                        if !self.pool.is_pending(reference, pending.control) {
                            return Answer::Unclear;
                        }
                        // 3. Another word, still pending: not yet frozen there, so not yet arrived
                        // here.
                    }
                    // A pending use has changed nothing: the word holds what it held before.
                    pending.old
                }
            },
        };
        content.find(f).map_or(Answer::Absent, Answer::Present)
    }

    /// The number of tokens of this class. Settles both words, so it may write.
    ///
    /// The two words are read one after the other. If a token is removed from the first after that
    /// was read, and an equal one is added to the second before that is read, both are counted. A
    /// token that hops is never missed, as in [`contains`](Self::contains).
    pub(crate) fn count(&self, hash: u64) -> usize {
        let class = self.table.class(hash);
        let (a, b) = self.settled_pair(class);
        a.count(class.fingerprint) + b.count(class.fingerprint)
    }

    /// Passes the values of all tokens of this class to `value`; as [`count`](Self::count).
    pub(crate) fn values(&self, hash: u64, value: impl FnMut(Value)) {
        let class = self.table.class(hash);
        let (a, b) = self.settled_pair(class);
        let tokens = a.tokens().chain(b.tokens());
        let of_the_class = tokens.filter(|token| token.fingerprint() == class.fingerprint);
        of_the_class.map(Token::value).for_each(value);
    }

    /// Both words of a class, such that no token of the class is missed; as [`count`](Self::count).
    pub(crate) fn settled_pair(&self, class: Class) -> (Bucket<L>, Bucket<L>) {
        let f = class.fingerprint;
        let mut rounds = self.rounds();
        while rounds.are_left() {
            let version = self.stripes.version(f);
            let a = self.settle_within(&mut rounds, class.first);
            let b = self.settle_within(&mut rounds, class.second);
            // Read again if a token may have hopped from the word read last to the one read first.
            if self.stripes.unchanged(f, version) {
                return (a, b);
            }
        }
        (Bucket::EMPTY, Bucket::EMPTY)
    }
}

/// The answer of a lookup for a pair and the stripe of its fingerprint, if the words give it at a
/// glance: if they are not frozen, and no token has changed places meanwhile.
#[inline]
pub(crate) fn glance<L: Layout>(stripe: Stripe<'_>, pair: Pair<'_, L>) -> Option<Probe> {
    let f = pair.class().fingerprint;
    // Read the version before the words. The earlier effects of the writer of either word, above
    // all a bump, are visible to `unchanged` below.
    let version = stripe.version();
    // Load both words, in parallel.
    let (a, b) = pair.load();
    if !L::FUSED_PROBE {
        // Check before comparing. To compare first gains nothing here: it waits for both words.
        let is_certain = Word::surely_buckets(a, b) && stripe.unchanged(version);
        return is_certain.then(|| Probe::certain(a.as_bucket().either_contains(b.as_bucket(), f)));
    }
    // Compare before the branches, so that only the answer is kept for later.
    let probe = Word::probe(a, b, f);
    // Check the version even of a hit. A hit needs no validation, because the token was there when
    // the word was loaded. But a branch on hit or miss would often be mispredicted, and bumps are
    // rare.
    (probe.no_reference() && stripe.unchanged(version)).then_some(probe)
}

/// Insert: one exchange if there is room, otherwise a path of relocations.
///
/// Linearization point: the exchange that adds the token, or the commit of the last hop that places
/// it. A refusal changes no class: the hops done so far moved tokens between their own candidates.
impl<L: Layout> TokenTable<L> {
    /// Adds one token of this class, with a value; 0 if the layout has none.
    #[inline]
    pub(crate) fn insert(&self, hash: u64, value: Value) -> Result<(), Failure> {
        let pair = self.table.pair(hash);
        let class = pair.class();
        let token = Token::with_value(class.fingerprint, value);
        // Load both words. No version is needed: the exchange fails if its word has changed, and
        // the other is not relied on.
        let (a, b) = pair.load();
        if Word::surely_buckets(a, b)
            && self.add_to(class, token, a.as_bucket(), b.as_bucket()) == Some(true)
        {
            self.counter.add(1);
            return Ok(());
        }
        self.insert_slowly(hash, value)
    }

    /// [`insert`](Self::insert) in full: for frozen words, for a full pair, and after a lost
    /// exchange.
    #[cold]
    #[inline(never)]
    fn insert_slowly(&self, hash: u64, value: Value) -> Result<(), Failure> {
        let class = self.table.class(hash);
        self.insert_token(class, Token::with_value(class.fingerprint, value))?;
        self.counter.add(1);
        Ok(())
    }

    /// Adds this token of this class, and does not count it.
    pub(crate) fn insert_token(&self, class: Class, token: Token<L>) -> Result<(), Failure> {
        for _ in 0..MAX_ATTEMPTS {
            // Open a slot by a path, if the pair is full; the last hop places the token.
            match make_room(self, class, Some(token)) {
                // Add it without a path: another thread may have made room.
                Err(Failure::Disturbed) if self.add(class, token) => return Ok(()),
                Err(Failure::Disturbed) => {}
                outcome => return outcome,
            }
        }
        Err(Failure::Disturbed)
    }

    /// Adds to the emptier candidate; false if both are full.
    fn add(&self, class: Class, token: Token<L>) -> bool {
        let mut rounds = self.rounds();
        while rounds.are_left() {
            let a = self.settle_within(&mut rounds, class.first);
            let b = self.settle_within(&mut rounds, class.second);
            match self.add_to(class, token, a, b) {
                None => return false,
                Some(true) => return true,
                // Lost to another writer: retry. Each call freezes words in vain only
                // `MAX_ATTEMPTS` times, so another one has made progress, or will.
                Some(false) => {}
            }
        }
        false
    }

    /// Adds to the emptier of two buckets that held `a` and `b`. `None` if both are full, false if
    /// that one has changed.
    #[inline]
    fn add_to(&self, class: Class, token: Token<L>, a: Bucket<L>, b: Bucket<L>) -> Option<bool> {
        let (bucket, _, content) = class.emptier_first(a, b);
        // Give up if the emptier one is full: then both are.
        let added = content.with(token)?;
        // Add the token, if the word still is what was read.
        Some(self.table.exchange(bucket, content, added))
    }
}

/// Remove: clears exactly one token, or finds that there is none.
///
/// Linearization points: of a success, the exchange that clears the slot, or a moment before it,
/// just before an equal token came to the other bucket
/// ([a miss](crate::design::protocol#a-miss), case 2); of a failure, a moment between the two
/// version reads, as of a lookup that misses.
impl<L: Layout> TokenTable<L> {
    /// Removes one token of this class. Returns false if there is none.
    // See `Filter::remove_hash`.
    #[inline(always)]
    pub(crate) fn remove(&self, hash: u64) -> bool {
        self.remove_by(hash, |table| table.pair(hash))
    }

    /// [`remove`](Self::remove) with the pair of the hash in this table.
    #[inline(always)]
    pub(crate) fn remove_by<'a>(
        &'a self,
        hash: u64,
        pair: impl FnOnce(&'a Table<L>) -> Pair<'a, L>,
    ) -> bool {
        let removed = self.clear_one(hash, pair);
        if removed {
            self.counter.subtract(1);
        }
        removed
    }

    #[inline]
    fn clear_one<'a>(&'a self, hash: u64, pair: impl FnOnce(&'a Table<L>) -> Pair<'a, L>) -> bool {
        let pair = pair(&self.table);
        let class = pair.class();
        // Load in the single order of SeqCst accesses: a remove that sees no token in one bucket
        // must have come before any that is inserted there, or a lookup misses both:
        // `design::protocol`, "A miss", case 2.
        let (a, b) = pair.load();
        if Word::surely_buckets(a, b) {
            let (a, b) = (a.as_bucket(), b.as_bucket());
            let matches = Matches::of(class.fingerprint, a, b);
            // Go on here only with a single token. With several, the remove may need to bump the
            // stripe.
            if matches.is_single() {
                let in_first = matches.in_first();
                // Select without a branch, because the choice is unpredictable.
                let bucket = select_unpredictable(in_first, class.first, class.second);
                let content = select_unpredictable(in_first, a, b);
                // Clear the slot, if the word still is what was read.
                let cleared = content.cleared(matches.slot());
                if self.table.exchange(bucket, content, cleared) {
                    return true;
                }
            }
        }
        self.remove_slowly(hash)
    }

    /// The complete version: for frozen words, for several tokens, for none, and after a lost
    /// exchange.
    #[cold]
    #[inline(never)]
    fn remove_slowly(&self, hash: u64) -> bool {
        self.remove_class(self.table.class(hash))
    }

    /// Removes one token of this class, and does not count it.
    pub(crate) fn remove_class(&self, class: Class) -> bool {
        self.change(class, |bucket| bucket.without(class.fingerprint))
    }

    /// Removes one token of this class that has this value. Returns false if there is none.
    pub(crate) fn remove_value(&self, hash: u64, value: Value) -> bool {
        let class = self.table.class(hash);
        let token = Token::with_value(class.fingerprint, value);
        let removed = self.change(class, |bucket| bucket.without_token(token));
        if removed {
            self.counter.subtract(1);
        }
        removed
    }

    /// Changes the value of one token of this class from `old` to `new`. Returns false if there is
    /// none.
    ///
    /// A token that is replaced is one that is removed and, in the same moment, one that is
    /// inserted, so what holds for removals holds for it.
    pub(crate) fn replace_value(&self, hash: u64, old: Value, new: Value) -> bool {
        let class = self.table.class(hash);
        let token = |value| Token::with_value(class.fingerprint, value);
        self.change(class, |bucket| bucket.replacing(token(old), token(new)))
    }

    /// Changes one of the two words of a class so that it has one token of the class less, or
    /// another one in its place. Returns false if `changed` finds none that it means, in either
    /// word.
    fn change(&self, class: Class, changed: impl Fn(Bucket<L>) -> Option<Bucket<L>>) -> bool {
        let (first, second, fingerprint) = (class.first, class.second, class.fingerprint);
        let mut bumped = false;
        let mut rounds = self.rounds();
        while rounds.are_left() {
            let version = self.stripes.version(fingerprint);
            while rounds.are_left() {
                // Settle both words: a frozen one cannot be exchanged.
                let a = self.settle_within(&mut rounds, first);
                let b = self.settle_within(&mut rounds, second);
                let (bucket, content, after, other) = match (changed(a), changed(b)) {
                    (Some(after), _) => (first, a, after, b),
                    (None, Some(after)) => (second, b, after, a),
                    (None, None) => break,
                };
                if other.contains(fingerprint) && !bumped {
                    // A twin is in the other bucket. It may have come there after a lookup read
                    // that bucket, and the lookup has not read this one yet; it must not miss both
                    // tokens. If there is no twin, the remove can be placed before any later
                    // insert, so no lookup needs to know. Once is enough: a lookup that begins
                    // after the bump reads both words after the twin came. If the twin leaves and
                    // another one comes, this remove began before that lookup, and can be placed
                    // before the new twin.
                    self.announce(first, fingerprint);
                    sync::trace(Event::DuplicateSeen);
                    bumped = true;
                }
                // Exchange, and read both words again if that fails: another writer was there.
                if self.table.exchange(bucket, content, after) {
                    return true;
                }
            }
            // Neither word had one. Trust it as a lookup trusts a miss.
            if self.stripes.unchanged(fingerprint, version) {
                return false;
            }
            sync::trace(Event::Repeat);
        }
        false
    }
}

/// Batches: prefetching what the operations read first.
impl<L: Layout> TokenTable<L> {
    /// Prefetches the words of a hash.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        self.table.pair(hash).prefetch();
    }

    /// The hashes in order, each some time after its words were prefetched.
    #[inline]
    pub(crate) fn prefetching(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        prefetching(hashes, is_near(self.buckets()), |hash| self.prefetch(hash))
    }

    /// The hashes in order, each some time after the words that its insert reads were prefetched:
    /// its own and, in a large table, if these are full, their tokens' other buckets.
    #[inline]
    pub(crate) fn prefetching_alternates(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        let is_far = self.table.len() > MAX_L2_BUCKETS;
        let mut is_crowded = false;
        self.prefetching(hashes)
            .enumerate()
            .map(move |(turn, hash)| {
                // Look now and then, until a pair is full: in a table with room the looks would be
                // for nothing.
                if is_far
                    && (is_crowded || turn.is_multiple_of(PROBE_INTERVAL))
                    && let Some(&later) = hashes.get(turn + ALTERNATES_LOOKAHEAD)
                {
                    is_crowded |= self.prefetch_alternates(later);
                }
                hash
            })
    }

    /// Prefetches the other buckets of all tokens in the words of a hash, if both are full.
    fn prefetch_alternates(&self, hash: u64) -> bool {
        let pair = self.table.pair(hash);
        let (a, b) = pair.load();
        let is_full =
            Word::surely_buckets(a, b) && !a.as_bucket().has_room() && !b.as_bucket().has_room();
        if is_full {
            for (bucket, word) in [(pair.class().first, a), (pair.class().second, b)] {
                for token in word.as_bucket().tokens() {
                    let other = self.table.alternate(bucket, token.fingerprint());
                    self.table.prefetch(other);
                }
            }
        }
        is_full
    }
}

/// The graph of a path search: buckets are the nodes, tokens the edges to their other buckets.
impl<L: Layout> CuckooGraph<L> for TokenTable<L> {
    #[inline]
    fn buckets(&self) -> usize {
        self.table.len()
    }

    #[inline]
    fn budget(&self) -> usize {
        self.search_budget()
    }

    #[inline]
    fn look(&self, bucket: usize) -> Bucket<L> {
        self.peek(bucket)
    }

    #[inline]
    fn other(&self, bucket: usize, token: Token<L>) -> usize {
        self.table.alternate(bucket, token.fingerprint())
    }

    #[inline]
    fn fetch(&self, bucket: usize) {
        self.table.prefetch(bucket);
    }
}

impl<L: Layout> CuckooTable<L> for TokenTable<L> {
    #[inline]
    fn copies(&self, _: usize, content: Bucket<L>, class: Class) -> usize {
        content.count(class.fingerprint)
    }

    #[inline]
    fn claim(&self) -> Option<Claim<'_, L>> {
        Self::claim(self)
    }

    fn settle(&self, bucket: usize) -> Option<Bucket<L>> {
        Some(self.settle(bucket))
    }

    #[inline]
    fn prefetch_hop(&self, hop: &Hop<L>) {
        self.table.prefetch_to_write(hop.source);
        self.table.prefetch_to_write(hop.destination);
        self.stripes.prefetch_to_write(hop.moved.fingerprint());
    }

    fn announce(&self, bucket: usize, token: Token<L>) {
        TokenTable::announce(self, bucket, token.fingerprint());
    }
}

impl<L: Layout> Words<L> for TokenTable<L> {
    #[inline]
    fn freeze(&self, bucket: usize, before: Bucket<L>, reference: Reference<L>) -> bool {
        self.table.exchange(bucket, before, reference)
    }

    #[inline]
    fn thaw(&self, bucket: usize, reference: Reference<L>, content: Bucket<L>) -> bool {
        self.table.exchange(bucket, reference, content)
    }
}

impl<L: Layout> TokenTable<L> {
    /// Moves one token of this class from its first candidate to its second. For tests.
    #[cfg(any(test, feature = "_testing"))]
    pub(crate) fn relocate_one(&self, hash: u64) -> bool {
        use crate::kernel::relocate::relocate;

        let class = self.table.class(hash);
        let moved = if L::VALUE_BITS == 0 {
            Some(Token::of(class.fingerprint))
        } else {
            self.peek(class.first).find(class.fingerprint)
        };
        let (Some(moved), Some(mut claim)) = (moved, Self::claim(self)) else {
            return false;
        };
        let hop = Hop {
            moved,
            source: class.first,
            destination: class.second,
            last: true,
        };
        relocate(self, &mut claim, hop, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::geometry::Geometry;
    use crate::kernel::layout::Lanes;
    use crate::kernel::pool::PoolSize;
    use crate::kernel::search::sizes::LONG_BUDGET;

    /// A small table whose only descriptor is taken, as by a thread that has stopped for good.
    fn taken<L: Layout>(size: PoolSize) -> TokenTable<L> {
        let geometry = Geometry::with_buckets(64).expect("accepted");
        let tokens = TokenTable::new(geometry, LONG_BUDGET, Some(size)).expect("memory");
        core::mem::forget(tokens.pool.claim());
        tokens
    }

    fn hashes() -> impl Iterator<Item = u64> {
        (1u64..).map(|item| item.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    #[test]
    fn who_finds_no_descriptor_is_told_so() {
        let mut tokens = taken::<Lanes<4, 16>>(PoolSize::exactly(1));
        // Where there is room, an admission needs one and an insert does not.
        assert_eq!(tokens.insert_unique(1), Err(Failure::NoDescriptor));
        let refused = hashes().find_map(|hash| Some((hash, tokens.insert(hash, 0).err()?)));
        let (hash, failure) = refused.expect("two buckets are full in the end");
        assert_eq!(failure, Failure::NoDescriptor);
        tokens.pool.reclaim();
        assert_eq!(tokens.insert(hash, 0), Ok(()));
        tokens.clear();
        assert_eq!(tokens.insert_unique(1), Ok(true));
    }

    #[test]
    fn a_thread_that_stopped_with_a_descriptor_costs_another_descriptor() {
        let mut tokens = taken::<Lanes<4, 16>>(PoolSize { first: 1, most: 2 });
        let bytes = tokens.bytes();
        assert_eq!(tokens.insert_unique(1), Ok(true));
        let added = tokens.bytes() - bytes;
        assert_eq!(added, 64 + 16, "a descriptor and its box");
        let stored = hashes().take_while(|&hash| tokens.insert(hash, 0).is_ok());
        assert!(stored.count() > 230, "refused with room");
        assert_eq!(tokens.bytes(), bytes + added);
        tokens.clear();
        assert_eq!(tokens.bytes(), bytes);
    }
}
