//! A concurrent, lock-free cuckoo filter: approximate set membership with removal, shared by many threads
//! without a lock.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let seen = CuckooFilter::with_capacity(1_000_000); // about 2.1 MB
//!
//! // Everything takes `&self`: share it by reference or in an `Arc`.
//! assert!(seen.insert_unique("203.0.113.7:443")?);   // absent, and this call added it
//! assert!(!seen.insert_unique("203.0.113.7:443")?);
//! assert!(seen.contains("203.0.113.7:443"));
//! assert!(seen.remove("203.0.113.7:443"));
//! assert!(!seen.contains("203.0.113.7:443"));
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! It implements the filter of Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo Filter: Practically Better Than
//! Bloom" (CoNEXT 2014), with 16-bit fingerprints in buckets of four unless another layout is chosen
//! ([`layouts`](guide::layouts)), its semi-sorted buckets among them. A bucket is one atomic 64-bit word: a lookup
//! is two loads from the table, an insert is one compare-and-exchange. If both buckets of an item are full, the
//! insert moves stored fingerprints to their other buckets. Each move is an atomic exchange of two words that any
//! other writer can abort, so no thread ever waits for another.
//!
//! # When to use it
//!
//! When several threads test, add and remove items of one set, the set is large, and a wrong "yes" once in
//! ten thousand is acceptable (from 6 % to 1.6e-9, by the layout): caches in front of storage, deduplication of events or packets, sets of active
//! flows or sessions.
//!
//! # When not to use it
//!
//! * If a wrong "yes" is never acceptable, or the items themselves are needed back: use a concurrent set.
//! * If items are never removed, a blocked Bloom filter is simpler, and faster where its two or more probes
//!   fall into one cache line.
//! * If the set can outgrow every estimate: this filter has a fixed size and says [`Full`](InsertError::Full). A
//!   [`GrowingCuckooFilter`] grows, at the price of more false positives.
//! * If items are to leave by their age: a [`RotatingCuckooFilter`] forgets them.
//! * If items must be removed that were perhaps never inserted: that can remove another item's fingerprint.
//!
//! # What is guaranteed
//!
//! * **Nothing is missed.** If an insert of an item happened before a lookup, and nothing was removed that had
//!   not been inserted, the lookup says yes. Concurrent inserts, removals and relocations of other or equal
//!   items change nothing about it.
//! * **Nothing is lost or invented.** The number of stored copies is the number of successful inserts minus
//!   the number of successful removals, for each class of items with equal fingerprint and buckets.
//! * **Operations are linearizable**, except for `count` and the measures. If several threads race to remove one
//!   copy, `remove` returns true for exactly one of them. If they race to `insert_unique` one absent item, it
//!   returns true for exactly one, or for none if another item with the same token is in or comes in.
//! * **All operations are lock-free.** A thread that is stopped at any point, for ever, blocks no other thread and
//!   loses no item.
//!
//! The [`guide`] says how to use the filter. The [`design`] pages say how it works, and how far each guarantee is
//! proved, model-checked or tested.
//!
//! # Memory
//!
//! All memory is allocated at construction: 8 bytes for each bucket, and up to 73 KiB of version counters, descriptors and
//! item counters, by the size of the filter and the number of processors. With 4 x 16 that is 16.8 to 18.2 bits an item
//! from half a million items up. A filter for 100 items takes less than 1 KiB, one for 1,000 takes 3.4 KiB. The first [snapshot](CuckooFilter::snapshot) adds a log of a sixteenth of the table.
//!
//! # Features
//!
//! * `std`, on by default: random seeds, and with them `with_capacity` and `builder`; storing to writers and
//!   loading from readers; item counters that threads do not share; `GrowingCuckooFilter`.
//! * `serde`: `Serialize` and `Deserialize` for all filters, as the bytes of the stored form.
//! * `rayon`: `FromParallelIterator` and `ParallelExtend`.
//! * `huge-pages`: on Linux, asks for huge pages for tables of 4 MiB and more. Where the system grants them on
//!   request, lookups in tables beyond the caches are faster, because they miss the TLB less. Needs `libc`, as `std`
//!   does on Linux.
//!
//! # Without the standard library
//!
//! With `default-features = false` the crate needs `alloc` and native 64-bit atomics. It has no source of
//! randomness, so the caller passes the hasher:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, RandomState};
//!
//! let seed = 0x5eed; // from a good source of randomness
//! let seen = CuckooFilter::with_capacity_and_hasher(1_000, RandomState::with_seed(seed));
//! assert!(seen.insert_unique("203.0.113.7:443")?);
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! These need random seeds or files, and are not available: `with_capacity`, `builder` (use
//! [`CuckooFilterBuilder::with_hasher`]), `RandomState::new` and its `Default`, and therefore `collect` and
//! `Deserialize` for the default hasher; `write_to` and `read_from` (use `to_bytes` and `from_bytes`).
//!
//! All guarantees are the same. Inserts and removes take a locked instruction more, 6 ns on a shared Intel Xeon:
//! without the standard library the crate cannot identify threads, so they count with an atomic addition.
//!
//! # The house
//!
//! For those who read the source: eight floors. A room imports from its own floor and from those below.
//!
//! | floor | rooms | what they know |
//! |---|---|---|
//! | 8 | `lib`, `testing` | the names that users see, and doors for checks |
//! | 7 | `filter` | [`Filter`], the only facade: items, hashers, builders, batches, collecting, storing |
//! | 6 | `stored` | the stored form: bytes to engines and back |
//! | 5 | `engine` | what a filter does with a hash: [`Fixed`], one table; [`Growing`], a table that doubles; [`Rotating`], a ring of tables |
//! | 4 | `counted` | one table of tokens, and their count |
//! | 3 | `tokens` | the protocol: a multiset of tokens that threads share without a lock |
//! | 2 | `table` | the atomic words, and where an item may live: geometry, sizing, the rate of false positives |
//! | 1 | `layout` | how the 64 bits of a word are divided into slots; pure values |
//! | 1 | `sync`, `error`, `allocate`, `random_state` | atomics, real or a checker's; errors; memory; the default hasher |

// Unit tests always use the standard library.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod allocate;
mod counted;
pub mod design;
mod engine;
mod error;
mod filter;
pub mod format;
pub mod guide;
mod layout;
mod random_state;
mod stored;
mod sync;
mod table;
#[doc(hidden)]
pub mod testing;
mod tokens;

#[cfg(feature = "std")]
pub use engine::Growing;
pub use engine::{Fixed, Rotating};
pub use error::{
    BuildError, GrowthError, InsertError, InsertManyError, OutOfMemory, ReadError, RotateError,
    SnapshotError, ValueError,
};
pub use filter::{
    AnyLayout, CuckooFilter, CuckooFilterBuilder, Engine, Filter, FilterBuilder, Hashed, Rotates,
    RotatingCuckooFilter, RotatingCuckooFilterBuilder, Values,
};
#[cfg(feature = "std")]
pub use filter::{GrowingCuckooFilter, GrowingCuckooFilterBuilder};
pub use layout::{Lanes, Layout, SemiSorted, Shape, WithValues};
pub use random_state::{RandomState, SeededHasher, hash_bytes};
pub use stored::Chunks;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
