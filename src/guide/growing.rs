//! Filters that grow: when, what they cost, and their limits.
//!
//! # When
//!
//! A [`CuckooFilter`](crate::CuckooFilter) that is sized for the largest set there can be costs two bytes an item
//! and one pair of loads a lookup. Take it where there is such a number. Where there is none, or where it is a
//! hundred times what there usually is, take a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter):
//!
//! ```
//! use lockfree_cuckoo::GrowingCuckooFilter;
//! use std::thread;
//!
//! // The number that is usual. Whatever comes beyond, it makes room for.
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
//! The filter adds segments, each twice as large as the last one, and moves nothing. So most of the items are in
//! the last one or two, and a lookup of those looks there first. One that finds nothing looks at all segments, two
//! loads each, and each adds its share to the false positives:
//!
//! | segments | items at most, from `with_capacity(1_000)` | false positives at most |
//! |---|---|---|
//! | 1 | 1,400 | 0.012 % |
//! | 4 | 21,000 | 0.049 % |
//! | 8 | 370,000 | 0.098 % |
//! | 14 | 24,000,000 | 0.17 % |
//!
//! A first segment that is ten times as large saves three or four segments. So does a larger
//! [`growth_factor`](crate::GrowingCuckooFilterBuilder::growth_factor), for memory that is unused after each growth.
//! The thread that finds no room makes the new segment, in time linear in its size: some milliseconds for a
//! million items. The others go on with lookups, removes, and inserts that find room.
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
//! A refused insert changes nothing, and after removals there is room again: in the segment that takes inserts,
//! and that is the largest.
//!
//! # Removing and shrinking
//!
//! Removal is as exact as in a filter of fixed size, and its rule is the same: remove what you inserted. Segments
//! that are empty are taken out of the filter and freed. An empty filter begins anew with a small segment when you
//! call [`shrink_to_fit`](crate::GrowingCuckooFilter::shrink_to_fit); a filter that is nearly empty keeps each
//! segment with an item in it. If items leave by age, two filters that rotate free more ([`ageing`](super::ageing)).
//!
//! # What is different
//!
//! * Each call is pinned to an epoch, which costs some nanoseconds. The calls for many items at once pin once for
//!   256 of them.
//! * An item can have eight copies in each segment; the ninth is refused, and never makes the filter grow.
//! * The first call of a thread registers it with crossbeam-epoch, and a growth allocates, so neither is for
//!   signal handlers or threads that must not allocate.
