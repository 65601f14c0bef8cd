//! What several test programs run over: shapes of tables, budgets, numbers of threads, and a table that hops.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each test crate uses a part of it"
)]

pub(crate) mod accounts;
pub(crate) mod batches;
pub(crate) mod damage;
pub(crate) mod seesaw;

use lockfree_cuckoo::Layout;

/// The same layout in the second implementation. Where it has values, only where its items may be is alike.
pub(crate) fn model_of<L: Layout>() -> model::Layout {
    model::Layout::of(L::SLOTS, L::FINGERPRINT_BITS)
}

/// Tables small enough to decide exactly whether a multiset fits: every kind of shape, one range and several.
pub(crate) const TINY: [usize; 8] = [2, 4, 6, 8, 12, 14, 16, 24];

/// Tables of up to 31 ranges that a few hundred operations still fill.
pub(crate) const SMALL: [usize; 6] = [20, 32, 40, 62, 64, 124];

/// The least search budget, a short one, the last that is searched in a small frame, the largest.
pub(crate) const BUDGETS: [usize; 4] = [2, 16, 256, 4096];

/// Numbers of threads: fewer than, as many as, and more than the processors of a small machine.
pub(crate) const THREADS: [usize; 3] = [2, 4, 8];

/// Calls a function for each engine.
macro_rules! of_each_engine {
    ($call:ident $(($($argument:expr),*))?) => {{
        $call::<lockfree_cuckoo::Fixed>($($($argument),*)?);
        $call::<lockfree_cuckoo::Growing>($($($argument),*)?);
        $call::<lockfree_cuckoo::Rotating>($($($argument),*)?);
    }};
}
pub(crate) use of_each_engine;
