//! A packet pipeline: many workers find what is new in one stream.
//!
//! A pool of workers takes packets, records or events from a stream. For each of them it must know whether it, or
//! its flow, was seen before. This page says what was learnt from building such a program, `packet-pool` in the
//! folder `crates` of the repository. It reads captures and live traffic:
//!
//! ```sh
//! tcpdump -w - | cargo run --release -p packet-pool -- - --window 30
//! ```
//!
//! # The shape
//!
//! | who | does | shares |
//! |---|---|---|
//! | the reader, one thread | cuts the stream into batches of one period each, and gives each batch the filters of its period | a bounded queue |
//! | the workers | compute keys, ask the filters, handle what is new | the filters |
//!
//! All workers share the filter. If each worker had its own filter, all packets of one flow would have to go to
//! one worker, and the reader would have to parse every packet to know which. With a shared filter, any worker
//! can take any batch. So the reader only copies bytes, and a slow worker does not delay the others.
//!
//! The queue holds a bounded number of batches. If the workers cannot keep up, the reader waits. Then the pipe
//! before it fills, and the sender drops packets and counts them. That is better than memory that grows without
//! limit.
//!
//! # One call decides
//!
//! One call decides whether a key is new: [`insert_unique`](crate::CuckooFilter::insert_unique). If several
//! threads race for a key, it returns true for one of them. All other data may be out of date, and that does no
//! harm. For a whole batch, use [`insert_unique_many`](crate::CuckooFilter::insert_unique_many), which
//! prefetches. It handles a key that occurs twice in the batch, or that another worker inserts meanwhile, without
//! special code:
//!
//! ```
//! use lockfree_cuckoo::{CuckooFilter, InsertManyError};
//!
//! let seen = CuckooFilter::with_capacity(1_000);
//! let mut new = [false; 4];
//! seen.insert_unique_many(&[7, 8, 7, 9], &mut new)?;
//! assert_eq!(new, [true, true, false, true]);
//! # Ok::<(), InsertManyError>(())
//! ```
//!
//! Most packets belong to known flows. The example asks two filters, and stops inserting when one is full. So it
//! first looks a batch up in both filters with [`contains_many_hash`](crate::CuckooFilter::contains_many_hash),
//! and calls `insert_unique` only for the keys that it did not find.
//!
//! Reuse the vectors from batch to batch. Some hundred packets per batch are enough. Then taking a batch costs a
//! fraction of a microsecond, and the workers finish at about the same time.
//!
//! # Two filters that rotate
//!
//! An endless stream fills any filter. So use two filters: ask both, insert into the younger one, and drop the
//! older one once per window ([`ageing`](super::ageing)). In a pipeline this is simple, because **the filters
//! travel with the batch**. The two filters of a period never change, so there is nothing to lock and no thread
//! waits. To rotate, the reader builds the next pair. A batch uses the pair of its own period, even if a worker
//! takes it late. A filter is freed when the last batch that refers to it is done:
//!
//! ```
//! use lockfree_cuckoo::{BuildError, CuckooFilter, InsertError, RandomState};
//! use std::sync::Arc;
//!
//! /// The filters of one period.
//! #[derive(Clone)]
//! struct Generation {
//!     young: Arc<CuckooFilter>,
//!     old: Arc<CuckooFilter>,
//! }
//!
//! impl Generation {
//!     /// All filters have the same hasher, so an item is hashed once.
//!     fn first(capacity: usize, hasher: &RandomState) -> Result<Self, BuildError> {
//!         let filter = || CuckooFilter::try_with_capacity_and_hasher(capacity, hasher.clone());
//!         Ok(Self {
//!             young: Arc::new(filter()?),
//!             old: Arc::new(filter()?),
//!         })
//!     }
//!
//!     /// For the reader. Batches in the queue keep their own pair.
//!     fn following(&self) -> Result<Self, BuildError> {
//!         let hasher = self.young.hasher().clone();
//!         let young = CuckooFilter::try_with_capacity_and_hasher(self.young.capacity(), hasher)?;
//!         Ok(Self {
//!             young: Arc::new(young),
//!             old: Arc::clone(&self.young),
//!         })
//!     }
//!
//!     /// For the workers: returns true if the key is new. Refreshes a known key, so that an active one stays.
//!     fn is_new(&self, key: &impl std::hash::Hash) -> Result<bool, InsertError> {
//!         let hash = self.young.hash_one(key);
//!         let in_old = self.old.contains_hash(hash);
//!         Ok(self.young.insert_unique_hash(hash)? && !in_old)
//!     }
//! }
//!
//! let first = Generation::first(1_000, &RandomState::new())?;
//! assert!(first.is_new(&"flow")?);
//! let second = first.following()?;
//! assert!(!second.is_new(&"flow")?); // known, and refreshed
//! assert!(!first.is_new(&"flow")?); // a late batch of the first period
//! let third = second.following()?;
//! assert!(!third.is_new(&"flow")?);
//! let fifth = third.following()?.following()?;
//! assert!(fifth.is_new(&"flow")?); // absent for a whole period
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Except for false positives, this guarantees:
//!
//! * At most one packet per period is new for each key. It is exactly one if the key was not in the period
//!   before.
//! * When a packet with the key is done in one period, no packet of that period or the next that a worker takes
//!   afterwards is new. So a key stays known for at least one window after its last packet, and is forgotten
//!   after at most two.
//! * At a rotation a key can be new twice, once in each period, if all its packets of the older period are in
//!   batches that are still in work. To prevent that, the workers would have to wait for each other at every
//!   rotation. `--verify` counts such keys, and fails on any that is not explained by two overlapping batches.
//!   With `--made-up 100000 --window 0.1 --repeat 2 --verify` (16 rotations in a tenth of a second) and two
//!   workers, there were 54 of them in 200,000.
//!
//! The reader numbers the periods by the times in the stream, and never goes backwards: a late packet counts as
//! present. After a pause of more than two windows, build two new pairs, not one for each window.
//!
//! # Size
//!
//! A filter must hold the keys of one window: the new flows, and the known flows that were active. So its
//! capacity is the rate of distinct keys times the window, plus some room for peaks. For 20,000 active flows a
//! second and a window of 30 seconds:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let each = CuckooFilter::with_capacity(20_000 * 30);
//! assert!(2 * each.memory_usage() < 2_700_000); // bytes, for both
//! ```
//!
//! **Stop inserting when the filter is full.** A refused insert searches thousands of buckets for room
//! ([`sizing`](super::sizing)). When the example tried again for every packet, its speed fell from some millions
//! of packets a second to sixty thousand, just when the load was highest. Now it remembers the first
//! [`Full`](crate::InsertError::Full) of a filter, and from then on only looks keys up in it. The next rotation
//! brings a new filter.
//!
//! # What a false positive costs
//!
//! A new key is wrongly "known" with a probability of some 0.01 % at full load, and twice that with two filters:
//!
//! | question | a false positive is | effect |
//! |---|---|---|
//! | first packet of a flow? | a flow whose start is not logged or inspected | at most one flow in 4,300 is not seen, for as long as the other token is in |
//! | copy of a packet? | a packet that is dropped, or not counted | fine for statistics and for traffic that TCP repairs; not fine for evidence |
//! | "perhaps known, look it up" | a lookup that finds nothing | costs only time |
//!
//! The reverse error does not happen: a known key is never "new", except at a rotation and after a refused
//! insert. Nobody can choose keys to attack the filter while the seed is secret
//! ([`adversaries`](super::adversaries)).
//!
//! # Keys
//!
//! Build a key from what stays the same on the way. The key of a flow is its VLANs, its protocol and its two
//! endpoints. Sort the endpoints, so that both directions have one key. Later fragments have no ports, so they
//! form a flow of their addresses. A copy of a packet, as a mirrored port delivers it, differs in its link
//! header, tags, TTL, header checksum and traffic class, so hash the rest (RFC 5475 does this to select one
//! packet in several places). Build the key from integers, not from structures with optional parts: integers hash
//! in a few writes, and nothing depends on how the packet was written.
//!
//! # Figures
//!
//! From
//!
//! ```sh
//! cargo run --release -p packet-pool -- --made-up 200000 --svg workers.svg
//! ```
//!
//! (one minute) on two virtual cores of a shared Intel Xeon: TCP packets of 200,000 flows, eight per flow, in
//! memory. The *limit* is the same pool without any set: it reads the headers and computes the keys. The set is
//! the `HashSet` of the standard library, with the hasher of the filter, in a `Mutex`. The table gives million
//! packets a second, and in brackets the quotient to the limit, medians of nine slices side by side:
//!
//! | workers | filter, lookups in batches | filter, single calls | set, one lock per batch | set, one lock per packet | limit |
//! |---|---|---|---|---|---|
//! | 1 | 9.3 (0.86) | 8.4 (0.76) | 6.2 (0.56) | 5.5 (0.49) | 11.0 |
//! | 2 | 15.8 (0.86) | 15.0 (0.75) | 9.9 (0.54) | 6.7 (0.43) | 21.3 |
//! | 4 | 16.8 (0.86) | 13.1 (0.73) | 6.3 (0.49) | 5.5 (0.35) | 20.4 |
//!
//! The second core was not always free, so the quotients are more reliable. The table shows three things.
//! Computing the keys is most of the work. A batch of lookups before the inserts saves half of the filter's cost.
//! The filter scales where a lock does not, most of all with more threads than cores, because a stopped thread
//! holds nothing that other threads need.
//!
//! With `--window 0.1 --repeat 1` instead of `--svg`, which is sixteen rotations in 0.1 s of work, throughput was
//! 2 to 4 % lower than without the window. With `--verify` the program compares every answer with exact sets.
