//! How threads and tasks share a filter, and what is ordered.
//!
//! Inserts, lookups, removals and snapshots take `&self`, so whatever shares a reference shares the filter. No
//! call waits for another thread, and none leaves a lock behind: a thread that is stopped, or that panics in an
//! item's `Hash`, holds nobody up, and nothing is poisoned.
//!
//! # Threads
//!
//! Scoped threads borrow it, other threads own an `Arc`:
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
//! All calls with `&self` work through the `Arc` as they are. Only `extend` needs the filter itself, as
//! `(&*seen).extend(..)`, and so does `par_extend`, because both take `&mut` of what they extend, and that can
//! be a `&CuckooFilter`:
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
//! For the whole program, a `LazyLock`. The first access builds the filter while others wait, so force it at
//! the start:
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
//! The calls are plain functions that return soon, and there is no guard to hold across an `await`. So the
//! filter works under any runtime, and tasks that borrow it can move between threads; those that must be
//! `'static` own an `Arc`. Mind that a task can be dropped at an `await`: what must be removed is removed by a
//! value that is dropped with it.
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//! use std::future::Future;
//! use std::pin::pin;
//! use std::task::{Context, Poll, Waker};
//!
//! /// A claim on a request, given up when it is dropped.
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
//! /// What a runtime with several threads asks of a task.
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
//! Some calls take time in proportion to the size of the filter: to build one (the system hands over its memory
//! page by page), `clear`, `clone`, `snapshot`, to store and to load. For a large filter, run these where your
//! runtime wants blocking work to run.
//!
//! # What is ordered
//!
//! An insert *happens before* a `contains`, `insert_unique` or `remove` that finds the token it added. So what
//! a thread wrote before it inserted is visible to a thread that finds the item, whatever moved the token
//! meanwhile:
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
//!         // Nothing else is in, so this is the token.
//!         assert_eq!(answer.load(Ordering::Relaxed), 42);
//!     });
//! });
//! ```
//!
//! In the same way, a `remove` that returned true happens before an operation that finds the token gone. And
//! all threads agree on one order of all operations, except [`count`](crate::CuckooFilter::count) and the
//! measures.
//!
//! **Do not build on it alone.** Where other items are in, a "yes" may be a false positive, or due to another
//! copy, and then nothing has happened before. Ordering makes what you find readable; it does not make it be
//! there. So look for it, and take what is missing as a "no":
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
//! For the same reason no `unsafe` code may take a "yes" for a proof that memory is initialized.
//!
//! # What is not supported
//!
//! * **Several processes.** A filter lives in the memory of one process; there is no form of it for shared
//!   memory. After a `fork`, parent and child each have a copy of their own.
//! * **Signal handlers.** The first write of a thread may allocate and take a lock of the C runtime, and a
//!   handler that interrupts a write of its own thread can spoil the count. Set a flag instead.
