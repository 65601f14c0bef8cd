//! The layout of a bucket: the division of a 64-bit word into slots.
//!
//! A bucket is always one 64-bit word, so every change of it is one exchange. A [`Layout`] defines
//! the number of slots, the bits of a fingerprint, and the words that are references to descriptors
//! instead. Only the modules of this layer know them; all others use [`Bucket`], [`Token`] and
//! [`Matches`], which ask the layout.
//!
//! Pure values; no atomics here.

pub(crate) mod bucket;
pub(crate) mod compare;
pub(crate) mod lanes;
mod multiset;
pub(crate) mod semi_sorted;
pub(crate) mod shape;
pub(crate) mod token;
pub(crate) mod words;

pub(crate) use bucket::{Bucket, Matches};
pub use lanes::Lanes;
pub use semi_sorted::SemiSorted;
pub(crate) use shape::ForLayout;
pub use shape::Shape;
pub(crate) use token::{Fingerprint, Token, Value};
pub(crate) use words::{Array, Calibrated, Probe, Words};

/// The division of a bucket, one 64-bit word, into slots.
///
/// A parameter of the filters: `Filter<Fixed<L>>`. Sealed: only this crate has layouts. The
/// [guide](crate::guide::layouts) says which one to choose, and [`Shape`] is a layout as a value.
///
/// | layout | slots x bits | bits of a value |
/// |---|---|---|
/// | `Lanes<8, 8>` | 8 x 8 | |
/// | `Lanes<6, 10>` | 6 x 10 | |
/// | `SemiSorted<6, 12>` | 6 x 12 | |
/// | `Lanes<5, 12>` | 5 x 12 | |
/// | `SemiSorted<5, 14>` | 5 x 14 | |
/// | `Lanes<4, 16>`, the default | 4 x 16 | |
/// | `SemiSorted<4, 17>` | 4 x 17 | |
/// | `Lanes<3, 21>` | 3 x 21 | |
/// | `Lanes<2, 31>` | 2 x 31 | |
/// | `Lanes<4, 12, 4>` | 4 x 12 | 4 |
/// | `Lanes<3, 13, 8>` | 3 x 13 | 8 |
/// | `Lanes<2, 16, 15>` | 2 x 16 | 15 |
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::layout::{Lanes, Layout};
///
/// type Default = Lanes<4, 16>;
/// assert_eq!((Default::SLOTS, Default::FINGERPRINT_BITS), (4, 16));
/// ```
#[diagnostic::on_unimplemented(
    message = "there is no layout `{Self}`",
    label = "not one of the layouts",
    note = "the slots of a bucket share 64 bits, and only some divisions of them are offered: see the table at `Layout`"
)]
pub trait Layout: Words {
    /// Slots of a bucket.
    const SLOTS: usize;

    /// Bits of a fingerprint. The rate of false positives is about `2 * SLOTS / 2^FINGERPRINT_BITS`
    /// at full load.
    const FINGERPRINT_BITS: u32;

    /// Bits of a value that is stored beside each fingerprint.
    const VALUE_BITS: u32 = 0;
}

/// A [`Layout`] with values beside the fingerprints.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::layout::{Lanes, WithValues};
///
/// assert_eq!(<Lanes<4, 12, 4>>::MAX_VALUE, 15);
/// ```
///
/// The default layout has no values, so this does not compile:
///
/// ```compile_fail,E0277
/// let error = lockfree_cuckoo::CuckooFilter::with_capacity(100).insert_value("flow", 7);
/// ```
#[diagnostic::on_unimplemented(
    message = "the layout `{Self}` has no values",
    label = "no room for values",
    note = "take `Lanes<4, 12, 4>`, `Lanes<3, 13, 8>` or `Lanes<2, 16, 15>`"
)]
pub trait WithValues: Layout {
    /// The largest value.
    const MAX_VALUE: u16 = (1 << Self::VALUE_BITS) - 1;
}

#[cfg(test)]
mod conformance;
