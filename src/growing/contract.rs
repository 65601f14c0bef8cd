//! Contraction: puts the tokens into the fewest and smallest tables that hold them.
//!
//! # Where a token goes
//!
//! The tables are read from the newest to the oldest, their buckets by number. For each token,
//! `GrowingTokens::add_one` does the inverse of a doubling, here from level 5 to level 3 of a table
//! that began before level 3:
//!
//! ```text
//! old table    number 1 0 b1 b2 b3 b4 | tail b5 b6 .. b12
//! prefix                  b1 b2 b3 b4        b5 b6 .. b12          `Prefix::of`
//! new table    number 1 0 b1 b2 | tail b3 b4 b5 b6 .. b11          `Prefix::at`
//! ```
//!
//! 1. The number of its bucket is made that of the item's first bucket: on the second side, the
//!    offset of the head is undone. With the tail behind it, that is the prefix of the token.
//! 2. The first bits of the prefix are the number of a bucket at the new level, so its last bits
//!    return to the front of the tail. If the lane has no room for the whole tail (10 bits at the
//!    first level, 9 at a deeper one), its last bits are dropped: the prefix becomes shorter.
//! 3. The token goes into this bucket, or else into its alternate; if both are full, the last hop
//!    of a path places it in one of them (`place_in_pair`). If there is no path, the whole table is
//!    dropped, and the next larger size is tried.
//!
//! # Why that is right
//!
//! *No item is lost.* A shorter prefix covers all that the longer one covered. So each item still
//! has a token of its own that covers it, which is all that
//! [removal](crate::design::doubling#removal-takes-the-longest) needs.
//!
//! *No tail becomes shorter than the doublings from the first level on would have left it.* A
//! prefix has at least ten bits more than the first level. At a level that is `d` deeper, `10 - d`
//! of them or more are left for the tail. So the table can double as often as before, and its rate
//! of false positives is at most that of a table that has grown to this size, with the same number
//! of tokens of each age. At the first level all tails are full again.

use crate::allocate;
use crate::error::OutOfMemory;
use crate::growing::item::level_of;
use crate::growing::policy::far;
use crate::growing::several::{MAX_ADDED, Tables};
use crate::growing::sweep::Stage;
use crate::growing::table::{CountedGrowingTable, geometry};
use crate::growing::tokens::{GrowingTokens, Token, prefix};
use crate::kernel::sizing::items_for;

impl Tables {
    /// Puts all tokens into the fewest and smallest tables that hold them, but none smaller than
    /// its initial size. If there is not enough memory, they stay as they are.
    pub(crate) fn contract(&mut self) {
        // Settle each table: the merging reads words that no descriptor owns.
        self.all().for_each(|table| {
            table.tokens().settle_all();
        });
        loop {
            match self.contracted() {
                // Replace the tables, and try again: tokens that did not fit a smaller size may fit
                // it in the order in which they are now.
                Ok(Some((kept, merged))) => self.replace_all_but(kept, merged),
                // Finish a growth in progress, and try again: a table that could not be made
                // smaller does not stay between two sizes.
                Ok(None) if self.newest_is_growing() && self.finish_growth() => {}
                // Stop when nothing changes any more, or the memory for a smaller table is not
                // there.
                Ok(None) | Err(_) => break,
            }
        }
        // Finish it also if the loop ended for want of memory.
        self.finish_growth();
        // Free the words that the first table has outgrown.
        self.free_retired_levels();
    }

    fn newest_is_growing(&self) -> bool {
        let tokens = self.newest().tokens();
        tokens.is_growing(tokens.root())
    }

    /// Merges all tables but the oldest `kept` into one smaller table, with the least possible
    /// `kept`.
    fn contracted(&self) -> Result<Option<(usize, Box<CountedGrowingTable>)>, OutOfMemory> {
        let mut tables = Vec::new();
        allocate::grow(&mut tables, MAX_ADDED + 1)?;
        tables.extend(self.all());
        // Try all tables first. Keep one more of the oldest each time: a table that has tables
        // after it must have its last level, so it is merged with all of them or left as it is.
        for kept in 0..tables.len() {
            let merged = &tables[..tables.len() - kept];
            // Search as far as an insert below the capacity: the new table is as full.
            let budget = far(merged[merged.len() - 1].tokens().search_budget());
            if let Some(merged) = CountedGrowingTable::smallest_for(merged, budget)? {
                return Ok(Some((kept, allocate::boxed(merged)?)));
            }
        }
        Ok(None)
    }
}

impl CountedGrowingTable {
    /// The smallest table for the tokens of these, from the newest to the oldest, unshared and with
    /// nothing in progress, found by searches of up to `budget` buckets. `None` if it would not be
    /// smaller. It begins with the level of the oldest.
    fn smallest_for(tables: &[&Self], budget: usize) -> Result<Option<Self>, OutOfMemory> {
        let Some(oldest) = tables.last() else {
            return Ok(None);
        };
        let tokens = oldest.tokens();
        let (first, last) = (tokens.first(), tokens.last());
        // One table must become smaller than it is. Several may become one that can double no more.
        let too_large = if tables.len() == 1 {
            oldest.size()
        } else {
            last + 1
        };
        // Count the tokens themselves: a dead thread may not have counted what it added.
        let len = tables.iter().map(|table| table.tokens().taken()).sum();
        // Skip the levels whose capacity is too small: room is not assured there.
        let fits = |&level: &u32| items_for(geometry(level)) >= len;
        for level in (first..too_large).filter(fits) {
            // Build a table of this level without a growth in progress.
            let merged =
                GrowingTokens::empty(first, Stage::at_rest(level), tokens.search_budget())?;
            // Drop this table at the first token that has no room, and try the next level.
            let fit = |table: &&Self| merged.add_all(table.tokens(), budget);
            if tables.iter().all(fit) {
                return Ok(Some(Self::of(merged, len)?));
            }
        }
        Ok(None)
    }
}

impl GrowingTokens {
    /// Adds all tokens of another table, which no other thread uses, and which has nothing in
    /// progress. Returns false if they do not fit, after searches of up to `budget` buckets.
    fn add_all(&self, from: &Self, budget: usize) -> bool {
        // Read two levels: in a growth, a bucket of the level of the root or both of its children
        // are there.
        let both_levels = 1 << from.level()..4 << from.level();
        let mut contents = both_levels.filter_map(|bucket| Some((bucket, from.peek(bucket)?)));
        // Stop at the first token that does not fit: the caller tries a larger table.
        contents.all(|(bucket, content)| {
            let mut tokens = content.tokens();
            tokens.all(|token| self.add_one(from, bucket, token, budget))
        })
    }

    /// Adds a token that is in a bucket of another table, on either side. Returns false if there is
    /// no room.
    fn add_one(&self, from: &Self, bucket: usize, token: Token, budget: usize) -> bool {
        let level = self.level();
        // Decode all that the token says of the first index string of its item: the number of the
        // bucket and the tail.
        let prefix = prefix(bucket, token, from.levels.depth(level_of(bucket)));
        // Encode it for the new level: as many bits become the number of a bucket, and the next
        // ones the tail.
        let (first, lane) = prefix.at(level, self.levels.depth(level));
        let token = Token::from_bits(u32::from(lane));
        token.is_some_and(|token| self.place_in_pair(first, token, budget))
    }
}
