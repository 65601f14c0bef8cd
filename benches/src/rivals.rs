//! The rivals: other crates that answer the same question, each in its best configuration.
//!
//! Keys are hashes already, so each is given the cheapest hasher that its interface allows
//! ([`Ready`]). Filters are asked for a false-positive rate near 0.012 %, which is the filter's own. What is
//! not made for threads is put in a lock of `parking_lot`, whose uncontended calls are shorter
//! than those of the standard library, and in 64 shards with a lock each ([`locks`]). The serial filters take part
//! without a lock too, on one thread.

#[cfg(feature = "authors")]
pub mod authors;
pub mod filters;
pub mod locks;
pub mod sets;

use std::hash::{BuildHasherDefault, Hasher};

use lockfree_cuckoo::CuckooFilter;

use fastbloom::AtomicBloomFilter;
use model::geometry::SPREAD;

use self::filters::{AtomicCuckoo, Cuckoofilter, Scalable};
use self::locks::{Alone, ReadWrite, Sharded};
use self::sets::{Dashmap, Hashbrown, Papaya, SccIndex};
use crate::contender::{Contender, Visitor};

/// What the reports call the contender that all is about.
pub const FILTER: &str = "filter";

/// Visits the filter, then all rivals.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<CuckooFilter>(FILTER);
    visitor.visit::<AtomicCuckoo>("atomic-cuckoo-filter");
    visitor.visit::<ReadWrite<Cuckoofilter>>("cuckoofilter-rwlock");
    visitor.visit::<Sharded<Cuckoofilter>>("cuckoofilter-shards");
    visitor.visit::<Alone<Cuckoofilter>>("cuckoofilter-alone");
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
    visitor.visit::<Dashmap>("dashmap");
    visitor.visit::<Papaya>("papaya");
    visitor.visit::<SccIndex>("scc-index");
    visitor.visit::<ReadWrite<Hashbrown>>("hashbrown-rwlock");
}

/// Those that take more than 6 GiB for 100 million items, with what they give back late.
pub const LARGE: [&str; 1] = ["papaya"];

/// The names of all that are visited, in order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    struct Names(Vec<&'static str>);
    impl Visitor for Names {
        fn visit<C: Contender>(&mut self, name: &'static str) {
            self.0.push(name);
        }
    }
    let mut names = Names(Vec::new());
    visit_all(&mut names);
    names.0
}

/// Builds [`Ready`] hashers.
type BuildReady = BuildHasherDefault<Ready>;

/// The cheapest hasher: gives back a `u64` unchanged, and spreads all else over 64 bits with one multiplication.
///
/// The keys are random `u64`. All else is what cuckoo filters hash on their own, fingerprints, to find the
/// other bucket; unspread, the two buckets of an item would be neighbours, and the filter full too early.
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
    use crate::work::{count, look_up_many};

    const ITEMS: usize = 10_000;

    /// What every contender has to do, at a load that all can hold.
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
                // The 8-bit fingerprints of one of them are wrong in one of thirty.
                let wrong = table.contains_each(absent);
                assert!(wrong < ITEMS / 20, "{name}: {wrong}");
                assert_eq!(look_up_many(&table, stored), ITEMS, "{name}");
                assert_eq!(look_up_many(&table, absent), wrong, "{name}");
                if C::REMOVES {
                    let (some, rest) = stored.split_at(ITEMS / 2);
                    let removed = count(some, |&key| table.remove(key));
                    assert_eq!(removed, some.len(), "{name}");
                    assert_eq!(table.contains_each(rest), rest.len(), "{name}");
                    assert!(table.contains_each(some) < ITEMS / 20, "{name}");
                }
                table.clear(2 * ITEMS);
                assert_eq!(table.contains_each(stored), 0, "{name}");
            }
        }
    }

    #[test]
    fn all_keep_what_their_traits_say() {
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
    fn hashes_stay_and_fingerprints_are_spread() {
        fn hash(item: impl Hash) -> u64 {
            BuildReady::default().hash_one(item)
        }
        assert_eq!(hash(7u64), 7);
        assert_ne!(hash(1usize) >> 56, hash(2usize) >> 56);
        assert_ne!(hash([1u8]) as u8, hash([2u8]) as u8);
    }
}
