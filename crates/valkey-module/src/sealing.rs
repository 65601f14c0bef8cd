//! Growth that ends in the command that it begins in.
//!
//! When a filter has grown, the segment that took the inserts before can be given up once it is empty. The library lets
//! that wait until no thread can insert there any more, which depends on what threads did to all filters. Here it must not:
//! a replica does the same commands, but not the same lookups, and would give segments up earlier or later.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use cf::Filter;

static READERS: RwLock<()> = RwLock::new(());

/// A worker reads filters until this is dropped. The main thread can wait for it, so it must not be for long.
pub(crate) fn reading() -> RwLockReadGuard<'static, ()> {
    // It guards nothing that could be half done.
    READERS.read().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the growth of a filter that had `before` slots.
pub(crate) fn end_growth(filter: &Filter, before: usize) {
    if filter.slots() != before {
        let _alone = READERS.write().unwrap_or_else(PoisonError::into_inner);
        // While no other thread reads, that is all it takes.
        filter.shrink_to_fit();
    }
}

/// Frees the empty segments of a filter.
pub(crate) fn alone<T>(work: impl FnOnce() -> T) -> T {
    let _alone = READERS.write().unwrap_or_else(PoisonError::into_inner);
    work()
}
