//! How large a filter must be: capacity, memory, false positives.
//!
//! # One number
//!
//! Say how many items the filter must hold at most at one time. That is the capacity; everything else follows
//! from it.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(1_000_000);
//! assert_eq!(filter.capacity(), 1_000_000); // what was asked for
//! assert_eq!(filter.slots(), 1_048_576); // places for tokens, four in each bucket
//! assert!(filter.memory_usage() < 2_200_000); // bytes, in all
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
//! | `capacity` | the items that the filter is sized for: it takes that many, and usually some more |
//! | buckets | `slots / 4`, or by the slots that the [layout](super::layouts) has in a bucket; [`builder().buckets(n)`](crate::CuckooFilterBuilder::buckets) sets the number itself |
//! | `slots` | places for tokens; `len` never exceeds it, and reaches it only in the smallest filters |
//! | `len` | the stored tokens: successful inserts minus successful removals |
//! | `load_factor` | `len / slots` |
//!
//! Copies count: an item that was inserted twice is two tokens. The promise about `capacity` holds for distinct
//! items, a hasher that mixes well ([`hashing`](super::hashing)) and the default search budget. The tests fill
//! filters of 1 to 10,000 items with a thousand different seeds each, and larger filters with fewer seeds. No
//! insert is refused.
//!
//! Most callers do not need `buckets`. It is for tables of an exact size, and for experiments.
//!
//! # What it costs, and how much it holds
//!
//! These figures are for the layout 4 x 16, from `cargo run --release --example sizes` (medians of five seeds; the observed rate is the
//! mean of all lookups with the five). Loads and rates do not depend on the machine. The memory depends on it a
//! little: with more than 16 processors a large filter has more descriptors, at most 64 KiB of them instead of 4.
//!
//! | items | memory | bits per item, in all | load at the first refusal | false positives at capacity, expected and observed |
//! |---|---|---|---|---|
//! | 100 | 0.9 kB | 73.6 | 0.973 | 0.0048 %, 0.0046 % |
//! | 1,000 | 3.5 kB | 27.8 | 0.950 | 0.0079 %, 0.0081 % |
//! | 10,000 | 28 kB | 22.7 | 0.960 | 0.0099 %, 0.0101 % |
//! | 100,000 | 243 kB | 19.4 | 0.968 | 0.0106 %, 0.0103 % |
//! | 1,000,000 | 2.11 MB | 16.9 | 0.976 | 0.0116 %, 0.0116 % |
//! | 1,100,000 | 2.37 MB | 17.3 | 0.974 | 0.0114 %, 0.0113 % |
//! | 10,700,000 | 23.1 MB | 17.3 | 0.975 | 0.0113 %, 0.0113 % |
//!
//! Small filters cost more per item: small tables fill less evenly, so they get more room, and each filter has 0.4 kB
//! besides its table. Version counters take a 32nd of the bytes of a table's words, from 64 to 1,024 bytes; descriptors a
//! 16th, from 2 to 64 or more of 64 bytes each; item counters up to 8 KiB. A [`GrowingCuckooFilter`](crate::GrowingCuckooFilter)
//! for 1,000 items takes 5.2 kB. It begins with the descriptors and item counters of a table of half the size, and gets more
//! when it grows.
//!
//! If you need many thousands of small filters, one for each customer or connection, use one large filter instead, and make
//! the customer part of the item:
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
//! A lookup of an absent item compares its fingerprint, with 4 x 16 one of 65,535, with the tokens of two buckets. So it
//! returns a wrong "yes" with a probability of about `8 × load / 65535`, or `2 × slots × load / 2^bits` with other
//! [layouts](super::layouts). That is one lookup in 8,200 if every
//! slot is taken, and one in 8,600 in a large filter at its capacity; the other pages use this second number. A
//! filter that is less full has a lower rate. Only lookups of absent items can go wrong. So if nine of ten
//! lookups are for stored items, one lookup in 86,000 goes wrong.
//!
//! Of one layout, only a lower load gives a lower rate. A filter of twice the capacity has half the rate, for twice the
//! memory; another [layout](super::layouts) does better:
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
//! If you cannot afford a rate that is low enough, ask the source of truth on every "yes", or use a set.
//!
//! # Headroom
//!
//! * Use the peak number of items, not the mean. If a thread inserts its new item before it removes its old one,
//!   both are in for a while.
//! * Inserts get slower as the load rises, because more of them find both buckets full. Lookups and removals do
//!   not. On a shared Intel Xeon of 2.3 GHz, one thread inserted 82 million items a second into a table of 3 MiB
//!   around a load of 0.5, 41 million around 0.78, 18 million around 0.88 and 1.5 million around 0.96. A filter that
//!   is kept at three quarters of its capacity inserts several times faster than one that is kept full.
//! * Memory comes in steps: the number of buckets is a power of two times an odd number up to 31. From half a
//!   million items up, a filter of 4 x 16 takes 16.8 to 18.2 bits per item. So you gain nothing by rounding the capacity up
//!   to a power of two yourself.
//!
//! # The search budget
//!
//! An insert that finds both buckets full searches for a chain of relocations. It examines at most
//! [`search_budget`](crate::CuckooFilterBuilder::search_budget) buckets, 4,096 unless set. A smaller budget makes
//! the slowest insert faster: a refused insert costs about as much as that many lookups. The price is a lower
//! load. The figures below depend only on the seed; `cargo test --doc guide::sizing` checks them:
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
//! [`capacity`](crate::CuckooFilter::capacity) does not take the budget into account. A large filter with a
//! budget of 64 stays some 4 % below it, and one with 256 barely reaches it. So ask for more than you need: a
//! tenth more at 64.
