//! Which hasher to use: the default and its seed, another hasher, or your own hashes.
//!
//! The filter uses only a 64-bit hash of each item. The high bits select the first bucket. The lowest bits are the
//! fingerprint: 16 with 4 x 16, as many as the [layout](super::layouts) says. The fingerprint leads from either bucket to the other.
//!
//! # The default
//!
//! [`RandomState`](crate::RandomState) is rapidhash v3 with a seed. Every filter draws its own random seed,
//! unless you give the builder a seed. Fix the seed if several filters must agree on hashes, if you store hashes,
//! or if a test must be repeatable. Otherwise leave it random, so that nobody can know it
//! ([`adversaries`](super::adversaries)).
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, RandomState};
//! use std::hash::BuildHasher;
//!
//! let seeded = || CuckooFilter::builder().capacity(1_000).seed(42).build();
//! let (today, yesterday) = (seeded()?, seeded()?);
//!
//! // With one seed, one hash serves both filters.
//! let hash = today.hash_one("flow");
//! yesterday.insert_hash(hash)?;
//! assert!(yesterday.contains("flow"));
//! assert_eq!(hash, RandomState::with_seed(42).hash_one("flow"));
//!
//! // Without a seed, each filter hashes differently.
//! assert_ne!(CuckooFilter::with_capacity(1_000).hash_one("flow"), hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With a fixed seed, the hashes of integers, `str` and byte strings are the same in every release of this crate
//! and on every machine. Other types decide in their `Hash` which bytes they feed to a hasher; see
//! [`portability`](super::portability).
//!
//! # Another hasher
//!
//! You can use any [`BuildHasher`](std::hash::BuildHasher) that mixes all 64 bits. Not all do, see
//! [`mixing`](super::mixing). Its type becomes a parameter of the filter's type. Two types have the same name:
//! `lockfree_cuckoo::RandomState` is the default of this crate, and `std::hash::RandomState` is the standard
//! library's SipHash with random keys.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! struct Service {
//!     seen: CuckooFilter<std::hash::RandomState>,
//! }
//!
//! let service = Service {
//!     seen: CuckooFilter::with_capacity_and_hasher(10_000, std::hash::RandomState::new()),
//! };
//! service.seen.insert("flow")?;
//! assert!(service.seen.contains("flow"));
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! # Your own hashes
//!
//! Every call for an item has a variant that takes a hash: `insert_hash`, `contains_hash`, `insert_many_hash` and
//! so on. These calls do not use the hasher. Use them to hash once for several filters, or to keep 8 bytes
//! instead of an item for its later removal. Use them too if the item already is a hash, such as the digest of a
//! content-addressed block:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! /// Any eight bytes of a cryptographic digest are a good hash.
//! fn hash_of(digest: &[u8; 32]) -> u64 {
//!     u64::from_le_bytes(digest[..8].try_into().expect("eight bytes"))
//! }
//!
//! let digest: [u8; 32] = [
//!     0x9f, 0x86, 0xd0, 0x81, 0x88, 0x4c, 0x7d, 0x65, 0x9a, 0x2f, 0xea, 0xa0, 0xc5, 0x5a, 0xd0,
//!     0x15, 0xa3, 0xbf, 0x4f, 0x1b, 0x2b, 0x0b, 0x82, 0x2c, 0xd1, 0x5d, 0x6c, 0x15, 0xb0, 0xf0,
//!     0x0a, 0x08,
//! ];
//! let stored = CuckooFilter::with_capacity(1_000);
//! stored.insert_hash(hash_of(&digest))?;
//! assert!(stored.contains_hash(hash_of(&digest)));
//! // This hashes the digest once more, so it is another item.
//! assert!(!stored.contains(&digest));
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! # One type for one item
//!
//! The calls take any type that implements `Hash`. So the compiler does not notice if you insert one type and
//! look up another. Owned and borrowed forms of a value hash alike, and so do references. Integers of different
//! widths hash differently, and text hashes differently from its bytes:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(1_000);
//! filter.insert("flow")?;
//! assert!(filter.contains(&String::from("flow")));
//! assert!(!filter.contains(b"flow"));
//!
//! filter.insert(&7u64)?;
//! assert!(!filter.contains(&7u32));
//! assert!(!filter.contains(&7)); // a literal without a suffix is an i32
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! Wrap the filter in a type of your own that takes one type of items, and these mistakes do not compile:
//!
//! ```
//! struct Flows(lockfree_cuckoo::CuckooFilter);
//! impl Flows { fn contains(&self, flow: u64) -> bool { self.0.contains(&flow) } }
//! ```
