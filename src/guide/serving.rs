//! A filter behind a network protocol: what was learnt from building a server.
//!
//! `crates/membership-server` in the repository lets Redis clients share filters: `CF.ADD`, `CF.EXISTS`, `CF.DEL`
//! and the rest. Its README says how it is used; this page, what to think of if you build something like it.
//!
//! # Find the filter without a lock
//!
//! Filters come and go seldom, items all the time. So the map from keys to filters is immutable and replaced as a
//! whole (there with `arc-swap`), and a command costs one load before the filter's own two. A lock around the map
//! would undo what the filter is for: everybody would wait for whoever holds it, even to read.
//!
//! Whoever makes a filter takes a mutex, so that two do not make the same one and the memory is counted exactly. That
//! is done away from the threads that serve connections.
//!
//! # What may run on an async runtime's threads
//!
//! Calls for items do not block and return in well under a microsecond, except inserts into a filter that is nearly
//! full (up to some 20 microseconds) and those that make one grow (milliseconds, for the one who inserts). Making a
//! large filter, a [snapshot](crate::CuckooFilter::snapshot), and storing or loading one take time linear in the size:
//! hand them to `spawn_blocking`, or to a thread.
//!
//! # Hash the same bytes everywhere
//!
//! An item that comes over a network is bytes. `b"a"[..]` and `"a"` hash differently, as they do in any hash map: the
//! standard library ends a `str` with a byte of its own and puts a length before a slice. Use one of them throughout,
//! or a [`TypedCuckooFilter`](crate::TypedCuckooFilter), which makes the compiler look after it.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(100);
//! filter.insert("a")?;
//! assert!(filter.contains("a") && !filter.contains(b"a".as_slice()));
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! # "If absent" is one call
//!
//! `CF.ADDNX` is [`insert_unique`](crate::CuckooFilter::insert_unique). A lookup and then an insert would tell two
//! clients that race for an item that each was the first.
//!
//! # Commands with many items
//!
//! `CF.MEXISTS` is [`contains_many`](crate::CuckooFilter::contains_many), which fetches the words of the items to
//! come. `CF.INSERT` and `CF.INSERTNX` are [`insert_many`](crate::CuckooFilter::insert_many) and
//! [`insert_unique_many`](crate::CuckooFilter::insert_unique_many). They stop at the first item that does not fit, and
//! say which it was; the server replies -1 for it and goes on behind it.
//!
//! # Limits, before memory is spent
//!
//! Whoever can name a capacity can name one that is too large. `max_memory_usage` makes the builder refuse it before
//! anything is allocated. For a filter that grows it is the bound that it keeps for ever, so a server that promises a
//! total puts that much aside for each. A stored filter brings the limit of the one that was stored: set your own.
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter};
//!
//! let asked_for = 1_000_000_000_000;
//! let error = CuckooFilter::builder().capacity(asked_for).max_memory_usage(1 << 30).build().unwrap_err();
//! assert!(!error.is_out_of_memory());
//!
//! let from_outside = GrowingCuckooFilter::with_capacity(100).to_bytes();
//! let mut filter = GrowingCuckooFilter::from_bytes(&from_outside)?;
//! filter.set_max_memory_usage(1 << 20);
//! # Ok::<(), lockfree_cuckoo::ReadError>(())
//! ```
//!
//! # Clients that delete
//!
//! A filter cannot tell whether a client ever added what it deletes. If one can delete what another added, both need
//! to be trusted; the server counts deletions beside the filter, so that an operator sees when there are more than
//! there should be. See [removing](super::removing).
//!
//! # Snapshots
//!
//! Each filter's stored form says where it ends, so that one file holds them all, one after the other, with a checksum
//! over the whole. Written beside the last file, flushed, and renamed, it survives a crash at any point. There is one
//! snapshot of a filter at a time: who finds [`Busy`](crate::SnapshotError::Busy) or
//! [`Disturbed`](crate::SnapshotError::Disturbed) waits a little and tries again. After the last connection has ended,
//! one more snapshot has everything that was answered. See [persistence](super::persistence).
//!
//! # What it brings
//!
//! On two virtual cores of a shared Intel Xeon, clients included, from `cargo bench --package membership-server`: two
//! to three million single commands a second in pipelines of 64, and 12 (one thread) to 18 million lookups (two) in
//! commands of 100. The same server with a mutex around each filter has between 0.88 and 0.99 of that, because protocol
//! and system calls take most of the time of a command. The difference is in the tail: while a filter of 160 MiB is
//! saved over and over, the longest wait for a lookup was 7 ms without the mutex, and 58 ms with it. A thread that is
//! stopped while it holds the mutex makes all others wait for as long as it is stopped.
//!
//! # What an attack on it found
//!
//! None of it was in the filter, and most of it is in the tests of the server now; whoever builds another one may look
//! for the same:
//!
//! * A log that nobody reads must neither stop nor end a thread: write it from a thread of its own, which may lose
//!   lines.
//! * A client can put a million items into one command, or a megabyte into the pattern of `KEYS`. What takes more than
//!   some milliseconds belongs on other threads, and an end of the server that does not wait for it.
//! * A full filter searches for each item that it refuses: 20 microseconds instead of 50 nanoseconds.
//! * Buffers that a large request has made must be given back when a connection is idle.
//! * Limits have to count what is on its way: partial requests, dumps, keys.
//! * A web page can make a browser send lines to a port of the same machine.
