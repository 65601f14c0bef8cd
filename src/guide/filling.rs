//! Which call to use to fill a filter.
//!
//! | call | adds | if an item is refused | needs |
//! |---|---|---|---|
//! | [`insert`] in a loop | a copy of each item | an error, item by item | `&self` |
//! | [`insert_unique`] in a loop | one copy of equal items | an error, item by item | `&self` |
//! | [`insert_many`] | a copy of each item | an error that says how many items went in | `&self`, a slice |
//! | `extend`, and with the feature `rayon` `par_extend` | a copy of each item | a panic | `&mut`, or `&self` as `(&filter).extend(..)`; in an `Arc`, `(&*filter).extend(..)` |
//! | `collect`, with `rayon` from parallel iterators too | one copy of equal items | cannot happen with a hasher that mixes: the filter gets the size that it needs | the items |
//!
//! Copies matter. If the source has an item twice, `extend` inserts it twice. It then takes two slots, and one
//! removal leaves one copy. The ninth copy of an item is refused with 4 x 16. If the source can have duplicates, use
//! `insert_unique` or `collect`:
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
//! A collected filter has little room for further items. If the set will grow, build a filter with the capacity
//! that you need, and fill that.
//!
//! # With several threads
//!
//! Inserts need no lock, so give each thread a part of the source:
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
//! With the feature `rayon` this is one line. It needs these `[dependencies]`, with the path to this crate:
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
//! `extend` takes `&mut` of what it extends. That can be a `&CuckooFilter`, but not an `Arc`: the compiler
//! rejects `(&filter).extend(..)` on an `Arc` with E0596. Reborrow the filter inside the `Arc`:
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
