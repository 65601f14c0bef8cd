//! A user guide. Documentation only.
//!
//! # Quick start
//!
//! Worker threads share one filter. Each worker skips a request that another worker is already handling:
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
//! # Four things to know first
//!
//! * **"No" is certain, "yes" is not.** A full filter with the default layout answers "yes" for about one in 8,600
//!   absent items. The program above skips such a request although no worker handles it. The sender must try again.
//! * **The size is fixed**, unless you choose a filter that grows. A full filter refuses inserts with an error.
//! * **Remove only what you inserted.** The filter does not store the items, so it cannot check this. Any other removal
//!   can remove another item ([`removing`]).
//! * **Any hashable type is an item.** `7u32` and `7u64` are different items, an unsuffixed `7` is an `i32`, and the
//!   compiler does not warn you ([`hashing`](hashing#one-type-for-one-item)).
//!
//! # Which filter
//!
//! | what you know about the set | filter | memory | false positives |
//! |---|---|---|---|
//! | the largest number of items | [`CuckooFilter`] | one table, about two bytes per item | those of the layout |
//! | only the usual number | [`GrowingCuckooFilter`] | 2 to 4 bytes per item, 6 in a doubling | 0.013 % per doubling |
//! | how long an item matters | [`RotatingCuckooFilter`] | three tables of one period each | twice the layout's |
//!
//! [`CuckooFilter`]: crate::CuckooFilter
//! [`GrowingCuckooFilter`]: crate::GrowingCuckooFilter
//! [`RotatingCuckooFilter`]: crate::RotatingCuckooFilter
//!
//! # Which layout
//!
//! | false positives that you accept | layout | bits per item |
//! |---|---|---|
//! | 0.012 %, or you do not know | `Lanes<4, 16>`, the default | 16.9 |
//! | more, to save memory | `Lanes<8, 8>`: 5.8 % | 8.5 |
//! | | `SemiSorted<6, 12>`: 0.27 % | 11.6 |
//! | fewer | `SemiSorted<4, 17>`: 0.0058 %, or `Lanes<3, 21>`: 2.6e-4 % | 16.9, or 23.2 |
//! | a rate that users choose | [`build_smallest`](crate::FilterBuilder::build_smallest) | the fewest for this rate |
//!
//! [`layouts`] lists them all. Some store a value with each item. Growing filters have the default layout.
//!
//! # Pages
//!
//! | question | page |
//! |---|---|
//! | Which capacity? What does it cost? Which call fills a filter? What do I do when it is full? | [`sizing`] |
//! | When does a filter grow, and what are its limits? | [`growing`] |
//! | How do old items leave? | [`rotating`] |
//! | Which layout? How do I store a few bits with each item? | [`layouts`] |
//! | Which hasher? Can I pass my own hashes? What can an attacker do? | [`hashing`] |
//! | What may I remove? | [`removing`] |
//! | How do threads, async tasks, pipelines and servers share a filter? | [`sharing`] |
//! | How do I save and load a filter? | [`persistence`] |
//! | How do I use it from C or C++? | [`c`] |
//! | What changes if I come from another filter or a set? | [`migration`] |
//! | How does it work, and what is proved? | [`design`](crate::design) |
//!
//! Every snippet of the guide is the body of a `fn main() -> Result<(), Box<dyn std::error::Error>>`. It needs only
//! this crate, unless the text above it names another, or it is on the page [`c`].

#[cfg(feature = "std")]
pub mod c;
#[cfg(feature = "std")]
pub mod growing;
pub mod hashing;
pub mod layouts;
pub mod migration;
pub mod persistence;
pub mod removing;
pub mod rotating;
pub mod sharing;
pub mod sizing;
