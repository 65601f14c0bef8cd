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
//! | the reader, one thread | cuts the stream into batches of one period each, and numbers the periods | a bounded queue |
//! | the workers | compute keys, ask the filter, handle what is new | the filter |
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
//! Most packets belong to known flows. So the example first looks a batch up with
//! [`contains_many_hash`](crate::CuckooFilter::contains_many_hash), and calls `insert_unique` only for the keys that it
//! did not find.
//!
//! Reuse the vectors from batch to batch. Some hundred packets per batch are enough. Then taking a batch costs a
//! fraction of a microsecond, and the workers finish at about the same time.
//!
//! # A filter that rotates
//!
//! An endless stream fills any filter. So let old keys leave: with a
//! [`RotatingCuckooFilter`](crate::RotatingCuckooFilter). The one call is
//! [`refresh_many`](crate::RotatingCuckooFilter::refresh_many), so an active flow stays ([`ageing`](super::ageing)). The worker that takes the first batch of a
//! period rotates. Several may do so at the same time: [`rotate_if`](crate::RotatingCuckooFilter::rotate_if) lets one of
//! them do it, and none of them waits:
//!
//! ```
//! use lockfree_cuckoo::RotatingCuckooFilter;
//! use std::error::Error;
//!
//! /// Which keys of a batch of this period are new.
//! fn news(
//!     recent: &RotatingCuckooFilter,
//!     period: u64,
//!     batch: &[&str],
//! ) -> Result<Vec<bool>, Box<dyn Error>> {
//!     loop {
//!         let rotations = recent.rotations();
//!         if rotations >= period {
//!             break;
//!         }
//!         recent.rotate_if(rotations)?;
//!     }
//!     let mut new = vec![false; batch.len()];
//!     recent.refresh_many(batch, &mut new)?;
//!     Ok(new)
//! }
//!
//! let recent = RotatingCuckooFilter::with_capacity(1_000); // keys of one period
//! assert_eq!(news(&recent, 0, &["flow", "flow"])?, [true, false]);
//! assert_eq!(news(&recent, 1, &["flow"])?, [false]); // known, and refreshed
//! assert_eq!(news(&recent, 0, &["late"])?, [true]); // a late batch counts for period 1
//! assert_eq!(news(&recent, 2, &["flow", "late"])?, [false, false]);
//! assert_eq!(news(&recent, 4, &["flow"])?, [true]); // absent for a whole period
//! # Ok::<(), Box<dyn Error>>(())
//! ```
//!
//! Except for false positives, this guarantees:
//!
//! * A key is new once in its life, however the workers race, and at rotations too. The life ends with the second
//!   rotation after its last packet was worked on.
//! * So a key stays known for at least one window after its last packet, and is forgotten after at most two. Both are
//!   by the rotations that a batch meets: a batch that is worked on after a later rotation counts for that period. At
//!   most one batch of each other worker can be late for a period. `--verify` counts such batches. They matter if a
//!   window passes in milliseconds, and there are more threads than processors: a worker that the system stops for two
//!   rotations takes known keys for new. With `--made-up 50000 --repeat 2 --window 0.03 -j 8` on two busy processors, 26
//!   rotations in 0.2 s, 26 of 3,000 batches were late, and 6 % more keys were told new than with one worker.
//! * A rotation allocates nothing. The memory is three tables, however many periods there are.
//!
//! `--verify` writes down between which rotations each batch was worked on, and compares every answer with exact sets.
//! It fails if a key is forgotten before its time, or new twice in one life.
//!
//! The reader numbers the periods by the times in the stream, and never goes backwards: a late packet counts as
//! present. Count a pause of more than two windows as two periods: two rotations forget everything.
//!
//! **If the size of a window is not known**, the filter has to grow, and one that rotates does not. Then let the filters
//! travel with the batch: the reader makes a [`GrowingCuckooFilter`](crate::GrowingCuckooFilter) for each period, and
//! gives each batch that one and the one of the period before. A batch is judged by the filters of its own period,
//! however late it is. But a key can be new in two periods, if packets of both are in work at the same time, and the
//! memory is that of all filters that some batch still refers to.
//!
//! # Size
//!
//! A generation must hold the keys of one window: the new flows, the known flows that were active, and the batches that
//! come late, at most one of each other worker. So its
//! capacity is the rate of distinct keys times the window, plus some room for peaks. For 20,000 active flows a
//! second and a window of 30 seconds:
//!
//! ```
//! use lockfree_cuckoo::RotatingCuckooFilter;
//!
//! let recent = RotatingCuckooFilter::with_capacity(20_000 * 30);
//! assert!(recent.memory_usage() < 4_100_000); // bytes, in three tables
//! ```
//!
//! **Stop inserting when the filter is full.** A refused insert searches thousands of buckets for room
//! ([`sizing`](super::sizing)). When the example tried again for every packet, its speed fell from some millions
//! of packets a second to sixty thousand, just when the load was highest. Now it remembers the first
//! [`Full`](crate::InsertError::Full) of a filter, and from then on only looks keys up in it. The next rotation
//! makes room.
//!
//! # What a false positive costs
//!
//! A new key is wrongly "known" with a probability of some 0.01 % at full load, and twice that with two generations:
//!
//! | question | a false positive is | effect |
//! |---|---|---|
//! | first packet of a flow? | a flow whose start is not logged or inspected | at most one flow in 4,300 is not seen, for as long as the other token is in |
//! | copy of a packet? | a packet that is dropped, or not counted | fine for statistics and for traffic that TCP repairs; not fine for evidence |
//! | "perhaps known, look it up" | a lookup that finds nothing | costs only time |
//!
//! The reverse error does not happen: a known key is never "new", except after a refused insert. Nobody can choose keys to attack the filter while the seed is secret
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
//! With `--window 0.1 --repeat 6 -j 1` instead of `--svg`, which is a rotation after every hundred thousand packets, an
//! eighth of which are of new flows, the packets took 14 % more processor time than without the window. With `--verify` the
//! program compares every answer with exact sets.
