//! Persistence: how to save a filter and load it.
//!
//! # Which call
//!
//! | the filter | call |
//! |---|---|
//! | may be in use | [`write_to`](crate::Filter::write_to), [`to_bytes`](crate::Filter::to_bytes) |
//! | may be in use, and the copy too | [`snapshot`](crate::Filter::snapshot) |
//! | is shared, but no thread writes during the call | [`chunks`](crate::Filter::chunks), which allocates nothing |
//! | is stored | [`read_from`](crate::Filter::read_from), [`from_bytes`](crate::Filter::from_bytes) |
//!
//! All of them use one format, the same on every machine ([`format`](crate::format)). It takes 8 bytes per bucket plus
//! 88, so 2.1 MB for a million items. A snapshot takes the memory of a second filter while it lives.
//!
//! To save to a file, write a new file and rename it. After a crash, either the old file or the new one is there,
//! complete. The example `storage` does this.
//!
//! # What a snapshot contains
//!
//! A snapshot contains every item that is stored from before the call until after it, and any subset of the items
//! inserted or removed during the call. So after a restart the filter misses the last inserts, and a "no" is not
//! certain until it has caught up. There are three ways to catch up:
//!
//! * **Stop the writers while you take the snapshot**, and record the position in the log of changes. Lookups continue.
//!   After a restart, load the snapshot and repeat the changes from that position. This is exact. Without a log, save
//!   after the writers have stopped for good; that is exact too.
//! * **Never remove, and insert with `insert_unique`.** A repeated insert then does no harm. Take snapshots at any
//!   time, and after a restart repeat the inserts from a moment before the last snapshot, as
//!   [below](#while-a-log-is-read).
//! * **Build the filter from the source of truth** at every start, and do not save it.
//!
//! If items are removed while writers are active, a snapshot cannot catch up. It is not known whether the snapshot has
//! the token of an item that was inserted or removed during the call. A repeated insert can leave a token that stays,
//! and a repeated removal can remove another item.
//!
//! # While a log is read
//!
//! One thread reads items from a log and inserts them with `insert_unique`, and another thread saves. No thread removes
//! items. Read the position of the log *before* the snapshot: all entries before it are then in the copy. If you read
//! it after the snapshot, both can miss the entries that arrived in between.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::error::Error;
//! use std::fs::{self, File};
//! use std::io::{ErrorKind, Read, Write};
//! use std::path::PathBuf;
//! use std::sync::Mutex;
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use std::thread;
//!
//! struct Seen {
//!     filter: CuckooFilter,
//!     position: AtomicU64, // all log entries before this one are in the filter
//!     directory: PathBuf,
//!     saving: Mutex<()>, // two threads must not write the new file at once
//! }
//!
//! impl Seen {
//!     /// At the first start there is no file: returns a new filter, at the start of the log.
//!     fn load(directory: PathBuf, capacity: usize) -> Result<Self, Box<dyn Error>> {
//!         let mut position = [0; 8];
//!         let filter = match File::open(directory.join("seen")) {
//!             Ok(mut file) => {
//!                 file.read_exact(&mut position)?;
//!                 CuckooFilter::read_from(file)?
//!             }
//!             Err(error) if error.kind() == ErrorKind::NotFound => {
//!                 CuckooFilter::with_capacity(capacity)
//!             }
//!             Err(error) => return Err(error.into()),
//!         };
//!         let position = u64::from_le_bytes(position).into();
//!         Ok(Self { filter, position, directory, saving: Mutex::new(()) })
//!     }
//!
//!     /// Inserts the rest of the log. Only one thread may call this.
//!     fn follow(&self, log: &[u64]) -> Result<(), Box<dyn Error>> {
//!         let from = self.position.load(Ordering::Relaxed);
//!         for (item, at) in log[from.try_into()?..].iter().zip(from..) {
//!             self.filter.insert_unique(item)?;
//!             // After the insert. Release: pairs with the Acquire in `save`.
//!             self.position.store(at + 1, Ordering::Release);
//!         }
//!         Ok(())
//!     }
//!
//!     /// Replaces the file. If other threads disturb the snapshot, the error has the kind `ResourceBusy`: save later.
//!     fn save(&self) -> std::io::Result<()> {
//!         let _one = self.saving.lock().expect("not poisoned");
//!         let position = self.position.load(Ordering::Acquire); // before the snapshot
//!         let new = self.directory.join("seen.new");
//!         let mut file = File::create(&new)?;
//!         file.write_all(&position.to_le_bytes())?;
//!         self.filter.write_to(&file)?;
//!         file.sync_all()?; // the content must be on the disk before the new name is
//!         fs::rename(&new, self.directory.join("seen"))?;
//!         if cfg!(unix) {
//!             File::open(&self.directory)?.sync_all()?; // and now the new name is on the disk
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let directory = std::env::temp_dir().join(format!("guide-{}", std::process::id()));
//! fs::create_dir_all(&directory)?;
//! let log: Vec<u64> = (0..100_000).collect();
//!
//! let seen = Seen::load(directory.clone(), 100_000)?;
//! thread::scope(|scope| {
//!     scope.spawn(|| seen.save()); // in a service, once per second
//!     seen.follow(&log[..60_000])
//! })?;
//! seen.save()?;
//!
//! // The next start.
//! let seen = Seen::load(directory.clone(), 100_000)?;
//! assert_eq!(seen.position.load(Ordering::Relaxed), 60_000);
//! seen.follow(&log)?;
//! assert!(log.iter().all(|item| seen.filter.contains(item)));
//! # fs::remove_dir_all(&directory)?;
//! # Ok::<(), Box<dyn Error>>(())
//! ```
//!
//! If several threads insert, save the position before which *all* have inserted. If each reads its own part, that is
//! the smallest of their positions. Do not save the end of the log: its last entries may not be inserted yet. The lock
//! works between threads of one process. If two processes save, give them two file names.
//!
//! # What can go wrong
//!
//! [`ReadError`](crate::ReadError) says whether a file is damaged, truncated, of a later version, of another kind or
//! layout, or not a filter. If you cannot read a filter, rebuild it from the source of truth.
//!
//! The checksums detect accidental damage. They do not protect against forged files, and a file contains the seed of
//! the default hasher ([`hashing`](super::hashing#attackers)). Protect the file, and sign it if you send it anywhere.
//!
//! The program that loads a filter must hash items like the program that saved it. The file contains the seed of the
//! default hasher. Pass any other hasher to the call
//! ([`from_bytes_with_hasher`](crate::Filter::from_bytes_with_hasher)), which refuses a wrong one. No check can detect
//! an item whose `Hash` differs between the two programs
//! ([`hashing`](super::hashing#several-machines-and-stored-filters)).
//!
//! # With serde
//!
//! With the feature `serde`, a filter is serialized as the bytes of its stored form. Serializing takes a snapshot, so
//! other threads may use the filter at the same time, and serializing can fail as a snapshot can. Choose a binary
//! format, such as `postcard` here: JSON takes up to four characters per byte.
//!
#![cfg_attr(feature = "serde", doc = "```")]
#![cfg_attr(not(feature = "serde"), doc = "```ignore")]
//! use lockfree_cuckoo::CuckooFilter;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct State {
//!     position: u64,
//!     seen: CuckooFilter,
//! }
//!
//! let state = State { position: 17, seen: CuckooFilter::with_capacity(1_000) };
//! state.seen.insert("flow")?;
//! let loaded: State = postcard::from_bytes(&postcard::to_allocvec(&state)?)?;
//! assert!(loaded.position == 17 && loaded.seen.contains("flow"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Deserializing takes any hasher other than the default one from `Default`, so that must be the same each time. The
//! `Default` of `std::hash::RandomState` is random, and every attempt fails with
//! [`OtherHasher`](crate::ReadError::OtherHasher). For such a hasher, store the bytes of `to_bytes`.
