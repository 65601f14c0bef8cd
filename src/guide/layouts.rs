//! Which layout to choose: bits for an item, wrong answers, copies.
//!
//! # What a layout is
//!
//! A bucket is one 64-bit word. A [`Layout`](crate::Layout) says how the word is divided: into a few long
//! fingerprints, or into many short ones. Long fingerprints have fewer false positives. Many slots fill better. The
//! guarantees are the same for all layouts.
//!
//! | layout | bits per item, in all | false positives at capacity | a Bloom filter of that rate |
//! |---|---|---|---|
//! | `Lanes<8, 8>` | 8.5 | 5.8 % | 5.9 |
//! | `Lanes<6, 10>` | 11.6 | 1.1 % | 9.4 |
//! | `SemiSorted<6, 12>` | 11.6 | 0.27 % | 12.3 |
//! | `Lanes<5, 12>` | 13.7 | 0.23 % | 12.7 |
//! | `SemiSorted<5, 14>` | 13.7 | 0.057 % | 15.5 |
//! | `Lanes<4, 16>` | 16.9 | 0.012 % | 18.9 |
//! | `SemiSorted<4, 17>` | 16.9 | 0.0058 % | 20.3 |
//! | `Lanes<3, 21>` | 23.2 | 2.6e-4 % | 26.7 |
//! | `Lanes<2, 31>` | 37.9 | 1.6e-7 % | 42.2 |
//!
//! The figures are for a million items, from `cargo run --release --example sizes`. It prints 10,000 and 10.7 million
//! items too, and the rates that were observed. The last column is the memory of a Bloom filter without removal:
//! 1.44 log2(1/rate) bits.
//!
//! * **If you do not know**, keep the default, `Lanes<4, 16>`. On x86-64 it compares all slots in one instruction.
//! * **If memory counts**, take the first line whose rate you can bear.
//! * **[`SemiSorted`](crate::SemiSorted)** has half to a quarter of the false positives of the `Lanes` with as many slots,
//!   in the same memory. In exchange, every insert and removal sorts the bucket, and a lookup that finds a part of a
//!   fingerprint looks twice.
//! * **If an item can have many copies**, take many slots: two buckets hold at most 16 copies with 8 slots, 4 with 2
//!   slots.
//! * **Layouts with values** have a third number: bits that are stored beside each fingerprint ([values](#values)).
//!   They are never chosen by a rate.
//!
//! # A layout in the type
//!
//! The layout is a parameter of the engine, of fixed filters and of those that rotate. Their builders take it too. Growing
//! filters are always of 4 x 16.
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, Lanes, Rotating, SemiSorted};
//!
//! type Precise = Filter<Fixed<SemiSorted<4, 17>>>;
//! type Small = Filter<Rotating<Lanes<8, 8>>>;
//!
//! let (precise, small) = (Precise::with_capacity(1_000), Small::with_capacity(1_000));
//! precise.insert("a")?;
//! small.insert("a")?;
//! assert!(precise.contains("a") && small.contains("a"));
//!
//! let built = CuckooFilter::builder().layout::<Lanes<2, 31>>().capacity(1_000).build()?;
//! assert_eq!(built.shape().slots(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A rate that must be kept
//!
//! The builder refuses a filter whose rate could be too high at capacity, and says which layouts would do:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let builder = CuckooFilter::builder().capacity(1_000_000);
//! let error = builder.max_false_positive_rate(0.000_01).build().unwrap_err();
//! let names: Vec<String> = error.layouts().map(|shape| shape.to_string()).collect();
//! assert_eq!(names, ["Lanes<3, 21>", "Lanes<2, 31>"]);
//! println!("{error}");
//! ```
//!
//! Of a filter that rotates, that is the rate with all generations full. A growing filter does not grow beyond the
//! rate.
//!
//! # A layout that is chosen at run time
//!
//! [`build_smallest`](crate::FilterBuilder::build_smallest) chooses the layout that takes the least memory for a number of
//! items and a rate, from 1e-9 up. Where the rate of a full table is a little too high, it makes the table larger. The
//! filter comes as a `Box<dyn Hashed>`, whose calls take hashes. One that rotates has
//! [`rotating`](crate::Hashed::rotating) besides:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, Hashed, RandomState};
//! use std::hash::BuildHasher;
//!
//! fn filter(items: usize, rate: f64) -> Result<Box<dyn Hashed>, lockfree_cuckoo::BuildError> {
//!     CuckooFilter::builder().capacity(items).seed(42).build_smallest(rate)
//! }
//!
//! let hasher = RandomState::with_seed(42);
//! let mut filter = filter(100_000, 0.01)?;
//! assert!(filter.memory_usage() < 200_000);
//! filter.insert_hash(hasher.hash_one("a"))?;
//! assert!(filter.contains_hash(hasher.hash_one("a")));
//!
//! // Reads a filter of any layout. The seed is stored along.
//! let read = CuckooFilter::from_bytes_any_layout(&filter.to_bytes())?;
//! assert_eq!(read.shape(), filter.shape());
//! let hasher: &RandomState = read.hasher().downcast_ref().expect("the default hasher");
//! assert!(read.contains_hash(hasher.hash_one("a")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A program that chooses at run time contains the code of all layouts: some hundred kilobytes for each kind of filter.
//!
//! A filter that is read as a filter of another layout is an error, [`OtherLayout`](crate::ReadError::OtherLayout), that
//! names the layout of the stored one.
//!
//! # Values
//!
//! Which worker owns a flow, which port leads to an address, which level has a key?
//!
//! A layout can have room for a few bits beside each fingerprint. Then the filter is an approximate map, at the price of
//! fingerprints that are shorter by as many bits.
//!
//! | layout | values | false positives at full load | bits a slot |
//! |---|---|---|---|
//! | `Lanes<4, 12, 4>` | 0 to 15 | 0.19 % | 16 |
//! | `Lanes<3, 13, 8>` | 0 to 255 | 0.07 % | 21 1/3 |
//! | `Lanes<2, 16, 15>` | 0 to 32,767 | 0.006 % | 32 |
//!
//! ## Which worker owns a flow
//!
//! Workers share one table. The first worker that sees a flow owns it, and all others hand its packets over:
//!
//! ```
//! use lockfree_cuckoo::{Filter, Fixed, InsertError, Lanes};
//!
//! type Owners = Filter<Fixed<Lanes<3, 13, 8>>>;
//!
//! /// The worker that owns the flow: this one, if nobody does.
//! fn owner(owners: &Owners, flow: u64, me: u16) -> Result<u16, InsertError> {
//!     Ok(owners.insert_unique_value(&flow, me)?.unwrap_or(me))
//! }
//!
//! let owners = Owners::with_capacity(10_000);
//! assert_eq!(owner(&owners, 4711, 3)?, 3);
//! assert_eq!(owner(&owners, 4711, 5)?, 3);
//!
//! // Worker 3 hands the flow over. Of several who try, one succeeds.
//! assert_eq!(owners.replace_value(&4711u64, 3, 5), Ok(true));
//! assert_eq!(owner(&owners, 4711, 3)?, 5);
//!
//! // The flow ends.
//! assert!(owners.remove_value(&4711u64, 5));
//! # Ok::<(), InsertError>(())
//! ```
//!
//! A false positive gives a flow the owner of another flow of its class. All workers see the same, so the flow still has
//! one owner. It loses it when the other flow ends, and gets a new one with its next packet.
//!
//! The example `next_hop` is a forwarding table that is asked by workers while another thread changes its routes:
//! `cargo run --release --example next_hop`.
//!
//! ## What to know
//!
//! * **A value is not checked against the item.** For an item that is not in, the answer is `None` or, rarely, the value
//!   of another item. So use it for choices that may be wrong now and then, or check the answer where it leads.
//! * **An item that is in has its own value**, unless its class has several tokens: copies of it, or of another item of its
//!   class. Then [`value`](crate::Filter::value) is that of any of them, and [`values`](crate::Filter::values) has all.
//! * **Insert with [`insert_unique_value`](crate::Filter::insert_unique_value) where you can.** Then a class has one token, and
//!   all calls are linearizable together ([`design::protocol`](crate::design::protocol#values)).
//! * **Remove and replace only what you inserted**, with its value.
//!   It takes the token of another item less often than [`remove`](crate::Filter::remove) does: the values must agree too.
//!
//! Filters with values have a fixed size. They are stored, copied and built as all others are.
