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
//! either the old one or the new one, whole:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//! use std::error::Error;
//! use std::fs::{self, File};
//! use std::path::Path;
//! use std::thread;
//!
//! fn save(filter: &CuckooFilter, directory: &Path, name: &str) -> Result<(), Box<dyn Error>> {
//!     let mut copy = filter.snapshot()?;
//!     let temporary = directory.join(format!("{name}.new"));
//!     let file = File::create(&temporary)?;
//!     copy.write_to(&file)?;
//!     file.sync_all()?; // the content is on the disk before the name is
//!     fs::rename(&temporary, directory.join(name))?;
//!     if cfg!(unix) {
//!         File::open(directory)?.sync_all()?; // and now the name is
//!     }
//!     Ok(())
//! }
//!
//! let directory = std::env::temp_dir().join(format!("guide-{}", std::process::id()));
//! fs::create_dir_all(&directory)?;
//! let filter = CuckooFilter::with_capacity(100_000);
//! filter.insert("flow")?;
//! thread::scope(|scope| {
//!     scope.spawn(|| (0..50_000u32).all(|item| filter.insert(&item).is_ok()));
//!     save(&filter, &directory, "filter.lfcf")
//! })?;
//! let loaded = CuckooFilter::read_from(File::open(directory.join("filter.lfcf"))?)?;
//! assert!(loaded.contains("flow"));
//! # fs::remove_dir_all(&directory)?;
//! # Ok::<(), Box<dyn Error>>(())
//! ```
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
//!   any time, and repeat the inserts since some moment before the last one.
//! * **Build the filter from the source of truth** at every start, and do not save it.
//!
//! With removals and with writers at work, a snapshot cannot be caught up with: of an item that came or went
//! during the call, nobody knows whether its token is in. To insert it again can leave a token for ever, and to
//! remove it can hit another item.
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
//! use std::hash::RandomState;
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
//! With the feature `serde`, a filter is serialized as the bytes of its stored form. Text formats make them
//! long: as JSON, up to four characters a byte. To serialize takes a snapshot, so the filter may be in use, and
//! fails as a snapshot does:
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
//! [`write_to`]: crate::CuckooFilter::write_to
//! [`read_from`]: crate::CuckooFilter::read_from
//! [`to_bytes`]: crate::CuckooFilter::to_bytes
//! [`from_bytes`]: crate::CuckooFilter::from_bytes
//! [`snapshot`]: crate::CuckooFilter::snapshot
