//! How threads and tasks share a filter, and which memory ordering the calls guarantee.
//!
//! Inserts, lookups, removals and snapshots take `&self`. So everything that shares a reference shares the
//! filter. No call waits for another thread, and no call leaves a lock behind. A thread that is stopped, or that
//! panics in an item's `Hash`, blocks no other thread, and poisons nothing.
//!
//! # Threads
//!
//! Scoped threads borrow the filter; other threads own an `Arc`:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::sync::Arc;
//! use std::thread;
//!
//! let seen = CuckooFilter::with_capacity(1_000);
//! thread::scope(|scope| {
//!     scope.spawn(|| seen.insert("a").expect("sized for more"));
//!     scope.spawn(|| seen.insert("b").expect("sized for more"));
//! });
//!
//! let seen = Arc::new(seen);
//! let worker = thread::spawn({
//!     let seen = Arc::clone(&seen);
//!     move || seen.contains("a")
//! });
//! assert!(worker.join().expect("no panic"));
//! ```
//!
//! All calls with `&self` work through the `Arc`. Only `extend` and `par_extend` need the filter itself, as
//! `(&*seen).extend(..)`. Both take `&mut` of what they extend, and that can be a `&CuckooFilter`:
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
//! For one filter in the whole program, use a `LazyLock`. The first access builds the filter while other threads
//! wait, so force it at the start:
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
//! # Async tasks
//!
//! The calls are plain functions that return soon, and they return no guard that you could hold across an
//! `await`. So the filter works with any runtime. Tasks that borrow it can move between threads; tasks that must
//! be `'static` own an `Arc`. A task can be dropped at an `await`. So if it must remove an item, let a value that
//! the task owns remove it in its `drop`:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//! use std::future::Future;
//! use std::pin::pin;
//! use std::task::{Context, Poll, Waker};
//!
//! /// A claim on a request. Dropping it removes the request.
//! struct Claim<'a>(&'a CuckooFilter, u64);
//!
//! impl Drop for Claim<'_> {
//!     fn drop(&mut self) {
//!         self.0.remove(&self.1);
//!     }
//! }
//!
//! /// Answers a request unless an equal one is being answered.
//! async fn handle(
//!     active: &CuckooFilter,
//!     request: u64,
//!     answer: impl Future<Output = u32>,
//! ) -> Result<Option<u32>, InsertError> {
//!     if !active.insert_unique(&request)? {
//!         return Ok(None);
//!     }
//!     let _claim = Claim(active, request);
//!     Ok(Some(answer.await))
//! }
//!
//! /// What a runtime with several threads requires of a task.
//! fn sendable<F: Future + Send>(task: F) -> F {
//!     task
//! }
//!
//! let active = CuckooFilter::with_capacity(1_000);
//! let mut context = Context::from_waker(Waker::noop());
//!
//! let mut waiting = Box::pin(sendable(handle(&active, 7, std::future::pending())));
//! assert!(waiting.as_mut().poll(&mut context).is_pending());
//! let second = pin!(sendable(handle(&active, 7, async { 42 })));
//! assert_eq!(second.poll(&mut context), Poll::Ready(Ok(None)));
//!
//! drop(waiting); // cancelled
//! let third = pin!(sendable(handle(&active, 7, async { 42 })));
//! assert_eq!(third.poll(&mut context), Poll::Ready(Ok(Some(42))));
//! ```
//!
//! Some calls take time in proportion to the size of the filter: building one (the system provides its memory
//! page by page), `clear`, `try_clone`, `snapshot`, `rotate`, storing and loading. For a large filter, run these where
//! your runtime runs blocking work.
//!
//! # Memory ordering
//!
//! An insert *happens before* a `contains`, `insert_unique` or `remove` that finds the token it added. So what a
//! thread wrote before its insert is visible to a thread that finds the item, even if other threads moved the
//! token meanwhile:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::sync::atomic::{AtomicU32, Ordering};
//! use std::thread;
//!
//! let answer = AtomicU32::new(0);
//! let ready = CuckooFilter::with_capacity(1_000);
//! thread::scope(|scope| {
//!     scope.spawn(|| {
//!         answer.store(42, Ordering::Relaxed);
//!         ready.insert("answer").expect("room");
//!     });
//!     scope.spawn(|| {
//!         while !ready.contains("answer") {
//!             thread::yield_now();
//!         }
//!         // No other item is in, so this is the token of "answer".
//!         assert_eq!(answer.load(Ordering::Relaxed), 42);
//!     });
//! });
//! ```
//!
//! In the same way, a `remove` that returned true happens before an operation that finds the token gone. All
//! threads agree on one order of all operations, except [`count`](crate::CuckooFilter::count) and the measures.
//!
//! **Do not rely on this alone.** If other items are in, a "yes" may be a false positive, or come from another
//! copy. Then no insert of this item happened before. So check that the data is there, and treat missing data as
//! a "no":
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
//!         for (job, answer) in answers
//!             .iter()
//!             .enumerate()
//!             .filter(|(job, _)| ready.contains(job))
//!         {
//!             match answer.get() {
//!                 Some(text) => assert_eq!(*text, format!("answer {job}")),
//!                 None => println!("a false positive: job {job} is not done"),
//!             }
//!         }
//!     });
//! });
//! ```
//!
//! For the same reason, `unsafe` code must never take a "yes" as a proof that memory is initialized.
//!
//! # What is not supported
//!
//! * **Several processes.** A filter lives in the memory of one process and cannot be put into shared memory.
//!   After a `fork`, parent and child have separate copies.
//! * **Signal handlers.** The first write of a thread may allocate, and may take a lock of the C runtime. A
//!   handler that interrupts a write of its own thread can corrupt the count. Set a flag instead.
