//! Filters that grow: when to use one, what it costs, and its limits.
//!
//! # When to use one
//!
//! A [`CuckooFilter`](crate::CuckooFilter) that is sized for the largest possible set costs about two bytes per item with 4 x 16,
//! and one pair of loads per lookup. Use it if you know that largest number. If you do not know it, or if it is a
//! hundred times the usual number, use a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter):
//!
//! ```
//! use lockfree_cuckoo::GrowingCuckooFilter;
//! use std::thread;
//!
//! // The usual number of items. The filter makes room for more.
//! let sessions = GrowingCuckooFilter::with_capacity(1_000);
//! thread::scope(|scope| {
//!     for client in 0..4u32 {
//!         let sessions = &sessions;
//!         scope.spawn(move || {
//!             for session in 0..10_000u32 {
//!                 sessions.insert(&(client, session)).expect("memory");
//!             }
//!         });
//!     }
//! });
//! assert_eq!(sessions.len(), 40_000);
//! assert!(sessions.capacity() > 20 * 1_000);
//! ```
//!
//! # What it costs
//!
//! **Lookups stay what they were.** The table doubles in place: each of its buckets splits into two. So a lookup loads two
//! words, before and after. While a doubling is under way, some lookups load one or two words more.
//!
//! **Each doubling adds false positives.** A fingerprint does not know the hash that it came from, so the bit that says to
//! which of the two halves a token goes has to come from the token. Tokens that were in at the beginning lose a bit by each
//! doubling; those that come later have the bits of their time. Together each doubling adds as much as the first table:
//!
//! | doublings | items, at most, from `with_capacity(1_000)` | false positives, at most |
//! |---|---|---|
//! | 0 | 2,000 | 0.013 % |
//! | 4 | 31,000 | 0.063 % |
//! | 8 | 500,000 | 0.11 % |
//! | 10 | 2,000,000 | 0.14 % |
//! | 10, and a second table | 4,000,000 | 0.15 % |
//! | that doubled three times | 18,000,000 | 0.19 % |
//!
//! After ten doublings the oldest tokens have no bit left. The next growth adds a second table, which begins as large as
//! the first one is by then, and doubles as the first one did. A lookup of an absent item looks at both then.
//! [`tables`](crate::Filter::tables) says how many tables there are. A first table that is ten times as large saves
//! three or four doublings.
//!
//! **A doubling takes memory while it lasts.** The table has half of its slots vacant when it has doubled, and the words
//! that it leaves are given back afterwards. So it takes 17 to 35 bits an item at rest, and half as much again while it
//! doubles.
//!
//! **No insert takes long.** The insert that finds no room allocates the new words, which the system hands out without
//! writing to them: on Linux 1 MiB and more come from the system itself, and not from the allocator of the program, which
//! would have to clear memory that was used before. From then on each insert splits some buckets, until all are split. Nobody waits for anybody: whoever
//! comes to a bucket that another thread is splitting finishes the split.
//!
//! # Limits
//!
//! ```
//! use lockfree_cuckoo::{GrowingCuckooFilter, InsertError};
//!
//! let filter = GrowingCuckooFilter::builder()
//!     .capacity(1_000)
//!     .max_false_positive_rate(0.000_52) // three doublings
//!     .max_memory_usage(1 << 20)
//!     .build()?;
//! let refused = (0u32..).find_map(|item| filter.insert(&item).err());
//! let Some(InsertError::CannotGrow { error, .. }) = refused else {
//!     panic!("it would have grown for ever");
//! };
//! assert!(error.false_positive_rate() > 0.000_52);
//! assert!(filter.len() > 14_000);
//! println!("{error}");
//! # Ok::<(), lockfree_cuckoo::BuildError>(())
//! ```
//!
//! A refused insert loses no item. After removals there is room again. A limit on memory counts the old words and the new
//! ones while the table doubles: a filter of `n` bytes can double if the limit is `3 n`.
//!
//! # Removing and shrinking
//!
//! Removal is as exact as in a filter of fixed size, and has the same rule: remove only what you inserted. The table keeps
//! its size when items go. A thread that has the filter alone can make it as small as the items that are left allow:
//! [`shrink_to_fit`](crate::GrowingCuckooFilter::shrink_to_fit). Two tables stay two if one cannot hold the items. If items
//! leave by age, use a filter that rotates ([`ageing`](super::ageing)).
//!
//! # What is different
//!
//! * **It is made for sets, not for counts.** Each table can hold eight copies of an item; one more is refused. But a bucket
//!   knows only 63 kinds of items, and all of one kind have the same other bucket. If all items have three copies, three
//!   items of one kind in one bucket overflow the two, and the table doubles until they part. At 100,000 copies in all it
//!   is 76 % full with one or two copies of each item, 15 % with three or four, and 9 % with five to eight. An insert that
//!   finds no room while fewer than one of eight slots is taken returns [`Full`](crate::InsertError::Full), and may have
//!   doubled the table before. Count in a [`CuckooFilter`](crate::CuckooFilter), which knows 65,535 kinds.
//! * Splits pin an epoch. Lookups do not.
//! * Its buckets have 4 slots of 16 bits. For another [layout](super::layouts) take a filter of a fixed size, or one that
//!   rotates.
//! * The first split of a thread registers the thread with crossbeam-epoch, and growing allocates. So do not use
//!   this filter in signal handlers, or in threads that must not allocate.
