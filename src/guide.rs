//! A guide for users. Documentation only.
//!
//! # Quick start
//!
//! Worker threads share one filter, and skip requests that are being handled already:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertError};
//! use std::thread;
//!
//! /// Handles the request, unless another worker is at it.
//! fn handle(in_flight: &CuckooFilter, request: u64) -> Result<bool, InsertError> {
//!     // Of the workers that ask at the same time, one is told true.
//!     if !in_flight.insert_unique(&request)? {
//!         return Ok(false);
//!     }
//!     // ... the work; should it panic, the item stays: `removing` has a guard against that ...
//!     in_flight.remove(&request);
//!     Ok(true)
//! }
//!
//! let in_flight = CuckooFilter::with_capacity(100_000); // requests at one time, at most
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
//! All snippets of the guide are whole programs, but for `main`. Put one into this:
//!
//! ```
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // ... the snippet ...
//!     Ok(())
//! }
//! ```
//!
//! They need this crate alone. Where one needs a feature or another crate, the lines for `[dependencies]` stand
//! above it. Those who come from another filter need that filter too, for the program before
//! ([`migration`]).
//!
//! # Four things to know first
//!
//! * **"No" is certain, "yes" is not.** About one lookup in 8,600 of an absent item is told "yes" by a filter
//!   that is filled to its capacity ([`sizing`]). Above, such a request is skipped though nobody is at it;
//!   whoever sent it must try again.
//! * **The size is fixed.** A full filter refuses inserts, and says so.
//! * **Remove only what you inserted.** The filter has no items to compare with, so another removal can hit
//!   another item.
//! * **Any type is an item.** `7u32` and `7u64` are different ones, and the compiler does not warn.
//!   [`TypedCuckooFilter`](crate::TypedCuckooFilter) takes items of one type.
//!
//! # Which page for which question
//!
//! | question | page |
//! |---|---|
//! | How many items, bytes, wrong answers? What does a small filter cost? | [`sizing`] |
//! | Which call fills a filter from a list, an iterator, or with many threads? | [`filling`] |
//! | What may be removed? What of duplicates, and of several users of one item? | [`removing`] |
//! | What do I do when an insert is refused? | [`full`] |
//! | What if I cannot say how many items there will be? | [`growing`] |
//! | How do threads and async tasks share a filter? What is ordered? | [`sharing`] |
//! | How do old items leave? | [`ageing`] |
//! | How do I find what is new in a stream, with many workers? | [`pipeline`] |
//! | How do I save a filter, also while it is in use? | [`persistence`] |
//! | Which hasher? May I bring hashes of my own? | [`hashing`] |
//! | Is my hasher good enough? | [`mixing`] |
//! | Do two processes agree on a hash? | [`portability`] |
//! | What can somebody do who chooses the items? | [`adversaries`] |
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
