//! Ageing: how old items leave.
//!
//! A [`CuckooFilter`](crate::CuckooFilter) keeps an item until a call removes it. There are two ways to let items leave
//! by their age:
//!
//! | | a [`RotatingCuckooFilter`](crate::RotatingCuckooFilter) | a queue |
//! |---|---|---|
//! | an item leaves | `n - 1` to `n` periods after its insert; `n` is 2 unless set | at its time |
//! | memory | `n + 1` tables, each for the items of one period | one filter, and a queue of 16 to 24 bytes per entry |
//! | removals | none | one per item |
//! | a lookup reads | up to `n` tables | one table |
//! | false positives | those of `n` tables | those of one |
//!
//! # By the clock
//!
//! Inserts go to the young generation. A rotation makes an empty one the young one, and forgets the oldest with all its
//! items. Any thread can rotate, while all others go on. Let one thread do it once a period:
//!
//! ```
//! use lockfree_cuckoo::RotatingCuckooFilter;
//! use std::sync::{Arc, Weak};
//! use std::thread;
//! use std::time::Duration;
//!
//! /// Run this in its own thread. It ends when the last user is gone.
//! fn rotate_every(period: Duration, filter: Weak<RotatingCuckooFilter>) {
//!     loop {
//!         thread::sleep(period);
//!         let Some(filter) = filter.upgrade() else { return };
//!         if let Err(error) = filter.rotate() {
//!             eprintln!("the items stay for one more period: {error}");
//!         }
//!     }
//! }
//!
//! let recent = Arc::new(RotatingCuckooFilter::with_capacity(1_000)); // items of one period
//! let clock = thread::spawn({
//!     let recent = Arc::downgrade(&recent);
//!     move || rotate_every(Duration::from_millis(1), recent)
//! });
//!
//! assert!(recent.insert_unique("flow")?); // new
//! while recent.contains("flow") {} // for one to two milliseconds
//! assert!(recent.insert_unique("flow")?); // forgotten, so new again
//!
//! drop(recent);
//! clock.join().expect("no panic");
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! # By the load
//!
//! If the young generation is full, an insert returns [`Full`](crate::InsertError::Full). Then you can rotate early: new
//! items go in, and old items leave sooner. Several threads may find it full at the same time, and the clock may be due
//! too. So read [`rotations`](crate::RotatingCuckooFilter::rotations) before the insert, and use
//! [`rotate_if`](crate::RotatingCuckooFilter::rotate_if): one of them rotates, and the others find that it is done.
//!
//! ```
//! use lockfree_cuckoo::{InsertError, RotatingCuckooFilter};
//! use std::error::Error;
//! use std::thread;
//!
//! /// Whether the item is new. Forgets old items early if there is no room.
//! fn is_new(recent: &RotatingCuckooFilter, item: u64) -> Result<bool, Box<dyn Error>> {
//!     loop {
//!         let rotations = recent.rotations();
//!         match recent.insert_unique(&item) {
//!             Err(InsertError::Full { .. }) => recent.rotate_if(rotations)?,
//!             outcome => return Ok(outcome?),
//!         };
//!     }
//! }
//!
//! let recent = RotatingCuckooFilter::with_capacity(1_000);
//! thread::scope(|scope| {
//!     for thread in 0..4 {
//!         let recent = &recent;
//!         scope.spawn(move || {
//!             (0..10_000).filter(|item| is_new(recent, thread << 32 | item).expect("room")).count()
//!         });
//!     }
//! });
//! assert!(recent.rotations() > 20);
//! ```
//!
//! This has a risk: a client that sends many new items can make the filter forget all others. To avoid it, do not rotate
//! early; answer "new" or "seen" for refused items, whichever does less harm ([`full`](super::full)). To rotate
//! before the first refusal, compare [`remaining`](crate::RotatingCuckooFilter::remaining) with
//! [`capacity`](crate::RotatingCuckooFilter::capacity): both are those of the young generation.
//!
//! # What is guaranteed
//!
//! With `n` generations, two unless [set](crate::FilterBuilder::generations):
//!
//! * **An item is found** by lookups that begin after its insert returned, and end before the `n`-th rotation after the
//!   insert *began*. With rotations one period apart, that is at least `n - 1` periods, minus the time that the insert
//!   itself took.
//! * **It is forgotten** by the `n`-th rotation after its insert returned: later lookups do not find it, unless it was
//!   inserted again or is a false positive.
//! * **`insert_unique` returns true for one call in the life of an item**, or for none if all are refused or it is a
//!   false positive, even if calls race with each other and with rotations. The life ends with the rotation that forgets
//!   the item, or with its removal. Then it is new again.
//! * No call waits for another thread, and rotations do not either. Rotations allocate nothing.
//!
//! With more generations, the age is more exact: six generations with a rotation every ten seconds forget an item after
//! 50 to 60 seconds. Each costs a lookup of an absent item two more loads.
//!
//! # From the last time it was seen
//!
//! After `insert_unique` an item lives from its first insert, also if it was seen in between. To count from the last
//! time that it was seen, use [`refresh`](crate::RotatingCuckooFilter::refresh):
//!
//! ```
//! use lockfree_cuckoo::RotatingCuckooFilter;
//!
//! let recent = RotatingCuckooFilter::with_capacity(1_000);
//! assert!(recent.refresh("flow")?); // new
//! for _ in 0..10 {
//!     recent.rotate()?;
//!     assert!(!recent.refresh("flow")?); // seen in this period, or the one before
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`refresh_many`](crate::RotatingCuckooFilter::refresh_many) does that for a batch, with prefetch.
//!
//! It adds a copy to the young generation, if there is none in it. So size a generation for all items that are seen in a
//! period, not only for the new ones.
//!
//! # Removing
//!
//! As in every filter, remove only what is in. Here that means an item that has not been forgotten, and will not be
//! before the call returns: so remove it in the first `n - 1` periods. A later remove can take the token of another
//! item. Do not remove an item that was refreshed: it has a copy in each generation in which it was.
//!
//! # Sizing
//!
//! The capacity is that of one generation: the items that come in the busiest period. With a lower one, inserts are
//! refused, or items leave early. There are `n + 1` tables, so two generations for a million items each take 6.3 MB.
//!
//! # A queue
//!
//! If each item must leave at its exact time, use a `CuckooFilter`. Keep a queue of the hash and the time of each
//! insert, and remove the items that are due. If each thread has its own queue, you need no lock:
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
