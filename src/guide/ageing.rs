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
//! Every thread or task has a handle with references of its own, so no operation touches a shared reference
//! count. It reads one counter, which changes only with a rotation. A handle borrows nothing, so it can move
//! into `thread::spawn` or a task:
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
//!     /// For so many items a period.
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
//!             // It changes under the lock, so the two belong together.
//!             rotations: self.rotations.load(Ordering::Relaxed),
//!             generations: generations.clone(),
//!         }
//!     }
//!
//!     fn rotations(&self) -> usize {
//!         self.rotations.load(Ordering::Acquire)
//!     }
//!
//!     /// Forgets the old generation, unless there was a rotation since there were so many. So of all
//!     /// that want the same one, one does it, and the others find it done.
//!     fn rotate(&self, rotations: usize) {
//!         let _one = self.rotating.lock().expect("not poisoned");
//!         if self.rotations() != rotations {
//!             return;
//!         }
//!         // It takes long, so the lock that handles wait for is not held.
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
//!     /// The same. If the young generation is full, forgets the old one early.
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
//! /// For a thread of its own, which ends when the last user is gone.
//! fn rotate_every(period: Duration, recent: Weak<Recent>) {
//!     while let Some(rotations) = recent.upgrade().map(|recent| recent.rotations()) {
//!         thread::sleep(period);
//!         if let Some(recent) = recent.upgrade() {
//!             recent.rotate(rotations); // does nothing if a full generation was rotated meanwhile
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
//! recent.rotate(0); // too late: it is done
//! assert!(other.contains(&"flow"));
//! recent.rotate(1);
//! assert_eq!(other.insert_if_new(&"flow"), Ok(true)); // forgotten, so new again
//!
//! // More than a period's items: they go in, and old ones go sooner.
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
//! What this promises, if rotations are a period apart:
//!
//! * An insert that begins between two rotations goes into the filter that is young then. Lookups that begin
//!   after the insert has returned, and end before the second rotation after it *began*, find the item. So it
//!   is found for one period at least, less the time that the insert itself took.
//! * Lookups that begin after that second rotation do not find it, but for false positives, unless it was
//!   inserted again.
//! * The first operation of a handle after a rotation takes the lock, for as long as it takes to clone a few
//!   `Arc`s, and may wait for others that do the same. All others are as free of locks as the filter is.
//! * A handle that is not used keeps its two filters alive.
//!
//! And of `insert_if_new`, with equal items. A call belongs to the period in which it reads the count:
//!
//! * **Of the calls of one period, at most one is told true**, however they race. None is if the item is in the
//!   old generation, if either one has a false positive for it, or if the insert is refused.
//! * **After a call was told true, later ones are told false** if they begin after it has returned, and end
//!   before the second rotation after it began.
//! * **At a rotation, two can be told true**: one call of the period before, and one of the period after that
//!   begins before the first has returned. It looks into the old generation before the first inserts there.
//!   Where an item must be handled once and no more, keep an exact record of what is being handled.
//! * An item is new again one to two periods after the call that was told true, also if it was seen meanwhile.
//!   To count from when it was seen last, insert it into the young generation in either case: in the place of
//!   the last four lines, `let old = self.generations.old.contains_hash(hash);` and
//!   `Ok(self.generations.young.insert_unique_hash(hash)? && !old)`.
//!
//! Do not remove from generations. You would have to know which one the item is in, because a removal from the
//! wrong one can hit the token of another item.
//!
//! With more than two generations the age is more exact, and each lookup reads two more words for each.
//!
//! # A young generation that is full
//!
//! Size it for the busiest period. Then [`Full`](crate::InsertError::Full) does not come, and every item stays
//! for its time. If no estimate holds, rotate early, as `insert_if_new_or_rotate` does: new items are taken, and
//! old ones leave sooner than the period says. So somebody who can send many new items can make the filter
//! forget the others. If that must not be, do not rotate: answer "new" or "seen" for what is refused, whichever
//! does less harm ([`full`](super::full)).
//!
//! One thread builds the fresh filter, and those that are refused meanwhile wait for it. After an early
//! rotation `rotate_every` leaves out its next one, so an item can stay for three periods.
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
