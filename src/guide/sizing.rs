//! How large: capacity, memory, false positives.
//!
//! # One number
//!
//! Say how many items are in at most at one time. That is the capacity; all else follows from it.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(1_000_000);
//! assert_eq!(filter.capacity(), 1_000_000); // what was asked for
//! assert_eq!(filter.slots(), 1_048_576); // places for tokens, four in each bucket
//! assert!(filter.memory_usage() < 2_200_000); // bytes, all of them
//!
//! for item in 0..1_000_000u32 {
//!     filter.insert(&item)?;
//! }
//! assert_eq!(filter.len(), 1_000_000);
//! assert!((0.953..0.954).contains(&filter.load_factor())); // len / slots
//! assert!(filter.false_positive_rate() < 0.000_12);
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! | name | meaning |
//! |---|---|
//! | `capacity` | the items that the filter is sized for: it takes so many, and usually some more |
//! | buckets | `slots / 4`; [`builder().buckets(n)`](crate::CuckooFilterBuilder::buckets) sets the number itself |
//! | `slots` | places for tokens; `len` never exceeds it, and in all but the smallest filters does not reach it |
//! | `len` | the tokens that are in: inserts that succeeded, minus removals that did |
//! | `load_factor` | `len / slots` |
//!
//! Copies count: an item that was inserted twice is two tokens. What is promised holds for distinct items, a
//! hasher that mixes well ([`hashing`](super::hashing)) and the default search budget. The tests fill filters
//! of 1 to 10,000 items with a thousand different seeds each, and larger ones with fewer, and none is refused.
//!
//! Most callers have no use for `buckets`. It is for tables of an exact size, and for experiments.
//!
//! # What it costs and holds
//!
//! From `cargo run --release --example sizes` (medians of five seeds; the observed rate is the
//! mean of all lookups with the five). Loads and rates do not depend on the
//! machine. The memory does by a little: with more than 16 processors a large filter has more descriptors, 64
//! KiB of them at most instead of 4.
//!
//! | items | memory | bits an item, in all | load at the first refusal | false positives at capacity, expected and observed |
//! |---|---|---|---|---|
//! | 100 | 2.9 kB | 231 | 0.973 | 0.0048 %, 0.0046 % |
//! | 1,000 | 6.5 kB | 51.8 | 0.950 | 0.0080 %, 0.0081 % |
//! | 10,000 | 32 kB | 25.6 | 0.960 | 0.0099 %, 0.0101 % |
//! | 100,000 | 243 kB | 19.4 | 0.968 | 0.0106 %, 0.0103 % |
//! | 1,000,000 | 2.11 MB | 16.9 | 0.976 | 0.0116 %, 0.0116 % |
//! | 1,100,000 | 2.37 MB | 17.3 | 0.974 | 0.0114 %, 0.0113 % |
//! | 10,700,000 | 23.1 MB | 17.3 | 0.975 | 0.0113 %, 0.0113 % |
//!
//! Small filters cost more an item, for two reasons. Each has 1 KiB of version counters, at least 1 KiB of
//! descriptors, and item counters. And small tables fill less evenly, so they are sized with more room. A
//! filter for 8 items takes 2.4 kB. If you would have thousands of small filters, one for each customer or
//! connection, have one large filter instead, and make the customer part of the item:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let (customer, page) = (17u32, "/index.html");
//! let seen = CuckooFilter::with_capacity(1_000_000);
//! seen.insert(&(customer, page))?;
//! assert!(seen.contains(&(17u32, "/index.html")));
//! assert!(!seen.contains(&(18u32, "/index.html")));
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! # False positives
//!
//! A lookup of an absent item compares its fingerprint, one of 65,535, with the tokens of two buckets. So it is
//! wrongly told "yes" with a probability of about `8 × load / 65535`. That is one lookup in 8,200 in a table
//! with every slot taken, and one in 8,600 in a large filter at its capacity, the number that the other pages
//! give. It is less while the filter is less full. Only lookups of absent items can go wrong, so if nine
//! lookups of ten are of items that are in, one in 86,000 does.
//!
//! The width of the fingerprint is fixed, so there is one way to a lower rate: a lower load. A filter of twice
//! the capacity has half the rate, for twice the memory:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let rate_in = |capacity: usize| {
//!     let filter = CuckooFilter::builder()
//!         .capacity(capacity)
//!         .seed(1)
//!         .build()
//!         .expect("memory");
//!     (0..1_000_000u64).for_each(|item| filter.insert(&item).expect("sized for it"));
//!     filter.false_positive_rate()
//! };
//! assert!((0.49..0.51).contains(&(rate_in(2_000_000) / rate_in(1_000_000))));
//! ```
//!
//! If no affordable load is low enough, ask the source of truth on every "yes", or use a set.
//!
//! # Headroom
//!
//! * Take the peak, not the mean. Two threads that each insert before they remove have both items in.
//! * Inserts get slower as the load rises, because more of them find both buckets full. Lookups and removals do
//!   not. In `cargo run --release -p lockfree-cuckoo-benches --bin paper -- --quick`, on a shared Intel Xeon of
//!   2.3 GHz, one thread inserted 82 million items a second into a table of 3 MiB around a load of 0.5, 41
//!   million around 0.78, 18 million around 0.88 and 1.5 million around 0.96. A filter that is kept at three
//!   quarters of its capacity, and so of its load, inserts several times faster than one that is kept full.
//! * Memory comes in steps: the number of buckets is a power of two times an odd number up to 31. From half a
//!   million items up a filter takes 16.8 to 18.2 bits an item, so to round the capacity up to a power of two
//!   yourself wins nothing.
//!
//! # The search budget
//!
//! An insert that finds both buckets full searches for a chain of relocations, and examines at most
//! [`search_budget`](crate::CuckooFilterBuilder::search_budget) buckets, 4,096 unless told. A smaller budget
//! bounds the time of the slowest insert: a refused one costs about as much as that many lookups. The price is
//! load. The figures below depend on the seed alone; `cargo test --doc guide::sizing` checks them:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! for (budget, load_at_first_refusal) in [
//!     (16, "0.79"),
//!     (64, "0.92"),
//!     (256, "0.96"),
//!     (1_024, "0.97"),
//!     (4_096, "0.98"),
//! ] {
//!     let filter = CuckooFilter::builder()
//!         .buckets(1 << 18)
//!         .seed(1)
//!         .search_budget(budget)
//!         .build()
//!         .expect("memory");
//!     assert_eq!(filter.capacity(), 1_001_390); // a load of 0.955, whatever the budget
//!     (0u64..).find(|item| filter.insert(item).is_err());
//!     assert_eq!(
//!         format!("{:.2}", filter.load_factor()),
//!         load_at_first_refusal
//!     );
//! }
//! ```
//!
//! [`capacity`](crate::CuckooFilter::capacity) does not know of the budget. A large filter with a budget of 64
//! falls short of it by some 4 %, and one of 256 is at the edge: ask for more than you need, a tenth at 64.
