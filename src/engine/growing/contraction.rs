//! Contraction: fewer and smaller tables, for the items that are left.

use super::Growing;
use crate::counted::GrowingTable;
use crate::error::OutOfMemory;

impl Growing {
    /// Puts all tokens into the fewest and smallest tables that hold them, but for tables smaller than those that are there
    /// began with. If there is not the memory for it, they stay as they are.
    pub(super) fn contract(&mut self) {
        self.tables.all().for_each(|table| {
            table.tokens().settle_all();
        });
        if let Ok(Some((kept, merged))) = self.contracted() {
            self.tables.replace_all_but(kept, merged);
        }
        // What could not be made smaller does not stay between two sizes.
        self.finish_growth();
        self.tables.forget_behind();
    }

    /// A smaller table for the tokens of all tables but so many of the coarsest, of as few as possible.
    fn contracted(&self) -> Result<Option<(usize, GrowingTable)>, OutOfMemory> {
        let tables: Vec<&GrowingTable> = self.tables.all().collect();
        for kept in 0..tables.len() {
            if let Some(merged) = GrowingTable::contracted(&tables[..tables.len() - kept])? {
                return Ok(Some((kept, merged)));
            }
        }
        Ok(None)
    }
}
