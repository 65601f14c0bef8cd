//! Filling a filter from a source: which call.
//!
//! | call | adds | a refusal is | needs |
//! |---|---|---|---|
//! | [`insert`] in a loop | a copy of each item | an error, item by item | `&self` |
//! | [`insert_unique`] in a loop | one copy of equal items | an error, item by item | `&self` |
//! | [`insert_many`] | a copy of each item | an error that says how far it came | `&self`, a slice |
//! | `extend`, and with the feature `rayon` `par_extend` | a copy of each item | a panic | `&self`, as `(&filter).extend(..)`, or `&mut` |
//! | `collect`, with `rayon` from parallel iterators too | one copy of equal items | none, for a hasher that mixes: the filter has the size that it needs | the items |
//!
//! The copies matter. If the source has an item twice, the filter that was filled by `extend` has it twice too:
//! it takes two slots, and one removal does not remove it. And nine equal items are refused. If the source may
//! have duplicates, use `insert_unique` or `collect`:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let source = ["a", "b", "a"];
//!
//! let mut copies = CuckooFilter::with_capacity(1_000);
//! copies.extend(source);
//! assert_eq!(copies.len(), 3);
//!
//! let set: CuckooFilter = source.into_iter().collect();
//! assert_eq!(set.len(), 2);
//! ```
//!
//! A collected filter has room for its items, and hardly for more. Collect what will not grow; else make a
//! filter with the capacity that you need, and fill that.
//!
//! # With several threads
//!
//! Inserts need no lock, so to fill a filter with threads is to give each a part of the source:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertManyError};
//! use std::num::NonZero;
//! use std::thread;
//!
//! let keys: Vec<u64> = (0..100_000).collect();
//! let filter = CuckooFilter::with_capacity(200_000);
//! let threads = thread::available_parallelism().map_or(1, NonZero::get);
//! thread::scope(|scope| {
//!     let parts: Vec<_> = keys
//!         .chunks(keys.len().div_ceil(threads))
//!         .map(|part| scope.spawn(|| filter.insert_many(part)))
//!         .collect();
//!     parts
//!         .into_iter()
//!         .try_for_each(|part| part.join().expect("no panic"))
//! })?;
//! assert_eq!(filter.len(), keys.len());
//! # Ok::<(), InsertManyError>(())
//! ```
//!
//! With the feature `rayon` that is one line:
//!
#![cfg_attr(feature = "rayon", doc = "```")]
#![cfg_attr(not(feature = "rayon"), doc = "```ignore")]
//! use lockfree_cuckoo::CuckooFilter;
//! use rayon::prelude::*;
//!
//! let keys: Vec<u64> = (0..100_000).collect();
//! let filter = CuckooFilter::with_capacity(200_000);
//! (&filter).par_extend(&keys);
//! assert_eq!(filter.len(), keys.len());
//! ```
//!
//! [`insert`]: crate::CuckooFilter::insert
//! [`insert_unique`]: crate::CuckooFilter::insert_unique
//! [`insert_many`]: crate::CuckooFilter::insert_many
