//! Removing: which items you may remove.
//!
//! # The rule
//!
//! Remove an item once for each insert that added its token, and never otherwise. Then no item that has a token is
//! missed, and no token stays behind.
//!
//! The filter cannot check this. It stores tokens, not items: a token is a fingerprint in one of two buckets. Items
//! with the same fingerprint and the same two buckets form a class, and their tokens are equal.
//! [`remove`](crate::Filter::remove) removes one token of the item's class, whichever call inserted it.
//!
//! | call | adds a token | you may remove |
//! |---|---|---|
//! | [`insert`](crate::Filter::insert) returned `Ok(())` | yes, even if the item was already stored | once |
//! | [`insert_unique`](crate::Filter::insert_unique) returned `Ok(true)` | yes | once |
//! | [`insert_unique`](crate::Filter::insert_unique) returned `Ok(false)` | no: one of its class was stored | never |
//! | either returned an error | no | never |
//!
//! # Wrong
//!
//! Two sessions use one key. Each inserts it when it begins and removes it when it ends:
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
//! The same happens with different keys of one class, once in 8,600 inserts into a full filter. The caller that ignores
//! the `false` removes the other key.
//!
//! # Right: one token per user
//!
//! With `insert`, every session has its own token. A guard removes it, even if the session panics:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//!
//! /// Is in the filter for as long as it lives.
//! struct Session<'a> {
//!     active: &'a CuckooFilter,
//!     hash: u64,
//! }
//!
//! impl<'a> Session<'a> {
//!     fn begin(active: &'a CuckooFilter, key: &str) -> Result<Self, InsertError> {
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
//! # Ok::<(), InsertError>(())
//! ```
//!
//! The two buckets of an item have eight slots with 4 x 16, and 4 to 16 with other [layouts](super::layouts). Inserting
//! one more copy returns [`TooManyCopies`](crate::InsertError::TooManyCopies). Other items of the class take slots too.
//!
//! # Right: one owner
//!
//! With `insert_unique`, the caller that gets `true` owns the item, and no other caller removes it. The [quick
//! start](super#quick-start) does this. Work that can panic, and an async task that can be dropped at an `await`, need
//! a guard as above. An item that gets `false` because of another item of its class has no token: it is missed once
//! that item is removed. So treat `false` as a rejection. To store the members of a set that you know, `insert` each.
//!
//! # Right: count elsewhere
//!
//! If an item can have more users than its two buckets have slots, count them in an exact map. Insert the item when its
//! count rises from 0, and remove it when the count returns to 0. Do both while you hold the map's lock for the item.
//! Otherwise an insert and a removal can run in the wrong order. [`count`](crate::Filter::count) does not replace this:
//! it stops at eight, and it is not exact under concurrent writes.
