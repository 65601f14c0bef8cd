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
//! assert!(sessions.segments() > 1);
//! ```
//!
//! # What it costs
//!
//! The filter adds segments, each twice as large as the one before, and does not move stored items. So most items
//! are in the newest one or two segments, and a lookup reads these first. A lookup that finds nothing reads all
//! segments, with two loads each. Each segment adds its share of false positives. With 4 x 16:
//!
//! | segments | items, at most, from `with_capacity(1_000)` | false positives, at most |
//! |---|---|---|
//! | 1 | 1,400 | 0.012 % |
//! | 4 | 21,000 | 0.049 % |
//! | 8 | 370,000 | 0.098 % |
//! | 14 | 24,000,000 | 0.17 % |
//!
//! A first segment that is ten times as large saves three or four segments. A larger
//! [`growth_factor`](crate::GrowingCuckooFilterBuilder::growth_factor) saves segments too, but leaves more memory
//! unused after each growth. The thread that finds no room builds the new segment, in time linear in its size:
//! some milliseconds for a million items. Meanwhile the other threads can look up, remove, and insert where there
//! is room.
//!
//! # Limits
//!
//! ```
//! use lockfree_cuckoo::{GrowingCuckooFilter, InsertError};
//!
//! let filter = GrowingCuckooFilter::builder()
//!     .capacity(1_000)
//!     .max_false_positive_rate(0.0005) // four segments
//!     .max_memory_usage(1 << 20)
//!     .build()?;
//! let refused = (0u32..).find_map(|item| filter.insert(&item).err());
//! let Some(InsertError::CannotGrow { error, .. }) = refused else {
//!     panic!("it would have grown for ever");
//! };
//! assert_eq!(error.segments(), 4);
//! assert!(filter.len() > 15_000);
//! println!("{error}");
//! # Ok::<(), lockfree_cuckoo::BuildError>(())
//! ```
//!
//! A refused insert changes nothing. After removals there is room again, but only in the segment that takes
//! inserts. That is the largest one.
//!
//! # Removing and shrinking
//!
//! Removal is as exact as in a filter of fixed size, and has the same rule: remove only what you inserted. The
//! filter takes empty segments out. On Linux the pages of their tables go back to the system; the rest, and elsewhere all,
//! is kept for the next growth, and freed by any call that takes `&mut self`. A filter that is filled and emptied for
//! weeks takes no more memory than the first time. A segment with one item left is kept. If the filter is empty,
//! [`shrink_to_fit`](crate::GrowingCuckooFilter::shrink_to_fit) makes it start again with a small segment. If
//! items leave by age, use a filter that rotates ([`ageing`](super::ageing)).
//!
//! # What is different
//!
//! * Each insert pins an epoch, which costs some nanoseconds. A batch call pins once per 256 items. Other calls do not pin:
//!   with one segment, a lookup costs about a fifth more than one of a filter of fixed size, and less in a batch.
//! * Each segment can hold as many copies of an item as two buckets have slots, eight with 4 x 16. One more is refused,
//!   and never makes the filter grow.
//! * The first insert of a thread registers the thread with crossbeam-epoch, and growing allocates. So do not use
//!   this filter in signal handlers, or in threads that must not allocate.
