//! A packet pipeline: many workers, one stream, and what is new in it.
//!
//! A pool of workers takes packets, records or events from a stream and has to know of each whether it, or its
//! flow, came before. This page is what was learnt from building one, `crates/packet-pool` in the repository,
//! which reads captures and live traffic:
//!
//! ```sh
//! tcpdump -w - | cargo run --release -p packet-pool -- - --window 30
//! ```
//!
//! # The shape
//!
//! | who | does what | shares what |
//! |---|---|---|
//! | the reader, one thread | cuts the stream into batches of one period each, gives each the filters of its period | a bounded queue |
//! | the workers | work out keys, ask, act on what is new | the filters |
//!
//! The filter is shared by all workers. To give each worker a filter of its own, packets of one flow would have to
//! go to one worker, and the reader would have to look into every packet to know which. With a shared filter any
//! worker takes any batch, so the reader only copies bytes, and a slow worker slows nobody.
//!
//! The queue is bounded, in batches. If the workers cannot follow, the reader waits, then the pipe in front of it
//! fills, and the sender drops packets and counts them. That is better than memory that grows until the end.
//!
//! # One decision
//!
//! Whether a key is new is decided by one call, [`insert_unique`](crate::CuckooFilter::insert_unique): of all that
//! race for a key, one is told `true`. All else may be out of date, and need not care. For a whole batch there is
//! [`insert_unique_many`](crate::CuckooFilter::insert_unique_many), which prefetches. A key that stands twice in the
//! batch, or that another worker inserts meanwhile, is no special case:
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
//! Most packets belong to known flows. The example, which has two filters to ask and stops inserting when one is full,
//! looks a batch up in both first, with [`contains_many_hash`](crate::CuckooFilter::contains_many_hash), and puts only
//! what is left through the decision.
//!
//! Keep the vectors from batch to batch. Some hundred packets a batch are enough: to take one costs a fraction of a
//! microsecond then, and the workers end together.
//!
//! # Two filters that rotate
//!
//! A stream without end fills any filter. Have two, ask both, fill the younger one, and once a window let the older
//! one go ([`ageing`](super::ageing)). What makes that simple in a pipeline is that **the filters travel with the
//! batch**. A period's pair never changes, so there is nothing to lock and nobody to wait for; a rotation is the
//! reader making the next pair. A batch is judged by the pair of its own period however late a worker comes to it,
//! and a filter is freed when the last batch that has it is done:
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
//!     /// With one hasher for all, so that an item is hashed once.
//!     fn first(capacity: usize, hasher: &RandomState) -> Result<Self, BuildError> {
//!         let filter = || CuckooFilter::try_with_capacity_and_hasher(capacity, hasher.clone());
//!         Ok(Self {
//!             young: Arc::new(filter()?),
//!             old: Arc::new(filter()?),
//!         })
//!     }
//!
//!     /// For the reader. Batches that are on their way keep what they have.
//!     fn following(&self) -> Result<Self, BuildError> {
//!         let hasher = self.young.hasher().clone();
//!         let young = CuckooFilter::try_with_capacity_and_hasher(self.young.capacity(), hasher)?;
//!         Ok(Self {
//!             young: Arc::new(young),
//!             old: Arc::clone(&self.young),
//!         })
//!     }
//!
//!     /// For the workers: whether the key is new. One that is known is refreshed, or it would leave though active.
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
//! assert!(fifth.is_new(&"flow")?); // a whole period without it
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! False positives aside, this promises:
//!
//! * A key is told new once a period at most, and exactly once if the period before did not have it.
//! * Once a packet with the key is done in one period, no packet of that period or the next that is taken up
//!   afterwards is told new. So a key is known for one window at least after its last packet, and forgotten after
//!   two at most.
//! * At a rotation a key may be told new twice, once in each period, if all its packets of the older period are in
//!   batches that are still in work. To rule that out, the workers would have to wait for each other at every
//!   rotation. `--verify` counts such keys, and fails on any that is not explained by two batches that overlap. With
//!   `--made-up 100000 --window 0.1 --repeat 2 --verify`, that is 16 rotations in a tenth of a second and two workers,
//!   it was 54 of 200,000.
//!
//! Number the periods in the reader, by the times in the stream, and never backwards: a packet that comes late
//! counts as present. After a pause of more than two windows make two new pairs, not one for each window.
//!
//! # Size
//!
//! A filter has to hold the keys of one window: new flows and the known ones that were active. So it is the rate
//! of distinct keys times the window, and some room for the worst. At 20,000 active flows a second and a window of
//! 30 seconds:
//!
//! ```
//! use lockfree_cuckoo::CuckooFilter;
//!
//! let each = CuckooFilter::with_capacity(20_000 * 30);
//! assert!(2 * each.memory_usage() < 2_700_000); // bytes, for both
//! ```
//!
//! **Stop inserting when it is full.** A refused insert searches thousands of buckets for room before it gives up
//! ([`sizing`](super::sizing)). To try that again for every packet brought the example from some millions of packets
//! a second to sixty thousand, just when there was most to do. Now it remembers the first
//! [`Full`](crate::InsertError::Full) of a filter, only looks from then on, and the next rotation brings relief.
//!
//! # What a false positive costs
//!
//! A new key is told "known" with a probability of some 0.01 % at full load, twice that with two filters:
//!
//! | question | a false positive is | so |
//! |---|---|---|
//! | first packet of a flow? | a flow whose start nobody logs or inspects | at most one flow in 4,300 goes unseen, for as long as the other token is in |
//! | copy of a packet? | a packet that is dropped, or not counted | fine for statistics and for what TCP repairs; not for a record of evidence |
//! | "perhaps known, look it up" | a lookup in vain | costs time, and nothing else |
//!
//! The reverse does not happen: no known key is told new, but at a rotation and after a refusal. And nobody can aim
//! at the filter as long as the seed is not known ([`adversaries`](super::adversaries)).
//!
//! # Keys
//!
//! Take a key from what stays the same on the way. A flow is its VLANs, protocol and two endpoints in either order:
//! sort the endpoints, and both directions have one key. Later fragments have no ports; they are a flow of their
//! addresses. A copy of a packet, as a mirrored port delivers it, differs in its link header, its tags, TTL, header
//! checksum and traffic class, so hash the rest (RFC 5475 does so to select one packet in several places). Have
//! integers in the key rather than structures of optional parts: they hash in a few writes, and nothing depends on
//! how the packet was written.
//!
//! # Figures
//!
//! From
//!
//! ```sh
//! cargo run --release -p packet-pool -- --made-up 200000 --svg workers.svg
//! ```
//!
//! (a minute) on two virtual cores of a shared Intel Xeon: TCP packets of 200,000 flows, eight each, in memory.
//! The *limit* is the same pool without any set: it reads the headers and works out the keys. The set is the
//! `HashSet` of the standard library, with the hasher of the filter, in a `Mutex`. Million packets a second, and in
//! brackets the part of the limit, medians of nine slices side by side:
//!
//! | workers | filter, lookups in batches | filter, single calls | set, a lock a batch | set, a lock a packet | limit |
//! |---|---|---|---|---|---|
//! | 1 | 9.3 (0.86) | 8.4 (0.76) | 6.2 (0.56) | 5.5 (0.49) | 11.0 |
//! | 2 | 15.8 (0.86) | 15.0 (0.75) | 9.9 (0.54) | 6.7 (0.43) | 21.3 |
//! | 4 | 16.8 (0.86) | 13.1 (0.73) | 6.3 (0.49) | 5.5 (0.35) | 20.4 |
//!
//! The second core was not always free, so trust the quotients more. Three things to take from it: to find the keys
//! is most of the work; a batch of lookups before the inserts saves half of what the filter costs; and the filter
//! scales where a lock does not, with more threads than cores above all, because a thread that is stopped holds
//! nothing that others want.
//!
//! With `--window 0.1 --repeat 1` in the place of `--svg`, which is sixteen rotations in 0.1 s of work, throughput
//! was 2 to 4 % lower than without the window. With `--verify` every answer is compared with exact sets.
