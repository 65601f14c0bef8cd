//! Optional features: filters filled from iterators, by one thread or with `rayon`, and filters
//! stored with `serde`.

mod collect;
#[cfg(feature = "serde")]
mod serialization;
