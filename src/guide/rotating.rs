//! Filters that rotate: how old items leave.
//!
//! A [`CuckooFilter`](crate::CuckooFilter) keeps an item until a call removes it. There are two ways to let items
//! leave by their age:
//!
//! | | a [`RotatingCuckooFilter`](crate::RotatingCuckooFilter) | a queue beside a `CuckooFilter` |
//! |---|---|---|
//! | an item leaves | `n - 1` to `n` periods after its insert; `n` is 2 unless set | at its time |
//! | memory | `n + 1` tables, each for the items of one period | one table, and 16 to 24 bytes per entry of the queue |
//! | removals | none | one per item |
//! | a lookup reads | up to `n` tables | one table |
//! | false positives | those of `n` tables | those of one |
//!
//! The documentation of [`RotatingCuckooFilter`](crate::RotatingCuckooFilter) has the guarantees.
//!
//! # By the clock
//!
//! Rotate once per period, from one thread:
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
//! With `n` generations an item stays for at least `n - 1` periods, minus the duration of its insert, and at most `n`.
//! To remember each item for at least a time `w`, rotate every `w / (n - 1)`. More
//! [generations](crate::FilterBuilder::generations) make the age more exact: six generations with a rotation every ten
//! seconds forget an item after 50 to 60 seconds. Each generation costs a lookup of an absent item two more loads.
//!
//! With [`insert_unique`](crate::Filter::insert_unique), the age of an item counts from its first insert. To count from
//! the last time the item was seen, use [`refresh`](crate::RotatingCuckooFilter::refresh) or
//! [`refresh_many`](crate::RotatingCuckooFilter::refresh_many).
//!
//! # By the load
//!
//! To make room when the young generation is full, rotate early. New items are accepted, and old items leave sooner.
//! Read [`rotations`](crate::RotatingCuckooFilter::rotations) before the insert and use
//! [`rotate_if`](crate::RotatingCuckooFilter::rotate_if). Then only one thread rotates, even if several find the
//! generation full or the clock is due at the same time:
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
//! A client that sends many new items can then make the filter forget all others. To avoid this, do not rotate early.
//! Answer "new" or "seen" for refused items, whichever does less harm.
//!
//! # Capacity
//!
//! Ask for the number of items in the busiest period. If you refresh, count all items that are seen in a period, not
//! only the new ones. Two generations for a million items each take 6.3 MB.
//!
//! # Removing
//!
//! Remove an item only in the first `n - 1` periods after its insert. Later the filter may have forgotten it, and the
//! call can remove another item. Never remove an item that was refreshed: it has a copy in each generation in which it
//! was seen.
//!
//! # A queue
//!
//! If each item must leave at its exact time, keep a queue of the hash and the time of each insert, and remove the
//! items that are due. A queue per thread needs no lock:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//! use std::collections::VecDeque;
//! use std::time::{Duration, Instant};
//!
//! /// What one thread has inserted, in the order of time. All items live equally long.
//! struct Expiring<'a> {
//!     filter: &'a CuckooFilter,
//!     life: Duration,
//!     queue: VecDeque<(Instant, u64)>,
//! }
//!
//! impl Expiring<'_> {
//!     fn insert(&mut self, item: &str, now: Instant) -> Result<(), InsertError> {
//!         self.expire(now);
//!         let hash = self.filter.hash_one(item);
//!         self.filter.insert_hash(hash)?;
//!         self.queue.push_back((now + self.life, hash));
//!         Ok(())
//!     }
//!
//!     fn expire(&mut self, now: Instant) {
//!         while let Some(&(due, hash)) = self.queue.front()
//!             && due <= now
//!         {
//!             self.queue.pop_front();
//!             self.filter.remove_hash(hash);
//!         }
//!     }
//! }
//!
//! let filter = CuckooFilter::with_capacity(1_000);
//! let (second, start) = (Duration::from_secs(1), Instant::now());
//! let mut items = Expiring { filter: &filter, life: 10 * second, queue: VecDeque::new() };
//! items.insert("early", start)?;
//! items.insert("late", start + 5 * second)?;
//! items.expire(start + 12 * second);
//! assert!(!filter.contains("early") && filter.contains("late"));
//! # Ok::<(), InsertError>(())
//! ```
//!
//! When a thread ends, it must remove the items left in its queue. If you use
//! [`insert_unique_hash`](crate::Filter::insert_unique_hash), queue the hash only if the call returned `true`.
