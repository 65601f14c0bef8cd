//! How to save a filter and load it.
//!
//! # If no other thread uses it
//!
//! [`write_to`] writes a filter to a file or any other writer. [`read_from`] reads it back, with its capacity,
//! its search budget and the seed of its hasher. [`to_bytes`] and [`from_bytes`] do the same with bytes. The
//! stored form is the same on every machine; [`format`](crate::format) documents it. It takes 8 bytes per bucket
//! and 88 more, so 2.1 MB for a million items.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::fs::{self, File};
//!
//! let path = std::env::temp_dir().join(format!("guide-{}.lfcf", std::process::id()));
//!
//! let mut filter = CuckooFilter::with_capacity(1_000_000);
//! filter.insert("flow")?;
//! filter.write_to(File::create(&path)?)?;
//! assert_eq!(fs::metadata(&path)?.len(), 8 * (1 << 18) + 88);
//!
//! let loaded = CuckooFilter::read_from(File::open(&path)?)?;
//! assert!(loaded.contains("flow"));
//! assert_eq!((loaded.len(), loaded.capacity()), (1, 1_000_000));
//! # fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # While other threads use it
//!
//! `write_to` takes `&mut self`, so no other thread can use the filter meanwhile. To save a filter that is in
//! use, take a [`snapshot`], which is a separate filter, and write that. Write to a new file and rename it. Then
//! a crash leaves either the old file or the new file, complete. Two threads must not write the new file at once,
//! so a thread that saves holds a lock. Threads that use the filter need no lock:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::error::Error;
//! use std::fs::{self, File};
//! use std::path::PathBuf;
//! use std::sync::Mutex;
//! use std::thread;
//!
//! /// Where a filter is saved.
//! struct Place {
//!     directory: PathBuf,
//!     name: String,
//!     saving: Mutex<()>,
//! }
//!
//! impl Place {
//!     fn save(&self, filter: &CuckooFilter) -> Result<(), Box<dyn Error>> {
//!         let _one = self.saving.lock().expect("not poisoned");
//!         let mut copy = filter.snapshot()?;
//!         let temporary = self.directory.join(format!("{}.new", self.name));
//!         let file = File::create(&temporary)?;
//!         copy.write_to(&file)?;
//!         file.sync_all()?; // the content must be on the disk before the new name is
//!         fs::rename(&temporary, self.directory.join(&self.name))?;
//!         if cfg!(unix) {
//!             File::open(&self.directory)?.sync_all()?; // and now the new name is on the disk
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let directory = std::env::temp_dir().join(format!("guide-{}", std::process::id()));
//! fs::create_dir_all(&directory)?;
//! let place = Place {
//!     directory: directory.clone(),
//!     name: "filter.lfcf".to_owned(),
//!     saving: Mutex::new(()),
//! };
//! let filter = CuckooFilter::with_capacity(100_000);
//! filter.insert("flow")?;
//! thread::scope(|scope| {
//!     scope.spawn(|| (0..50_000u32).all(|item| filter.insert(&item).is_ok()));
//!     scope.spawn(|| place.save(&filter).expect("saved"));
//!     place.save(&filter)
//! })?;
//! let loaded = CuckooFilter::read_from(File::open(directory.join("filter.lfcf"))?)?;
//! assert!(loaded.contains("flow"));
//! # fs::remove_dir_all(&directory)?;
//! # Ok::<(), Box<dyn Error>>(())
//! ```
//!
//! The lock only works between threads of one process. If two processes save, they need two file names.
//!
//! A snapshot takes the memory of a second filter while it lives. Only one snapshot can be under way at a time:
//! if another thread asks meanwhile, the call returns [`Busy`](crate::SnapshotError::Busy). If other threads
//! disturb the snapshot too often, the call returns [`Disturbed`](crate::SnapshotError::Disturbed). In both cases
//! you can try again. The example `save_and_load` is a service that loads its filter when it starts and saves it
//! when it stops.
//!
//! # A piece at a time
//!
//! [`chunks`](crate::Filter::chunks) gives the stored form in pieces of any size, from `&self`, and makes no copy. It is for
//! programs that know that nobody writes meanwhile: a server that runs one command at a time, or the child of a fork.
//! If somebody writes all the same, it says so, or what it gives holds what a snapshot holds. To read pieces, implement
//! [`Read`](std::io::Read) over them, and call `read_from`.
//!
//! # What a snapshot contains
//!
//! A snapshot contains every item that was in from before the call until after it. It may contain any part of
//! what was inserted or removed during the call. It contains nothing that was inserted later. So after a restart
//! the filter misses the last inserts. A "no" is not certain until the filter has caught up. There are three
//! ways:
//!
//! * **Stop the writers while you take the snapshot**, and record the position in the log of changes. Lookups go
//!   on. After a restart, load the snapshot and repeat the changes from that position. This is exact. Without a
//!   log, save after the writers have stopped for good; that is exact too.
//! * **Never remove, and insert with `insert_unique`.** Then a repeated insert does no harm. Take snapshots at
//!   any time, and after a restart repeat the inserts from some moment before the last snapshot. The code is
//!   [below](#every-second-while-a-log-is-read).
//! * **Build the filter from the source of truth** at every start, and do not save it.
//!
//! If items are removed and writers are active, a snapshot cannot catch up. For an item that was inserted or
//! removed during the call, nobody knows whether the snapshot has its token. A repeated insert can leave a token
//! for ever. A repeated removal can remove another item.
//!
//! # Every second, while a log is read
//!
//! In this program one thread reads items from a log and inserts them with `insert_unique`, and another thread
//! saves. No thread removes items. Two orders matter:
//!
//! * **Read the position of the log before the snapshot.** At that time all entries before the position are in
//!   the filter, so all are in the copy. If you read it after the snapshot, entries that came meanwhile could be
//!   missing from both.
//! * **Write the position to the disk after the rename.** A crash between the two leaves a newer filter with an
//!   older position. Then some inserts are repeated, which does no harm. In the other order, some inserts would
//!   be lost.
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, SnapshotError};
//! use std::error::Error;
//! use std::fs::{self, File};
//! use std::io::{self, ErrorKind, Write};
//! use std::path::PathBuf;
//! use std::sync::Mutex;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
//! use std::thread;
//! use std::time::Duration;
//!
//! struct Seen {
//!     filter: CuckooFilter,
//!     position: AtomicUsize, // all log entries before this one are in the filter
//!     directory: PathBuf,
//!     saving: Mutex<()>,
//! }
//!
//! impl Seen {
//!     /// At the first start there is no file: returns a new filter, at the start of the log.
//!     fn load(directory: PathBuf, capacity: usize) -> Result<Self, Box<dyn Error>> {
//!         let (filter, position) = match File::open(directory.join("filter")) {
//!             Ok(file) => {
//!                 let filter = CuckooFilter::read_from(file)?;
//!                 let position = match fs::read_to_string(directory.join("position")) {
//!                     Ok(text) => text.parse()?,
//!                     Err(error) if error.kind() == ErrorKind::NotFound => 0,
//!                     Err(error) => return Err(error.into()),
//!                 };
//!                 (filter, position)
//!             }
//!             Err(error) if error.kind() == ErrorKind::NotFound => {
//!                 (CuckooFilter::with_capacity(capacity), 0)
//!             }
//!             Err(error) => return Err(error.into()),
//!         };
//!         let (position, saving) = (AtomicUsize::new(position), Mutex::new(()));
//!         Ok(Self { filter, position, directory, saving })
//!     }
//!
//!     /// Inserts the rest of the log. Only one thread may call this.
//!     fn follow(&self, log: &[u64]) -> Result<(), Box<dyn Error>> {
//!         for at in self.position.load(Ordering::Relaxed)..log.len() {
//!             self.filter.insert_unique(&log[at])?;
//!             // After the insert. Release: pairs with the Acquire in `save`.
//!             self.position.store(at + 1, Ordering::Release);
//!         }
//!         Ok(())
//!     }
//!
//!     fn save(&self) -> Result<(), Box<dyn Error>> {
//!         let _one = self.saving.lock().expect("not poisoned");
//!         let position = self.position.load(Ordering::Acquire); // before the snapshot
//!         let mut copy = self.snapshot()?;
//!         self.replace("filter", |file| copy.write_to(file))?;
//!         self.replace("position", |mut file| write!(file, "{position}"))?; // after the rename
//!         Ok(())
//!     }
//!
//!     /// Tries again if other threads disturbed the snapshot.
//!     fn snapshot(&self) -> Result<CuckooFilter, SnapshotError> {
//!         for _ in 0..5 {
//!             match self.filter.snapshot() {
//!                 Err(SnapshotError::Disturbed) => thread::sleep(Duration::from_millis(10)),
//!                 outcome => return outcome,
//!             }
//!         }
//!         self.filter.snapshot()
//!     }
//!
//!     /// Replaces a file atomically and durably.
//!     fn replace(
//!         &self,
//!         name: &str,
//!         write: impl FnOnce(&File) -> io::Result<()>,
//!     ) -> io::Result<()> {
//!         let temporary = self.directory.join(format!("{name}.new"));
//!         let file = File::create(&temporary)?;
//!         write(&file)?;
//!         file.sync_all()?;
//!         fs::rename(&temporary, self.directory.join(name))?;
//!         if cfg!(unix) {
//!             File::open(&self.directory)?.sync_all()?;
//!         }
//!         Ok(())
//!     }
//!
//!     /// Saves after every period until the sender of `stop` is dropped, and then once more.
//!     fn keep_saving(&self, period: Duration, stop: Receiver<()>) {
//!         loop {
//!             let last = stop.recv_timeout(period) != Err(RecvTimeoutError::Timeout);
//!             if let Err(error) = self.save() {
//!                 eprintln!("not saved, the previous files remain: {error}");
//!             }
//!             if last {
//!                 return;
//!             }
//!         }
//!     }
//! }
//!
//! let directory = std::env::temp_dir().join(format!("guide-log-{}", std::process::id()));
//! fs::create_dir_all(&directory)?;
//! let log: Vec<u64> = (0..100_000).collect();
//!
//! let seen = Seen::load(directory.clone(), 100_000)?;
//! thread::scope(|scope| {
//!     let (running, stop) = mpsc::channel();
//!     scope.spawn(|| seen.keep_saving(Duration::from_secs(1), stop));
//!     let followed = seen.follow(&log[..60_000]);
//!     drop(running);
//!     followed
//! })?;
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
//! If several threads insert, the position is the one before which *all* have inserted. If each reads its own
//! part, it is the smallest of their positions. Do not take the end of the log: its last entries may be written
//! but not yet inserted. If you delete the filter's file, the next start begins at the start of the log: `load`
//! then ignores the position.
//!
//! # What can go wrong
//!
//! [`ReadError`](crate::ReadError) says whether a file is damaged, cut off, of a later version, or not a filter.
//! The reader checks all input. No input can make it panic, or allocate out of proportion to the input's length.
//! If you cannot read a filter, build a new one:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! fn load(stored: &[u8], source: &[&str]) -> CuckooFilter {
//!     CuckooFilter::from_bytes(stored).unwrap_or_else(|error| {
//!         eprintln!("{error}; building the filter anew");
//!         source.iter().collect()
//!     })
//! }
//!
//! let mut filter: CuckooFilter = ["a", "b"].into_iter().collect();
//! let mut stored = filter.to_bytes();
//! assert!(load(&stored, &[]).contains("a"));
//! stored.pop();
//! assert!(load(&stored, &["a", "b"]).contains("a"));
//! ```
//!
//! The checksums find accidental damage. They do not protect against forged files. A file also contains the seed
//! of the default hasher ([`adversaries`](super::adversaries)). So protect the file, and sign it if you send it
//! somewhere.
//!
//! # Items and hashers
//!
//! The file does not contain the items. So the program that loads it must hash items like the program that saved
//! it. The file contains the default hasher's seed. You must pass any other hasher to the call. The call checks
//! it and fails for a wrong one, because with it the filter would miss every item.
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, ReadError};
//! use std::hash::RandomState; // the standard library's, not lockfree_cuckoo::RandomState
//!
//! let keys = RandomState::new();
//! let mut filter = CuckooFilter::with_capacity_and_hasher(100, keys.clone());
//! filter.insert("flow")?;
//! let stored = filter.to_bytes();
//!
//! assert!(matches!(
//!     CuckooFilter::from_bytes(&stored),
//!     Err(ReadError::HasherNeeded)
//! ));
//! let other_keys = CuckooFilter::from_bytes_with_hasher(&stored, RandomState::new());
//! assert!(matches!(other_keys, Err(ReadError::OtherHasher)));
//! let loaded = CuckooFilter::from_bytes_with_hasher(&stored, keys)?;
//! assert!(loaded.contains("flow"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No check can detect a type whose `Hash` differs between the two programs; see
//! [`portability`](super::portability).
//!
//! # With serde
//!
//! With the feature `serde`, a filter is serialized as the bytes of its stored form. Serializing takes a
//! snapshot. So other threads may use the filter meanwhile, and serializing can fail as a snapshot can. Choose a
//! binary format, which adds only a few bytes. A filter can be a field of a struct. With these `[dependencies]`:
//!
//! ```toml
//! lockfree-cuckoo = { path = "...", features = ["serde"] }
//! serde = { version = "1", features = ["derive"] }
//! postcard = { version = "1", default-features = false, features = ["alloc"] }
//! ```
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
//! let state = State {
//!     position: 17,
//!     seen: CuckooFilter::with_capacity(1_000),
//! };
//! state.seen.insert("flow")?;
//! let bytes = postcard::to_allocvec(&state)?;
//! let loaded: State = postcard::from_bytes(&bytes)?;
//! assert_eq!(loaded.position, 17);
//! assert!(loaded.seen.contains("flow"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Text formats make the bytes long: JSON takes up to four characters per byte. Use these `[dependencies]`, here
//! and below:
//!
//! ```toml
//! lockfree-cuckoo = { path = "...", features = ["serde"] }
//! serde_json = "1"
//! ```
//!
#![cfg_attr(feature = "serde", doc = "```")]
#![cfg_attr(not(feature = "serde"), doc = "```ignore")]
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(100);
//! filter.insert("flow")?;
//! let json = serde_json::to_string(&filter)?;
//! let loaded: CuckooFilter = serde_json::from_str(&json)?;
//! assert!(loaded.contains("flow"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Deserializing takes the hasher from `Default`, except for the crate's own hasher, which comes with the bytes.
//! So the `Default` must be the same each time. The `Default` of `std::hash::RandomState` is random, so every
//! attempt fails with [`OtherHasher`](crate::ReadError::OtherHasher). For such a hasher, store the bytes of
//! `to_bytes`, and load them with [`from_bytes_with_hasher`](crate::CuckooFilter::from_bytes_with_hasher), as
//! above:
//!
#![cfg_attr(feature = "serde", doc = "```")]
#![cfg_attr(not(feature = "serde"), doc = "```ignore")]
//! use lockfree_cuckoo::{CuckooFilter, ReadError};
//! use std::hash::RandomState;
//!
//! let filter = CuckooFilter::with_capacity_and_hasher(100, RandomState::new());
//! let json = serde_json::to_string(&filter)?;
//! let outcome = serde_json::from_str::<CuckooFilter<RandomState>>(&json);
//! let error = outcome.err().expect("another hasher").to_string();
//! assert!(error.contains(&ReadError::OtherHasher.to_string()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`write_to`]: crate::CuckooFilter::write_to
//! [`read_from`]: crate::CuckooFilter::read_from
//! [`to_bytes`]: crate::CuckooFilter::to_bytes
//! [`from_bytes`]: crate::CuckooFilter::from_bytes
//! [`snapshot`]: crate::CuckooFilter::snapshot
