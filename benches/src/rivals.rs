//! The rivals: filters and sets of other crates, each in its best configuration.
//!
//! Keys are hashes already, so each is given the cheapest hasher that its interface allows
//! ([`Ready`]). Filters are asked for a false-positive rate near 0.012 %, the rate of the filter
//! itself. Serial filters and sets are put in a lock of `parking_lot`, whose uncontended calls are
//! shorter than those of the standard library, and in 64 shards with a lock each ([`locks`]). They
//! also take part without a lock, on one thread.

#[cfg(feature = "authors")]
pub mod authors;
pub mod filters;
pub mod locks;
pub mod sets;

use std::hash::{BuildHasherDefault, Hasher};

use lockfree_cuckoo::CuckooFilter;

use fastbloom::{AtomicBloomFilter, BloomFilter};
use model::geometry::SPREAD;
use serial_cuckoo::SerialFilter;

use self::filters::{AtomicCuckoo, CuckooClock, Cuckoofilter, Scalable, Valkey};
use self::locks::{Alone, ReadWrite, Sharded};
use self::sets::{Dashmap, Hashbrown, Papaya, SccIndex};
use crate::contender::{Calls, Contender, Visitor};

/// The name of the contender that is compared with all others.
pub const FILTER: &str = "filter";

/// The name of the same filter for one thread, which shows the price of sharing.
pub const SERIAL: &str = "serial";

/// Visits the filter, then all rivals.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<CuckooFilter>(FILTER);
    visitor.visit::<Alone<SerialFilter>>(SERIAL);
    visitor.visit::<AtomicCuckoo>("atomic-cuckoo-filter");
    visitor.visit::<CuckooClock>("cuckoo-clock");
    visitor.visit::<ReadWrite<Cuckoofilter>>("cuckoofilter-rwlock");
    visitor.visit::<Sharded<Cuckoofilter>>("cuckoofilter-shards");
    visitor.visit::<Alone<Cuckoofilter>>("cuckoofilter-alone");
    visitor.visit::<Alone<Valkey>>("valkey-cuckoo-alone");
    visitor.visit::<ReadWrite<Scalable>>("scalable-rwlock");
    visitor.visit::<Sharded<Scalable>>("scalable-shards");
    visitor.visit::<Alone<Scalable>>("scalable-alone");
    visitor.visit::<ReadWrite<qfilter::Filter>>("qfilter-rwlock");
    visitor.visit::<Sharded<qfilter::Filter>>("qfilter-shards");
    visitor.visit::<Alone<qfilter::Filter>>("qfilter-alone");
    #[cfg(feature = "authors")]
    {
        visitor.visit::<ReadWrite<authors::Authors>>("authors-rwlock");
        visitor.visit::<Sharded<authors::Authors>>("authors-shards");
        visitor.visit::<Alone<authors::Authors>>("authors-alone");
    }
    visitor.visit::<AtomicBloomFilter>("fastbloom");
    visitor.visit::<Sharded<BloomFilter>>("fastbloom-shards");
    visitor.visit::<Alone<BloomFilter>>("fastbloom-alone");
    visitor.visit::<Dashmap>("dashmap");
    visitor.visit::<Papaya>("papaya");
    visitor.visit::<SccIndex>("scc-index");
    visitor.visit::<ReadWrite<Hashbrown>>("hashbrown-rwlock");
    visitor.visit::<Sharded<Hashbrown>>("hashbrown-shards");
}

/// The contenders that take more than 6 GiB for 100 million items, with the memory that they give
/// back late.
pub const LARGE: [&str; 2] = ["papaya", "cuckoo-clock"];

/// Returns the names of all visited contenders, in order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    calls().into_iter().map(|(name, _)| name).collect()
}

/// Returns what the calls of all visited contenders do, in order.
#[must_use]
pub fn calls() -> Vec<(&'static str, Calls)> {
    struct All(Vec<(&'static str, Calls)>);
    impl Visitor for All {
        fn visit<C: Contender>(&mut self, name: &'static str) {
            self.0.push((name, C::CALLS));
        }
    }
    let mut all = All(Vec::new());
    visit_all(&mut all);
    all.0
}

/// The builder of [`Ready`] hashers.
type BuildReady = BuildHasherDefault<Ready>;

/// A hasher that is as cheap as possible: a `u64` stays as it is, and anything else is spread over
/// 64 bits with one multiplication.
///
/// The keys are random `u64`. Cuckoo filters also hash fingerprints, to find the other bucket. If
/// these were not spread, the two buckets of an item would be neighbours, and the filter full too
/// early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ready(u64);

impl Ready {
    #[inline]
    fn mix(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(8) ^ value).wrapping_mul(SPREAD);
    }
}

impl Hasher for Ready {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.mix(byte.into());
        }
    }

    #[inline]
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::{BuildHasher, Hash};

    use super::*;
    use crate::keys::Keys;
    use crate::tally::count;
    use crate::work::look_up_many;

    const ITEMS: usize = 10_000;

    /// A visitor that checks each contender at a load that all can hold.
    struct Check(Keys);

    impl Visitor for Check {
        fn visit<C: Contender>(&mut self, name: &'static str) {
            let Keys { stored, absent, .. } = &self.0;
            let mut table = C::with_capacity(2 * ITEMS);
            let (slots, bytes) = table.size();
            assert!(slots.is_none_or(|slots| slots >= ITEMS), "{name}");
            assert!(bytes.is_none_or(|bytes| bytes >= ITEMS), "{name}");
            for _ in 0..2 {
                let insert = |&key: &u64| table.insert(key);
                assert_eq!(count(stored, insert), ITEMS, "{name}");
                assert_eq!(table.contains_each(stored), ITEMS, "{name}");
                if C::UNIQUE {
                    assert_eq!(table.insert_unique_each(stored), 0, "{name}");
                    assert_eq!(table.insert_known_each(stored), 0, "{name}");
                }
                // One of them has 8-bit fingerprints: one false positive in thirty.
                let wrong = table.contains_each(absent);
                assert!(wrong < ITEMS / 20, "{name}: {wrong}");
                assert_eq!(look_up_many(&table, stored), ITEMS, "{name}");
                assert_eq!(look_up_many(&table, absent), wrong, "{name}");
                if C::REMOVES {
                    // It stores equal fingerprints of a bucket once.
                    let merged = if name == "cuckoo-clock" { 2 } else { 0 };
                    let (some, rest) = stored.split_at(ITEMS / 2);
                    let removed = count(some, |&key| table.remove(key));
                    assert!(removed + merged >= some.len(), "{name}: {removed}");
                    let found = table.contains_each(rest);
                    assert!(found + merged >= rest.len(), "{name}: {found}");
                    assert!(table.contains_each(some) < ITEMS / 20, "{name}");
                }
                table.clear(2 * ITEMS);
                assert_eq!(table.contains_each(stored), 0, "{name}");
                if C::UNIQUE {
                    let added = count(stored, |&key| {
                        let is_new = !table.contains(key);
                        assert_eq!(table.insert_unique(key), is_new, "{name}");
                        is_new
                    });
                    assert!(added > ITEMS * 19 / 20, "{name}: {added}");
                    assert_eq!(table.contains_each(stored), ITEMS, "{name}");
                    table.clear(2 * ITEMS);
                }
            }
        }
    }

    #[test]
    fn keep_the_claims_of_their_traits() {
        visit_all(&mut Check(Keys::generate(ITEMS)));
    }

    #[test]
    fn names_are_distinct() {
        let names = names();
        let set: HashSet<&str> = names.iter().copied().collect();
        assert_eq!(set.len(), names.len());
        assert!(LARGE.iter().all(|name| set.contains(name)));
    }

    #[test]
    fn spreads_fingerprints_and_keeps_hashes() {
        fn hash(item: impl Hash) -> u64 {
            BuildReady::default().hash_one(item)
        }
        assert_eq!(hash(7u64), 7);
        assert_ne!(hash(1usize) >> 56, hash(2usize) >> 56);
        assert_ne!(hash([1u8]) as u8, hash([2u8]) as u8);
    }
}
