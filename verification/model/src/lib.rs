//! The model: a second implementation of the documented behaviour of `lockfree-cuckoo`, for all
//! suites.
//!
//! It is written from the documentation, not from the sources, and does not depend on the crate. It
//! is plain code for one thread, simple rather than fast, so that every special build can use it.
//!
//! * [`layout`]: the division of the 64 bits of a word. It is data, so that one program can check
//!   several layouts.
//! * [`bucket`]: a bucket as a list, and as a word; [`semi_sorted`], where the list is in order.
//!   [`reference`](mod@reference): the words that are no bucket.
//! * [`geometry`]: maps a hash to the class of an item, and back.
//! * [`stored`]: the fields of the stored form, and the repair of its checksums.
//! * [`oracle`]: the multiset that a filter should hold, and whether it fits into a table at all.
//! * [`history`]: whether some order of the calls explains the results of several threads.
//!
//! The other modules are fixtures of the tests, and model nothing: [`hashers`] and [`mix`](fn@mix)
//! choose items, the [`seesaw`] has items that make a token hop, and `lists` has the layouts of the
//! crate: [`layouts_without_values`], [`layouts_with_values`] and [`of_every_layout`].

pub mod bucket;
pub mod geometry;
pub mod hashers;
pub mod history;
pub mod layout;
mod lists;
pub mod oracle;
pub mod reference;
pub mod seesaw;
pub mod semi_sorted;
pub mod stored;

pub use layout::{Fingerprint, Layout, Token, Value};

/// Mixes all bits. A bijection (the finalizer of splitmix64), so that distinct inputs stay
/// distinct.
#[must_use]
pub fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
