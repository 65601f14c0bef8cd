//! Migration: from another filter, or from a set in a lock.
//!
//! What this page says about other crates applies to the named versions. It was checked against their sources and by
//! running them. `cargo test --doc guide::migration` runs the programs, which also need the other crate.
//!
//! These points apply to all of them:
//!
//! * **The size is fixed, and a full filter returns an error.** Ask for the peak number of items, and decide how to
//!   handle the error ([`sizing`](super::sizing)). Or use a filter that [grows](super::growing).
//! * **There are two inserts.** [`insert`](crate::Filter::insert) always adds a copy.
//!   [`insert_unique`](crate::Filter::insert_unique) adds one only if there is none. If the old code asks whether the
//!   item is new, use `insert_unique`. Remove only items whose insert succeeded ([`removing`](super::removing)).
//! * **The seed is random** unless you fix it, so two runs of a program differ in their false positives
//!   ([`hashing`](super::hashing)). The `DefaultHasher` of the two cuckoo filters has no seed, and its algorithm may
//!   change with the compiler.
//! * **Stored filters cannot be converted.** Build the new filter from the items.
//!
//! # From `cuckoofilter` 0.5
//!
//! Its inserts and removals take `&mut self`, so threads share it in a lock. Here they take `&self`, so remove the
//! lock.
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
//! * **A refused insert.** There, `NotEnoughSpace` means that the new item is stored and a random other item is lost.
//!   Here the new item is not stored, and nothing is lost. Code that ignores the error must now handle it.
//! * **False positives.** A full filter has a rate of 3 % there, with fingerprints of 8 bits, and 0.012 % here. An item
//!   takes twice the memory here. The layout `Lanes<8, 8>` takes the same memory as that crate, at 6 %; other layouts
//!   are in between ([`layouts`](super::layouts)).
//! * **Capacity.** There it is rounded up to a power of two, which is the number of slots. So 65,536 items do not fit
//!   into a capacity of 65,536, and one more item takes twice the memory. Here a filter holds its capacity, and large
//!   filters come in steps of a sixteenth or less.
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
//! let wrong = (0..PROBES).filter(|probe| theirs.contains(&(u64::MAX - probe))).count();
//! assert_eq!(theirs.memory_usage() / 1024, 64);
//! assert!(refused > 0 && missed > 0);
//! assert!((0.02..0.04).contains(&(wrong as f64 / PROBES as f64)));
//!
//! let ours = lockfree_cuckoo::CuckooFilter::with_capacity(ITEMS as usize);
//! let refused = (0..ITEMS).filter(|item| ours.insert(item).is_err()).count();
//! let missed = (0..ITEMS).filter(|item| !ours.contains(item)).count();
//! let wrong = (0..PROBES).filter(|probe| ours.contains(&(u64::MAX - probe))).count();
//! assert!(ours.memory_usage() / 1024 < 256); // 170 with up to 16 processors
//! assert!(refused == 0 && missed == 0);
//! assert!(wrong as f64 / (PROBES as f64) < 0.0005);
//! ```
//!
//! # From `atomic-cuckoo-filter` 0.3
//!
//! | `atomic-cuckoo-filter` | here |
//! |---|---|
//! | `new()`, for 2^20 items | `with_capacity(n)` |
//! | `with_capacity(n)`, `builder().capacity(n)` | the same |
//! | `builder().max_evictions(n)` | `builder().search_budget(n)`: the number of buckets that a search examines |
//! | `builder().fingerprint_size(bits)`, `bucket_size(slots)` | `builder().layout::<..>()`: [layouts](super::layouts) |
//! | `insert`, `insert_unique`, `contains`, `remove`, `count`, `len`, `is_empty` | the same |
//! | `capacity()` | `slots()`; `capacity()` is what you asked for |
//! | `clear(&self)` | `clear(&mut self)`, or `rotate(&self)` of a filter that [rotates](super::rotating) |
//! | `to_bytes(&self)` | the same |
//! | `from_bytes`, `Serialize`, `Deserialize` | `from_bytes`; with the feature `serde`, the others |
//! | `lock(kind)` | none: there is no lock |
//! | `CuckooFilter<H>`, `H: Hasher + Default` | `CuckooFilter<BuildHasherDefault<H>>`, by `with_capacity_and_hasher` |
//! | `Error::NotEnoughSpace` | `InsertError::Full`, `InsertError::TooManyCopies` |
//!
//! * **Waiting.** There, evictions, removals, `clear` and unique inserts of new items take one lock for the whole
//!   filter. Lookups wait during evictions and while `to_bytes` copies. An insert that finds room in one of its two
//!   buckets takes no lock. (With `max_evictions(0)` only unique inserts take the lock.) Here no thread waits for
//!   another.
//! * **Capacity.** There the slots are rounded up to a power of two, and inserts are refused from a load of about 0.96.
//!   So 65,536 items do not fit into a capacity of 65,536, and 1,100,000 items take 30.5 bits each. Here they fit, and
//!   take 17.3 bits each.
//! * **The same in both**: a refused insert loses nothing, and false positives are equally frequent at the same load.
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
//! | `AtomicBloomFilter` | here |
//! |---|---|
//! | `with_false_pos(p).expected_items(n)` | `builder().capacity(n).build_smallest(p)` |
//! | `with_num_bits(bits)` | `builder().buckets(n)`, of 64 bits each |
//! | `seed(&n)`, 128 bits | `builder().seed(n)`, 64 bits |
//! | `hasher(s)` | `builder().hasher(s)` |
//! | `insert`: true if it may have been in before | `insert_unique`, the opposite: `Ok(true)` if it was not in before |
//! | `contains` | the same |
//! | `source_hash`, `insert_hash`, `contains_hash` | `hash_one`, `insert_unique_hash`, `contains_hash` |
//! | `insert_all(&items)` | `insert_many(&items)`, which adds a copy of each |
//! | `items(&items)` | `collect()`, which builds a set |
//! | `clear(&self)` | `clear(&mut self)`, or `rotate(&self)` of a filter that [rotates](super::rotating) |
//! | `expected_false_pos(n)` | `false_positive_rate()`, at the current load |
//! | `union`, `intersect` | none |
//! | `iter`, `as_slice`, `from_vec` | `to_bytes`, `from_bytes`, `write_to`, `read_from` |
//!
//! * **You can remove items**, and count up to eight copies with 4 x 16.
//! * **It can be full.** A Bloom filter takes any number of items, and its rate rises. Here the rate is bounded, and
//!   inserts are refused instead.
//! * **Which insert was first.** If two threads insert the same new item into an `AtomicBloomFilter` at the same time,
//!   both can learn that they were first, because each sets some of its bits first. Here `insert_unique` returns true
//!   for one of them, or for none if the item is a false positive.
//! * **Memory ordering.** `AtomicBloomFilter` uses relaxed accesses. Here a lookup that finds an item makes visible
//!   what another thread wrote before its insert ([`sharing`](super::sharing)).
//! * **Memory.** Above a rate of 0.4 % a Bloom filter takes less. Each semi-sorted [layout](super::layouts) takes less
//!   than a Bloom filter of the same rate.
//!
//! ```
//! let seen = fastbloom::AtomicBloomFilter::with_false_pos(0.000_1).expected_items(1_000);
//! assert!(!seen.insert("a") && seen.insert("a")); // false, then true
//! let seen = lockfree_cuckoo::CuckooFilter::with_capacity(1_000);
//! assert!(seen.insert_unique("a")? && !seen.insert_unique("a")?); // true, then false
//!
//! const ITEMS: usize = 1_000_000;
//! let bits = |rate| fastbloom::optimal_size(ITEMS, rate) as f64 / ITEMS as f64;
//! assert!((9.5..9.7).contains(&bits(0.01)));
//! assert!(bits(0.004) < 11.6 && bits(0.002_7) > 11.6); // `SemiSorted<6, 12>` takes 11.6
//! assert!((18.8..18.9).contains(&bits(0.000_116)));
//! let ours = lockfree_cuckoo::CuckooFilter::with_capacity(ITEMS);
//! assert!((16.8..17.5).contains(&(8.0 * ours.memory_usage() as f64 / ITEMS as f64)));
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! Keep the Bloom filter if you never remove items, if you accept a rate above 0.4 %, if no insert may be refused, or
//! if you unite filters.
//!
//! # From a set in a lock, or a concurrent set
//!
//! Change to a filter if the set is too large for its memory or too slow for its lock, if you only ask whether an item
//! is in the set, and if a rare wrong "yes" is acceptable. If you need the items back, or a wrong "yes" does harm, keep
//! the set, perhaps behind a filter.
//!
//! | `HashSet<T>` in a `RwLock` | `DashSet<T>` (dashmap 6) | here |
//! |---|---|---|
//! | `write()`, `insert(item)`: true if it was not in | `insert(item)` | `insert_unique(&item)`: `Ok(true)` then |
//! | `read()`, `contains(&item)` | `contains(&item)` | `contains(&item)` |
//! | `write()`, `remove(&item)`: true if it was in | `remove(&item)`: the item | `remove(&item)`: true |
//! | `len`, `is_empty` | the same | the same, but approximate while other threads write |
//! | `clear` | `clear(&self)` | `clear(&mut self)` |
//! | `extend`, `collect` | the same | `extend` adds a copy of each; `collect` builds a set |
//! | `iter`, `get`, `take`, `retain` | the same, except `take` | none |
//!
//! * **A "yes" can be wrong**, for one absent item in 8,600 at capacity with 4 x 16. So `insert_unique` returns false
//!   for that share of new items.
//! * **Removing an absent item** is harmless in a set. Here it can remove another item. Code that calls
//!   `set.remove(&item)` as a precaution must change: remove only if this owner's `insert_unique` returned true.
//! * **Memory.** A filter takes about two bytes per item with 4 x 16, whatever the item is. A set takes the item, its
//!   heap memory, and free slots. For a million `u64`, that is eight times the memory.
//! * **Locks.** With a filter, no thread waits. With a `RwLock`, one slow writer blocks all readers. With a `DashSet`,
//!   it blocks the readers of one shard.
//!
//! ```
//! let set: std::collections::HashSet<u64> = (0..1_000_000).collect();
//! let places = set.capacity() * 8 / 7; // one of eight stays free
//! let filter: lockfree_cuckoo::CuckooFilter = (0..1_000_000u64).collect();
//! assert!(places * size_of::<u64>() > 7 * filter.memory_usage());
//! ```
//!
//! A filter in front of a set, or of a table on disk, saves the lookups of absent items. The set remains the source of
//! truth:
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
//!             self.keys.insert(key)?; // before the row, so that every row has its key
//!         }
//!         rows.insert(key.into(), row);
//!         Ok(())
//!     }
//!
//!     fn delete(&self, key: &str) {
//!         let mut rows = self.rows.write().expect("not poisoned");
//!         if rows.remove(key).is_some() {
//!             self.keys.remove(key); // the row existed, so this removes its own token
//!         }
//!     }
//! }
//!
//! let store = Store { keys: CuckooFilter::with_capacity(1_000), rows: RwLock::default() };
//! store.put("a", 1)?;
//! assert_eq!(store.get("a"), Some(1));
//! store.delete("a");
//! store.delete("b");
//! assert_eq!(store.get("a"), None);
//! # Ok::<(), InsertError>(())
//! ```
