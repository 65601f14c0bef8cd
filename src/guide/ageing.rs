//! Ageing: how old items leave.
//!
//! A filter keeps an item until somebody removes it. It does not know when the item came, and it cannot list
//! what is in. So the age is kept outside, in one of two ways.
//!
//! | | generations | a queue |
//! |---|---|---|
//! | an item leaves | one to two periods after its insert | at its time |
//! | memory | two filters, each for the items of a period; three during a rotation | one filter, and a queue of 16 to 24 bytes an entry |
//! | removals | none | one an item |
//! | false positives | those of two filters | those of one |
//!
//! [`clear`](crate::CuckooFilter::clear) is no third way. It needs `&mut`, that is, nobody else may use the
//! filter: it empties one bucket after the other, and with others at work, items that were on the move would
//! survive it and new ones would be lost.
//!
//! # Generations
//!
//! Insert into a young filter, look into it and into an old one. Once a period, the young one becomes the old
//! one, a fresh one becomes the young one, and the one that was old is dropped when nobody uses it any more.
//! Every thread has a handle with references of its own, so no operation touches a shared reference count. It
//! reads one counter, which changes only with a rotation:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError, RandomState};
//! use std::hash::{BuildHasher, Hash};
//! use std::mem;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use std::sync::{Arc, Mutex};
//!
//! /// The items of this period and of the one before.
//! struct Recent {
//!     capacity: usize,
//!     hasher: RandomState, // one for all generations, so that items are hashed once
//!     rotations: AtomicUsize,
//!     generations: Mutex<Generations>,
//! }
//!
//! #[derive(Clone)]
//! struct Generations {
//!     young: Arc<CuckooFilter>,
//!     old: Arc<CuckooFilter>,
//! }
//!
//! /// One thread's access.
//! struct Handle<'a> {
//!     recent: &'a Recent,
//!     rotations: usize,
//!     generations: Generations,
//! }
//!
//! fn generation(capacity: usize, hasher: &RandomState) -> Arc<CuckooFilter> {
//!     Arc::new(CuckooFilter::with_capacity_and_hasher(capacity, hasher.clone()))
//! }
//!
//! impl Recent {
//!     /// For so many items a period.
//!     fn with_capacity(capacity: usize) -> Self {
//!         let hasher = RandomState::new();
//!         let [young, old] = [(); 2].map(|()| generation(capacity, &hasher));
//!         let generations = Mutex::new(Generations { young, old });
//!         Self { capacity, hasher, rotations: AtomicUsize::new(0), generations }
//!     }
//!
//!     fn handle(&self) -> Handle<'_> {
//!         let generations = self.generations.lock().expect("not poisoned");
//!         Handle {
//!             recent: self,
//!             // It changes under the lock, so the two belong together.
//!             rotations: self.rotations.load(Ordering::Relaxed),
//!             generations: generations.clone(),
//!         }
//!     }
//!
//!     /// Forgets the old generation. To be called once a period, by one thread.
//!     fn rotate(&self) {
//!         let fresh = generation(self.capacity, &self.hasher); // outside of the lock: it takes long
//!         let mut generations = self.generations.lock().expect("not poisoned");
//!         let young = mem::replace(&mut generations.young, fresh);
//!         let retired = mem::replace(&mut generations.old, young);
//!         // Release: pairs with the Acquire in `Handle::refresh`.
//!         self.rotations.fetch_add(1, Ordering::Release);
//!         drop(generations);
//!         drop(retired);
//!     }
//! }
//!
//! impl Handle<'_> {
//!     fn refresh(&mut self) {
//!         if self.recent.rotations.load(Ordering::Acquire) != self.rotations {
//!             *self = self.recent.handle();
//!         }
//!     }
//!
//!     fn insert(&mut self, item: &impl Hash) -> Result<(), InsertError> {
//!         self.refresh();
//!         // Nothing is removed, so one token does for all equal items of a period.
//!         self.generations.young.insert_unique(item).map(drop)
//!     }
//!
//!     fn contains(&mut self, item: &impl Hash) -> bool {
//!         self.refresh();
//!         let hash = self.recent.hasher.hash_one(item);
//!         self.generations.young.contains_hash(hash) || self.generations.old.contains_hash(hash)
//!     }
//! }
//!
//! let recent = Recent::with_capacity(1_000);
//! let (mut one, mut other) = (recent.handle(), recent.handle());
//! one.insert(&"flow")?;
//! recent.rotate();
//! assert!(other.contains(&"flow"));
//! recent.rotate();
//! assert!(!other.contains(&"flow"));
//! # Ok::<(), InsertError>(())
//! ```
//!
//! What this promises, if rotations are a period apart:
//!
//! * An insert that begins between two rotations goes into the filter that is young then. Lookups that begin
//!   after the insert has returned, and end before the second rotation after it *began*, find the item. So it
//!   is found for one period at least, less the time that the insert itself took.
//! * Lookups that begin after that second rotation do not find it, but for false positives, unless it was
//!   inserted again.
//! * The first operation of a handle after a rotation takes the lock, for as long as it takes to clone two
//!   `Arc`s, and may wait for others that do the same. All others are as free of locks as the filter is.
//! * A handle that is not used keeps its two filters alive.
//!
//! What it does not promise: to tell which of several threads saw an item first. Within one period
//! `insert_unique` does. But of two threads on both sides of a rotation each may look before the other inserts.
//!
//! Do not remove from generations. You would have to know which one the item is in, because a removal from the
//! wrong one can hit the token of another item. To keep items that are in use, insert them again when you find
//! them; then each lives for a period or more after its last use.
//!
//! With more than two generations the age is more exact, and each lookup reads two more words for each.
//!
//! # A queue
//!
//! If items must leave at their time, note the hash and the time of each insert, and remove what is due. A
//! queue for every thread needs no lock:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//! use std::collections::VecDeque;
//! use std::hash::Hash;
//! use std::time::{Duration, Instant};
//!
//! /// What one thread has inserted.
//! struct Expiring<'a> {
//!     filter: &'a CuckooFilter,
//!     life: Duration,
//!     queue: VecDeque<(Instant, u64)>, // in the order of time, as all live equally long
//! }
//!
//! impl Expiring<'_> {
//!     fn insert(&mut self, item: &impl Hash, now: Instant) -> Result<(), InsertError> {
//!         self.expire(now);
//!         let hash = self.filter.hash_one(item);
//!         self.filter.insert_hash(hash)?;
//!         self.queue.push_back((now + self.life, hash));
//!         Ok(())
//!     }
//!
//!     fn expire(&mut self, now: Instant) {
//!         while let Some(&(due, hash)) = self.queue.front() {
//!             if due > now {
//!                 break;
//!             }
//!             self.queue.pop_front();
//!             self.filter.remove_hash(hash);
//!         }
//!     }
//! }
//!
//! /// A thread that ends takes its items along.
//! impl Drop for Expiring<'_> {
//!     fn drop(&mut self) {
//!         for (_, hash) in self.queue.drain(..) {
//!             self.filter.remove_hash(hash);
//!         }
//!     }
//! }
//!
//! let filter = CuckooFilter::with_capacity(1_000);
//! let second = Duration::from_secs(1);
//! let start = Instant::now();
//! let mut items = Expiring {
//!     filter: &filter,
//!     life: 10 * second,
//!     queue: VecDeque::new(),
//! };
//! items.insert(&"early", start)?;
//! items.insert(&"late", start + 5 * second)?;
//! items.expire(start + 12 * second);
//! assert!(!filter.contains("early"));
//! assert!(filter.contains("late"));
//! drop(items);
//! assert!(filter.is_empty());
//! # Ok::<(), InsertError>(())
//! ```
//!
//! Every entry of a queue stands for one token, so nothing is removed that was not inserted, and equal items of
//! several threads do no harm, up to eight at a time. With `insert_unique`, queue the hash only if it answered
//! true; then an item lives from its first insert, not from its last.
