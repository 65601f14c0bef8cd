//! A table that doubles: blocks of words, one for each level, and the buckets of an item in them.
//!
//! The words of all levels are on one number line: level `k` has those from `2^k` to `2^(k+1)`, in a block of memory of
//! its own, and word `n` splits into `2n` and `2n + 1`.

mod block;
mod blocks;
mod class;
mod level;
mod sweep;
mod word;

pub(crate) use blocks::{Blocks, GrowingRoot, Root};
pub(crate) use class::{Class, Index, Prefix, alternate, alternate_at, child, level_of};
pub(crate) use level::Level;
pub(crate) use sweep::{Region, Stage};
pub(crate) use word::{Lanes16, State, Word};

/// The deepest level. The index bits of a bucket and of its tokens are still others than those of their heads.
pub(crate) const DEEPEST: u32 = if usize::BITS < 64 {
    usize::BITS - 5
} else {
    39
};
