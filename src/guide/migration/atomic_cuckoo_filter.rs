//! From `atomic-cuckoo-filter` 0.3.
//!
//! # Before
//!
//! ```
//! use atomic_cuckoo_filter::CuckooFilter;
//! use std::thread;
//!
//! let active = CuckooFilter::with_capacity(100_000);
//! thread::scope(|scope| {
//!     scope.spawn(|| active.insert("a").expect("room"));
//!     scope.spawn(|| active.insert_unique("b").expect("room"));
//! });
//! assert!(active.contains("a"));
//! assert_eq!(active.count("b"), 1);
//! assert!(active.remove("a"));
//! let stored = active.to_bytes();
//! active.clear();
//! let loaded = CuckooFilter::<std::hash::DefaultHasher>::from_bytes(&stored)?;
//! assert!(loaded.contains("b"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # After
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::thread;
//!
//! let mut active = CuckooFilter::with_capacity(100_000);
//! thread::scope(|scope| {
//!     scope.spawn(|| active.insert("a").expect("room"));
//!     scope.spawn(|| active.insert_unique("b").expect("room"));
//! });
//! assert!(active.contains("a"));
//! assert_eq!(active.count("b"), 1);
//! assert!(active.remove("a"));
//! let stored = active.to_bytes();
//! active.clear();
//! let loaded = CuckooFilter::from_bytes(&stored)?;
//! assert!(loaded.contains("b"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Call for call
//!
//! | `atomic-cuckoo-filter` | here |
//! |---|---|
//! | `new()`, for 2^20 items | `with_capacity(n)` |
//! | `with_capacity(n)`, `builder().capacity(n)` | the same |
//! | `builder().max_evictions(n)` | `builder().search_budget(n)`: the number of buckets that a search examines |
//! | `builder().fingerprint_size(bits)`, `bucket_size(slots)` | `builder().layout::<Lanes<4, 16>>()`, the default here too, or another [layout](crate::guide::layouts); those whose bucket is one word of 64 bits |
//! | `insert`, `insert_unique`, `contains`, `remove`, `count` | the same |
//! | `len`, `is_empty` | the same |
//! | `capacity()` | `slots()`; `capacity()` is what you asked for |
//! | `clear(&self)` | `clear(&mut self)`, or `rotate(&self)` of a filter that forgets ([`ageing`](crate::guide::ageing)) |
//! | `to_bytes(&self)` | `to_bytes(&mut self)`, or `snapshot_to_bytes(&self)` |
//! | `from_bytes`, `Serialize`, `Deserialize` | `from_bytes`; with the feature `serde`, the others |
//! | `lock(kind)` | none: there is no lock |
//! | `CuckooFilter<H>`, `H: Hasher + Default` | `CuckooFilter<BuildHasherDefault<H>>`, by `with_capacity_and_hasher` |
//! | `Error::NotEnoughSpace` | `InsertError::Full`, `InsertError::TooManyCopies` |
//!
//! # What is different
//!
//! * **Waiting.** In `atomic-cuckoo-filter`, an insert that finds room in one of its two buckets takes no lock.
//!   Evictions, removals, `clear` and unique inserts of new items take one lock for the whole filter, one at a
//!   time. Lookups wait while evictions are carried out, or while `to_bytes` copies. (With `max_evictions(0)`
//!   only unique inserts take the lock.) If the thread that holds the lock is descheduled, the others wait for
//!   it. Here no thread waits for another.
//! * **Capacity.** `atomic-cuckoo-filter` rounds the slots up to a power of two, `capacity()` returns their
//!   number, and it refuses inserts from a load of about 0.96. So it cannot hold 65,536 items with a capacity of
//!   65,536, and 1,100,000 items take 30.5 bits each. Here a filter holds as many items as its capacity says, and
//!   1,100,000 items take 17.3 bits each.
//! * **A refused insert** loses nothing in either crate. Here the error distinguishes the ninth copy of an item
//!   from a full filter.
//! * **False positives** are equally frequent at the same load.
//! * **Hashing.** Its `DefaultHasher` has no seed, and the algorithm may change with the compiler. Here the seed
//!   is random. Fix it to get the same filter in every run ([`hashing`](crate::guide::hashing)).
//!
//! This program checks what is said about capacity:
//!
//! ```
//! let theirs = atomic_cuckoo_filter::CuckooFilter::with_capacity(65_536);
//! assert_eq!(theirs.capacity(), 65_536);
//! assert!((0..65_536u64).any(|item| theirs.insert(&item).is_err()));
//! assert!((0.95..0.98).contains(&(theirs.len() as f64 / theirs.capacity() as f64)));
//!
//! let theirs = atomic_cuckoo_filter::CuckooFilter::with_capacity(1_100_000);
//! assert_eq!(theirs.capacity() * 16 * 10 / 1_100_000, 305); // tenths of a bit
//!
//! let ours = lockfree_cuckoo::CuckooFilter::with_capacity(65_536);
//! assert!((0..65_536u64).all(|item| ours.insert(&item).is_ok()));
//! ```
