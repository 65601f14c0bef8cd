//! A guide for users. Documentation only.
//!
//! # Quick start
//!
//! Worker threads share one filter. They skip a request that another worker is already handling:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//! use std::thread;
//!
//! /// Handles the request, unless another worker is handling it.
//! fn handle(in_flight: &CuckooFilter, request: u64) -> Result<bool, InsertError> {
//!     // If several workers ask at the same time, the call returns true for one of them.
//!     if !in_flight.insert_unique(&request)? {
//!         return Ok(false);
//!     }
//!     // ... the work. If it panics, the item stays; `removing` has a guard against that ...
//!     in_flight.remove(&request);
//!     Ok(true)
//! }
//!
//! let in_flight = CuckooFilter::with_capacity(100_000); // the most requests at one time
//! thread::scope(|scope| {
//!     for _ in 0..4 {
//!         scope.spawn(|| {
//!             for request in 0..1_000 {
//!                 if let Err(error) = handle(&in_flight, request) {
//!                     eprintln!("request {request} is not handled: {error}");
//!                 }
//!             }
//!         });
//!     }
//! });
//! assert!(in_flight.is_empty());
//! ```
//!
//! Every snippet of the guide is a whole program without its `main`. To run one, put it into this:
//!
//! ```
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // ... the snippet ...
//!     Ok(())
//! }
//! ```
//!
//! A snippet needs only this crate, unless the lines for `[dependencies]` stand above it. The pages about
//! [`migration`] also need the other filter, for the program "before".
//!
//! # Four things to know first
//!
//! * **"No" is certain, "yes" is not.** A filter that is full to its capacity answers "yes" for about one in
//!   8,600 absent items ([`sizing`]), or for more or fewer of them with another layout ([`layouts`]). In the program above, such a request is skipped although no worker handles
//!   it. The sender must try again.
//! * **The size is fixed.** A full filter refuses inserts with an error.
//! * **Remove only what you inserted.** The filter does not store the items, so it cannot check this. Any other
//!   removal can remove another item.
//! * **Any type is an item.** `7u32` and `7u64` are different items, and the compiler does not warn you
//!   ([`hashing`]).
//!
//! # Which page for which question
//!
//! | question | page |
//! |---|---|
//! | How many items, bytes, wrong answers? What does a small filter cost? | [`sizing`] |
//! | How many bits does an item take, for which rate of wrong answers? | [`layouts`] |
//! | Which call fills a filter from a list, an iterator, or with many threads? | [`filling`] |
//! | What may I remove? What about duplicates, and several users of one item? | [`removing`] |
//! | What do I do when an insert is refused? | [`full`] |
//! | What if I cannot say how many items there will be? | [`growing`] |
//! | How do threads and async tasks share a filter? Which memory ordering do calls guarantee? | [`sharing`] |
//! | How do old items leave? | [`ageing`] |
//! | How do I store a few bits with each item: an owner, a port, a level? | [`layouts`](layouts#values) |
//! | How do I find what is new in a stream, with many workers? | [`pipeline`] |
//! | How do I save a filter, also while other threads use it? | [`persistence`] |
//! | Which hasher? Can I pass my own hashes? | [`hashing`] |
//! | Is my hasher good enough? | [`mixing`] |
//! | Do two processes agree on a hash? | [`portability`] |
//! | What can an attacker do who chooses the items? | [`adversaries`] |
//! | What if I put filters behind a network protocol? | [`serving`] |
//! | What changes if I come from another filter or a set? | [`migration`] |
//! | How does it work, and how far is it proved? | [`design`](crate::design) |

pub mod adversaries;
pub mod ageing;
pub mod filling;
pub mod full;
#[cfg(feature = "std")]
pub mod growing;
pub mod hashing;
pub mod layouts;
pub mod migration;
pub mod mixing;
pub mod persistence;
pub mod pipeline;
pub mod portability;
pub mod removing;
#[cfg(feature = "std")]
pub mod serving;
pub mod sharing;
pub mod sizing;
