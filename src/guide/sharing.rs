//! Sharing: threads, async tasks, memory ordering, pipelines and servers.
//!
//! # Threads
//!
//! Inserts, lookups, removals, rotations and snapshots take `&self`, and none of them waits for another thread. Scoped
//! threads borrow the filter, other threads own an `Arc`. A thread that is stopped, or that panics in an item's `Hash`,
//! blocks no other thread and poisons nothing.
//!
//! For one filter in the whole program, use a `LazyLock`. The first access builds the filter while other threads wait,
//! so force it at the start:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::sync::LazyLock;
//!
//! static SEEN: LazyLock<CuckooFilter> = LazyLock::new(|| CuckooFilter::with_capacity(1_000));
//!
//! LazyLock::force(&SEEN);
//! assert_eq!(SEEN.insert_unique("a"), Ok(true));
//! ```
//!
//! `extend` and `par_extend` take `&mut` of the value they extend. That value can be a `&CuckooFilter`, but not an
//! `Arc`:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::sync::Arc;
//!
//! let seen = Arc::new(CuckooFilter::with_capacity(1_000));
//! (&*seen).extend(["a", "b"]); // (&seen).extend(..) does not compile
//! assert!(seen.contains("b"));
//! ```
//!
//! # Async tasks
//!
//! The filter works with any runtime. No call returns a guard that you could hold across an `await`. The calls for one
//! item return in well under a microsecond, except an insert into a nearly full filter: its search can take as long as
//! some thousand lookups ([the search budget](super::sizing#the-search-budget)).
//!
//! Other calls take time linear in the size of the filter: building, `clear`, `snapshot`, `rotate`,
//! `shrink_to_fit`, storing and loading. Run them where your runtime runs blocking work.
//!
//! A task can be dropped at an `await`. If it must remove an item, give it a [guard](super::removing) that does so.
//!
//! # Memory ordering
//!
//! An insert *happens before* a lookup that finds its token ([`CuckooFilter`](crate::CuckooFilter#memory-ordering)). Do
//! not rely on this alone: a "yes" can be a false positive, or come from another copy, and then no insert of this item
//! happened before. Check that the data is there, and treat missing data as a "no":
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::sync::OnceLock;
//! use std::thread;
//!
//! let answers: Vec<OnceLock<String>> = (0..1_000).map(|_| OnceLock::new()).collect();
//! let ready = CuckooFilter::with_capacity(1_000);
//! thread::scope(|scope| {
//!     scope.spawn(|| {
//!         for (job, answer) in answers.iter().enumerate() {
//!             answer.set(format!("answer {job}")).expect("set once");
//!             ready.insert(&job).expect("sized for it");
//!         }
//!     });
//!     scope.spawn(|| {
//!         for (job, answer) in answers.iter().enumerate().filter(|(job, _)| ready.contains(job)) {
//!             match answer.get() {
//!                 Some(text) => assert_eq!(*text, format!("answer {job}")),
//!                 None => println!("a false positive: job {job} is not done"),
//!             }
//!         }
//!     });
//! });
//! ```
//!
//! `unsafe` code must never take a "yes" as proof that memory is initialized.
//!
//! # Not supported
//!
//! * **Several processes.** A filter cannot be put into shared memory. After a `fork`, parent and child have separate
//!   copies.
//! * **Signal handlers.** The first write of a thread may allocate, and may take a lock of the C runtime. A handler
//!   that interrupts a write of its own thread can corrupt the count. Set a flag instead.
//!
//! # A pipeline
//!
//! A pool of workers takes packets, records or events from a stream, and checks whether each is new.
//! `crates/packet-pool` in the repository is such a program. It follows these rules:
//!
//! * **Share one filter.** Then any worker can take any batch, the reader only copies bytes, and a slow worker does not
//!   delay the others. Bound the queue of batches. When it is full, the reader waits, and the sender drops packets and
//!   counts them.
//! * **Let one call decide**: [`insert_unique`](crate::Filter::insert_unique), or
//!   [`insert_unique_many`](crate::Filter::insert_unique_many) for a batch. If most keys are known, look up the batch
//!   first ([`contains_many`](crate::Filter::contains_many)), and call `insert_unique` for each absent key. Its answer
//!   decides, because another worker can insert the key in between.
//! * **Rotate by the times in the stream.** Batches carry the number of their period. The worker that takes the first
//!   batch of a period rotates, and `refresh_many` keeps active keys:
//!
//! ```
//! use lockfree_cuckoo::RotatingCuckooFilter;
//! use std::error::Error;
//!
//! /// Which keys of a batch of this period are new.
//! fn news(
//!     recent: &RotatingCuckooFilter,
//!     period: u64,
//!     batch: &[&str],
//! ) -> Result<Vec<bool>, Box<dyn Error>> {
//!     loop {
//!         let rotations = recent.rotations();
//!         if rotations >= period {
//!             break;
//!         }
//!         recent.rotate_if(rotations)?;
//!     }
//!     let mut new = vec![false; batch.len()];
//!     recent.refresh_many(batch, &mut new)?;
//!     Ok(new)
//! }
//!
//! let recent = RotatingCuckooFilter::with_capacity(1_000); // keys of one period
//! assert_eq!(news(&recent, 0, &["flow", "flow"])?, [true, false]);
//! assert_eq!(news(&recent, 1, &["flow"])?, [false]); // known, and refreshed
//! assert_eq!(news(&recent, 0, &["late"])?, [true]); // a late batch counts for period 1
//! assert_eq!(news(&recent, 2, &["flow", "late"])?, [false, false]);
//! assert_eq!(news(&recent, 4, &["flow"])?, [true]); // absent for a whole period
//! # Ok::<(), Box<dyn Error>>(())
//! ```
//!
//! * **Size a generation** for the distinct keys of one period, plus one late batch from each other worker. A worker
//!   that the system stops for two rotations reports known keys as new. Two rotations forget everything, so count a
//!   longer pause in the stream as two periods.
//! * **Stop inserting when the filter is full.** A refused insert searches thousands of buckets. Remember the first
//!   [`Full`](crate::InsertError::Full) of a generation, and only look keys up until the next rotation.
//! * **Know the cost of a false positive.** With two generations at most one new key in 4,300 is taken for known, for
//!   as long as the other token is stored. That suits statistics, not evidence. A known key is never reported as new,
//!   except after a refused insert.
//!
//! The table shows million packets per second and, in brackets, the ratio to the same pool without any set. It comes
//! from `cargo run --release -p packet-pool -- --made-up 200000 --sweep` on two virtual cores of a shared
//! Intel Xeon. The set is a `HashSet` with the hasher of the filter in a `Mutex`. The second core was not always free,
//! so rely on the ratios:
//!
//! | workers | filter, lookups in batches | filter, single calls | set, one lock per batch | set, one lock per packet |
//! |---|---|---|---|---|
//! | 1 | 9.3 (0.86) | 8.4 (0.76) | 6.2 (0.56) | 5.5 (0.49) |
//! | 2 | 15.8 (0.86) | 15.0 (0.75) | 9.9 (0.54) | 6.7 (0.43) |
//! | 4 | 16.8 (0.86) | 13.1 (0.73) | 6.3 (0.49) | 5.5 (0.35) |
//!
//! With `--window 0.1 --repeat 6 -j 1` in place of `--sweep`, the filter rotates after every hundred thousand packets.
//! The packets then take 14 % more processor time than without a window.
//!
//! # A server
//!
//! `crates/membership-server` in the repository shares filters with Redis clients. A similar server should follow these
//! rules:
//!
//! * **Find a filter without a lock.** Keep the map from names to filters immutable and replace it as a whole, for
//!   example with `arc-swap`.
//! * **Hash bytes alike everywhere.** An item from a network is bytes, and `b"a"[..]` and `"a"` hash differently. If
//!   the filters are stored or sent to other servers, use [`hash_bytes`](crate::RandomState::hash_bytes).
//! * **Check limits before you allocate.** [`max_memory_usage`](crate::FilterBuilder::max_memory_usage) refuses a
//!   client's excessive capacity. A stored filter that grows brings its own limit: after loading, set yours with
//!   [`set_max_memory_usage`](crate::GrowingCuckooFilter::set_max_memory_usage).
//! * **Trust the clients that delete**, or let them delete only what the server has recorded
//!   ([`removing`](super::removing)).
//! * **Take one more snapshot after the last connection has ended.** It contains everything that clients got a reply
//!   for.
