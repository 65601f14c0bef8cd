//! From `cuckoofilter` 0.5.
//!
//! # Before
//!
//! Its inserts and removals take `&mut self`, so threads must share it in a lock:
//!
//! ```
//! use cuckoofilter::CuckooFilter;
//! use std::collections::hash_map::DefaultHasher;
//! use std::sync::Mutex;
//! use std::thread;
//!
//! let seen = Mutex::new(CuckooFilter::<DefaultHasher>::with_capacity(100_000));
//! thread::scope(|scope| {
//!     for worker in 0..4u32 {
//!         let seen = &seen;
//!         scope.spawn(move || {
//!             for flow in 0..100u32 {
//!                 let mut seen = seen.lock().expect("not poisoned");
//!                 seen.add(&(worker, flow)).expect("sized for more");
//!             }
//!         });
//!     }
//! });
//! let mut seen = seen.into_inner().expect("not poisoned");
//! assert!(seen.contains(&(3u32, 99u32)));
//! assert!(seen.delete(&(3u32, 99u32)));
//! assert_eq!(seen.len(), 399);
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
//!     for worker in 0..4u32 {
//!         let seen = &seen;
//!         scope.spawn(move || {
//!             for flow in 0..100u32 {
//!                 seen.insert(&(worker, flow)).expect("sized for more");
//!             }
//!         });
//!     }
//! });
//! assert!(seen.contains(&(3u32, 99u32)));
//! assert!(seen.remove(&(3u32, 99u32)));
//! assert_eq!(seen.len(), 399);
//! ```
//!
//! # Call for call
//!
//! | `cuckoofilter` | here |
//! |---|---|
//! | `new()`, for 2^20 - 1 items | `with_capacity(n)` |
//! | `with_capacity(n)` | `with_capacity(n)` |
//! | `add` | `insert` |
//! | `test_and_add` | `insert_unique` |
//! | `contains` | `contains` |
//! | `delete` | `remove` |
//! | `len`, `is_empty`, `memory_usage` | the same |
//! | `export`, `From<ExportedCuckooFilter>` | `to_bytes`, `from_bytes`, `write_to`, `read_from` |
//! | `CuckooFilter<H>`, `H: Hasher + Default` | `CuckooFilter<BuildHasherDefault<H>>`, by `with_capacity_and_hasher` |
//! | `CuckooError::NotEnoughSpace` | `InsertError::Full`, `InsertError::TooManyCopies` |
//!
//! # What is different
//!
//! * **A refused insert.** In `cuckoofilter`, as its documentation says, `NotEnoughSpace` means that the new item
//!   is in and a random other item is lost. Here the new item is not in, and nothing is lost. Code that ignored
//!   the error must now handle it.
//! * **False positives.** Its fingerprints have 8 bits, these have 16. A full filter has 3 % of false positives
//!   there, and 0.012 % here. In exchange, an item takes twice the memory. The layout `Lanes<8, 8>` takes as much memory
//!   as that crate, at 6 %, and others are between ([`layouts`](crate::guide::layouts)).
//! * **Capacity.** `cuckoofilter` rounds it up to a power of two, and that is the number of slots. So it cannot
//!   hold 65,536 items with a capacity of 65,536, and a capacity of 65,537 takes the memory of 131,072. Here a
//!   filter holds as many items as its capacity says, and large filters come in steps of a sixteenth or less.
//! * **Hashing.** `DefaultHasher` has no seed, and its algorithm may change with the compiler; see
//!   [`hashing`](crate::guide::hashing).
//!
//! This program checks the first three:
//!
//! ```
//! use std::collections::hash_map::DefaultHasher;
//!
//! const ITEMS: u64 = 65_536;
//! const PROBES: u64 = 100_000;
//!
//! let mut theirs = cuckoofilter::CuckooFilter::<DefaultHasher>::with_capacity(ITEMS as usize);
//! let refused = (0..ITEMS).filter(|item| theirs.add(item).is_err()).count();
//! let missed = (0..ITEMS).filter(|item| !theirs.contains(item)).count();
//! let wrong = (0..PROBES)
//!     .filter(|probe| theirs.contains(&(u64::MAX - probe)))
//!     .count();
//! assert_eq!(theirs.memory_usage() / 1024, 64);
//! assert!(refused > 0 && missed > 0);
//! assert!((0.02..0.04).contains(&(wrong as f64 / PROBES as f64)));
//!
//! let ours = lockfree_cuckoo::CuckooFilter::with_capacity(ITEMS as usize);
//! let refused = (0..ITEMS).filter(|item| ours.insert(item).is_err()).count();
//! let missed = (0..ITEMS).filter(|item| !ours.contains(item)).count();
//! let wrong = (0..PROBES)
//!     .filter(|probe| ours.contains(&(u64::MAX - probe)))
//!     .count();
//! assert!(ours.memory_usage() / 1024 < 256); // 170 with up to 16 processors
//! assert!(refused == 0 && missed == 0);
//! assert!(wrong as f64 / (PROBES as f64) < 0.0005);
//! ```
