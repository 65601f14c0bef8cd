//! A filter behind a network protocol: what was learnt from building a server.
//!
//! `crates/membership-server` in the repository lets Redis clients share filters: `CF.ADD`, `CF.EXISTS`, `CF.DEL`
//! and the rest. Its README says how to use it. This page says what to consider if you build a similar server.
//!
//! # Find the filter without a lock
//!
//! Filters are created and deleted seldom, items often. So the map from names to filters is immutable and is
//! replaced as a whole (the server uses `arc-swap`). A command then costs one load before the filter's own two. A
//! lock around the map would defeat the purpose of the filter: every thread would wait for the lock's holder,
//! even to read.
//!
//! A thread that creates a filter takes a mutex. So two threads cannot create the same filter, and the memory is
//! counted exactly. This does not run on the threads that serve connections.
//!
//! # What may run on an async runtime's threads
//!
//! Calls for items do not block, and return in well under a microsecond. There is one exception: inserts into a
//! nearly full filter (up to some 20 microseconds). Building a large filter, a [snapshot](crate::CuckooFilter::snapshot), and storing or
//! loading one take time linear in the size. Run them in `spawn_blocking`, or on another thread.
//!
//! # Hash the same bytes everywhere
//!
//! An item that comes over a network is bytes. `b"a"[..]` and `"a"` hash differently, as in any hash map: the
//! standard library appends a byte to a `str`, and puts a length before a slice. Use one of the two types
//! everywhere.
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
//! How a slice is handed to a hasher is the standard library's own affair, and a server may be compiled by another version
//! of Rust tomorrow. If its filters are stored, or sent to other servers, hash with
//! [`RandomState::hash_bytes`](crate::RandomState::hash_bytes), and call the methods that take a hash.
//!
//! # "If absent" is one call
//!
//! `CF.ADDNX` is [`insert_unique`](crate::CuckooFilter::insert_unique). With a lookup followed by an insert, two
//! clients that race for an item could both be told that they were first.
//!
//! # Commands with many items
//!
//! `CF.MEXISTS` is [`contains_many`](crate::CuckooFilter::contains_many), which prefetches the words of the next
//! items. `CF.INSERT` and `CF.INSERTNX` are [`insert_many`](crate::CuckooFilter::insert_many) and
//! [`insert_unique_many`](crate::CuckooFilter::insert_unique_many). These stop at the first item that does not
//! fit, and say which one it was. The server replies -1 for it and continues after it.
//!
//! # Check limits before you allocate
//!
//! A client that can choose a capacity can choose one that is too large. With `max_memory_usage` the builder
//! refuses it before it allocates anything. For a filter that grows, this limit holds for its whole life. So a
//! server that promises a total must reserve that much for each such filter. A stored filter contains the limit
//! of the filter that was stored. Set your own limit after loading:
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
//! A filter cannot know whether a client ever added the item that it deletes. If one client can delete what
//! another client added, you must trust both. The server counts deletions beside the filter, so that an operator
//! sees if there are too many. See [removing](super::removing).
//!
//! # Snapshots
//!
//! Each filter's stored form says where it ends. So one file can hold all filters, one after the other, with a
//! checksum over the whole file. Write it beside the last file, flush it, and rename it: then it survives a crash
//! at any point. Only one snapshot of a filter can be under way at a time. If the call returns
//! [`Busy`](crate::SnapshotError::Busy) or [`Disturbed`](crate::SnapshotError::Disturbed), wait a little and try
//! again. After the last connection has ended, take one more snapshot. It contains everything that clients got a
//! reply for. See [persistence](super::persistence).
//!
//! # What you gain
//!
//! On two virtual cores of a shared Intel Xeon, clients included, `cargo bench --package membership-server`
//! measured two to three million single commands a second in pipelines of 64. In commands of 100 lookups it
//! measured 12 million lookups a second with one thread, and 18 million with two. The same server with a mutex
//! around each filter reaches between 0.88 and 0.99 of that, because protocol and system calls take most of the
//! time of a command. The difference is in the slowest commands. While a filter of 160 MiB was saved again and
//! again, the longest wait for a lookup was 7 ms without the mutex, and 58 ms with it. If a thread is stopped
//! while it holds the mutex, all other threads wait until it runs again.
//!
//! # What attacks on it found
//!
//! The attacks found no fault in the filter. Most of the findings are now tests of the server. If you build
//! another server, look for the same faults:
//!
//! * A log that nobody reads must neither block nor end a thread. Write the log from its own thread, which may
//!   lose lines.
//! * A client can put a million items into one command, or a megabyte into the pattern of `KEYS`. Work of more
//!   than some milliseconds belongs on other threads, and the shutdown of the server must not wait for it.
//! * A full filter searches before it refuses an item: 20 microseconds instead of 50 nanoseconds.
//! * A large request makes large buffers. Free them when the connection is idle.
//! * Limits must also count data in transit: partial requests, dumps, keys.
//! * A web page can make a browser send lines to a port of the same machine.
