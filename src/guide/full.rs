//! Refused inserts: what they mean and what to do.
//!
//! A refused insert changes nothing: every item that was in is in, and the filter goes on to work. After a
//! removal there is room again.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(1_000);
//! let refused = (0u32..)
//!     .find(|item| filter.insert(item).is_err())
//!     .expect("it is finite");
//! assert!(refused > 1_000);
//! assert!((0..refused).all(|item| filter.contains(&item)));
//!
//! for item in 0..100 {
//!     filter.remove(&item);
//! }
//! assert_eq!(filter.insert(&refused), Ok(()));
//! ```
//!
//! # `Full`
//!
//! [`Full`](crate::InsertError::Full) says that no room was found for this item. Compare its `len` with the
//! capacity:
//!
//! * **`len` is beyond the capacity.** The filter holds what it was made for and more. Another item may still
//!   find a place, but soon none will.
//! * **`len` is below the capacity, and other threads were writing.** Each of 64 attempts was disturbed, or all
//!   descriptors were in use. Try again.
//! * **`len` is below the capacity, and nobody else was writing.** The hasher does not mix
//!   ([`mixing`](super::mixing)), the search budget was lowered ([`sizing`](super::sizing)), or so many threads
//!   died within an insert that no descriptor is left. To try again will not help.
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//! use std::thread;
//!
//! /// Tries again where that can help.
//! fn insert(filter: &CuckooFilter, item: &str) -> Result<(), InsertError> {
//!     for _ in 0..3 {
//!         match filter.insert(item) {
//!             Err(InsertError::Full { len, .. }) if len < filter.capacity() => {
//!                 thread::yield_now()
//!             }
//!             outcome => return outcome,
//!         }
//!     }
//!     filter.insert(item)
//! }
//!
//! let filter = CuckooFilter::with_capacity(1_000);
//! assert_eq!(insert(&filter, "flow"), Ok(()));
//! ```
//!
//! # To go on without the item
//!
//! An item that was refused is not in, and lookups say so. Decide what that means. Where the filter says
//! "perhaps, go and look", a missing item must not turn into a "no". Remember that one was refused, and answer
//! "perhaps" from then on:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::sync::atomic::{AtomicBool, Ordering};
//!
//! /// Which keys may be in the storage.
//! struct Guard {
//!     keys: CuckooFilter,
//!     overflowed: AtomicBool,
//! }
//!
//! impl Guard {
//!     fn stored(&self, key: u64) {
//!         if self.keys.insert(&key).is_err() {
//!             self.overflowed.store(true, Ordering::SeqCst);
//!         }
//!     }
//!
//!     fn may_be_stored(&self, key: u64) -> bool {
//!         self.keys.contains(&key) || self.overflowed.load(Ordering::SeqCst)
//!     }
//! }
//!
//! let guard = Guard {
//!     keys: CuckooFilter::with_capacity(100),
//!     overflowed: AtomicBool::new(false),
//! };
//! for key in 0..1_000 {
//!     guard.stored(key);
//!     assert!(guard.may_be_stored(key));
//! }
//! ```
//!
//! Such a guard must not remove keys that were refused, so the owner of a key keeps whether it is in. In a
//! deduplication of events the loss is smaller: a refused event may be handled twice.
//!
//! # To let it grow
//!
//! A [`GrowingCuckooFilter`](crate::GrowingCuckooFilter) makes itself room, at the price of lookups that look at
//! several tables and of more false positives ([`growing`](super::growing)).
//!
//! # To replace the filter
//!
//! One table cannot be enlarged, because it no longer knows the items. A larger one is built from the source of truth.
//! Nothing may come in or go out meanwhile, or the new filter misses the one or keeps the other. Here all
//! changes hold the lock of the source of truth. Lookups go on while the new filter is built, and wait while it
//! is put in place:
//!
//! ```
//! use lockfree_cuckoo::TypedCuckooFilter;
//! use std::collections::BTreeSet;
//! use std::sync::{Mutex, RwLock};
//!
//! struct Store {
//!     keys: Mutex<BTreeSet<u64>>, // the source of truth
//!     filter: RwLock<TypedCuckooFilter<u64>>,
//! }
//!
//! impl Store {
//!     fn may_contain(&self, key: u64) -> bool {
//!         self.filter.read().expect("not poisoned").contains(&key)
//!     }
//!
//!     fn insert(&self, key: u64) {
//!         let mut keys = self.keys.lock().expect("not poisoned");
//!         if !keys.insert(key) {
//!             return; // one token for each key
//!         }
//!         let inserted = self.filter.read().expect("not poisoned").insert(&key);
//!         if inserted.is_err() {
//!             let larger = TypedCuckooFilter::with_capacity(2 * keys.len());
//!             for key in keys.iter() {
//!                 larger.insert(key).expect("sized for twice as many");
//!             }
//!             *self.filter.write().expect("not poisoned") = larger;
//!         }
//!     }
//!
//!     fn remove(&self, key: u64) {
//!         let mut keys = self.keys.lock().expect("not poisoned");
//!         if keys.remove(&key) {
//!             self.filter.read().expect("not poisoned").remove(&key);
//!         }
//!     }
//! }
//!
//! let store = Store {
//!     keys: Mutex::default(),
//!     filter: RwLock::new(TypedCuckooFilter::with_capacity(1_000)),
//! };
//! for key in 0..10_000 {
//!     store.insert(key);
//!     assert!(store.may_contain(key));
//! }
//! store.remove(0);
//! assert!((1..10_000).all(|key| store.may_contain(key)));
//! ```
//!
//! The price is that lookups take a lock, for reading, which is a write to a cache line that all threads share.
//! A filter that is sized for the largest set there can be costs two bytes an item, and needs none of this.
//!
//! # `TooManyCopies`
//!
//! Both buckets of the item hold nothing but tokens of its class, eight of them. What is refused is one more.
//! Use `insert_unique` if it is membership that you want, or count elsewhere ([`removing`](super::removing)).
//! To try again helps only if somebody removes one; a larger filter does not help.
//!
//! # `InsertManyError`
//!
//! [`insert_many`](crate::CuckooFilter::insert_many) stops at the first refusal. The items before it are in. To
//! go on behind it:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(100);
//! let items = ["a", "b", "b", "b", "b", "b", "b", "b", "b", "b", "c"];
//!
//! let (mut rest, mut refused) = (&items[..], Vec::new());
//! while let Err(stopped) = filter.insert_many(rest) {
//!     refused.push(rest[stopped.inserted()]);
//!     rest = &rest[stopped.inserted() + 1..];
//! }
//! assert_eq!(refused, ["b"]); // the ninth
//! assert!(filter.contains("c"));
//! ```
//!
//! A full filter searches long for each item that it refuses, so if the error is `Full`, to stop is often
//! better.
