//! From another filter, or from a set in a lock.
//!
//! Each page has a program before and after, the calls side by side, and what behaves differently. What is said
//! about the others holds for the versions named, as read in their sources and tried;
//! `cargo test --doc guide::migration` runs the programs.
//!
//! | from | page |
//! |---|---|
//! | `cuckoofilter` 0.5, in a lock | [`cuckoofilter`] |
//! | `atomic-cuckoo-filter` 0.3 | [`atomic_cuckoo_filter`] |
//! | `fastbloom` 0.17, its `AtomicBloomFilter` | [`fastbloom`] |
//! | `RwLock<HashSet>`, `DashSet` | [`locked_sets`] |
//!
//! Some things are the same for all of them:
//!
//! * **The size is fixed, and a full filter says so.** Ask for the peak ([`sizing`](super::sizing)), and decide
//!   what an error means ([`full`](super::full)).
//! * **There are two inserts.** [`insert`] adds a copy each time, [`insert_unique`] only if there is none.
//!   Where the old code asked whether the item was new, it is `insert_unique`; where it removes, remove only
//!   for inserts that succeeded ([`removing`](super::removing)).
//! * **The seed is random**, unless you fix it, so two runs of a program differ in their false positives
//!   ([`hashing`](super::hashing)).
//! * **Stored filters cannot be converted**, from whatever format: a filter keeps no items, and no two of these
//!   make the same of a hash. Build the new filter from the items.
//! * **Any type is an item**, and a lookup of another type misses.
//!   [`TypedCuckooFilter`](crate::TypedCuckooFilter) takes one type.
//!
//! [`insert`]: crate::CuckooFilter::insert
//! [`insert_unique`]: crate::CuckooFilter::insert_unique

pub mod atomic_cuckoo_filter;
pub mod cuckoofilter;
pub mod fastbloom;
pub mod locked_sets;
