//! Arrays whose length a layout knows: one value for each slot, or for each node of a path search. And how far a search may
//! go.

use core::fmt::Debug;

use crate::sync;

/// An array whose length a layout knows.
pub trait Array<T: Copy>: Copy + Debug {
    /// Its length.
    const LEN: usize;

    /// All elements equal.
    fn filled(value: T) -> Self;

    /// The elements.
    fn as_slice(&self) -> &[T];

    /// The elements, to change them.
    fn as_mut_slice(&mut self) -> &mut [T];
}

impl<T: Copy + Debug, const N: usize> Array<T> for [T; N] {
    const LEN: usize = N;

    #[inline]
    fn filled(value: T) -> Self {
        [value; N]
    }

    #[inline]
    fn as_slice(&self) -> &[T] {
        self
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}

/// The two candidates themselves. A filter with this budget relocates nothing.
pub(crate) const MIN_BUDGET: usize = 2;

/// Most buckets that a short search examines. Nearly all searches end within it; a small frame is cheap to have.
pub(crate) const SHORT_BUDGET: usize = if sync::MODEL { 8 } else { 256 };

/// Most buckets that any search examines.
pub(crate) const LONG_BUDGET: usize = if sync::MODEL { 32 } else { 4096 };

/// In a table of up to this many buckets a search remembers where it was, so that with the largest budget it finds a
/// path if there is one. In larger ones it seldom comes to a bucket twice.
pub(crate) const REMEMBERED: usize = 1024;

/// Arrays for buckets of some number of slots. A trait, because the length of an array cannot be computed from a
/// parameter.
pub trait Arenas {
    /// One value for each node of a short path search.
    type Short<T: Copy + Debug>: Array<T>;
    /// One value for each node of a long one.
    type Long<T: Copy + Debug>: Array<T>;
}

/// Buckets of so many slots.
#[derive(Debug)]
pub struct Slots<const SLOTS: usize>;

/// Room for the nodes of a search within `budget`. A node that is expanded has `slots - 1` or `slots` buckets
/// examined, seldom fewer: so many fewer nodes than buckets use up the budget.
const fn nodes(slots: usize, budget: usize) -> usize {
    budget.div_ceil(slots - 1) + 2
}

/// The same for a long search, which comes to all buckets that it remembers.
const fn long_nodes(slots: usize) -> usize {
    let (nodes, all) = (nodes(slots, LONG_BUDGET), REMEMBERED);
    if sync::MODEL || nodes > all {
        nodes
    } else {
        all
    }
}

macro_rules! arenas {
    ($($slots:literal)*) => {$(
        impl Arenas for Slots<$slots> {
            type Short<T: Copy + Debug> = [T; nodes($slots, SHORT_BUDGET)];
            type Long<T: Copy + Debug> = [T; long_nodes($slots)];
        }
    )*};
}

arenas!(2 3 4 5 6 8);
