//! Removing: what may be removed, and what may not.
//!
//! # The rule
//!
//! Remove an item once for each insert of it that succeeded, and never otherwise. Then nothing is missed and
//! nothing is left behind.
//!
//! The filter cannot check this. It stores no items, only tokens: a fingerprint in one of two buckets. Items
//! that agree in both have equal tokens, and are of one class. [`remove`] takes away one token of the item's
//! class, whoever inserted it.
//!
//! # Which insert
//!
//! | call | adds a token | remove for it |
//! |---|---|---|
//! | [`insert`] returned `Ok(())` | always, a second one for an item that is in | once |
//! | [`insert_unique`] returned `Ok(true)` | yes | once |
//! | [`insert_unique`] returned `Ok(false)` | no: the item is in, or one of its class | never |
//! | either returned an error | no | never |
//!
//! # Wrong
//!
//! Two sessions use one key. Each says that it is there, and each takes it back:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let active = CuckooFilter::with_capacity(1_000);
//! active.insert_unique("key")?; // first session: true
//! active.insert_unique("key")?; // second session: false, and nobody looks at it
//! active.remove("key"); // the second session ends
//! assert!(!active.contains("key")); // but the first one is still there
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! It goes wrong without equal keys too, once in 8,600 inserts into a full filter: if another key of the same
//! class is in, `insert_unique` answers false, and whoever removes all the same removes the other.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let active = CuckooFilter::builder().capacity(8).seed(1).build()?;
//! active.insert_unique(&0u64)?;
//! // In so small a filter one is soon found.
//! let twin = (1u64..)
//!     .find(|other| active.contains(other))
//!     .expect("an item of the same class");
//! assert!(!active.insert_unique(&twin)?);
//! active.remove(&twin); // wrong: the line above inserted nothing
//! assert!(!active.contains(&0u64));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Right: one token a user
//!
//! With `insert`, every session has a token of its own, and any of them is as good as another:
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
//! The two buckets of an item have eight slots, so the ninth copy is refused with
//! [`TooManyCopies`](crate::InsertError::TooManyCopies), or an earlier one if other items of the class are in.
//!
//! # Right: one owner
//!
//! With `insert_unique`, whoever is told true owns the item, and nobody else removes it. (Work that can panic
//! needs a guard, as above.)
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//!
//! /// Does the work unless somebody is at it.
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
//! # Right: counting elsewhere
//!
//! Where an item can have more than eight users, count them in an exact map, insert the item when its count
//! leaves 0, and remove it when it comes back to 0. Both steps belong into the map's lock for the item, or else
//! an insert and a removal can overtake each other.
//!
//! [`count`](crate::CuckooFilter::count) is no substitute. It counts the class, up to 8, and under concurrent
//! writes it can count a copy twice.
//!
//! [`insert`]: crate::CuckooFilter::insert
//! [`insert_unique`]: crate::CuckooFilter::insert_unique
//! [`remove`]: crate::CuckooFilter::remove
