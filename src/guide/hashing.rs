//! Hashing: which hasher, your own hashes, several machines, and attackers.
//!
//! The filter uses only a 64-bit hash of each item. The high bits select the first bucket. The lowest bits are the
//! fingerprint: 16 bits with 4 x 16; the [layout](super::layouts) sets the number. One bucket and the fingerprint
//! determine the other bucket.
//!
//! # The default hasher
//!
//! [`RandomState`](crate::RandomState) is rapidhash v3 with a seed. Every filter draws its own random seed. Fix the
//! seed if several filters must agree on hashes, if you store hashes, or if a test must be repeatable. Otherwise leave
//! it random, so that no attacker knows it.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let seeded = || CuckooFilter::builder().capacity(1_000).seed(42).build();
//! let (today, yesterday) = (seeded()?, seeded()?);
//! let hash = today.hash_one("flow");
//! yesterday.insert_hash(hash)?; // one hash serves both
//! assert!(yesterday.contains("flow"));
//!
//! assert_ne!(CuckooFilter::with_capacity(1_000).hash_one("flow"), hash); // another seed
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Another hasher
//!
//! The filter takes any [`BuildHasher`](std::hash::BuildHasher) that [mixes well](#what-a-hasher-must-provide). The
//! hasher's type is a parameter of the filter's type, as in `CuckooFilter<std::hash::RandomState>`. Two types have the
//! same name: `lockfree_cuckoo::RandomState` is the default of this crate, and `std::hash::RandomState` is the standard
//! library's SipHash with random keys.
//!
//! # One type for one item
//!
//! The calls take any type that implements `Hash`, so the compiler accepts an insert of one type and a lookup of
//! another. Owned and borrowed forms of a value hash alike, and so do references. Integers of different widths hash
//! differently, and text hashes differently from its bytes:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(1_000);
//! filter.insert("flow")?;
//! assert!(filter.contains(&String::from("flow")));
//! assert!(!filter.contains(b"flow".as_slice()));
//!
//! filter.insert(&7u64)?;
//! assert!(!filter.contains(&7u32));
//! assert!(!filter.contains(&7)); // a literal without a suffix is an i32
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! To turn these mistakes into compile errors, wrap the filter in your own type that takes one type of item:
//!
//! ```
//! struct Flows(lockfree_cuckoo::CuckooFilter);
//! impl Flows { fn contains(&self, flow: u64) -> bool { self.0.contains(&flow) } }
//! ```
//!
//! # Your own hashes
//!
//! Every call for an item has a variant that takes a hash: `insert_hash`, `contains_hash`, `insert_many_hash` and so
//! on. They do not use the hasher. Use them to hash once for several filters, to keep 8 bytes instead of an item for
//! its later removal, or if the item already is a hash. Any eight bytes of a cryptographic digest are a good hash.
//!
//! * **Do not widen a hash of 32 bits**, such as CRC-32, FNV-1a or MurmurHash3. It has no high bits, so every item has
//!   the same first bucket. Compute a 64-bit hash. If you have only the 32 bits, pass them as an item. Two items with
//!   the same 32 bits are then the same item: with a million stored items, that adds one wrong answer in 4,300 lookups.
//! * **Do not pass a unique number as a hash**: a counter, an address, a timestamp. Pass it as an item. Even a random
//!   UUID is not a hash: two of its last 64 bits are the same in all UUIDs. If these are the highest bits, the first
//!   bucket of every item is in one quarter of the table.
//!
//! # What a hasher must provide
//!
//! It must spread items evenly over the high bits and over the low bits, independently of each other. A hash table
//! compares keys, so a poor hash only makes it slower. A filter has no keys: with a poor hash it refuses items early,
//! or answers "yes" for absent items. If you are not sure about a hasher, measure it with your own items. These bounds
//! are measured values, rounded; `cargo test --doc guide::hashing` checks them:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, RandomState};
//! use std::hash::BuildHasher;
//!
//! /// Inserts 100,000 items until one is refused, and looks up 100,000 others. Returns the number of items that are in
//! /// and the percentage of wrong answers.
//! fn outcome(hash: impl Fn(u64) -> u64) -> (u64, f64) {
//!     const ITEMS: u64 = 100_000;
//!     let filter = CuckooFilter::with_capacity(ITEMS as usize);
//!     let refused = (0..ITEMS).find(|&item| filter.insert_hash(hash(item)).is_err());
//!     let wrong = (ITEMS..2 * ITEMS).filter(|&item| filter.contains_hash(hash(item))).count();
//!     (refused.unwrap_or(ITEMS), 100.0 * wrong as f64 / ITEMS as f64)
//! }
//!
//! let state = RandomState::with_seed(1);
//! let items: [fn(u64) -> u64; 3] = [|i| i, |i| i * 4096, |i| (i as f64).to_bits()];
//! for item in items {
//!     let (inserted, wrong) = outcome(|number| state.hash_one(item(number)));
//!     assert!(inserted == 100_000 && wrong < 0.03);
//! }
//!
//! // The number itself has no high bits.
//! let (inserted, wrong) = outcome(|number| number);
//! assert!(inserted < 10_000 && wrong > 1.0);
//!
//! // Nor has a hash of 32 bits, however good.
//! let (inserted, wrong) = outcome(|number| state.hash_one(number) & 0xffff_ffff);
//! assert!(inserted < 2_000 && wrong > 1.0);
//!
//! // The low bits of a product depend on the low bits of the item alone: there are 16 fingerprints for all page
//! // addresses. Nothing is refused, and most answers are wrong.
//! let (inserted, wrong) = outcome(|page| (page * 4096).wrapping_mul(0x9e37_79b9_7f4a_7c15));
//! assert!(inserted == 100_000 && wrong > 50.0);
//!
//! // A rotated product, as in rustc-hash 2, suits numbers and addresses, but not the bits of whole floats.
//! let rotated = |item: u64| item.wrapping_mul(0xf135_7aea_2e62_a9c5).rotate_left(26);
//! let (inserted, wrong) = outcome(|page| rotated(page * 4096));
//! assert!(inserted == 100_000 && wrong < 0.03);
//! assert!(outcome(|number| rotated((number as f64).to_bits())).0 < 10_000);
//! ```
//!
//! [`false_positive_rate`](crate::Filter::false_positive_rate) does not reveal a poor hash. If an insert is refused
//! early, [`suggests_poor_hashing`](crate::InsertError::suggests_poor_hashing) does.
//!
//! # Several machines, and stored filters
//!
//! Programs that share hashes or stored filters must hash each item alike, on any machine and with any compiler. With
//! the same seed, the default hasher computes the same hash of the same bytes everywhere, and in every release. But the
//! item's `Hash` chooses the bytes. The standard library does not guarantee them: a slice of integers writes its memory
//! in the machine's byte order, and the encoding of enum variants, derived `Hash`, lengths and separators can change.
//! The tests of this crate fix the hashes of integers, `str` and byte slices.
//!
//! To avoid these dependencies, encode the item yourself, hash the bytes with
//! [`hash_bytes`](crate::RandomState::hash_bytes), and use the calls that take a hash:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, RandomState};
//!
//! struct Flow {
//!     host: String,
//!     port: u16,
//! }
//!
//! impl Flow {
//!     /// Integers have a fixed width and byte order, and a length precedes each part of variable length. So no two
//!     /// flows have one encoding.
//!     fn encode(&self) -> Vec<u8> {
//!         let length = (self.host.len() as u64).to_le_bytes();
//!         [&length, self.host.as_bytes(), &self.port.to_le_bytes()].concat()
//!     }
//! }
//!
//! let flow = Flow { host: "example.org".into(), port: 443 };
//! let hash = RandomState::with_seed(42).hash_bytes(&flow.encode());
//! assert_eq!(hash, 0xaaca_b537_522b_5608);
//!
//! let seen = CuckooFilter::builder().capacity(1_000).seed(42).build()?;
//! seen.insert_hash(hash)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Do not use the standard library's `DefaultHasher` or `RandomState` for this. The algorithm of `DefaultHasher` may
//! change. `RandomState` has random keys that you cannot set.
//!
//! # Attackers
//!
//! **An attacker who knows the seed**, or the hashes, can compute two items that the filter cannot distinguish. One of
//! them causes a wrong "yes", and its removal removes the other:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = || CuckooFilter::builder().capacity(100).seed(7).build();
//! let (service, copy) = (filter()?, filter()?);
//! service.insert("victim")?;
//!
//! copy.insert("victim")?; // the attacker's own filter, of the same size and seed
//! let twin = (0u64..).find(|item| copy.contains(item)).expect("there are many");
//!
//! assert!(service.contains(&twin)); // never inserted
//! assert!(service.remove(&twin));
//! assert!(!service.contains("victim"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In a filter of this size the search computes two million hashes on average. In a filter for a million items it
//! computes four thousand times as many, which takes one processor a few minutes. So do not fix the seed of a filter
//! that takes items from strangers, and keep the seed secret. [`seed`](crate::RandomState::seed) returns it, and stored
//! filters contain it. `Debug` does not print it.
//!
//! **An attacker who does not know the seed** may learn it: the default hasher is keyed, but it is not a cryptographic
//! function. If strangers choose the items, see the answers, and gain from a wrong answer, use a keyed function
//! designed for this. One is `std::hash::RandomState`, currently SipHash 1-3; it is slower. You cannot read or set its
//! keys, so filters that use it do not outlive the process. If they must, take SipHash from a crate that lets you set
//! the keys, and store the keys like other secrets.
//!
//! **With any hasher** an attacker can find wrong answers by trial: about 8,600 queries of a full filter find one. The
//! attacker can reuse that item. So:
//!
//! * Do not let strangers remove items that you have not recorded as inserted ([`removing`](super::removing)).
//! * If a "yes" grants something, ask the source of truth before you grant it. If a "yes" only refuses or delays
//!   something, attackers harm only themselves.
