//! Hashes that several processes share: hash bytes.
//!
//! Two processes that share hashes, or a stored filter, must hash each item alike, on any machine and with any
//! compiler. The default hasher does its part: with one seed, it computes the same hash of the same bytes
//! everywhere. But the item's `Hash` chooses the bytes. The standard library does not promise that these are the
//! same on all platforms, or in all versions of the compiler.
//!
//! One example: a slice of integers feeds its memory, in the byte order of the machine:
//!
//! ```
//! use std::hash::{Hash, Hasher};
//!
//! /// Records the bytes that it gets.
//! #[derive(Default)]
//! struct Bytes(Vec<u8>);
//!
//! impl Hasher for Bytes {
//!     fn write(&mut self, bytes: &[u8]) {
//!         self.0.extend(bytes);
//!     }
//!
//!     fn finish(&self) -> u64 {
//!         0
//!     }
//! }
//!
//! let mut fed = Bytes::default();
//! [0x0102u16, 0x0304][..].hash(&mut fed);
//! let native = [0x0102u16.to_ne_bytes(), 0x0304u16.to_ne_bytes()].concat();
//! assert!(fed.0.ends_with(&native)); // after the length, as a usize
//! ```
//!
//! The library or the author also chooses how the variant of an enum, the fields of a derived `Hash`, lengths and
//! separators are fed. (For single integers, the default hasher gets the little-endian bytes, and sizes as 64
//! bits. The tests of this crate fix the hashes of integers, `str` and byte slices.)
//!
//! So encode the item yourself, feed the bytes to the hasher in one `write`, and use the calls that take a
//! hash:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, RandomState};
//! use std::hash::{BuildHasher, Hasher};
//!
//! /// The hash of these bytes for this seed, the same on every machine and in every version.
//! fn hash_bytes(state: &RandomState, bytes: &[u8]) -> u64 {
//!     let mut hasher = state.build_hasher();
//!     hasher.write(bytes);
//!     hasher.finish()
//! }
//!
//! struct Flow {
//!     host: String,
//!     port: u16,
//! }
//!
//! impl Flow {
//!     /// Fixed widths, little-endian, and a length before each part of variable length. So no two flows have one
//!     /// encoding.
//!     fn encode(&self) -> Vec<u8> {
//!         let mut bytes = Vec::new();
//!         bytes.extend((self.host.len() as u64).to_le_bytes());
//!         bytes.extend(self.host.as_bytes());
//!         bytes.extend(self.port.to_le_bytes());
//!         bytes
//!     }
//! }
//!
//! let state = RandomState::with_seed(42);
//! let flow = Flow { host: "example.org".into(), port: 443 };
//! let hash = hash_bytes(&state, &flow.encode());
//! assert_eq!(hash, 0x25f8_ae09_640b_a6d9);
//!
//! let seen = CuckooFilter::builder().capacity(1_000).hasher(state).build()?;
//! seen.insert_hash(hash)?;
//! assert!(seen.contains_hash(hash));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Do not use these hashers for this: the standard library's `DefaultHasher`, whose algorithm is unspecified and
//! may change; its `RandomState`, whose keys are random and cannot be set; and any hasher whose documentation
//! does not promise the same output on every machine and in every version.
