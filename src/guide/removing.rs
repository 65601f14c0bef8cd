//! Which items you may remove.
//!
//! # The rule
//!
//! Remove an item once for each successful insert of it, and never otherwise. Then no item is missed, and no
//! token is left behind.
//!
//! The filter cannot check this. It stores tokens, not items. A token is a fingerprint in one of two buckets.
//! Items with the same fingerprint and the same two buckets have equal tokens. They form a class. [`remove`]
//! removes one token of the item's class, whichever call inserted it.
//!
//! # Which insert
//!
//! | call | adds a token | you may remove |
//! |---|---|---|
//! | [`insert`] returned `Ok(())` | always, also if the item was in before | once |
//! | [`insert_unique`] returned `Ok(true)` | yes | once |
//! | [`insert_unique`] returned `Ok(false)` | no: the item, or another one of its class, was in before | never |
//! | either returned an error | no | never |
//!
//! # Wrong
//!
//! Two sessions use one key. Each session inserts the key when it begins, and removes it when it ends:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let active = CuckooFilter::with_capacity(1_000);
//! active.insert_unique("key")?; // first session: true
//! active.insert_unique("key")?; // second session: false, but the code ignores it
//! active.remove("key"); // the second session ends
//! assert!(!active.contains("key")); // but the first session still uses it
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! It also goes wrong with different keys, once in 8,600 inserts into a full filter. If another key of the same
//! class is in, `insert_unique` returns false. A caller that ignores this and removes its key removes the other
//! key.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let active = CuckooFilter::builder().capacity(8).seed(1).build()?;
//! active.insert_unique(&0u64)?;
//! // In such a small filter, the search is short.
//! let twin = (1u64..)
//!     .find(|other| active.contains(other))
//!     .expect("an item of the same class");
//! assert!(!active.insert_unique(&twin)?);
//! active.remove(&twin); // wrong: the line above inserted nothing
//! assert!(!active.contains(&0u64));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Right: one token per user
//!
//! With `insert`, every session has its own token. All tokens of a class are interchangeable:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! /// Is in the filter for as long as it lives.
//! struct Session<'a> {
//!     active: &'a CuckooFilter,
//!     hash: u64,
//! }
//!
//! impl<'a> Session<'a> {
//!     fn begin(
//!         active: &'a CuckooFilter,
//!         key: &str,
//!     ) -> Result<Self, lockfree_cuckoo::InsertError> {
//!         let hash = active.hash_one(key);
//!         active.insert_hash(hash)?;
//!         Ok(Self { active, hash })
//!     }
//! }
//!
//! impl Drop for Session<'_> {
//!     fn drop(&mut self) {
//!         self.active.remove_hash(self.hash);
//!     }
//! }
//!
//! let active = CuckooFilter::with_capacity(1_000);
//! let first = Session::begin(&active, "key")?;
//! let second = Session::begin(&active, "key")?;
//! drop(second);
//! assert!(active.contains("key"));
//! drop(first);
//! assert!(active.is_empty());
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! The two buckets of an item have eight slots with 4 x 16 (4 to 16 with other [layouts](super::layouts)). So the ninth copy is refused with
//! [`TooManyCopies`](crate::InsertError::TooManyCopies). An earlier copy is refused if other items of the class
//! are in.
//!
//! # Right: one owner
//!
//! With `insert_unique`, the caller that gets true owns the item, and no other caller removes it. (Work that can
//! panic needs a guard, as above.)
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//!
//! /// Does the work, unless another caller is doing it.
//! fn do_once(
//!     claimed: &CuckooFilter,
//!     job: &str,
//!     work: impl FnOnce(),
//! ) -> Result<bool, InsertError> {
//!     let owner = claimed.insert_unique(job)?;
//!     if owner {
//!         work();
//!         claimed.remove(job);
//!     }
//!     Ok(owner)
//! }
//!
//! let claimed = CuckooFilter::with_capacity(1_000);
//! let outer = do_once(&claimed, "tidy up", || {
//!     assert_eq!(do_once(&claimed, "tidy up", || unreachable!()), Ok(false));
//! });
//! assert_eq!(outer, Ok(true));
//! assert!(claimed.is_empty());
//! ```
//!
//! # Right: count elsewhere
//!
//! If an item can have more users than its two buckets have slots, count them in an exact map. Insert the item when its count rises
//! from 0, and remove it when the count returns to 0. Do both while you hold the map's lock for the item.
//! Otherwise an insert and a removal can run in the wrong order.
//!
//! [`count`](crate::CuckooFilter::count) cannot replace this. It counts the tokens of the class, up to 8 with 4 x 16. Under
//! concurrent writes it can count a copy twice.
//!
//! [`insert`]: crate::CuckooFilter::insert
//! [`insert_unique`]: crate::CuckooFilter::insert_unique
//! [`remove`]: crate::CuckooFilter::remove
