//! From another filter, or from a set in a lock.
//!
//! Each page has a program before and after the change, a table of calls, and a list of differences. What the
//! pages say about the other crates holds for the named versions; it was read in their sources and tried. `cargo
//! test --doc guide::migration` runs the programs.
//!
//! | from | page |
//! |---|---|
//! | `cuckoofilter` 0.5, in a lock | [`cuckoofilter`] |
//! | `atomic-cuckoo-filter` 0.3 | [`atomic_cuckoo_filter`] |
//! | `fastbloom` 0.17, its `AtomicBloomFilter` | [`fastbloom`] |
//! | `RwLock<HashSet>`, `DashSet` | [`locked_sets`] |
//!
//! These points are the same for all of them:
//!
//! * **The size is fixed, and a full filter returns an error.** Ask for the peak number of items
//!   ([`sizing`](super::sizing)), and decide what to do about the error ([`full`](super::full)).
//! * **There are two inserts.** [`insert`] always adds a copy. [`insert_unique`] adds one only if there is none.
//!   If the old code asked whether the item was new, use `insert_unique`. If it removes items, remove only those
//!   whose insert succeeded ([`removing`](super::removing)).
//! * **The seed is random**, unless you fix it, so two runs of a program differ in their false positives
//!   ([`hashing`](super::hashing)).
//! * **Stored filters cannot be converted**, whatever their format. A filter does not store the items, and each
//!   of these crates uses a hash differently. Build the new filter from the items.
//! * **Any type is an item**, and a lookup with another type misses ([`hashing`](super::hashing)).
//!
//! [`insert`]: crate::CuckooFilter::insert
//! [`insert_unique`]: crate::CuckooFilter::insert_unique

pub mod atomic_cuckoo_filter;
pub mod cuckoofilter;
pub mod fastbloom;
pub mod locked_sets;
