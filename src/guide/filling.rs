//! Filling a filter from a source: which call.
//!
//! | call | adds | a refusal is | needs |
//! |---|---|---|---|
//! | [`insert`] in a loop | a copy of each item | an error, item by item | `&self` |
//! | [`insert_unique`] in a loop | one copy of equal items | an error, item by item | `&self` |
//! | [`insert_many`] | a copy of each item | an error that says how far it came | `&self`, a slice |
//! | `extend`, and with the feature `rayon` `par_extend` | a copy of each item | a panic | `&mut`, or `&self` as `(&filter).extend(..)`; in an `Arc`, `(&*filter).extend(..)` |
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
//! use lockfree_cuckoo::CuckooFilter;
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
//! # Ok::<(), lockfree_cuckoo::InsertManyError>(())
//! ```
//!
//! With the feature `rayon` that is one line. It needs these `[dependencies]`, with the path to this crate:
//!
//! ```toml
//! lockfree-cuckoo = { path = "...", features = ["rayon"] }
//! rayon = "1"
//! ```
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
//! # In an `Arc`
//!
//! `extend` takes `&mut` of what it extends. That can be a `&CuckooFilter`, but not an `Arc`: there
//! `(&filter).extend(..)` is refused with E0596. Reborrow what is in the `Arc`:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::sync::Arc;
//!
//! let filter = Arc::new(CuckooFilter::with_capacity(1_000));
//! (&*filter).extend(["a", "b"]);
//! assert_eq!(filter.len(), 2);
//! ```
//!
//! The same holds for `par_extend`:
//!
#![cfg_attr(feature = "rayon", doc = "```")]
#![cfg_attr(not(feature = "rayon"), doc = "```ignore")]
//! use lockfree_cuckoo::CuckooFilter;
//! use rayon::prelude::*;
//! use std::sync::Arc;
//!
//! let filter = Arc::new(CuckooFilter::with_capacity(200_000));
//! (&*filter).par_extend(0..100_000u64);
//! assert_eq!(filter.len(), 100_000);
//! ```
//!
//! [`insert`]: crate::CuckooFilter::insert
//! [`insert_unique`]: crate::CuckooFilter::insert_unique
//! [`insert_many`]: crate::CuckooFilter::insert_many
