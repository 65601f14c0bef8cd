//! Which hasher: the default, its seed, and hashes that you have.
//!
//! The filter keeps nothing of an item but 64 bits of hash, and of those only where they lead: the high bits
//! select the first bucket, the lowest 16 are the fingerprint, and the fingerprint leads from either bucket to
//! the other.
//!
//! # The default
//!
//! [`RandomState`](crate::RandomState) is rapidhash v3 with a seed. Every filter draws a seed of its own at
//! random, unless the builder is given one. Fix the seed where several filters must agree on hashes, where
//! hashes are stored, or where a test must repeat. Otherwise leave it random, so that nobody can know it
//! ([`adversaries`](super::adversaries)).
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, RandomState};
//! use std::hash::BuildHasher;
//!
//! let seeded = || CuckooFilter::builder().capacity(1_000).seed(42).build();
//! let (today, yesterday) = (seeded()?, seeded()?);
//!
//! // One seed: an item is hashed once for both.
//! let hash = today.hash_one("flow");
//! yesterday.insert_hash(hash)?;
//! assert!(yesterday.contains("flow"));
//! assert_eq!(hash, RandomState::with_seed(42).hash_one("flow"));
//!
//! // No seed given: hashes of one filter mean nothing to another.
//! assert_ne!(CuckooFilter::with_capacity(1_000).hash_one("flow"), hash);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With a fixed seed, hashes of integers, of `str` and of byte strings are the same in every release of this
//! crate and on every machine. What other types feed to a hasher is up to their `Hash`; see
//! [`portability`](super::portability).
//!
//! # Another hasher
//!
//! Any [`BuildHasher`](std::hash::BuildHasher) will do that mixes all 64 bits; not all do, see
//! [`mixing`](super::mixing). Its type becomes a parameter of the filter's type. Mind the names:
//! `lockfree_cuckoo::RandomState`, the default, and `std::hash::RandomState`, the standard library's SipHash
//! with random keys, are two types.
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
//! # Hashes that you have
//!
//! Every call for an item has a twin that takes the hash: `insert_hash`, `contains_hash`, `insert_many_hash`
//! and so on. They do not touch the hasher. Use them to hash once for several filters, to keep 8 bytes instead
//! of an item for its later removal, or where the item is a hash already, such as the name of a block that is
//! addressed by its content:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! /// Eight bytes of a cryptographic digest are as good a hash as any.
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
//! // Not the same item: this would hash the digest once more.
//! assert!(!stored.contains(&digest));
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! # One type for one item
//!
//! The calls take any type that is `Hash`, so the compiler does not notice if you insert one type and look up
//! another. Owned and borrowed forms agree, and so do references. Widths differ, and text differs from its
//! bytes:
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
//! assert!(!filter.contains(&7)); // an i32, like every bare number
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! [`TypedCuckooFilter`](crate::TypedCuckooFilter) is the same filter for items of one type; there, these
//! mistakes do not compile.
