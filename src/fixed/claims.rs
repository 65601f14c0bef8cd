//! Claims of what one owner at a time has: a descriptor, or the right to scan. If none is free, a
//! dead process may have held it, and [`recover`](crate::fixed::recover) takes it back.

use crate::fixed::tokens::TokenTable;
use crate::kernel::descriptor::Claim;
use crate::kernel::hints::{NoScan, Scan};
use crate::kernel::layout::Layout;

impl<L: Layout> TokenTable<L> {
    /// An unused descriptor. `None` if all of the maximum stay in use for some time, or if there
    /// are fewer and no memory for more.
    #[inline]
    pub(crate) fn claim(&self) -> Option<Claim<'_, L>> {
        let claim = self.pool.claim();
        #[cfg(feature = "shared")]
        let claim = claim.or_else(|| self.claim_from_the_dead());
        claim
    }

    /// The right to scan.
    pub(crate) fn begin_scan(&self) -> Result<Scan<'_, L>, NoScan> {
        let scan = self.try_to_scan();
        #[cfg(feature = "shared")]
        let scan = scan.or_else(|_| {
            self.recover();
            self.try_to_scan()
        });
        scan
    }

    fn try_to_scan(&self) -> Result<Scan<'_, L>, NoScan> {
        let owner = self.pool.owner().ok_or(NoScan::Busy)?;
        self.hints.scan(owner, self.table.len())
    }

    /// A descriptor, when all have been in use for some time.
    #[cfg(feature = "shared")]
    #[cold]
    fn claim_from_the_dead(&self) -> Option<Claim<'_, L>> {
        self.pool.seats()?.own()?;
        self.recover();
        self.pool.claim()
    }
}
