//! Refused inserts: what they mean, and what to do.
//!
//! A refused insert changes nothing. All items stay in the filter, and the filter keeps working. After a removal
//! there is room again.
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
//! [`Full`](crate::InsertError::Full) says that there is no room for this item. Compare its `len` with the
//! capacity:
//!
//! * **`len` is above the capacity.** The filter holds more items than it was built for. Some other items may
//!   still find room, but soon none will.
//! * **`len` is below the capacity.** The items have several copies each, or the search budget is too small
//!   ([`sizing`](super::sizing)).
//! * **`len` is below a quarter of the slots.** The hasher does not mix ([`mixing`](super::mixing)), or few items
//!   have many copies. The method [`suggests_poor_hashing`](crate::InsertError::suggests_poor_hashing) returns
//!   true, and the text of the error says so.
//!
//! # `Disturbed` and `NoDescriptor`
//!
//! There may be room, but other threads were in the way: see [`Disturbed`](crate::InsertError::Disturbed) and
//! [`NoDescriptor`](crate::InsertError::NoDescriptor). Both are rare. Try again:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//! use std::thread;
//!
//! /// Tries again if that can help.
//! fn insert(filter: &CuckooFilter, item: &str) -> Result<(), InsertError> {
//!     for _ in 0..3 {
//!         match filter.insert(item) {
//!             Err(error) if error.is_transient() => thread::yield_now(),
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
//! If an insert finds no descriptor however often it tries, threads were killed in the middle of inserts.
//! [`clear`](crate::CuckooFilter::clear), [`to_bytes`](crate::CuckooFilter::to_bytes) and
//! [`write_to`](crate::CuckooFilter::write_to) take back the descriptors that they held. A growing filter tries more often
//! before it returns one of the two.
//!
//! # In the tests of your program
//!
//! Make the errors that your program handles: `InsertError::Full { len: 1_000, slots: 1_024 }`, or
//! [`InsertManyError::new`](crate::InsertManyError::new).
//!
//! # Go on without the item
//!
//! A refused item is not in the filter, so lookups return false for it. Decide what that means for your program.
//! If a "yes" means "perhaps, go and look", a refused item must not get a "no". So remember that an item was
//! refused, and answer "perhaps" from then on:
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
//! Such a guard must not remove a key that was refused. So the owner of a key must record whether its insert
//! succeeded. If you deduplicate events, the harm is smaller: a refused event may be handled twice.
//!
//! # Use a filter that grows
//!
//! A [`GrowingCuckooFilter`](crate::GrowingCuckooFilter) doubles when it is full. The price is that there are more
//! false positives, and that a doubling takes memory ([`growing`](super::growing)).
//!
//! # Replace the filter
//!
//! A table cannot be enlarged, because it does not store the items. Build a larger filter from the source of
//! truth. No item may be added or removed meanwhile. Otherwise the new filter misses an added item, or keeps a
//! removed one. Here all changes hold the lock of the source of truth. Lookups go on while the new filter is
//! built. They wait only while it is put in place:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::collections::BTreeSet;
//! use std::sync::{Mutex, RwLock};
//!
//! struct Store {
//!     keys: Mutex<BTreeSet<u64>>, // the source of truth
//!     filter: RwLock<CuckooFilter>,
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
//!             let larger = CuckooFilter::with_capacity(2 * keys.len());
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
//!     filter: RwLock::new(CuckooFilter::with_capacity(1_000)),
//! };
//! for key in 0..10_000 {
//!     store.insert(key);
//!     assert!(store.may_contain(key));
//! }
//! store.remove(0);
//! assert!((1..10_000).all(|key| store.may_contain(key)));
//! ```
//!
//! The price is that lookups take a read lock, which writes to a cache line that all threads share. A filter that
//! is sized for the largest possible set costs about two bytes per item with 4 x 16, and needs none of this.
//!
//! # `TooManyCopies`
//!
//! Both buckets of the item are full of tokens of its class: eight tokens with 4 x 16. The insert would add one more. If you
//! want membership, use `insert_unique`. If you need a count, count elsewhere ([`removing`](super::removing)).
//! Trying again helps only if another call removes a copy. A larger filter does not help.
//!
//! # `InsertManyError`
//!
//! [`insert_many`](crate::CuckooFilter::insert_many) stops at the first refused item. The items before it are in
//! the filter. To continue after it:
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
//! assert_eq!(refused, ["b"]); // the ninth copy
//! assert!(filter.contains("c"));
//! ```
//!
//! A full filter searches long before it refuses an item. So if the error is `Full`, it is often better to stop.
