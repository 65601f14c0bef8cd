//! Saving a filter, and loading it.
//!
//! # When nobody else uses it
//!
//! [`write_to`] writes a filter to a file or any other writer, [`read_from`] makes it again, with its capacity,
//! its search budget and the seed of its hasher. [`to_bytes`] and [`from_bytes`] do the same with bytes. The
//! form is the same on every machine, and [`format`](crate::format) documents it: 8 bytes a bucket and 68 more,
//! so 2.1 MB for a million items.
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
//! assert_eq!(fs::metadata(&path)?.len(), 8 * (1 << 18) + 68);
//!
//! let loaded = CuckooFilter::read_from(File::open(&path)?)?;
//! assert!(loaded.contains("flow"));
//! assert_eq!((loaded.len(), loaded.capacity()), (1, 1_000_000));
//! # fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # While others use it
//!
//! `write_to` takes `&mut self`, so the compiler keeps others away. To save a filter that is in use, take a
//! [`snapshot`], which is a filter of its own, and write that. And write to a new file, so that a crash leaves
//! either the old one or the new one, whole. Two threads must not write the new file at once, so whoever saves
//! holds a lock. Those who use the filter do not:
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
//!         file.sync_all()?; // the content is on the disk before the name is
//!         fs::rename(&temporary, self.directory.join(&self.name))?;
//!         if cfg!(unix) {
//!             File::open(&self.directory)?.sync_all()?; // and now the name is
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
//! The lock keeps threads of one process apart. Two processes that save need two names.
//!
//! A snapshot takes the memory of a second filter while it lives. One can be taken at a time: another thread
//! that asks meanwhile is told [`Busy`](crate::SnapshotError::Busy). One that others disturb too much is given
//! up as [`Disturbed`](crate::SnapshotError::Disturbed). Both can be tried again. The example `save_and_load`
//! is a service that loads its filter when it starts and saves it when it stops.
//!
//! Not `clone`: a clone is exact while nobody writes, but it can miss items that move meanwhile.
//!
//! # What a snapshot has
//!
//! Every item that was in from before the call until after it. Of what was inserted or removed during the call,
//! it has any part. Of what came later it has nothing. So after a restart the filter does not know of the last
//! inserts, and a "no" is no longer certain, until it has caught up. There are three ways:
//!
//! * **Hold the writers back while the snapshot is taken**, and note how far the log of changes is; lookups go
//!   on. After a restart, load the snapshot and repeat the changes from there. This is exact. Where there is no
//!   log, the same is to save when the writers have stopped for good.
//! * **Never remove, and insert with `insert_unique`.** Then it does no harm to insert twice: take snapshots at
//!   any time, and repeat the inserts since some moment before the last one. The code is
//!   [below](#every-second-while-a-log-is-read).
//! * **Build the filter from the source of truth** at every start, and do not save it.
//!
//! With removals and with writers at work, a snapshot cannot be caught up with: of an item that came or went
//! during the call, nobody knows whether its token is in. To insert it again can leave a token for ever, and to
//! remove it can hit another item.
//!
//! # Every second, while a log is read
//!
//! Here a thread takes items from a log and inserts them with `insert_unique`, and another thread saves. Nothing
//! is ever removed. Two orders matter:
//!
//! * **Read the position of the log before the snapshot.** All entries before it are in the filter by then, so
//!   all are in the copy. Were it read after, entries that came meanwhile could be in neither.
//! * **Make the position durable after the rename.** A crash between the two leaves a newer filter with an older
//!   position. Then some inserts are repeated, which does no harm. The other way round, some would be lost.
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
//!     position: AtomicUsize, // all entries of the log before it are in the filter
//!     directory: PathBuf,
//!     saving: Mutex<()>,
//! }
//!
//! impl Seen {
//!     /// With no file, which is how it begins, a new filter and the whole log.
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
//!     /// Inserts the rest of the log. For one thread.
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
//!     /// Tries again when others have disturbed it.
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
//!     /// Puts a file in the place of another, whole and for good.
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
//!     /// Saves after every period until there is nobody left to say stop, and once more then.
//!     fn keep_saving(&self, period: Duration, stop: Receiver<()>) {
//!         loop {
//!             let last = stop.recv_timeout(period) != Err(RecvTimeoutError::Timeout);
//!             if let Err(error) = self.save() {
//!                 eprintln!("not saved, the files before stand: {error}");
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
//! With several threads that insert, the position is the one before which *all* have inserted: the least of
//! theirs, if each reads a part of its own. It is not the end of the log, where the last entries may be written
//! and not yet inserted. And whoever deletes the filter's file starts from the beginning: `load` does not look
//! at the position then.
//!
//! # What can go wrong
//!
//! [`ReadError`](crate::ReadError) tells a file that is damaged, cut off, of a later version, or no filter. All
//! input is checked, and it cannot make a reader panic or allocate out of proportion to its length. A filter
//! that cannot be read is no disaster if it can be built anew:
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
//! The checksums find accidents. Against somebody who forges files they do nothing, and a file has the seed of
//! the default hasher in it ([`adversaries`](super::adversaries)): protect it, and sign it if it travels.
//!
//! # Items and hashers
//!
//! The file has no items, so the program that loads it must hash as the one that saved it did. The default
//! hasher comes with the file. Another one is handed over, and recognized: with a wrong one the call fails,
//! because the filter would miss everything.
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
//! What no check can see is a type whose `Hash` differs between the two programs; see
//! [`portability`](super::portability).
//!
//! # With serde
//!
//! With the feature `serde`, a filter is serialized as the bytes of its stored form. To serialize takes a
//! snapshot, so the filter may be in use, and fails as a snapshot does. Choose a binary format, which adds a few
//! bytes. The filter can be a field. With these `[dependencies]`:
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
//! Text formats make the bytes long: as JSON, up to four characters a byte. With these `[dependencies]`, here and
//! below:
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
//! To deserialize takes the hasher from `Default`, unless it is the crate's own, which comes with the bytes. So
//! it has to be a hasher that is the same each time. The `Default` of `std::hash::RandomState` is random, so with
//! it every attempt fails as [`OtherHasher`](crate::ReadError::OtherHasher). Keep the bytes of `to_bytes` there,
//! and load with [`from_bytes_with_hasher`](crate::CuckooFilter::from_bytes_with_hasher), as above:
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
