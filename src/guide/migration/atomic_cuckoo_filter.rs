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
//! | `builder().max_evictions(n)` | `builder().search_budget(n)`, in buckets that a search examines |
//! | `builder().fingerprint_size(bits)`, `bucket_size(slots)` | none: 16 bits, 4 slots, which are the defaults there |
//! | `insert`, `insert_unique`, `contains`, `remove`, `count` | the same |
//! | `len`, `is_empty` | the same |
//! | `capacity()` | `slots()`; `capacity()` is what you asked for |
//! | `clear(&self)` | `clear(&mut self)`, or generations ([`ageing`](crate::guide::ageing)) |
//! | `to_bytes(&self)` | `to_bytes(&mut self)`, or `snapshot()` and then `to_bytes` |
//! | `from_bytes`, `Serialize`, `Deserialize` | `from_bytes`; with the feature `serde`, the others |
//! | `lock(kind)` | none: there is no lock |
//! | `CuckooFilter<H>`, `H: Hasher + Default` | `CuckooFilter<BuildHasherDefault<H>>`, by `with_capacity_and_hasher` |
//! | `Error::NotEnoughSpace` | `InsertError::Full`, `InsertError::TooManyCopies` |
//!
//! # What is different
//!
//! * **Waiting.** There, an insert that finds room in one of its two buckets takes no lock. Evictions,
//!   removals, `clear` and unique inserts of new items take one lock for the whole filter, one at a time, and
//!   lookups wait while evictions are carried out or `to_bytes` copies. (With `max_evictions(0)` only unique
//!   inserts take it.) A thread that is descheduled with the lock is waited for. Here nobody waits for anybody.
//! * **Capacity.** There the slots are rounded up to a power of two, `capacity()` tells their number, and
//!   inserts are refused from a load of about 0.96. So a capacity of 65,536 is refused before it is reached,
//!   and 1,100,000 items take 30.5 bits each. Here every capacity is reached, and 1,100,000 items take 17.3.
//! * **A refused insert** loses nothing, in either. Here the error tells the ninth copy of an item from a full
//!   filter.
//! * **False positives** are as frequent, at the same load.
//! * **Hashing.** `DefaultHasher` has no seed there, and its algorithm may change with the compiler. Here the
//!   seed is random; fix it to have the same filter in every run ([`hashing`](crate::guide::hashing)).
//!
//! What is said of capacity, measured:
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
