//! The shared object: a multiset of tokens, spread over the words of a table.
//!
//! A token is one stored copy of a fingerprint. All copies of `f` in the two candidates of an item belong to
//! one class and are interchangeable. This room holds the parts together and says what a word means; each
//! operation has a room of its own.

use crate::allocate::OutOfMemory;
use crate::bucket::Bucket;
use crate::descriptor::{Control, Pool, State};
use crate::fingerprint::Fingerprint;
use crate::geometry::{Candidates, Geometry};
use crate::hints::{Hint, Hints};
use crate::stripes::Stripes;
use crate::sync::{self, Event};
use crate::table::Table;
use crate::transfer::Transfer;
use crate::word::{Content, Reference, Word};

#[derive(Debug)]
pub(crate) struct Tokens {
    pub(crate) geometry: Geometry,
    pub(crate) table: Table,
    pub(crate) stripes: Stripes,
    pub(crate) pool: Pool,
    pub(crate) hints: Hints,
    /// Most buckets that one path search examines.
    pub(crate) search_budget: usize,
    /// Whether these are all tokens of a filter, or those of one segment of a chain.
    pub(crate) scope: Scope,
}

/// Who can tell that a class is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Whoever reads its two words.
    Whole,
    /// Only who reads other segments as well.
    #[cfg_attr(not(feature = "std"), allow(dead_code, reason = "nothing grows there"))]
    Segment,
}

/// Why an insert found no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No path to a vacant slot within the budget.
    NoPath,
    /// Every attempt was disturbed, or found no free descriptor.
    Disturbed,
    /// Both buckets hold nothing but copies of this very class.
    AllCopies,
}

/// What a reference means for the word it stands in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resolved {
    /// The use is over; the word has changed since it was loaded.
    Stale,
    /// Decided: the word's content is this, whoever writes it back.
    Settled(Bucket),
    /// Not decided; until it is, the word's content is the old one.
    Pending(Pending),
}

/// A transfer that was pending when it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) reference: Reference,
    pub(crate) control: Control,
    pub(crate) transfer: Transfer,
    pub(crate) old: Bucket,
}

impl Tokens {
    pub(crate) fn new(
        geometry: Geometry,
        search_budget: usize,
        descriptors: usize,
    ) -> Result<Self, OutOfMemory> {
        let table = Table::new(geometry.buckets())?;
        Self::with_table(geometry, table, search_budget, descriptors)
    }

    /// The tokens of a table that is there already.
    pub(crate) fn with_table(
        geometry: Geometry,
        table: Table,
        search_budget: usize,
        descriptors: usize,
    ) -> Result<Self, OutOfMemory> {
        assert_eq!(table.len(), geometry.buckets(), "see `look_at`");
        Ok(Self {
            geometry,
            table,
            stripes: Stripes::new()?,
            pool: Pool::new(descriptors)?,
            hints: Hints::new(),
            search_budget,
            scope: Scope::Whole,
        })
    }

    /// The heap bytes of tokens that are yet to be built: all but the table are built for the answer.
    pub(crate) fn bytes_for(geometry: Geometry, descriptors: usize) -> Result<usize, OutOfMemory> {
        let fixed = Stripes::new()?.bytes() + Pool::new(descriptors)?.bytes();
        Ok(geometry.buckets() * size_of::<u64>() + fixed)
    }

    /// The heap bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes() + self.stripes.bytes() + self.pool.bytes() + self.hints.bytes()
    }

    /// The class of a hash, what `first` reads for its fingerprint, and after that the words of the two
    /// candidates, by independent loads.
    #[inline]
    #[allow(unsafe_code, reason = "see `Table::load_both`")]
    pub(crate) fn look_at<T>(
        &self,
        hash: u64,
        first: impl FnOnce(Fingerprint) -> T,
    ) -> (Candidates, T, Word, Word) {
        let class = self.geometry.candidates(hash);
        let before = first(class.fingerprint);
        // SAFETY: candidates are less than the number of buckets in their geometry, and `with_table` has checked
        // that the table has as many words; nobody changes either.
        let (a, b) = unsafe { self.table.load_both(class.first, class.second) };
        (class, before, a, b)
    }

    /// What `reference`, found in `bucket`, means there.
    pub(crate) fn resolve(&self, bucket: usize, reference: Reference) -> Resolved {
        let Some((transfer, control)) = self.pool.read(reference) else {
            return Resolved::Stale;
        };
        let old = transfer.before(bucket);
        match control.state() {
            State::Pending => Resolved::Pending(Pending {
                reference,
                control,
                transfer,
                old,
            }),
            State::Aborted => Resolved::Settled(old),
            // The owner checked that the change is possible before it published it.
            State::Committed => Resolved::Settled(transfer.after(bucket).unwrap_or(old)),
        }
    }

    /// Tells lookups and a scan under way that tokens of a class are about to change places.
    #[inline]
    pub(crate) fn announce(&self, bucket: usize, fingerprint: Fingerprint) {
        if self.stripes.bump(fingerprint) {
            sync::happened(Event::Hint);
            self.hints.note(Hint {
                bucket,
                fingerprint,
            });
        }
    }

    /// A read that disturbs nobody: the logical content of a word at some moment during the call.
    #[inline]
    pub(crate) fn peek(&self, bucket: usize) -> Bucket {
        match self.table.load(bucket).content() {
            Content::Bucket(content) => content,
            Content::Reference(_) => self.peek_frozen(bucket),
        }
    }

    #[cold]
    fn peek_frozen(&self, bucket: usize) -> Bucket {
        loop {
            match self.table.load(bucket).content() {
                Content::Bucket(content) => return content,
                Content::Reference(reference) => match self.resolve(bucket, reference) {
                    Resolved::Stale => {}
                    Resolved::Settled(content) => return content,
                    Resolved::Pending(pending) => return pending.old,
                },
            }
        }
    }

    /// Empties the table, and takes back what dead threads held.
    pub(crate) fn clear(&mut self) {
        for bucket in 0..self.table.len() {
            self.table.set(bucket, Bucket::EMPTY);
        }
        self.reclaim();
    }

    /// Takes back what dead threads held: descriptors, and the right to scan. `&mut`: nothing is under way.
    /// Frozen words must have been settled.
    pub(crate) fn reclaim(&mut self) {
        self.pool.reclaim();
        self.stripes.end_all_scans();
        self.hints.reclaim();
    }

    /// A copy of the tokens with a fresh pool, and their number. Exact if nobody writes meanwhile.
    pub(crate) fn quiescent_copy(&self) -> Result<(Self, usize), OutOfMemory> {
        let mut copy = Self::new(self.geometry, self.search_budget, self.pool.len())?;
        copy.scope = self.scope;
        let mut len = 0;
        for bucket in 0..self.table.len() {
            let content = self.peek(bucket);
            copy.table.set(bucket, content);
            len += content.len();
        }
        Ok((copy, len))
    }
}
