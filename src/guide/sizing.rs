//! Sizing: which capacity to choose, what it costs, how to fill a filter, and what to do when it is full.
//!
//! # One number
//!
//! Ask for the largest number of items that the filter holds at one time. That is its capacity. The filter derives all
//! other sizes from it.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(1_000_000);
//! assert_eq!(filter.capacity(), 1_000_000); // as asked
//! assert_eq!(filter.slots(), 1_048_576); // places for tokens, four in each bucket
//! assert!(filter.memory_usage() < 2_200_000); // bytes, in all
//!
//! for item in 0..1_000_000u32 {
//!     filter.insert(&item)?;
//! }
//! assert!((0.953..0.954).contains(&filter.load_factor())); // len / slots
//! assert!(filter.false_positive_rate() < 0.000_12);
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! The capacity is a guarantee for distinct items, a hasher that mixes well ([`hashing`](super::hashing)) and the
//! default search budget. The tests fill filters of 1 to 10,000 items with a thousand seeds each, and larger filters
//! with fewer seeds. No insert is refused. An item that is inserted twice takes two slots, and copies fill a table less
//! evenly.
//!
//! * Use the peak number of items, not the mean. If a thread inserts its new item before it removes its old one, both
//!   are stored for a while.
//! * Leave room if inserts must be fast. The fuller the table, the more inserts find both buckets full and search for
//!   room. Lookups and removals keep their speed.
//! * Do not round the capacity up to a power of two. The number of buckets is a power of two times an odd number up to
//!   31, so memory comes in small steps.
//! * [`buckets`](crate::FilterBuilder::buckets) sets the exact size of the table. Most callers do not need it.
//!
//! # Memory and false positives
//!
//! For the default layout, 4 x 16, from `cargo run --release -p lockfree-cuckoo-benches --bin sizes` (medians of five
//! seeds):
//!
//! | items | memory | bits per item, in all | load at the first refusal | false positives at capacity |
//! |---|---|---|---|---|
//! | 100 | 0.9 kB | 74.9 | 0.973 | 0.0048 % |
//! | 1,000 | 3.5 kB | 28.0 | 0.950 | 0.0079 % |
//! | 10,000 | 28 kB | 22.7 | 0.960 | 0.0099 % |
//! | 100,000 | 243 kB | 19.4 | 0.968 | 0.0106 % |
//! | 1,000,000 | 2.11 MB | 16.9 | 0.976 | 0.0116 % |
//! | 10,700,000 | 23.1 MB | 17.3 | 0.974 | 0.0113 % |
//!
//! With more than 16 processors a large filter has more descriptors: at most 64 KiB of them instead of 4. A small
//! filter takes more memory per item, because small tables fill less evenly and each filter has 0.4 kB outside its
//! table. For many thousands of small sets, use one large filter and make the owner of the set part of the item: insert
//! `&(customer, page)`.
//!
//! A lookup of an absent item is wrong with a probability of about `2 × slots × load / 2^bits`, where a bucket has
//! `slots` slots and a fingerprint has `bits` bits. With 4 x 16 that is one lookup in 8,200 if every slot is taken, and
//! one in 8,600 in a large filter at its capacity. The other pages use the second number. Lookups of stored items are
//! never wrong: if nine of ten lookups are for stored items, one in 86,000 goes wrong. Half the load halves the rate
//! for twice the memory. Another [layout](super::layouts) lowers it for less. If no rate is low enough, ask the source
//! of truth on every "yes", or use a set.
//!
//! # Filling
//!
//! | call | adds | if an item is refused | needs |
//! |---|---|---|---|
//! | [`insert`](crate::Filter::insert) | a copy | an error | `&self` |
//! | [`insert_unique`](crate::Filter::insert_unique) | the item, if it is absent | an error | `&self` |
//! | [`insert_many`](crate::Filter::insert_many) | a copy of each item | an error with the number | `&self`, a slice |
//! | [`insert_unique_many`](crate::Filter::insert_unique_many) | the absent items | the same | `&self`, two slices |
//! | `extend`, `par_extend` (`rayon`) | a copy of each item | a panic | `&mut`, or `&self` as `(&filter).extend(..)` |
//! | `collect`; with `rayon` in parallel too | one copy of equal items | the table is made larger | the items |
//!
//! If the source can have duplicates, use `collect`, or a unique insert if you never remove. If the set grows later, do
//! not `collect`: that leaves little room. To fill with several threads, give each a part of the source.
//!
//! # Refused inserts
//!
//! [`InsertError`](crate::InsertError) lists the errors, which of them are worth a retry, and what helps. A refused
//! insert changes nothing. A removal makes room again, for most items at once. A refused item may have to wait for some
//! hundred. If a growing filter has two tables, only removals from the newest [make room](super::growing).
//!
//! For [`Full`](crate::InsertError::Full), compare `len` with the capacity. Above it, the filter holds more than it was
//! sized for: a few more items may find room. Below it, the items have several copies, the search budget is too small
//! ([below](#the-search-budget)), or the hasher does not mix well.
//!
//! [`insert_many`](crate::Filter::insert_many) stops at the first refused item. To continue after it:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(100);
//! let items = ["a", "b", "b", "b", "b", "b", "b", "b", "b", "b", "c"];
//! let (mut rest, mut refused) = (&items[..], Vec::new());
//! while let Err(stopped) = filter.insert_many(rest) {
//!     refused.push(rest[stopped.inserted()]);
//!     rest = &rest[stopped.inserted() + 1..];
//! }
//! assert_eq!(refused, ["b"]); // the ninth copy
//! assert!(filter.contains("c"));
//! ```
//!
//! Continue after `TooManyCopies`, but stop after `Full`. Each refusal of a full filter costs about as much as 4,096
//! lookups.
//!
//! # A full filter
//!
//! There are four options:
//!
//! * **Let the filter grow**: [`growing`](super::growing).
//! * **Let old items leave**: [`rotating`](super::rotating).
//! * **Build a larger filter** from the source of truth. The filter itself cannot do it, because it does not store the
//!   items. No thread may insert or remove while you do. Put the new filter in place with an `RwLock` or a similar
//!   cell. Lookups then take its read lock, and write to a cache line that all threads share.
//! * **Continue without the item.** Lookups return false for it, so decide what that means. If a "no" must be certain,
//!   remember that an item was refused, and answer "perhaps" from then on:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::sync::atomic::{AtomicBool, Ordering};
//!
//! /// Which keys may be in the storage.
//! struct Guard {
//!     keys: CuckooFilter,
//!     overflowed: AtomicBool,
//! }
//!
//! impl Guard {
//!     fn stored(&self, key: u64) {
//!         if self.keys.insert(&key).is_err() {
//!             self.overflowed.store(true, Ordering::SeqCst);
//!         }
//!     }
//!
//!     fn may_be_stored(&self, key: u64) -> bool {
//!         self.keys.contains(&key) || self.overflowed.load(Ordering::SeqCst)
//!     }
//! }
//!
//! let guard = Guard { keys: CuckooFilter::with_capacity(100), overflowed: false.into() };
//! for key in 0..1_000 {
//!     guard.stored(key);
//!     assert!(guard.may_be_stored(key));
//! }
//! ```
//!
//! Do not remove a key that was refused. The owner of a key must record whether its insert succeeded.
//!
//! # The search budget
//!
//! An insert that finds both buckets full searches for a path of relocations. It examines at most
//! [`search_budget`](crate::FilterBuilder::search_budget) buckets, 4,096 unless set. A smaller budget makes the slowest
//! insert faster and lowers the load that the table reaches. `cargo test --doc guide::sizing` checks these figures:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! for (budget, load_at_first_refusal) in
//!     [(16, "0.82"), (64, "0.92"), (256, "0.96"), (1_024, "0.97"), (4_096, "0.98")]
//! {
//!     let builder = CuckooFilter::builder().buckets(1 << 18).seed(1);
//!     let filter = builder.search_budget(budget).build()?;
//!     assert_eq!(filter.capacity(), 1_001_390); // a load of 0.955, whatever the budget
//!     (0u64..).find(|item| filter.insert(item).is_err());
//!     assert_eq!(format!("{:.2}", filter.load_factor()), load_at_first_refusal);
//! }
//! # Ok::<(), lockfree_cuckoo::BuildError>(())
//! ```
//!
//! `capacity` does not take the budget into account. With a budget of 64, ask for a tenth more than you need.
