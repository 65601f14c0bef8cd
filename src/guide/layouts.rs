//! Layouts: bits per item, false positives, copies, and values.
//!
//! A bucket is one 64-bit word. A [`Layout`](crate::Layout) divides it into a few long fingerprints or many short ones.
//! Longer fingerprints have fewer false positives. More slots reach a higher load. All layouts have the same
//! guarantees.
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
//! The figures are for a million items, from `cargo run --release -p lockfree-cuckoo-benches --bin sizes`, which also
//! prints other sizes and the observed rates. The last column is the memory of a Bloom filter without removal: 1.44
//! log2(1/rate) bits.
//!
//! * **If you do not know**, keep the default, `Lanes<4, 16>`. On x86-64 it compares all slots in one instruction.
//! * **If memory is scarce**, take the first row whose rate you accept.
//! * **[`SemiSorted`](crate::SemiSorted)** has a quarter to a half of the false positives of the `Lanes` with the same
//!   number of slots, in the same memory. In exchange, every insert and removal sorts the bucket, and a lookup that
//!   finds the low bits of its fingerprint decodes the bucket.
//! * **If an item can have many copies**, choose a layout with many slots. The two buckets of an item hold at most 16
//!   copies with 8 slots, and 4 with 2 slots.
//!
//! # In the type, or by the builder
//!
//! The layout is a parameter of the engine, for fixed and rotating filters. Growing filters are always 4 x 16.
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
//!
//! let built = CuckooFilter::builder().layout::<Lanes<2, 31>>().capacity(1_000).build()?;
//! assert_eq!(built.slots() % 2, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To guarantee a rate, set [`max_false_positive_rate`](crate::FilterBuilder::max_false_positive_rate). The builder
//! then refuses a layout with a higher rate at capacity.
//!
//! # At run time
//!
//! [`build_smallest`](crate::FilterBuilder::build_smallest) chooses the layout that takes the least memory for a number
//! of items and a rate. It returns a [`DynFilter`](crate::DynFilter), which has the methods common to all filters. A
//! program that calls it contains the code of all layouts: some hundred kilobytes for each kind of filter. A
//! `DynFilter` reads a stored filter of any kind and layout:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, DynFilter};
//!
//! let filter: DynFilter = CuckooFilter::builder().capacity(100_000).build_smallest(0.01)?;
//! filter.insert("a")?;
//!
//! let read = DynFilter::from_bytes(&filter.to_bytes()?)?;
//! assert_eq!(read.shape(), filter.shape());
//! assert!(read.contains("a"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Values
//!
//! Some layouts store a few bits beside each fingerprint. The filter is then an approximate map: which worker owns a
//! flow, which port leads to an address, which level of a store has a key. The value bits shorten the fingerprints.
//! Only fixed filters have values, and `build_smallest` never chooses these layouts.
//!
//! | layout | values | false positives at full load | bits per slot |
//! |---|---|---|---|
//! | `Lanes<4, 12, 4>` | 0 to 15 | 0.19 % | 16 |
//! | `Lanes<3, 13, 8>` | 0 to 255 | 0.07 % | 21 1/3 |
//! | `Lanes<2, 16, 15>` | 0 to 32,767 | 0.006 % | 32 |
//!
//! Workers share one table. The first worker that sees a flow owns it, and all others hand its packets over:
//!
//! ```
//! use lockfree_cuckoo::{Filter, Fixed, InsertError, Lanes};
//!
//! type Owners = Filter<Fixed<Lanes<3, 13, 8>>>;
//!
//! /// The worker that owns the flow: this one, if nobody does. True if the call inserted it: only then does the end of
//! /// the flow remove it.
//! fn owner(owners: &Owners, flow: u64, me: u16) -> Result<(u16, bool), InsertError> {
//!     let found = owners.insert_unique_value(&flow, me)?;
//!     Ok((found.unwrap_or(me), found.is_none()))
//! }
//!
//! let owners = Owners::with_capacity(10_000);
//! let (worker, inserted) = owner(&owners, 4711, 3)?;
//! assert_eq!((worker, inserted), (3, true));
//! assert_eq!(owner(&owners, 4711, 5)?, (3, false));
//!
//! // Worker 3 hands the flow over. If several try, one succeeds.
//! assert_eq!(owners.replace_value(&4711u64, 3, 5), Ok(true));
//! assert_eq!(owner(&owners, 4711, 3)?, (5, false));
//!
//! // The flow ends.
//! assert!(inserted && owners.remove_value(&4711u64, 5));
//! # Ok::<(), InsertError>(())
//! ```
//!
//! * **The filter does not check a value against the item.** For an absent item, the answer is `None` or, rarely, the
//!   value of another item. Use values for choices that may occasionally be wrong, or check the answer. In the program
//!   above a false positive gives a flow the owner of another flow. Such a flow has no token of its own, so its end
//!   removes nothing. All workers agree on its owner until the other flow ends. Then it gets a new owner.
//! * **Insert with [`insert_unique_value`](crate::Filter::insert_unique_value) where you can.** Then a stored item has
//!   its own value, and all calls are linearizable together. `Some` for an item that you have not inserted means that
//!   another item of its class is stored, and this one is not: with `Lanes<3, 13, 8>` 3 of 10,000 while a filter fills.
//! * **Remove and replace only what you inserted**, with its value.
//!
//! The example `next_hop` (`cargo run --release --example next_hop`) is a forwarding table that workers read while
//! another thread changes its routes.
