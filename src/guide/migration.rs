//! From another filter, or from a set in a lock.
//!
//! Each part has a program before and after the change, a table of calls, and a list of differences. What the
//! parts say about the other crates holds for the named versions; it was read in their sources and tried. `cargo
//! test --doc guide::migration` runs the programs.
//!
//! | from | part |
//! |---|---|
//! | `cuckoofilter` 0.5, in a lock | [`cuckoofilter`](#from-cuckoofilter-05) |
//! | `atomic-cuckoo-filter` 0.3 | [`atomic-cuckoo-filter`](#from-atomic-cuckoo-filter-03) |
//! | `fastbloom` 0.17, its `AtomicBloomFilter` | [`fastbloom`](#from-the-atomicbloomfilter-of-fastbloom-017) |
//! | `RwLock<HashSet>`, `DashSet` | [sets](#from-a-set-in-a-lock-or-a-concurrent-set) |
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
//!
//! # From `cuckoofilter` 0.5
//!
//! ## Before
//!
//! Its inserts and removals take `&mut self`, so threads must share it in a lock:
//!
//! ```
//! use cuckoofilter::CuckooFilter;
//! use std::collections::hash_map::DefaultHasher;
//! use std::sync::Mutex;
//! use std::thread;
//!
//! let seen = Mutex::new(CuckooFilter::<DefaultHasher>::with_capacity(100_000));
//! thread::scope(|scope| {
//!     for worker in 0..4u32 {
//!         let seen = &seen;
//!         scope.spawn(move || {
//!             for flow in 0..100u32 {
//!                 let mut seen = seen.lock().expect("not poisoned");
//!                 seen.add(&(worker, flow)).expect("sized for more");
//!             }
//!         });
//!     }
//! });
//! let mut seen = seen.into_inner().expect("not poisoned");
//! assert!(seen.contains(&(3u32, 99u32)));
//! assert!(seen.delete(&(3u32, 99u32)));
//! assert_eq!(seen.len(), 399);
//! ```
//!
//! ## After
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::thread;
//!
//! let seen = CuckooFilter::with_capacity(100_000);
//! thread::scope(|scope| {
//!     for worker in 0..4u32 {
//!         let seen = &seen;
//!         scope.spawn(move || {
//!             for flow in 0..100u32 {
//!                 seen.insert(&(worker, flow)).expect("sized for more");
//!             }
//!         });
//!     }
//! });
//! assert!(seen.contains(&(3u32, 99u32)));
//! assert!(seen.remove(&(3u32, 99u32)));
//! assert_eq!(seen.len(), 399);
//! ```
//!
//! ## Call for call
//!
//! | `cuckoofilter` | here |
//! |---|---|
//! | `new()`, for 2^20 - 1 items | `with_capacity(n)` |
//! | `with_capacity(n)` | `with_capacity(n)` |
//! | `add` | `insert` |
//! | `test_and_add` | `insert_unique` |
//! | `contains` | `contains` |
//! | `delete` | `remove` |
//! | `len`, `is_empty`, `memory_usage` | the same |
//! | `export`, `From<ExportedCuckooFilter>` | `to_bytes`, `from_bytes`, `write_to`, `read_from` |
//! | `CuckooFilter<H>`, `H: Hasher + Default` | `CuckooFilter<BuildHasherDefault<H>>`, by `with_capacity_and_hasher` |
//! | `CuckooError::NotEnoughSpace` | `InsertError::Full`, `InsertError::TooManyCopies` |
//!
//! ## What is different
//!
//! * **A refused insert.** In `cuckoofilter`, as its documentation says, `NotEnoughSpace` means that the new item
//!   is in and a random other item is lost. Here the new item is not in, and nothing is lost. Code that ignored
//!   the error must now handle it.
//! * **False positives.** Its fingerprints have 8 bits, these have 16. A full filter has 3 % of false positives
//!   there, and 0.012 % here. In exchange, an item takes twice the memory. The layout `Lanes<8, 8>` takes as much memory
//!   as that crate, at 6 %, and others are between ([`layouts`](crate::guide::layouts)).
//! * **Capacity.** `cuckoofilter` rounds it up to a power of two, and that is the number of slots. So it cannot
//!   hold 65,536 items with a capacity of 65,536, and a capacity of 65,537 takes the memory of 131,072. Here a
//!   filter holds as many items as its capacity says, and large filters come in steps of a sixteenth or less.
//! * **Hashing.** `DefaultHasher` has no seed, and its algorithm may change with the compiler; see
//!   [`hashing`](crate::guide::hashing).
//!
//! This program checks the first three:
//!
//! ```
//! use std::collections::hash_map::DefaultHasher;
//!
//! const ITEMS: u64 = 65_536;
//! const PROBES: u64 = 100_000;
//!
//! let mut theirs = cuckoofilter::CuckooFilter::<DefaultHasher>::with_capacity(ITEMS as usize);
//! let refused = (0..ITEMS).filter(|item| theirs.add(item).is_err()).count();
//! let missed = (0..ITEMS).filter(|item| !theirs.contains(item)).count();
//! let wrong = (0..PROBES)
//!     .filter(|probe| theirs.contains(&(u64::MAX - probe)))
//!     .count();
//! assert_eq!(theirs.memory_usage() / 1024, 64);
//! assert!(refused > 0 && missed > 0);
//! assert!((0.02..0.04).contains(&(wrong as f64 / PROBES as f64)));
//!
//! let ours = lockfree_cuckoo::CuckooFilter::with_capacity(ITEMS as usize);
//! let refused = (0..ITEMS).filter(|item| ours.insert(item).is_err()).count();
//! let missed = (0..ITEMS).filter(|item| !ours.contains(item)).count();
//! let wrong = (0..PROBES)
//!     .filter(|probe| ours.contains(&(u64::MAX - probe)))
//!     .count();
//! assert!(ours.memory_usage() / 1024 < 256); // 170 with up to 16 processors
//! assert!(refused == 0 && missed == 0);
//! assert!(wrong as f64 / (PROBES as f64) < 0.0005);
//! ```
//!
//! # From `atomic-cuckoo-filter` 0.3
//!
//! ## Before
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
//! ## After
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
//! ## Call for call
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
//! ## What is different
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
//!
//! # From the `AtomicBloomFilter` of `fastbloom` 0.17
//!
//! ## Before
//!
//! ```
//! use fastbloom::AtomicBloomFilter;
//! use std::thread;
//!
//! let seen = AtomicBloomFilter::with_false_pos(0.000_1).expected_items(100_000);
//! thread::scope(|scope| {
//!     scope.spawn(|| seen.insert("a"));
//!     scope.spawn(|| seen.insert("b"));
//! });
//! // True if it may have been in before.
//! if !seen.insert("c") {
//!     println!("the first c");
//! }
//! assert!(seen.contains("a") && seen.contains("b") && seen.contains("c"));
//! ```
//!
//! ## After
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::thread;
//!
//! let seen = CuckooFilter::with_capacity(100_000);
//! thread::scope(|scope| {
//!     scope.spawn(|| seen.insert_unique("a"));
//!     scope.spawn(|| seen.insert_unique("b"));
//! });
//! // True if it was not in before: the opposite.
//! if seen.insert_unique("c")? {
//!     println!("the first c");
//! }
//! assert!(seen.contains("a") && seen.contains("b") && seen.contains("c"));
//! assert!(seen.remove("c"));
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! ## Call for call
//!
//! | `AtomicBloomFilter` | here |
//! |---|---|
//! | `with_false_pos(p).expected_items(n)` | `with_capacity(n)`, with a rate of at most 0.012 %; `builder().capacity(n).build_smallest(p)` |
//! | `with_num_bits(bits)` | `builder().buckets(n)`, of 64 bits each |
//! | `seed(&n)`, 128 bits | `builder().seed(n)`, 64 bits |
//! | `hasher(s)` | `builder().hasher(s)` |
//! | `insert`: true if it may have been in before | `insert_unique`: `Ok(true)` if it was not in before |
//! | `contains` | the same |
//! | `source_hash`, `insert_hash`, `contains_hash` | `hash_one`, `insert_unique_hash`, `contains_hash` |
//! | `insert_all(&items)` | `insert_many(&items)`, which adds a copy of each |
//! | `items(&items)` | `collect()`, which builds a set |
//! | `clear(&self)` | `clear(&mut self)`, or `rotate(&self)` of a filter that forgets ([`ageing`](crate::guide::ageing)) |
//! | `expected_false_pos(n)` | `false_positive_rate()`, at the current load |
//! | `union`, `intersect` | none |
//! | `iter`, `as_slice`, `from_vec` | `to_bytes`, `from_bytes`, `write_to`, `read_from` |
//!
//! ## What is different
//!
//! * **You can remove items**, and count them, up to eight copies with 4 x 16.
//! * **It can be full.** A Bloom filter takes any number of items, and its rate of wrong answers rises. Here the
//!   rate is bounded, and inserts are refused instead.
//! * **Which insert was first.** If two threads insert the same new item into an `AtomicBloomFilter` at the same
//!   time, both calls can return that it was not in, because each sets some of its bits first. Here
//!   `insert_unique` returns true for one of them, or for none if the item is a false positive.
//! * **Memory ordering.** `AtomicBloomFilter` uses relaxed accesses only. So a lookup that finds an item does not
//!   make visible what another thread wrote before its insert. Here it does ([`sharing`](crate::guide::sharing)).
//! * **The rate.** Here it follows from the [layout](crate::guide::layouts) and the load. Above 1 % a Bloom filter takes
//!   less memory, below it a semi-sorted layout does. At the rate of 4 x 16, a Bloom filter takes more.
//!
//! ```
//! const ITEMS: usize = 1_000_000;
//! let bits_each =
//!     |false_positives| fastbloom::optimal_size(ITEMS, false_positives) as f64 / ITEMS as f64;
//! assert!((9.5..9.7).contains(&bits_each(0.01)));
//! assert!((18.8..18.9).contains(&bits_each(0.000_116)));
//!
//! let ours = lockfree_cuckoo::CuckooFilter::with_capacity(ITEMS);
//! assert!((16.8..17.5).contains(&(8.0 * ours.memory_usage() as f64 / ITEMS as f64)));
//! ```
//!
//! ## When to stay
//!
//! Keep the Bloom filter if you never remove items, need a rate above 1 %, can never accept a refused insert, or
//! need to unite filters.
//!
//! # From a set in a lock, or a concurrent set
//!
//! An exact set and a filter are different things. Change to a filter if the set is too large for its memory or
//! too slow for its lock, if you only ask "is it in?", and if a rare wrong "yes" is acceptable. If you need the
//! items back, or list them, or a wrong "yes" does harm, keep the set, perhaps with a filter in front of it.
//!
//! ## Before
//!
//! ```
//! use std::collections::HashSet;
//! use std::sync::RwLock;
//! use std::thread;
//!
//! let active: RwLock<HashSet<String>> = RwLock::default();
//! thread::scope(|scope| {
//!     scope.spawn(|| active.write().expect("not poisoned").insert("a".into()));
//!     scope.spawn(|| active.write().expect("not poisoned").insert("b".into()));
//! });
//! assert!(active.read().expect("not poisoned").contains("a"));
//! assert!(active.write().expect("not poisoned").remove("a"));
//! assert_eq!(active.read().expect("not poisoned").len(), 1);
//! ```
//!
//! ## After
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::thread;
//!
//! let active = CuckooFilter::with_capacity(100_000);
//! thread::scope(|scope| {
//!     scope.spawn(|| active.insert_unique("a"));
//!     scope.spawn(|| active.insert_unique("b"));
//! });
//! assert!(active.contains("a"));
//! assert!(active.remove("a"));
//! assert_eq!(active.len(), 1);
//! ```
//!
//! ## Call for call
//!
//! | `HashSet<T>` in a `RwLock` | `DashSet<T>` (dashmap 6) | here |
//! |---|---|---|
//! | `write()`, `insert(item)`: true if it was not in before | `insert(item)` | `insert_unique(&item)`: `Ok(true)` if it was not in before |
//! | `read()`, `contains(&item)` | `contains(&item)` | `contains(&item)` |
//! | `write()`, `remove(&item)`: true if it was in | `remove(&item)`: the item | `remove(&item)`: true |
//! | `len`, `is_empty` | the same | the same, but approximate while other threads write |
//! | `clear` | `clear(&self)` | `clear(&mut self)` |
//! | `extend`, `collect` | the same | `extend` adds a copy of each; `collect` builds a set |
//! | `iter`, `get`, `take`, `retain` | the same, except `take` | none |
//!
//! ## What is different
//!
//! * **A "yes" can be wrong**, for one absent item in 8,600 at capacity with 4 x 16. So `insert_unique` returns false for
//!   that share of new items.
//! * **A removal of an absent item** is harmless in a set. In a filter it can remove another item. So code that
//!   calls `set.remove(&item)` to be safe must change: remove only if this owner's `insert_unique` returned true
//!   ([`removing`](crate::guide::removing)).
//! * **It does not grow.** A set doubles; a filter refuses the insert ([`full`](crate::guide::full)).
//! * **Memory.** A filter takes about two bytes per item with 4 x 16, whatever the item is. A set takes the item, its heap
//!   memory, and free slots. For a million `u64`, that is eight times the memory.
//! * **Locks.** With a filter, no thread waits. With a `RwLock`, one slow writer blocks all readers. With a
//!   `DashSet`, it blocks the readers of one shard.
//!
//! ```
//! use std::collections::HashSet;
//!
//! let set: HashSet<u64> = (0..1_000_000).collect();
//! let places = set.capacity() * 8 / 7; // one of eight stays free
//! let filter: lockfree_cuckoo::CuckooFilter = (0..1_000_000u64).collect();
//! assert!(places * size_of::<u64>() > 7 * filter.memory_usage());
//! ```
//!
//! ## Both
//!
//! A filter in front of an exact set, or of a table on disk, saves the lookups of absent items. The set remains
//! the source of truth:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//! use std::collections::HashMap;
//! use std::sync::RwLock;
//!
//! struct Store {
//!     keys: CuckooFilter,
//!     rows: RwLock<HashMap<String, u64>>,
//! }
//!
//! impl Store {
//!     fn get(&self, key: &str) -> Option<u64> {
//!         if !self.keys.contains(key) {
//!             return None; // certain, and takes no lock
//!         }
//!         self.rows.read().expect("not poisoned").get(key).copied()
//!     }
//!
//!     fn put(&self, key: &str, row: u64) -> Result<(), InsertError> {
//!         let mut rows = self.rows.write().expect("not poisoned");
//!         if !rows.contains_key(key) {
//!             self.keys.insert(key)?; // before the row, so that no row is without its key
//!         }
//!         rows.insert(key.into(), row);
//!         Ok(())
//!     }
//!
//!     fn delete(&self, key: &str) {
//!         let mut rows = self.rows.write().expect("not poisoned");
//!         if rows.remove(key).is_some() {
//!             self.keys.remove(key); // the row was in, so this removes its own token
//!         }
//!     }
//! }
//!
//! let store = Store {
//!     keys: CuckooFilter::with_capacity(1_000),
//!     rows: RwLock::default(),
//! };
//! store.put("a", 1)?;
//! assert_eq!(store.get("a"), Some(1));
//! store.delete("a");
//! store.delete("b");
//! assert_eq!(store.get("a"), None);
//! # Ok::<(), InsertError>(())
//! ```
