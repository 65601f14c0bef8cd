//! The protocol: a multiset of tokens in the words of a table, shared by many threads without a lock.
//!
//! This is the entry, mostly one line per operation. `empty_while` and `relocate_one` are methods in their modules. The
//! modules, from the bottom up:
//!
//! | module | contents |
//! |---|---|
//! | `transfer`, `descriptor` | a change of two words as a value; the records that freeze words, and their meaning |
//! | `stripes`, `hints` | signals to lookups and scans that tokens change places |
//! | `parts` | `Tokens`: the table and the two rows above |
//! | `settlement` | how a writer handles a frozen word, and how a pending admission is decided |
//! | `lookup`, `removal` | one step each over the two words of a class |
//! | `path`, `relocation` | the search for a path to a vacant slot, and the move of a token along it |
//! | `insertion`, `admission` | adding one token more, or the only one of its class |
//! | `scan`, `emptying` | the whole table |
//! | `doubling` | the protocol in a table that doubles, with a list of its own |
//!
//! Each module imports only from modules listed before it.

mod admission;
mod descriptor;
#[cfg(feature = "std")]
pub(crate) mod doubling;
mod emptying;
mod hints;
mod insertion;
mod lookup;
mod parts;
mod path;
mod relocation;
mod removal;
mod scan;
mod settlement;
mod stripes;
mod transfer;

pub(crate) use admission::Attempt;
pub(crate) use emptying::Emptied;
pub(crate) use insertion::{ATTEMPTS, Refusal};
pub(crate) use parts::Tokens;
pub(crate) use settlement::OtherTables;

use crate::error::SnapshotError;
use crate::layout::{Bucket, Layout, Token, Value};
use crate::table::Word;

impl<L: Layout> Tokens<L> {
    /// Returns whether a token of this class is stored. Writes nothing.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        lookup::contains(self, hash)
    }

    /// The number of tokens of this class. Settles both words, so it may write.
    pub(crate) fn count(&self, hash: u64) -> usize {
        lookup::count(self, self.table.candidates(hash))
    }

    /// Adds one token of this class, with a value; 0 if the layout has none.
    #[inline]
    pub(crate) fn insert(&self, hash: u64, value: Value) -> Result<(), Refusal> {
        insertion::insert(self, hash, value)
    }

    /// Adds a token of this class if there is none. Returns true if this call added it.
    #[inline]
    pub(crate) fn insert_unique(&self, hash: u64) -> Result<bool, Refusal> {
        admission::insert_unique(self, hash)
    }

    /// Adds a token of this class with a value if there is none. Returns `None` if this call added it, otherwise a
    /// value that the class has.
    pub(crate) fn find_or_insert(&self, hash: u64, value: Value) -> Result<Option<Value>, Refusal> {
        let found = admission::find_or_insert(self, hash, value)?;
        Ok(found.map(Token::value))
    }

    /// The value of a token of this class, if one is stored: with several, any of them. Writes nothing.
    #[inline]
    pub(crate) fn value(&self, hash: u64) -> Option<Value> {
        lookup::find(self, hash).map(Token::value)
    }

    /// Passes the values of all tokens of this class to `value`. Settles both words, so it may write.
    pub(crate) fn values(&self, hash: u64, value: impl FnMut(Value)) {
        let class = self.table.candidates(hash);
        let (a, b) = lookup::pair(self, class);
        let tokens = a.tokens().chain(b.tokens());
        let of_the_class = tokens.filter(|token| token.fingerprint() == class.fingerprint);
        of_the_class.map(Token::value).for_each(value);
    }

    /// Changes the value of one token of this class from `old` to `new`. Returns false if there is none.
    pub(crate) fn replace_value(&self, hash: u64, old: Value, new: Value) -> bool {
        let class = self.table.candidates(hash);
        let token = |value| Token::with_value(class.fingerprint, value);
        removal::change(self, class, |bucket| {
            bucket.replacing(token(old), token(new))
        })
    }

    /// Removes one token of this class that has this value. Returns false if there is none.
    pub(crate) fn remove_value(&self, hash: u64, value: Value) -> bool {
        let class = self.table.candidates(hash);
        let token = Token::with_value(class.fingerprint, value);
        removal::change(self, class, |bucket| bucket.without_token(token))
    }

    /// One attempt to add a token of this class, if there is none here or `elsewhere`.
    pub(crate) fn try_to_admit(
        &self,
        hash: u64,
        elsewhere: &impl OtherTables,
    ) -> Result<Attempt, Refusal> {
        admission::try_to_admit(self, hash, 0, elsewhere)
    }

    /// Whether there is no token of a class, for an admission in another table.
    pub(crate) fn holds_none(&self, hash: u64) -> bool {
        admission::holds_none(self, hash)
    }

    /// Removes one token of this class. Returns false if there is none.
    #[inline]
    pub(crate) fn remove(&self, hash: u64) -> bool {
        removal::remove(self, hash)
    }

    /// Prefetches the words of a hash.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        let class = self.table.candidates(hash);
        self.table.prefetch(class.first);
        self.table.prefetch(class.second);
    }

    /// The hashes in order, each some time after its words were prefetched.
    #[inline]
    pub(crate) fn ahead(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        ahead(hashes, is_near(self.buckets()), |hash| self.prefetch(hash))
    }

    /// The number of buckets.
    #[inline]
    pub(crate) fn buckets(&self) -> usize {
        self.table.len()
    }

    /// The hashes in order, each some time after the words that its insert reads were prefetched: its own and, in a
    /// large table, if these are full, their tokens' other buckets.
    #[inline]
    pub(crate) fn ahead_of_inserts(&self, hashes: &[u64]) -> impl Iterator<Item = u64> {
        let is_far = self.table.len() > FAR;
        let mut is_crowded = false;
        self.ahead(hashes).enumerate().map(move |(turn, hash)| {
            // A look now and then, until a pair is full: in a table with room the looks would be for nothing.
            if is_far
                && (is_crowded || turn.is_multiple_of(BETWEEN_LOOKS))
                && let Some(&later) = hashes.get(turn + SOON)
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
        let is_full = Word::are_plain(a, b) && !a.plain().has_room() && !b.plain().has_room();
        if is_full {
            for (bucket, word) in [(pair.class().first, a), (pair.class().second, b)] {
                for token in word.plain().tokens() {
                    let other = self.table.alternate(bucket, token.fingerprint());
                    self.table.prefetch(other);
                }
            }
        }
        is_full
    }

    /// Settles each word once, as a writer does that meets it. Returns the number of tokens. Exact if no thread writes.
    pub(crate) fn settle_each(&self) -> usize {
        let contents = (0..self.table.len()).map(|bucket| settlement::settle(self, bucket));
        contents.map(Bucket::len).sum()
    }

    /// The number of bumps so far. Two readings are equal only if there was none between them.
    pub(crate) fn announcements(&self) -> u64 {
        self.stripes.bumps()
    }

    /// A copy that holds every token that is stored from the call to the return, and their number.
    pub(crate) fn snapshot(&self) -> Result<(Self, usize), SnapshotError> {
        scan::snapshot(self)
    }
}

/// Hashes between the prefetch of one and its turn: enough to cover the way to memory, and so few that the first of a
/// short batch do not wait for the last. Of 8, 12, 16, 24 and 32 it was the fastest in batches of 32 and of 1,000.
const DISTANCE: usize = 16;

/// Hashes between a look at the words of one and its turn: they have arrived by then.
const SOON: usize = 12;

/// Hashes between looks at words as long as there is room.
const BETWEEN_LOOKS: usize = 8;

/// The buckets of a table of 1 MiB.
const NEAR: usize = (1 << 20) / size_of::<u64>();

/// The buckets of a table of 4 MiB: the second-level cache of no core holds a larger one. In a smaller one a look ahead
/// costs more than it saves.
const FAR: usize = 4 * NEAR;

/// Whether the second-level cache of a core is likely to hold so many buckets: then a prefetch costs more than it saves.
#[inline]
pub(crate) fn is_near(buckets: usize) -> bool {
    buckets <= NEAR
}

/// The hashes in order, each some time after `prefetch` was called for it, unless the tables are near.
#[inline]
pub(crate) fn ahead(
    hashes: &[u64],
    are_near: bool,
    prefetch: impl Fn(u64),
) -> impl Iterator<Item = u64> {
    let distance = if are_near { hashes.len() } else { DISTANCE };
    if !are_near {
        let first = hashes.iter().take(DISTANCE);
        first.for_each(|&hash| prefetch(hash));
    }
    hashes.iter().enumerate().map(move |(turn, &hash)| {
        if let Some(&later) = hashes.get(turn + distance) {
            prefetch(later);
        }
        hash
    })
}
