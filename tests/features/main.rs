//! Filling filters from iterators, by one thread or by those of `rayon`, and filters by way of `serde`: the tests of what
//! features add, and what they rest on.

mod collect;
#[cfg(feature = "serde")]
mod serialization;
