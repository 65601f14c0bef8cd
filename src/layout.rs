//! The layout of a bucket: how the 64 bits of a word are divided into slots.
//!
//! A bucket is one 64-bit word for ever: that makes every change of it one exchange. A [`Layout`] says how many
//! slots the word has, how many bits a fingerprint has, and which words are references to descriptors instead. Only the
//! rooms of this floor know; all others work with [`Bucket`], [`Token`] and [`Matches`], which ask the layout.
//!
//! Pure values; no atomics here.

mod arena;
mod bucket;
mod fingerprint;
mod lanes;
mod matches;
mod token;
mod words;

pub(crate) use arena::{LONG_BUDGET, MIN_BUDGET, SHORT_BUDGET};
pub(crate) use bucket::{Bucket, Slot};
pub(crate) use fingerprint::Fingerprint;
pub use lanes::Lanes;
pub(crate) use matches::Matches;
pub(crate) use token::Token;
pub(crate) use words::Array;
pub(crate) use words::{Fit, Words};

/// How a bucket, one 64-bit word, is divided into slots.
///
/// A parameter of the filters: `CuckooFilter<S, L>`. Sealed: the layouts are those of this crate. At present there is
/// [`Lanes<4, 16>`](Lanes), the default.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::{Lanes, Layout};
///
/// type Default = Lanes<4, 16>;
/// assert_eq!((Default::SLOTS, Default::FINGERPRINT_BITS), (4, 16));
/// ```
pub trait Layout: Words {
    /// Slots of a bucket.
    const SLOTS: usize;

    /// Bits of a fingerprint. The rate of false positives is about `2 * SLOTS / 2^FINGERPRINT_BITS` at full load.
    const FINGERPRINT_BITS: u32;

    /// Bits of a value that is stored beside each fingerprint.
    const VALUE_BITS: u32 = 0;
}
