//! Values: which worker owns a flow, which port leads to an address, which level has a key.
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
//! # Which worker owns a flow
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
//! # What to know
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
