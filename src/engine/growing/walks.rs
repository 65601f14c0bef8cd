//! Lookups, removes and inserts: walks over the tables, from the finest to the coarsest.
//! [`doubling`](crate::design::doubling#several-tables) has the reasons.

use core::ptr;

use super::Growing;
use super::growth::Patience;
use super::tables::Tables;
use crate::counted::GrowingTable;
use crate::error::InsertError;
use crate::layout::Sight;
use crate::table::doubling::Root;
use crate::tokens::{Attempt, OtherTables, Refusal};

impl Growing {
    #[inline]
    pub(super) fn contains(&self, hash: u64) -> bool {
        let home = self.tables.home().tokens();
        home.sight(hash, |root| self.lookup_aside(root, hash))
            .found()
    }

    /// If not all tokens are in words of one level.
    ///
    /// Cold, so that a loop keeps its values in registers as if there were no call.
    #[cold]
    #[inline(never)]
    fn lookup_aside(&self, root: Root, hash: u64) -> Sight {
        let home = self.tables.home().tokens();
        match self.tables.later().next() {
            None => home.sight_aside(root, hash),
            Some(second) => second
                .tokens()
                .sight_of_two(home, hash)
                .unwrap_or_else(|| Sight::certain(self.lookup_in_all(hash))),
        }
    }

    #[cold]
    #[inline(never)]
    fn lookup_in_all(&self, hash: u64) -> bool {
        let mut tables = self.tables.all();
        tables.any(|table| table.tokens().contains(hash))
    }

    /// Removes a token from the finest table that has one.
    #[inline]
    pub(super) fn remove(&self, hash: u64) -> bool {
        let home = self.tables.home();
        let root = home.tokens().root();
        if root.is_at_rest() {
            home.remove(root, hash)
        } else {
            self.remove_from_all(hash)
        }
    }

    #[cold]
    #[inline(never)]
    fn remove_from_all(&self, hash: u64) -> bool {
        let mut tables = self.tables.all();
        tables.any(|table| table.remove(table.tokens().root(), hash))
    }

    #[inline]
    pub(super) fn insert(&self, hash: u64) -> Result<(), InsertError> {
        let home = self.tables.home();
        let tokens = home.tokens();
        let root = tokens.root();
        if root.is_at_rest() && home.insert(root, hash, tokens.search_budget()).is_ok() {
            return Ok(());
        }
        self.insert_slowly(hash)
    }

    #[cold]
    #[inline(never)]
    fn insert_slowly(&self, hash: u64) -> Result<(), InsertError> {
        let mut patience = Patience::default();
        loop {
            let target = self.tables.target();
            let root = target.tokens().root();
            match target.insert(root, hash, patience.budget(target)) {
                Ok(()) => return Ok(()),
                Err(refusal) => self.make_room(target, root, refusal, &mut patience)?,
            }
        }
    }

    pub(super) fn insert_unique(&self, hash: u64) -> Result<bool, InsertError> {
        let mut patience = Patience::default();
        loop {
            if self.contains(hash) {
                return Ok(false);
            }
            let target = self.tables.target();
            let root = target.tokens().root();
            let others = Others {
                tables: &self.tables,
                target,
                hash,
            };
            let budget = patience.budget(target);
            match target.tokens().try_to_admit(hash, budget, &others) {
                Ok(Attempt::Admitted) => {
                    target.count_one();
                    return Ok(true);
                }
                Ok(Attempt::Present) => return Ok(false),
                Ok(Attempt::Disturbed) => {
                    self.go_on(target, root, Refusal::Disturbed, &mut patience)?;
                }
                Ok(Attempt::Starved) => {
                    self.go_on(target, root, Refusal::Starved, &mut patience)?;
                }
                Err(refusal) => self.make_room(target, root, refusal, &mut patience)?,
            }
        }
    }

    /// Prefetches the words of a hash.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        let home = self.tables.home().tokens();
        home.prefetch(hash, |root| self.prefetch_aside(root, hash));
    }

    /// In all tables: an absent item is looked up in all, and a batch has time for that while it serves others.
    #[cold]
    #[inline(never)]
    fn prefetch_aside(&self, root: Root, hash: u64) {
        self.tables.home().tokens().prefetch_aside(root, hash);
        for table in self.tables.later() {
            let tokens = table.tokens();
            tokens.prefetch_aside(tokens.root(), hash);
        }
    }
}

/// The tables besides the target, for an admission there. They are coarser.
struct Others<'a> {
    tables: &'a Tables,
    target: &'a GrowingTable,
    hash: u64,
}

impl OtherTables for Others<'_> {
    fn earlier_hold_none(&self) -> bool {
        true
    }

    fn later_hold_none(&self) -> bool {
        let tables = self.tables.all();
        let mut coarser = tables.filter(|table| !ptr::eq(*table, self.target));
        // Check for a finer table last: a rival admitted there later sees this admission, and aborts it.
        coarser.all(|table| table.tokens().holds_none(self.hash))
            && self.tables.is_target(self.target)
    }
}
