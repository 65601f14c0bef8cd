//! Filters that grow: when to use one, what it costs, and its limits.
//!
//! # When to use one
//!
//! If you know the largest number of items, use a [`CuckooFilter`](crate::CuckooFilter). If you do not, or if it is a
//! hundred times the usual number, use a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter). Its table doubles in
//! place while all threads continue. A lookup loads two words of the table before and after a doubling, and up to four
//! words during one.
//!
//! # What it costs
//!
//! **Each doubling adds false positives.** The filter does not store the hashes. The bit that assigns a token to one of
//! the two halves of its bucket therefore comes from its fingerprint. Each doubling adds the rate of the first table:
//!
//! | doublings | items, at most, from `with_capacity(1_000)` | false positives, at most |
//! |---|---|---|
//! | 0 | 2,000 | 0.013 % |
//! | 4 | 31,000 | 0.063 % |
//! | 8 | 500,000 | 0.11 % |
//! | 10 | 2,000,000 | 0.14 % |
//! | 10, and a second table | 4,000,000 | 0.15 % |
//! | the same, and the second table has doubled three times | 18,000,000 | 0.19 % |
//!
//! After ten doublings the oldest tokens have no bit left. The next growth adds a second table, which is as large as
//! the first is at that time. It also doubles. A lookup of an absent item then reads both
//! ([`tables`](crate::GrowingCuckooFilter::tables) counts them).
//!
//! The rate depends only on the number of doublings. For up to `n` items after `d` doublings, begin with a capacity of
//! `n / 2^d`: a million for 64 million items after six, at 0.09 %.
//!
//! **A doubling takes memory while it lasts.** A table that has just doubled is half empty. From 1,000 to 10 million
//! items the filter takes 17 to 34 bits per item, and up to 51 during a doubling (`cargo run --release -p
//! lockfree-cuckoo-benches --bin growing`). An empty filter for 1,000 items takes 5.3 kB.
//!
//! **No insert takes long.** The insert that finds no room allocates the new words. On Linux the system provides
//! allocations of 1 MiB and more page by page, so no thread clears that memory at once. From then on each insert and
//! each removal splits some buckets. No thread waits: a thread that needs a bucket which another thread is splitting
//! completes the split. Call [`finish_doubling`](crate::GrowingCuckooFilter::finish_doubling) to end a doubling before
//! a phase of lookups only.
//!
//! # Limits
//!
//! Limit the rate, the memory, or both. A full filter that may not grow returns
//! [`CannotGrow`](crate::InsertError::CannotGrow):
//!
//! ```
//! use lockfree_cuckoo::{GrowingCuckooFilter, GrowthError, InsertError};
//!
//! let filter = GrowingCuckooFilter::builder()
//!     .capacity(1_000)
//!     .max_false_positive_rate(0.000_52) // three doublings
//!     .max_memory_usage(1 << 20)
//!     .build()?;
//! let refused = (0u32..).find_map(|item| filter.insert(&item).err());
//! let Some(InsertError::CannotGrow(error)) = refused else {
//!     panic!("the filter has limits");
//! };
//! assert!(matches!(error, GrowthError::FalsePositiveRate { rate, .. } if rate > 0.000_52));
//! assert!(filter.len() > 14_000);
//! # Ok::<(), lockfree_cuckoo::BuildError>(())
//! ```
//!
//! The memory limit counts both the old and the new words of a doubling: tables of `n` bytes need a little more than
//! `3 n` to double. To share one limit among several filters, use
//! [`limit_memory_usage`](crate::GrowingCuckooFilter::limit_memory_usage).
//!
//! # What is different
//!
//! * **The table keeps its size when items leave.** With exclusive access, call
//!   [`shrink_to_fit`](crate::GrowingCuckooFilter::shrink_to_fit). Two tables remain if one cannot hold the items.
//! * **Inserts go to the newest table.** Removals from an older one make no room there. So with two tables, a filter at
//!   its limit can refuse most inserts although many slots are vacant. If items come and go under a limit, begin with
//!   at least a thousandth of the largest number of items: then one table remains.
//! * **It is made for sets, with at most two copies of most items.** A bucket distinguishes only 63 kinds of items, and
//!   all items of one kind have the same other bucket. Three items of one kind with three copies each overflow their
//!   two buckets, and the table doubles until they separate. With three or more copies of each item many filters end
//!   with [`Full`](crate::InsertError::Full) while less than an eighth of the slots is taken:
//!
//!   ```
//!   use lockfree_cuckoo::GrowingCuckooFilter;
//!
//!   let fill = |copies: u32| {
//!       let filter = GrowingCuckooFilter::builder().capacity(1_000).seed(1).build().expect("memory");
//!       let refused = (0..100_000).any(|call| filter.insert(&(call / copies)).is_err());
//!       (refused, filter.load_factor())
//!   };
//!   assert!(matches!(fill(2), (false, 0.7..)));
//!   assert!(matches!(fill(3), (true, ..0.1)));
//!   ```
//!
//!   To count, use a [`CuckooFilter`](crate::CuckooFilter), which distinguishes 65,535 kinds.
//! * **Growth allocates**, and the first split by a thread registers the thread with crossbeam-epoch. Do not use this
//!   filter in threads that must not allocate.
