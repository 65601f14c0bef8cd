//! Ageing: how old items leave.
//!
//! A filter keeps an item until a call removes it. It does not know when the item was inserted, and it cannot
//! list its items. So you keep the age outside the filter, in one of two ways:
//!
//! | | generations | a queue |
//! |---|---|---|
//! | an item leaves | one to two periods after its insert | at its time |
//! | memory | two filters, each sized for the items of one period; three during a rotation | one filter, and a queue of 16 to 24 bytes per entry |
//! | removals | none | one per item |
//! | false positives | those of two filters | those of one |
//!
//! [`clear`](crate::CuckooFilter::clear) is not a third way. It takes `&mut self`, so no other thread may use the
//! filter meanwhile. It empties one bucket after the other. If other threads wrote at that time, items that move
//! would survive it, and new items would be lost.
//!
//! # Generations
//!
//! Use two filters, a young one and an old one. Insert into the young filter, and look items up in both. Once a
//! period, the young filter becomes the old one, and a new filter becomes the young one. The previous old filter
//! is dropped when its last user releases it.
//!
//! Each thread or task has a handle with its own references, so no operation changes a shared reference count.
//! Each operation reads one counter, which changes only at a rotation. A handle borrows nothing, so you can move
//! it into `thread::spawn` or a task:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError, RandomState};
//! use std::hash::{BuildHasher, Hash};
//! use std::mem;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use std::sync::{Arc, Mutex, Weak};
//! use std::thread;
//! use std::time::Duration;
//!
//! /// The items of this period and of the one before.
//! struct Recent {
//!     capacity: usize,
//!     hasher: RandomState, // one for all generations, so that items are hashed once
//!     rotating: Mutex<()>,
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
//! struct Handle {
//!     recent: Arc<Recent>,
//!     rotations: usize,
//!     generations: Generations,
//! }
//!
//! fn generation(capacity: usize, hasher: &RandomState) -> Arc<CuckooFilter> {
//!     Arc::new(CuckooFilter::with_capacity_and_hasher(capacity, hasher.clone()))
//! }
//!
//! impl Recent {
//!     /// For up to `capacity` items per period.
//!     fn with_capacity(capacity: usize) -> Arc<Self> {
//!         let hasher = RandomState::new();
//!         let [young, old] = [(); 2].map(|()| generation(capacity, &hasher));
//!         Arc::new(Self {
//!             capacity,
//!             hasher,
//!             rotating: Mutex::new(()),
//!             rotations: AtomicUsize::new(0),
//!             generations: Mutex::new(Generations { young, old }),
//!         })
//!     }
//!
//!     fn handle(self: &Arc<Self>) -> Handle {
//!         let generations = self.generations.lock().expect("not poisoned");
//!         Handle {
//!             recent: Arc::clone(self),
//!             // `rotations` changes only under the lock, so it fits the generations.
//!             rotations: self.rotations.load(Ordering::Relaxed),
//!             generations: generations.clone(),
//!         }
//!     }
//!
//!     fn rotations(&self) -> usize {
//!         self.rotations.load(Ordering::Acquire)
//!     }
//!
//!     /// Forgets the old generation if there were `rotations` rotations so far, and does nothing if
//!     /// there were more. So if several threads ask for the same rotation, one of them does it.
//!     fn rotate(&self, rotations: usize) {
//!         let _one = self.rotating.lock().expect("not poisoned");
//!         if self.rotations() != rotations {
//!             return;
//!         }
//!         // To build a filter takes long, so do it before taking the lock that handles wait for.
//!         let fresh = generation(self.capacity, &self.hasher);
//!         let mut generations = self.generations.lock().expect("not poisoned");
//!         let young = mem::replace(&mut generations.young, fresh);
//!         let retired = mem::replace(&mut generations.old, young);
//!         // Release: pairs with the Acquire in `rotations`.
//!         self.rotations.fetch_add(1, Ordering::Release);
//!         drop(generations);
//!         drop(retired);
//!     }
//! }
//!
//! impl Handle {
//!     fn refresh(&mut self) {
//!         if self.recent.rotations() != self.rotations {
//!             *self = self.recent.handle();
//!         }
//!     }
//!
//!     fn contains(&mut self, item: &impl Hash) -> bool {
//!         self.refresh();
//!         let hash = self.recent.hasher.hash_one(item);
//!         self.generations.young.contains_hash(hash) || self.generations.old.contains_hash(hash)
//!     }
//!
//!     /// Whether the item was in neither generation, and this call inserted it.
//!     fn insert_if_new(&mut self, item: &impl Hash) -> Result<bool, InsertError> {
//!         self.refresh();
//!         let hash = self.recent.hasher.hash_one(item);
//!         if self.generations.old.contains_hash(hash) {
//!             return Ok(false);
//!         }
//!         self.generations.young.insert_unique_hash(hash)
//!     }
//!
//!     /// As `insert_if_new`, but forgets the old generation early if the young one is full.
//!     fn insert_if_new_or_rotate(&mut self, item: &impl Hash) -> Result<bool, InsertError> {
//!         match self.insert_if_new(item) {
//!             Err(InsertError::Full { len, .. }) if len >= self.recent.capacity => {
//!                 self.recent.rotate(self.rotations);
//!                 self.insert_if_new(item)
//!             }
//!             outcome => outcome,
//!         }
//!     }
//! }
//!
//! /// Run this in its own thread. It ends when the last user is gone.
//! fn rotate_every(period: Duration, recent: Weak<Recent>) {
//!     while let Some(rotations) = recent.upgrade().map(|recent| recent.rotations()) {
//!         thread::sleep(period);
//!         if let Some(recent) = recent.upgrade() {
//!             recent.rotate(rotations); // does nothing if a full generation caused a rotation meanwhile
//!         }
//!     }
//! }
//!
//! let recent = Recent::with_capacity(1_000);
//! let (mut one, mut other) = (recent.handle(), recent.handle());
//! let new = thread::spawn(move || one.insert_if_new(&"flow"));
//! assert_eq!(new.join().expect("no panic"), Ok(true));
//!
//! recent.rotate(0);
//! assert!(other.contains(&"flow"));
//! assert_eq!(other.insert_if_new(&"flow"), Ok(false));
//! recent.rotate(0); // does nothing: this rotation is done
//! assert!(other.contains(&"flow"));
//! recent.rotate(1);
//! assert_eq!(other.insert_if_new(&"flow"), Ok(true)); // forgotten, so new again
//!
//! // More items than planned for one period: they go in, and old items leave sooner.
//! assert!((0..10_000).all(|item| other.insert_if_new_or_rotate(&item).is_ok()));
//! assert!(recent.rotations() > 2);
//!
//! let clock = thread::spawn({
//!     let recent = Arc::downgrade(&recent);
//!     move || rotate_every(Duration::from_millis(1), recent)
//! });
//! while other.contains(&9_999) {}
//! drop((recent, other));
//! clock.join().expect("no panic");
//! ```
//!
//! If rotations are one period apart, this guarantees:
//!
//! * An insert that begins between two rotations goes into the filter that is young then. Lookups find the item
//!   if they begin after the insert has returned and end before the second rotation after it *began*. So an item
//!   is found for at least one period, minus the time that the insert itself took.
//! * Lookups that begin after that second rotation do not find the item, unless it was inserted again or is a
//!   false positive.
//! * The first operation of a handle after a rotation takes the lock while it clones a few `Arc`s. It may wait
//!   for other handles that do the same. All other operations take no lock.
//! * An unused handle keeps its two filters alive.
//!
//! For `insert_if_new` with equal items, it guarantees the following. A call belongs to the period in which it
//! reads the count.
//!
//! * **In one period, at most one call returns true**, even if calls race. No call returns true if the item is in
//!   the old generation, if it is a false positive in either generation, or if the insert is refused.
//! * **After a call returned true, later calls return false** if they begin after it returned and end before the
//!   second rotation after it began.
//! * **At a rotation, two calls can return true**: one call of the period before, and one call of the period
//!   after that begins before the first call has returned. The second call looks into the old generation before
//!   the first call inserts there. If an item must be handled at most once, keep an exact record of the items in
//!   work.
//! * An item is new again one to two periods after the call that returned true, even if it was seen in between.
//!   To count from the last time it was seen, insert it into the young generation in either case. To do so,
//!   replace the last four lines by `let old = self.generations.old.contains_hash(hash);` and
//!   `Ok(self.generations.young.insert_unique_hash(hash)? && !old)`.
//!
//! Do not remove items from generations. You would need to know which generation holds the item: a removal from
//! the wrong one can remove another item's token.
//!
//! With more than two generations, the age is more exact. Each further generation costs each lookup two more
//! loads.
//!
//! # If the young generation is full
//!
//! Size it for the busiest period. Then no insert returns [`Full`](crate::InsertError::Full), and every item
//! stays for its time. If you cannot estimate that, rotate early, as `insert_if_new_or_rotate` does: the filter
//! takes new items, and old items leave sooner than the period says. This has a risk: a client that sends many
//! new items can make the filter forget all others. To avoid it, do not rotate early; answer "new" or "seen" for
//! refused items, whichever does less harm ([`full`](super::full)).
//!
//! One thread builds the new filter. Other threads that are refused meanwhile wait for it. After an early
//! rotation `rotate_every` skips its next rotation, so an item can stay for three periods.
//!
//! # A queue
//!
//! If each item must leave at its exact time, keep a queue of the hash and the time of each insert, and remove
//! the items that are due. If each thread has its own queue, you need no lock:
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
//!     queue: VecDeque<(Instant, u64)>, // in the order of time, because all items live equally long
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
//! /// A thread that ends removes its items.
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
//! Each queue entry stands for one token, so this removes nothing that was not inserted. Several threads can
//! insert equal items, up to eight at a time. If you use `insert_unique`, queue the hash only if the call
//! returned true. Then an item lives from its first insert, not from its last.
