//! Insertion: one exchange where there is room, a chain of relocations where there is none.

use core::hint::select_unpredictable;
use core::iter;

use crate::bucket::Bucket;
use crate::expansion::{Expansion, NEAR, near_hop};
use crate::fingerprint::Fingerprint;
use crate::geometry::Candidates;
use crate::hop::Hop;
use crate::path::{Found, LongSearch, ShortSearch};
use crate::sync::{self, Event};
use crate::tokens::{Refusal, Tokens};
use crate::word::Word;

/// Attempts of one insert. Two inserts can abort each other's relocations; a bound keeps each of them
/// finite, so that the whole stays lock-free.
pub(crate) const ATTEMPTS: usize = if sync::MODEL { 3 } else { 64 };

/// How an attempt to open a full pair ended.
pub(crate) enum Opened {
    /// Every hop of the path is done; if a token was to be placed, it is.
    Done,
    /// The table changed meanwhile, or no descriptor was free.
    Disturbed,
}

impl Tokens {
    /// Adds one token of this class.
    ///
    /// Linearization point: the exchange that adds it, or the commit of the last hop that places it. A
    /// refusal changes no class: the hops done so far moved tokens between their own candidates.
    #[inline]
    pub(crate) fn insert(&self, hash: u64) -> Result<(), Refusal> {
        let (class, (), a, b) = self.look_at(hash, |_| ());
        if Word::are_plain(a, b) && self.add_to(class, a.plain(), b.plain()) == Some(true) {
            return Ok(());
        }
        self.insert_slowly(hash)
    }

    /// The same in full: for frozen words, for a full pair, and after a lost exchange.
    #[cold]
    fn insert_slowly(&self, hash: u64) -> Result<(), Refusal> {
        self.insert_class(self.geometry.candidates(hash))
    }

    pub(crate) fn insert_class(&self, class: Candidates) -> Result<(), Refusal> {
        for _ in 0..ATTEMPTS {
            match self.open(class, Some(class.fingerprint))? {
                Opened::Done => return Ok(()),
                Opened::Disturbed if self.add(class) => return Ok(()),
                Opened::Disturbed => {}
            }
        }
        Err(Refusal::Disturbed)
    }

    /// Adds to the emptier candidate; false if both are full.
    fn add(&self, class: Candidates) -> bool {
        loop {
            let (a, b) = (self.settle(class.first), self.settle(class.second));
            match self.add_to(class, a, b) {
                None => return false,
                Some(true) => return true,
                // Another writer got in first, so the system as a whole went on.
                Some(false) => {}
            }
        }
    }

    /// Adds to the emptier of two buckets that held `a` and `b`. `None` if both are full, false if that one
    /// has changed.
    #[inline]
    fn add_to(&self, class: Candidates, a: Bucket, b: Bucket) -> Option<bool> {
        // Selects, because nothing foretells which of the two it is.
        let first_is_emptier = a.vacancies() >= b.vacancies();
        let bucket = select_unpredictable(first_is_emptier, class.first, class.second);
        let content = select_unpredictable(first_is_emptier, a, b);
        let added = content.with(class.fingerprint)?;
        Some(self.table.exchange(bucket, content, added))
    }

    /// Finds a path that opens a slot of a full pair and executes it. The last hop puts `placed` into the
    /// opened slot, so that nobody else can take it.
    pub(crate) fn open(
        &self,
        class: Candidates,
        placed: Option<Fingerprint>,
    ) -> Result<Opened, Refusal> {
        let (a, b) = (self.peek(class.first), self.peek(class.second));
        if a.has_room() || b.has_room() {
            return Ok(Opened::Disturbed);
        }
        if self.search_budget >= NEAR {
            let a = Expansion::of(self, class.first, a, |bucket| bucket == class.second);
            let b = Expansion::of(self, class.second, b, |bucket| bucket == class.first);
            if let Some(hop) = near_hop(&a, &b) {
                return Ok(self.execute(iter::once(hop), placed));
            }
        }
        self.open_by_search(class, placed)
    }

    /// The same with a search. Apart, so that its frame of 2 KiB is paid for only where one hop does not do.
    #[inline(never)]
    fn open_by_search(
        &self,
        class: Candidates,
        placed: Option<Fingerprint>,
    ) -> Result<Opened, Refusal> {
        let mut short = ShortSearch::new();
        match short.run(self, class, self.search_budget) {
            Found::Room => Ok(Opened::Disturbed),
            Found::Path(path) => Ok(self.execute(path, placed)),
            Found::Nothing if ShortSearch::suits(self.search_budget) => self.refusal(class),
            Found::Nothing => self.open_far(class, placed),
        }
    }

    /// The same with the whole search budget. Apart, so that its frame of 28 KiB is seldom paid for.
    #[inline(never)]
    fn open_far(&self, class: Candidates, placed: Option<Fingerprint>) -> Result<Opened, Refusal> {
        let mut long = LongSearch::new();
        match long.run(self, class, self.search_budget) {
            Found::Room => Ok(Opened::Disturbed),
            Found::Path(path) => Ok(self.execute(path, placed)),
            Found::Nothing => self.refusal(class),
        }
    }

    fn execute(&self, path: impl Iterator<Item = Hop>, placed: Option<Fingerprint>) -> Opened {
        // After the search, so that a descriptor is held for the hops only.
        let Some(mut claim) = self.pool.claim() else {
            // All are in use: their owners may need the processor to finish.
            sync::happened(Event::Starved);
            sync::yield_now();
            return Opened::Disturbed;
        };
        for hop in path {
            if !self.relocate(&mut claim, hop, placed.filter(|_| hop.last)) {
                return Opened::Disturbed;
            }
        }
        Opened::Done
    }

    /// Why no path was found. Reads one bucket after the other, so with other writers about the eight copies need
    /// not have been in at one time.
    fn refusal(&self, class: Candidates) -> Result<Opened, Refusal> {
        let pair = [self.peek(class.first), self.peek(class.second)];
        let copies = |bucket: &Bucket| bucket.count(class.fingerprint);
        if pair.iter().any(|bucket| bucket.has_room()) {
            // Somebody has removed one meanwhile.
            Ok(Opened::Disturbed)
        } else if pair.iter().map(copies).sum::<usize>() == 2 * Bucket::SLOTS {
            Err(Refusal::AllCopies)
        } else {
            Err(Refusal::NoPath)
        }
    }
}
