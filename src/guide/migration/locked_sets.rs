//! From a set in a lock, or a concurrent set.
//!
//! An exact set and a filter are different things. Change to a filter if the set is too large for its memory or
//! too slow for its lock, if you only ask "is it in?", and if a rare wrong "yes" is acceptable. If you need the
//! items back, or list them, or a wrong "yes" does harm, keep the set, perhaps with a filter in front of it.
//!
//! # Before
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
//! # After
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
//! # Call for call
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
//! # What is different
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
//! # Both
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
