//! From the `AtomicBloomFilter` of `fastbloom` 0.17.
//!
//! # Before
//!
//! ```
//! use fastbloom::AtomicBloomFilter;
//! use std::thread;
//!
//! let seen = AtomicBloomFilter::with_false_pos(0.000_1).expected_items(100_000);
//! thread::scope(|scope| {
//!     scope.spawn(|| seen.insert("a"));
//!     scope.spawn(|| seen.insert("b"));
//! });
//! // True if it may have been in before.
//! if !seen.insert("c") {
//!     println!("the first c");
//! }
//! assert!(seen.contains("a") && seen.contains("b") && seen.contains("c"));
//! ```
//!
//! # After
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::thread;
//!
//! let seen = CuckooFilter::with_capacity(100_000);
//! thread::scope(|scope| {
//!     scope.spawn(|| seen.insert_unique("a"));
//!     scope.spawn(|| seen.insert_unique("b"));
//! });
//! // True if it was not in before: the opposite.
//! if seen.insert_unique("c")? {
//!     println!("the first c");
//! }
//! assert!(seen.contains("a") && seen.contains("b") && seen.contains("c"));
//! assert!(seen.remove("c"));
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! # Call for call
//!
//! | `AtomicBloomFilter` | here |
//! |---|---|
//! | `with_false_pos(p).expected_items(n)` | `with_capacity(n)`, with a rate of at most 0.012 %; `builder().capacity(n).build_smallest(p)` |
//! | `with_num_bits(bits)` | `builder().buckets(n)`, of 64 bits each |
//! | `seed(&n)`, 128 bits | `builder().seed(n)`, 64 bits |
//! | `hasher(s)` | `builder().hasher(s)` |
//! | `insert`: true if it may have been in before | `insert_unique`: `Ok(true)` if it was not in before |
//! | `contains` | the same |
//! | `source_hash`, `insert_hash`, `contains_hash` | `hash_one`, `insert_unique_hash`, `contains_hash` |
//! | `insert_all(&items)` | `insert_many(&items)`, which adds a copy of each |
//! | `items(&items)` | `collect()`, which builds a set |
//! | `clear(&self)` | `clear(&mut self)`, or `rotate(&self)` of a filter that forgets ([`ageing`](crate::guide::ageing)) |
//! | `expected_false_pos(n)` | `false_positive_rate()`, at the current load |
//! | `union`, `intersect` | none |
//! | `iter`, `as_slice`, `from_vec` | `to_bytes`, `from_bytes`, `write_to`, `read_from` |
//!
//! # What is different
//!
//! * **You can remove items**, and count them, up to eight copies with 4 x 16.
//! * **It can be full.** A Bloom filter takes any number of items, and its rate of wrong answers rises. Here the
//!   rate is bounded, and inserts are refused instead.
//! * **Which insert was first.** If two threads insert the same new item into an `AtomicBloomFilter` at the same
//!   time, both calls can return that it was not in, because each sets some of its bits first. Here
//!   `insert_unique` returns true for one of them, or for none if the item is a false positive.
//! * **Memory ordering.** `AtomicBloomFilter` uses relaxed accesses only. So a lookup that finds an item does not
//!   make visible what another thread wrote before its insert. Here it does ([`sharing`](crate::guide::sharing)).
//! * **The rate.** Here it follows from the [layout](crate::guide::layouts) and the load. Above 1 % a Bloom filter takes
//!   less memory, below it a semi-sorted layout does. At the rate of 4 x 16, a Bloom filter takes more.
//!
//! ```
//! const ITEMS: usize = 1_000_000;
//! let bits_each =
//!     |false_positives| fastbloom::optimal_size(ITEMS, false_positives) as f64 / ITEMS as f64;
//! assert!((9.5..9.7).contains(&bits_each(0.01)));
//! assert!((18.8..18.9).contains(&bits_each(0.000_116)));
//!
//! let ours = lockfree_cuckoo::CuckooFilter::with_capacity(ITEMS);
//! assert!((16.8..17.5).contains(&(8.0 * ours.memory_usage() as f64 / ITEMS as f64)));
//! ```
//!
//! # When to stay
//!
//! Keep the Bloom filter if you never remove items, need a rate above 1 %, can never accept a refused insert, or
//! need to unite filters.
