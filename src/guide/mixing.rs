//! What a hasher must provide, and what happens if it does not.
//!
//! The high bits of the hash select the bucket, and the low ones are the fingerprint, 16 with 4 x 16. The hasher must spread
//! items evenly over both, and independently of each other. A hasher for hash tables may do less: a table
//! compares keys, so poor hashes only make it slower. A filter has no keys to compare. With poor hashes it
//! refuses items early, or answers "yes" for absent items.
//!
//! The program below gives 100,000 items to the default hasher, to three hashers for hash tables, and to a hash
//! of 32 bits. Then it looks up 100,000 other items. The bounds in the code are measured values, rounded. `cargo
//! test --doc guide::mixing` checks them.
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, RandomState};
//! use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
//!
//! /// A hasher of one `u64`.
//! macro_rules! hasher {
//!     ($name:ident, |$item:ident| $hash:expr) => {
//!         #[derive(Default)]
//!         struct $name(u64);
//!
//!         impl Hasher for $name {
//!             fn write(&mut self, _: &[u8]) {
//!                 unimplemented!("for items of one u64");
//!             }
//!
//!             fn write_u64(&mut self, $item: u64) {
//!                 self.0 = $hash;
//!             }
//!
//!             fn finish(&self) -> u64 {
//!                 self.0
//!             }
//!         }
//!     };
//! }
//! hasher!(Identity, |item| item);
//! hasher!(Product, |item| item.wrapping_mul(0x9e37_79b9_7f4a_7c15));
//! hasher!(Half, |item| RandomState::with_seed(1).hash_one(item) & 0xffff_ffff);
//! // What rustc-hash 2 does with one u64, on a 64-bit machine.
//! hasher!(RotatedProduct, |item| item.wrapping_mul(0xf135_7aea_2e62_a9c5).rotate_left(26));
//!
//! /// How many items went in before one was refused, and the percentage of wrong answers then.
//! fn outcome(hasher: impl BuildHasher, item: fn(u64) -> u64) -> (u64, f64) {
//!     const ITEMS: u64 = 100_000;
//!     let filter = CuckooFilter::with_capacity_and_hasher(ITEMS as usize, hasher);
//!     let refused = (0..ITEMS).find(|&i| filter.insert(&item(i)).is_err());
//!     let wrong = (ITEMS..2 * ITEMS).filter(|&i| filter.contains(&item(i))).count();
//!     (refused.unwrap_or(ITEMS), 100.0 * wrong as f64 / ITEMS as f64)
//! }
//!
//! let number = |i| i;
//! let page_address = |i| i * 4096;
//! let float = |i| (i as f64).to_bits();
//!
//! // The default: all items go in, and about one answer in ten thousand is wrong.
//! for item in [number, page_address, float] {
//!     let (inserted, wrong) = outcome(RandomState::with_seed(1), item);
//!     assert!(inserted == 100_000 && wrong < 0.03);
//! }
//!
//! // Small numbers have no high bits: all have the same first bucket.
//! let (inserted, wrong) = outcome(BuildHasherDefault::<Identity>::default(), number);
//! assert!(inserted < 10_000 && wrong > 1.0);
//!
//! // The low bits of a product come from the low bits of the item alone: 16 fingerprints for all pages.
//! let (inserted, wrong) = outcome(BuildHasherDefault::<Product>::default(), page_address);
//! assert!(inserted == 100_000 && wrong > 50.0);
//!
//! // A hash of 32 bits, however good, has no high bits at all.
//! let (inserted, wrong) = outcome(BuildHasherDefault::<Half>::default(), number);
//! assert!(inserted < 2_000 && wrong > 1.0);
//!
//! // With the product rotated, these two do well ...
//! for item in [number, page_address] {
//!     let (inserted, wrong) = outcome(BuildHasherDefault::<RotatedProduct>::default(), item);
//!     assert!(inserted == 100_000 && wrong < 0.03);
//! }
//! // ... but not numbers that differ in their high bits only, such as the bits of whole floats.
//! let (inserted, _) = outcome(BuildHasherDefault::<RotatedProduct>::default(), float);
//! assert!(inserted < 10_000);
//! ```
//!
//! The product is the worst: it refuses nothing, and most answers are wrong. [`false_positive_rate`] does not
//! show this, because it assumes a hash that mixes. If you are not sure about a hasher, measure it as above, with
//! your own items.
//!
//! # Your own hashes
//!
//! The same holds for the calls that take a hash. The most likely mistake is to widen a hash of 32 bits, such as
//! a CRC-32, 32-bit FNV-1a or MurmurHash3. It has no high bits at all, so every item has the same first bucket. A
//! filter for 100,000 items then refuses one after 1,500 to 3,200 items, depending on the function. Compute a
//! 64-bit hash of the item instead.
//!
//! If you have only the 32 bits, pass them as an item. Then two items with equal 32 bits are the same item. For a
//! million stored items that adds one wrong answer in 4,300 lookups, twice as many as the filter's own.
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! /// A function of 32 bits that mixes well: the end of MurmurHash3.
//! fn murmur(item: u32) -> u32 {
//!     let mut hash = item ^ (item >> 16);
//!     hash = hash.wrapping_mul(0x85eb_ca6b);
//!     hash ^= hash >> 13;
//!     hash = hash.wrapping_mul(0xc2b2_ae35);
//!     hash ^ (hash >> 16)
//! }
//!
//! let wrong = CuckooFilter::with_capacity(100_000);
//! let refused = (0..100_000).find(|&item| wrong.insert_hash(murmur(item).into()).is_err());
//! assert_eq!(refused, Some(1_537));
//!
//! let right = CuckooFilter::with_capacity(100_000);
//! assert!((0..100_000).all(|item| right.insert(&murmur(item)).is_ok()));
//! ```
//!
//! A unique number is not a mixed hash. Examples are a counter, an address and a timestamp. Even a random UUID is
//! not: two of its last 64 bits are the same in all UUIDs, and if these are the highest bits, the first bucket of
//! every item is in one quarter of the table. Pass such a number to the calls for items, not for hashes:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let filter = CuckooFilter::with_capacity(100_000);
//! for counter in 0..100_000u64 {
//!     filter.insert(&counter)?; // not: insert_hash(counter)
//! }
//! assert_eq!(filter.len(), 100_000);
//! # Ok::<(), lockfree_cuckoo::InsertError>(())
//! ```
//!
//! [`false_positive_rate`]: crate::CuckooFilter::false_positive_rate
