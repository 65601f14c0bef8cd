//! What the integration tests share: the configurations they run over, an independent model of the filter,
//! and threads that race.
//!
//! Nothing here reads the sources of the crate; the model is written from the documented geometry.

#![allow(dead_code, reason = "each test crate uses a part of it")]

pub(crate) mod crew;
pub(crate) mod geometry;
pub(crate) mod hashers;
pub(crate) mod history;
pub(crate) mod oracle;
pub(crate) mod seesaw;

/// Tables small enough to decide exactly whether a multiset fits: every kind of shape, one range and several.
pub(crate) const TINY: [usize; 8] = [2, 4, 6, 8, 12, 14, 16, 24];

/// Tables of up to 31 ranges that a few hundred operations still fill.
pub(crate) const SMALL: [usize; 6] = [20, 32, 40, 62, 64, 124];

/// The least search budget, a short one, the last that is searched in a small frame, the largest.
pub(crate) const BUDGETS: [usize; 4] = [2, 16, 256, 4096];

/// Numbers of threads: fewer than, as many as, and more than the processors of a small machine.
pub(crate) const THREADS: [usize; 3] = [2, 4, 8];

/// A bijection that mixes all bits (the finalizer of splitmix64), so that distinct inputs stay distinct.
pub(crate) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
